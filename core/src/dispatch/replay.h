// Launch replay: what a package's Python function did for a call, done again without it.
//
// A function of FlagGems spends tens of microseconds on deciding what to launch, and for calls of one signature it
// decides the same. So a call whose plan is known is recorded: which kernels were launched, with which bytes as
// arguments, and where each pointer among them came from (an argument, a result, a temporary). When two recordings in a
// row agree, the plan replays them: results and temporaries are allocated, pointers put in their places, and the
// kernels launched through the vendor's `module` extension, with no Python at all.
//
// What cannot be known to repeat is refused: work other than recorded launches (an op that ran on another lane, a copy,
// a number that was read back, random numbers), pointers of unknown origin, results that are views.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/op_entry.h"
#include "dispatch/package_lane.h"
#include "runtime/state.h"

namespace torch_fl {

// A launch as the compiler's launcher made it.
struct LaunchRecord {
  void* function = nullptr;  // the vendor's own handle
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t shared_bytes = 0;
  struct Value {
    std::string bytes;
    bool pointer = false;
  };
  std::vector<Value> values;
};

// Where a pointer among a launch's values comes from.
struct PointerOrigin {
  enum class Kind : uint8_t { input, output, temporary } kind = Kind::input;
  uint16_t index = 0;
  uint32_t value = 0;  // byte position of the pointer among the launch's values
  int64_t offset = 0;  // bytes from the tensor's first element, or the temporary's first byte
  bool operator==(const PointerOrigin&) const = default;
};

struct LaunchTemplate {
  void* function = nullptr;
  uint32_t grid[3], block[3];
  uint32_t shared_bytes = 0;
  std::vector<uint8_t> values;  // aligned each to its size; pointers are zero
  std::vector<uint32_t> positions;
  std::vector<size_t> sizes;
  std::vector<PointerOrigin> pointers;

  void take_shape(const LaunchRecord& launch);
  // The byte position of the value.
  size_t add(const LaunchRecord::Value& value);
  bool operator==(const LaunchTemplate&) const = default;
};

struct ResultTemplate {
  int32_t argument = -1;  // the tensor argument that it is, or -1: a new tensor
  at::ScalarType dtype = at::ScalarType::Undefined;
  std::vector<int64_t> sizes, strides;
  size_t bytes = 0;
  bool operator==(const ResultTemplate&) const = default;
};

struct CallTemplate {
  std::vector<ResultTemplate> results;
  std::vector<size_t> temporaries;  // bytes
  std::vector<LaunchTemplate> launches;
  bool operator==(const CallTemplate&) const = default;
};

// What a plan has recorded, by what of a call its signature leaves out: the values of numbers, where tensors lie.
class Replays {
 public:
  // Serves the call by a template. False: there is none for it (yet).
  bool replay(const OpEntry& entry, Stack* stack);
  // Calls `function`, which leaves the results of the arguments on the stack in their place, and records what it does.
  // Its answer comes back.
  bool record(const OpEntry& entry, Stack* stack, const std::function<bool()>& function);

 private:
  static constexpr size_t kMaxSlots = 32;
  using Key = c10::SmallVector<uint64_t, 8>;
  struct Slot {
    Key key;
    int recordings = 0;
    bool refused = false;
    std::shared_ptr<const CallTemplate> last;
    bool ready = false;
    uint64_t used = 0;
  };
  static Key key_of(c10::ArrayRef<c10::IValue> args);
  Slot* find(const Key& key);
  Slot& make(Key key);

  LightMutex mutex_;
  std::vector<Slot> slots_;
  uint64_t clock_ = 0;
};

// ---- the recording of this thread

FL_API bool recording() noexcept;
// Adds to the recording of this thread, where there is one. A launch is work in any case.
FL_API void record_launch(LaunchRecord launch);
// The call that is being recorded cannot be replayed.
FL_API void refuse_recording(const std::string& why);

// ---- kernels of the vendor's `module` extension, without a compiler's launcher

// A kernel of a compiled image, loaded for the rest of the process. Throws where the vendor loads none.
FL_API void* load_kernel(int32_t device, const std::string& image, const std::string& name);
// Launches on the device's current stream, and records it.
FL_API void launch_kernel(int32_t device, LaunchRecord launch);

// ---- for all threads

// Replaying is on where the user has not switched it off, and while it is allowed: nobody watches the launches of a
// compiler.
FL_API void switch_replay(bool on);
FL_API void allow_replay(bool allowed);
// Each n-th replay of a template is done by the function instead, and compared; 0: none.
FL_API void set_replay_audit(int64_t every);

struct ReplayStats {
  uint64_t replays = 0, recordings = 0, templates = 0, audits = 0, mismatches = 0;
  std::map<std::string, uint64_t> refused;  // by reason
};
FL_API std::map<std::string, ReplayStats> replay_stats();

}  // namespace torch_fl
