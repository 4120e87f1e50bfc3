// What newer SDKs have beyond the public header: host functions, and the capture of a stream's work into a graph.
#include <map>
#include <memory>
#include <mutex>

#include "generated/newer.h"
#include "standin.h"
#include "stream.h"

namespace tops_standin {
namespace {

struct Graphs {
  std::mutex mutex;
  std::map<void*, std::shared_ptr<Graph>> live;
};

Graphs& graphs() {
  static Graphs* const made = new Graphs;
  return *made;
}

std::shared_ptr<Graph> find(void* handle) {
  Graphs& all = graphs();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.live.find(handle);
  return found == all.live.end() ? nullptr : found->second;
}

// Every handle has its own key, also the ones that share a graph.
void* keep(std::shared_ptr<Graph> graph) {
  Graphs& all = graphs();
  std::lock_guard<std::mutex> lock(all.mutex);
  void* key = new char;
  all.live[key] = std::move(graph);
  return key;
}

topsError_t forget(void* handle) {
  Graphs& all = graphs();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.live.erase(handle) == 0) return topsErrorInvalidHandle;
  delete static_cast<char*>(handle);
  return topsSuccess;
}

}  // namespace
}  // namespace tops_standin

using namespace tops_standin;

extern "C" {

topsError_t topsLaunchHostFunc(topsStream_t stream, topsHostFn_t fn, void* userData) {
  auto on = find_stream(stream);
  if (on == nullptr) return remember(topsErrorInvalidHandle);
  if (fn == nullptr) return remember(topsErrorInvalidValue);
  submit(on, Work::other, "host function", [=] {
    fn(userData);
    return topsSuccess;
  });
  return topsSuccess;
}

// The default stream cannot be captured.
topsError_t topsStreamBeginCapture(topsStream_t stream, topsStreamCaptureMode) {
  auto on = find_stream(stream);
  if (on == nullptr) return remember(topsErrorInvalidHandle);
  if (stream == nullptr || on->captured() != nullptr) return remember(topsErrorStreamCaptureUnsupported);
  on->capture(std::make_shared<Graph>());
  return topsSuccess;
}

topsError_t topsStreamEndCapture(topsStream_t stream, topsGraph_t* graph) {
  auto on = find_stream(stream);
  if (on == nullptr) return remember(topsErrorInvalidHandle);
  auto made = on->captured();
  if (made == nullptr) return remember(topsErrorStreamCaptureInvalidated);
  on->capture(nullptr);
  *graph = static_cast<topsGraph_t>(keep(made));
  return topsSuccess;
}

topsError_t topsStreamIsCapturing(topsStream_t stream, topsStreamCaptureStatus* status) {
  auto on = find_stream(stream);
  if (on == nullptr) return remember(topsErrorInvalidHandle);
  *status = on->captured() == nullptr ? topsStreamCaptureStatusNone : topsStreamCaptureStatusActive;
  return topsSuccess;
}

topsError_t topsGraphInstantiate(topsGraphExec_t* exec, topsGraph_t graph, void*, char*, size_t) {
  auto found = find(graph);
  if (found == nullptr) return remember(topsErrorInvalidHandle);
  *exec = static_cast<topsGraphExec_t>(keep(found));
  return topsSuccess;
}

topsError_t topsGraphLaunch(topsGraphExec_t exec, topsStream_t stream) {
  auto found = find(exec);
  auto on = find_stream(stream);
  if (found == nullptr || on == nullptr) return remember(topsErrorInvalidHandle);
  for (const Item& item : found->items) submit(on, item.kind, item.name.c_str(), item.work);
  return topsSuccess;
}

topsError_t topsGraphDestroy(topsGraph_t graph) { return remember(forget(graph)); }
topsError_t topsGraphExecDestroy(topsGraphExec_t exec) { return remember(forget(exec)); }

}  // extern "C"
