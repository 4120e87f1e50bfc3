// Plans by signature: bounded, and read without a lock.
//
// Every thread has a small table per op (two ways, direct-mapped) that holds references to plans; behind it stands one
// table per op for all threads, under a mutex, that is looked into only when a thread meets a signature for the first
// time. A plan lives as long as somebody refers to it, so replacing one never disturbs a call that runs it.
// Independent of PyTorch, so that ThreadSanitizer can test it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "dispatch/signature.h"

namespace torch_fl {

// What a plan is cached under: the routes that it was made for, and the signature.
struct CachedPlan {
  static inline std::atomic<size_t> count{0};  // that exist

  CachedPlan() { count.fetch_add(1, std::memory_order_relaxed); }
  virtual ~CachedPlan() { count.fetch_sub(1, std::memory_order_relaxed); }
  CachedPlan(const CachedPlan&) = delete;
  CachedPlan& operator=(const CachedPlan&) = delete;

  const void* routes = nullptr;
  uint64_t hash = 0;
  std::vector<uint64_t> words;
  std::atomic<bool> stale{false};  // demoted: look again

  bool matches(const void* r, const Signature& s) const {
    return routes == r && hash == s.hash() && s.equals(words) && !stale.load(std::memory_order_relaxed);
  }
};
using CachedPlanPtr = std::shared_ptr<CachedPlan>;

class PlanCache {
 public:
  static constexpr size_t kMaxPlans = 1024;  // per op, all threads
  static constexpr size_t kSlots = 32;       // per op and thread

  PlanCache() : id_(next_id().fetch_add(1, std::memory_order_relaxed)) {}

  // The plan of this thread for a signature, or null. The pointer stays valid until this thread looks up again in a
  // way that replaces it: hold a reference (`hold`) across anything that may call back into dispatch.
  const CachedPlanPtr* find(const void* routes, const Signature& s) {
    Table& table = local();
    CachedPlanPtr* slot = &table.slots[(s.hash() % (kSlots / 2)) * 2];
    if (slot[0] && slot[0]->matches(routes, s)) return &slot[0];
    if (slot[1] && slot[1]->matches(routes, s)) return &slot[1];
    CachedPlanPtr shared;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto range = plans_.equal_range(s.hash());
      for (auto it = range.first; it != range.second; ++it)
        if (it->second->matches(routes, s)) {
          shared = it->second;
          break;
        }
    }
    if (!shared) return nullptr;
    return place(slot, std::move(shared));
  }

  // Stores a plan; when full, the whole op starts over (a workload with that many live signatures gains nothing from a
  // finer policy). Returns the number of plans that were dropped.
  size_t insert(const void* routes, const Signature& s, const CachedPlanPtr& plan) {
    plan->routes = routes;
    plan->hash = s.hash();
    plan->words.assign(s.words().begin(), s.words().end());
    size_t dropped = 0;
    std::vector<CachedPlanPtr> graveyard;  // released outside of the lock
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto range = plans_.equal_range(plan->hash);
      for (auto it = range.first; it != range.second;) {
        if (it->second->routes == routes && s.equals(it->second->words)) {
          graveyard.push_back(std::move(it->second));
          it = plans_.erase(it);
        } else {
          ++it;
        }
      }
      if (plans_.size() >= kMaxPlans) {
        dropped = plans_.size();
        for (auto& entry : plans_) graveyard.push_back(std::move(entry.second));
        plans_.clear();
      }
      plans_.emplace(plan->hash, plan);
    }
    place(&local().slots[(plan->hash % (kSlots / 2)) * 2], plan);
    return dropped;
  }

 private:
  struct Table {
    CachedPlanPtr slots[kSlots];
  };

  static std::atomic<uint32_t>& next_id() {
    static std::atomic<uint32_t> id{0};
    return id;
  }

  static CachedPlanPtr* place(CachedPlanPtr* slot, CachedPlanPtr plan) {
    if (slot[0]) slot[1] = std::move(slot[0]);
    slot[0] = std::move(plan);
    return &slot[0];
  }

  // The tables of a thread, by cache. The plain pointer is what hot paths read; the owner behind it frees them.
  struct Tables {
    std::vector<std::unique_ptr<Table>> by_cache;
    ~Tables();
  };
  static inline thread_local __attribute__((tls_model("initial-exec"))) Tables* t_tables = nullptr;

  Table& local() {
    if (__builtin_expect(t_tables == nullptr, 0)) {
      static thread_local std::unique_ptr<Tables> owner;
      owner = std::make_unique<Tables>();
      t_tables = owner.get();
    }
    auto& tables = t_tables->by_cache;
    if (__builtin_expect(id_ >= tables.size(), 0)) tables.resize(id_ + 1);
    auto& table = tables[id_];
    if (__builtin_expect(!table, 0)) table = std::make_unique<Table>();
    return *table;
  }

  const uint32_t id_;
  std::mutex mutex_;
  std::unordered_multimap<uint64_t, CachedPlanPtr> plans_;
};

inline PlanCache::Tables::~Tables() { t_tables = nullptr; }

}  // namespace torch_fl
