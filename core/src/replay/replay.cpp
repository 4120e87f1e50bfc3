#include "replay/replay.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "dispatch/tensors.h"
#include "replay/growth.h"
#include "replay/ledger.h"
#include "replay/recording.h"
#include "replay/run.h"

namespace torch_fl {
namespace {

// 0: calls are recorded and replayed.
enum Forbidden : uint32_t { kSwitchedOff = 1, kWatched = 2 };
std::atomic<uint32_t> g_forbidden{0};
bool allowed() { return g_forbidden.load(std::memory_order_relaxed) == 0; }
void forbid(Forbidden why, bool forbidden) {
  if (forbidden)
    g_forbidden.fetch_or(why);
  else
    g_forbidden.fetch_and(~static_cast<uint32_t>(why));
}

std::atomic<int64_t> g_audit{0};
bool audited(uint64_t turn) {
  const int64_t every = g_audit.load(std::memory_order_relaxed);
  return C10_UNLIKELY(every != 0) && turn % static_cast<uint64_t>(every) == 0;
}

c10::ArrayRef<c10::IValue> arguments_on(const OpEntry& entry, const Stack* stack) {
  return c10::ArrayRef<c10::IValue>(stack->data() + (stack->size() - entry.args.size()), entry.args.size());
}

size_t footprint(const std::shared_ptr<const CallTemplate>& call) { return call == nullptr ? 0 : call->footprint(); }

}  // namespace

Replays::Replays(Lane lane) : lane_(lane) { enter_ledger(this); }
Replays::~Replays() { leave_ledger(this, bytes_); }

void Replays::charge(size_t before, size_t after) {
  bytes_ += after - before;
  charge_ledger(before, after);
}

void Replays::forget() {
  std::vector<Slot> slots;
  std::vector<std::unique_ptr<Class>> classes;
  const std::lock_guard<LightMutex> lock(mutex_);
  slots.swap(slots_);
  classes.swap(classes_);
  charge(bytes_, 0);
}

Replays::Slot* Replays::find(const ReplayKey& key) {
  for (Slot& slot : slots_)
    if (slot.key == key) {
      slot.used = ++clock_;
      return &slot;
    }
  return nullptr;
}

Replays::Slot& Replays::make(const ReplayKey& key) {
  if (Slot* known = find(key)) return *known;
  if (slots_.size() < kMaxSlots) {
    slots_.emplace_back();
    charge(0, sizeof(Slot));
  } else {
    const auto oldest =
        std::min_element(slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) { return a.used < b.used; });
    charge(footprint(oldest->last), 0);
    *oldest = Slot();
    std::swap(*oldest, slots_.back());
  }
  slots_.back().key = key;
  slots_.back().used = ++clock_;
  return slots_.back();
}

Replays::Class* Replays::find_class(const ReplayKey& key) {
  for (const std::unique_ptr<Class>& one : classes_)
    if (one->key == key) {
      one->used = ++clock_;
      return one.get();
    }
  return nullptr;
}

Replays::Class& Replays::make_class(const ReplayKey& key) {
  if (Class* known = find_class(key)) return *known;
  if (classes_.size() == kMaxClasses)
    classes_.erase(std::min_element(classes_.begin(), classes_.end(),
                                    [](const auto& a, const auto& b) { return a->used < b->used; }));
  else
    charge(0, sizeof(Class));
  classes_.push_back(std::make_unique<Class>());
  classes_.back()->key = key;
  classes_.back()->used = ++clock_;
  return *classes_.back();
}

std::shared_ptr<const CallTemplate> Replays::for_class(const OpEntry& entry, c10::ArrayRef<c10::IValue> args) {
  ReplayNumbers numbers;
  const ReplayKey key = replay_class(entry, args, numbers);
  if (numbers.empty()) return nullptr;
  Class* known = find_class(key);
  if (known == nullptr || known->refused || !known->calls.ready()) return nullptr;
  std::shared_ptr<const CallTemplate> call = known->calls.make(numbers);
  if (call == nullptr || on_probation(++known->turns) || audited(known->turns)) return nullptr;
  known->served++;
  return call;
}

std::shared_ptr<const CallTemplate> Replays::grown(const OpEntry& entry, c10::ArrayRef<c10::IValue> args,
                                                   const ReplayKey& key) {
  std::shared_ptr<const CallTemplate> call = Growth::of(entry).take(GrowingCall(entry, lane_, args, key));
  if (call == nullptr) return nullptr;
  Slot& slot = make(key);
  slot.last = call;
  slot.ready = true;
  charge(0, footprint(call));
  return call;
}

bool Replays::replay(const OpEntry& entry, Stack* stack) {
  if (C10_UNLIKELY(t_recording != nullptr || !allowed())) return false;
  const c10::ArrayRef<c10::IValue> args = arguments_on(entry, stack);
  const ReplayKey key = replay_key(entry, args);
  std::shared_ptr<const CallTemplate> call;
  {
    const std::lock_guard<LightMutex> lock(mutex_);
    Slot* slot = find(key);
    if (slot != nullptr && slot->ready) {
      if (audited(slot->used)) return false;  // record() compares
      call = slot->last;
    } else {
      if (!classes_.empty()) call = for_class(entry, args);
      if (call == nullptr && slot == nullptr) call = grown(entry, args, key);
    }
    if (call == nullptr) return false;
  }
  used_.store(recordings_so_far(), std::memory_order_relaxed);
  run(*call, entry, stack);
  entry.replayed.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// One recorded call, and what comes of it.
struct Replays::Recorded {
  ReplayKey key, class_key;
  ReplayNumbers numbers;
  std::optional<GrowingCall> growing;                       // the first call of its slot
  std::shared_ptr<const CallTemplate> made;                 // null: refused
  std::shared_ptr<const CallTemplate> of_class, of_growth;  // what is expected
  std::string refused;
  bool audited = false, mismatch = false, ready = false;
};

void Replays::learn_of_class(Recorded& r) {
  Class* one = find_class(r.class_key);
  r.audited = true;
  if (r.made != nullptr && *r.made == *r.of_class) return;
  if (r.refused.empty()) r.refused = "a number decides what it does";
  // Before it has served anybody, it is no wrong replay.
  r.mismatch = one != nullptr && one->served != 0;
  if (one != nullptr) one->refused = true;
}

void Replays::learn_of_growth(const OpEntry& entry, Recorded& r) {
  if (!r.growing.has_value()) return;
  if (r.made == nullptr) {
    r.mismatch |= Growth::of(entry).refuse(*r.growing);
    return;
  }
  if (r.of_growth == nullptr) {
    Growth::of(entry).add(*r.growing, *r.made);
    return;
  }
  r.audited = true;
  if (*r.made == *r.of_growth) {
    Slot& slot = make(r.key);
    slot.ready = r.ready = true;
    return;
  }
  r.mismatch = Growth::of(entry).refuse(*r.growing);
}

void Replays::learn_of_slot(Recorded& r) {
  Slot& slot = make(r.key);
  const bool equal = r.made != nullptr && slot.last != nullptr && *slot.last == *r.made;
  if (slot.ready) {
    r.audited = true;
    r.mismatch = !equal;
    if (r.mismatch && r.refused.empty()) r.refused = "what it does has changed";
  }
  const size_t before = footprint(slot.last);
  if (!r.refused.empty()) {
    slot.refused = interned(r.refused);
    slot.ready = false;
    slot.last = nullptr;
  } else {
    r.ready = equal && !slot.ready;
    slot.ready |= equal;
    if (!equal) slot.last = r.made;
  }
  charge(before, footprint(slot.last));
}

void Replays::learn(const OpEntry& entry, Recorded& r) {
  if (r.of_class != nullptr) {
    learn_of_class(r);
    return;
  }
  learn_of_slot(r);
  learn_of_growth(entry, r);
  Class* one = r.numbers.empty() ? nullptr : find_class(r.class_key);
  if (one != nullptr && r.made != nullptr && !one->refused) {
    const bool was = one->calls.ready();
    one->calls.add(r.numbers, *r.made);
    r.ready |= !was && one->calls.ready();
  }
}

bool Replays::record(const OpEntry& entry, Stack* stack, const std::function<bool()>& function) {
  const c10::ArrayRef<c10::IValue> args = arguments_on(entry, stack);
  Tensors inputs = tensors_of(args);
  if (t_recording != nullptr || !allowed() || inputs.empty() || module_of(vendor()) == nullptr) return function();
  Recorded recorded;
  recorded.key = replay_key(entry, args);
  recorded.class_key = replay_class(entry, args, recorded.numbers);
  bool wanted = true;
  {
    const std::lock_guard<LightMutex> lock(mutex_);
    bool known = false;
    if (!recorded.numbers.empty()) {
      Class& one = make_class(recorded.class_key);
      known = one.recordings++ != 0;
      if (!one.refused) recorded.of_class = one.calls.make(recorded.numbers);
    }
    if (recorded.of_class == nullptr) {
      Slot& slot = make(recorded.key);
      if (slot.recordings == 0 && slot.last == nullptr) {
        recorded.growing.emplace(entry, lane_, args, recorded.key);
        known |= Growth::of(entry).knows(*recorded.growing);
        recorded.of_growth = Growth::of(entry).expect(*recorded.growing);
      }
      // The first call of a kind may hold launches of a search for the best kernel.
      wanted = slot.refused == nullptr && (slot.recordings != 0 || slot.last != nullptr || known);
      slot.recordings++;
    }
  }
  if (!wanted) return function();
  count_recording();
  used_.store(recordings_so_far(), std::memory_order_relaxed);
  {
    Recording recording(std::move(inputs));
    if (!function()) return false;
    const size_t returns = static_cast<size_t>(entry.returns);
    recorded.made = build(recording, c10::ArrayRef<c10::IValue>(stack->data() + (stack->size() - returns), returns));
    recorded.refused = std::move(recording.refused);
  }
  {
    const std::lock_guard<LightMutex> lock(mutex_);
    learn(entry, recorded);
  }
  settle_ledger();
  count_replays(entry, [&](ReplayStats& stats) {
    stats.recordings++;
    stats.templates += recorded.ready ? 1 : 0;
    stats.audits += recorded.audited ? 1 : 0;
    stats.mismatches += recorded.mismatch ? 1 : 0;
    if (!recorded.refused.empty()) stats.refused[recorded.refused]++;
  });
  if (recorded.mismatch)
    TORCH_WARN("torch_fl: ", entry.name, ": a replayed call was not what its function does now (", recorded.refused,
               "); calls like it are not replayed any more");
  return true;
}

std::string Replays::about() {
  const std::lock_guard<LightMutex> lock(mutex_);
  size_t ready = 0, recorded = 0;
  const std::string* refused = nullptr;
  for (const Slot& slot : slots_) {
    ready += slot.ready ? 1 : 0;
    recorded += slot.last != nullptr ? 1 : 0;
    if (slot.refused != nullptr) refused = slot.refused;
  }
  for (const std::unique_ptr<Class>& one : classes_) ready += one->calls.ready() && !one->refused ? 1 : 0;
  if (ready != 0) return "replayed without Python";
  if (refused != nullptr) return "not replayed: " + *refused;
  if (recorded != 0) return "recorded, and replayed once two recordings agree";
  return slots_.empty() ? "never called" : "called, and recorded from the next call on";
}

void switch_replay(bool on) { forbid(kSwitchedOff, !on); }
void allow_replay(bool allowed) { forbid(kWatched, !allowed); }
void set_replay_audit(int64_t every) { g_audit.store(every, std::memory_order_relaxed); }

}  // namespace torch_fl
