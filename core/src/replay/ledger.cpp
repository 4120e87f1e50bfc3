#include "replay/ledger.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace torch_fl {
namespace {

constexpr size_t kMostBytes = size_t{32} << 20;

struct Ledger {
  std::mutex mutex;
  std::unordered_set<Replays*> plans;
  std::atomic<size_t> bytes{0};
  std::atomic<uint64_t> clock{0};
};
Ledger& ledger() {
  static auto* const l = new Ledger;
  return *l;
}

struct Counts {
  std::mutex mutex;
  std::unordered_map<const OpEntry*, ReplayStats> by_op;
};
Counts& counts() {
  static auto* const c = new Counts;
  return *c;
}

}  // namespace

uint64_t recordings_so_far() noexcept { return ledger().clock.load(std::memory_order_relaxed); }
void count_recording() noexcept { ledger().clock.fetch_add(1, std::memory_order_relaxed); }

void enter_ledger(Replays* replays) {
  const std::lock_guard<std::mutex> lock(ledger().mutex);
  ledger().plans.insert(replays);
}

void leave_ledger(Replays* replays, size_t bytes) {
  const std::lock_guard<std::mutex> lock(ledger().mutex);
  ledger().plans.erase(replays);
  charge_ledger(bytes, 0);
}

void charge_ledger(size_t before, size_t after) { ledger().bytes.fetch_add(after - before, std::memory_order_relaxed); }

void settle_ledger() {
  Ledger& l = ledger();
  if (l.bytes.load(std::memory_order_relaxed) <= kMostBytes) return;
  const std::lock_guard<std::mutex> lock(l.mutex);
  std::vector<std::pair<uint64_t, Replays*>> by_use;
  for (Replays* replays : l.plans) by_use.emplace_back(replays->used(), replays);
  std::sort(by_use.begin(), by_use.end());
  by_use.resize((by_use.size() + 3) / 4);
  for (const auto& [used, replays] : by_use) replays->forget();
}

void count_replays(const OpEntry& entry, const std::function<void(ReplayStats&)>& change) {
  Counts& c = counts();
  const std::lock_guard<std::mutex> lock(c.mutex);
  change(c.by_op[&entry]);
}

std::map<std::string, ReplayStats> replay_stats() {
  std::map<std::string, ReplayStats> stats;
  Counts& c = counts();
  const std::lock_guard<std::mutex> lock(c.mutex);
  for (const auto& [entry, s] : c.by_op) {
    stats[entry->name] = s;
    stats[entry->name].replays = entry->replayed.load(std::memory_order_relaxed);
  }
  return stats;
}

ReplayMemory replay_memory() {
  const std::lock_guard<std::mutex> lock(ledger().mutex);
  return {ledger().plans.size(), ledger().bytes.load(std::memory_order_relaxed), kMostBytes};
}

const std::string* interned(const std::string& text) {
  static std::mutex mutex;
  static auto* const all = new std::set<std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  return &*all->insert(text).first;
}

}  // namespace torch_fl
