// Launch replay: what a package's Python function did for a call, done again without it.
//
// A function of FlagGems spends tens of microseconds on deciding what to launch, and for calls of one signature it
// decides the same. So a call whose plan is known is recorded (recording.h): which kernels were launched, with which
// bytes as arguments, where each pointer among them came from (an argument, a result, a temporary), and which ops were
// called in between. That makes a template (template.h, build.cpp). When two recordings in a row agree, the plan
// replays them (run.h): results and temporaries are allocated, pointers put in their places, and the kernels launched
// through the vendor's `module` extension, with no Python at all.
//
// Calls that differ in a number only share a template once three of them have shown where the number goes (numbers.h),
// and so do calls of pointwise kernels that differ in one size (growth.h).
//
// What cannot be known to repeat is refused: numbers that were read back, random numbers, copies from the host,
// pointers of unknown origin, results that are views.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/op_entry.h"
#include "dispatch/package_lane.h"
#include "replay/key.h"
#include "replay/numbers.h"
#include "replay/template.h"
#include "runtime/state.h"

namespace torch_fl {

// What a plan has recorded, by what of a call its signature leaves out: the values of numbers, where tensors lie.
class Replays {
 public:
  explicit Replays(Lane lane);
  ~Replays();
  Replays(const Replays&) = delete;
  Replays& operator=(const Replays&) = delete;

  // Serves the call by a template. False: there is none for it (yet).
  bool replay(const OpEntry& entry, Stack* stack);
  // Calls `function`, which leaves the results of the arguments on the stack in their place, and records what it does.
  // Its answer comes back.
  bool record(const OpEntry& entry, Stack* stack, const std::function<bool()>& function);

  // What is known of calls of the plan, for people.
  std::string about();
  // Of the clock of recordings.
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  // Drops all that was recorded.
  void forget();

 private:
  static constexpr size_t kMaxSlots = 32;
  static constexpr size_t kMaxClasses = 4;

  struct Slot {
    ReplayKey key;
    std::shared_ptr<const CallTemplate> last;
    const std::string* refused = nullptr;  // why
    uint32_t recordings = 0;
    bool ready = false;
    uint64_t used = 0;
  };
  // Calls that differ in numbers only.
  struct Class {
    ReplayKey key;
    TemplateOfNumbers calls;
    uint64_t recordings = 0, turns = 0, served = 0;
    bool refused = false;
    uint64_t used = 0;
  };
  struct Recorded;

  Slot* find(const ReplayKey& key);
  Slot& make(const ReplayKey& key);
  Class* find_class(const ReplayKey& key);
  Class& make_class(const ReplayKey& key);
  std::shared_ptr<const CallTemplate> for_class(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);
  std::shared_ptr<const CallTemplate> grown(const OpEntry& entry, c10::ArrayRef<c10::IValue> args,
                                            const ReplayKey& key);
  // Under the lock: what a recording says about its kind of call.
  void learn(const OpEntry& entry, Recorded& recorded);
  void learn_of_class(Recorded& recorded);
  void learn_of_growth(const OpEntry& entry, Recorded& recorded);
  void learn_of_slot(Recorded& recorded);
  void charge(size_t before, size_t after);

  LightMutex mutex_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<Class>> classes_;
  uint64_t clock_ = 0;
  size_t bytes_ = 0;
  const Lane lane_;
  std::atomic<uint64_t> used_{0};
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
// Each n-th replay of a template is done by the function instead, and compared; 0: none but the first ones of a
// template that calls with different numbers share.
FL_API void set_replay_audit(int64_t every);

// What several calls have proven is compared with more of them: with the first ones, then with ever fewer.
inline bool on_probation(uint64_t turn) { return turn <= 4 || (turn & (turn - 1)) == 0; }

struct ReplayStats {
  uint64_t replays = 0, recordings = 0, templates = 0, audits = 0, mismatches = 0;
  std::map<std::string, uint64_t> refused;  // by reason
};
FL_API std::map<std::string, ReplayStats> replay_stats();

struct ReplayMemory {
  size_t plans = 0, bytes = 0, most = 0;  // plans with recordings, about what they hold, and the bound
};
FL_API ReplayMemory replay_memory();

}  // namespace torch_fl
