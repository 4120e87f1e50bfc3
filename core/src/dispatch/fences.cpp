#include "dispatch/fences.h"

#include <mutex>
#include <unordered_map>

namespace torch_fl {

std::atomic<bool> fences_exist{false};

void fence_slow(Lane lane, int32_t device, fl_stream stream) {
  static std::mutex* const mutex = new std::mutex;
  static auto* const last = new std::unordered_map<fl_stream, Lane>;
  Lane previous;
  {
    std::lock_guard<std::mutex> lock(*mutex);
    Lane& slot = last->try_emplace(stream, lane).first->second;
    previous = slot;
    slot = lane;
  }
  if (previous == lane) return;
  const Vendor& v = vendor();
  for (const auto& [earlier, later] : v.facts.fences)
    if (earlier == lane_name(previous) && later == lane_name(lane)) {
      FL_CHECK(v.api.stream_synchronize(device, stream), "stream_synchronize(device=", device, ")");
      return;
    }
}

}  // namespace torch_fl
