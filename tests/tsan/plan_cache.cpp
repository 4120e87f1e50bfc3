// The plan cache under ThreadSanitizer: many threads look up, insert, demote and change routes at once. Each plan knows
// the signature that it was made for, so that a plan found for another one is noticed.
#include "dispatch/plan_cache.h"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using torch_fl::CachedPlan;
using torch_fl::CachedPlanPtr;
using torch_fl::PlanCache;
using torch_fl::Signature;

#define REQUIRE(condition)                                                              \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);    \
      std::abort();                                                                     \
    }                                                                                   \
  } while (0)

std::atomic<int64_t> g_alive{0};

struct Plan : CachedPlan {
  explicit Plan(uint64_t key) : key(key) { g_alive.fetch_add(1); }
  ~Plan() override { g_alive.fetch_sub(1); }
  const uint64_t key;
};

void sign(Signature& s, uint64_t key) {
  s.push(key);
  // Some signatures are longer than what fits on the stack.
  for (uint64_t i = 0; i < (key % 7 == 0 ? 200 : key % 5); ++i) s.push(key * 31 + i);
}

// One call: find the plan, or make it. As dispatch does, it holds a reference while it "runs".
void call(PlanCache& cache, const void* routes, uint64_t key) {
  Signature s;
  sign(s, key);
  const CachedPlanPtr* found = cache.find(routes, s);
  if (found == nullptr) {
    cache.insert(routes, s, std::make_shared<Plan>(key));
    found = cache.find(routes, s);
    if (found == nullptr) return;  // another thread demoted it, or emptied the cache, meanwhile
  }
  CachedPlanPtr held = *found;
  REQUIRE(static_cast<const Plan*>(held.get())->key == key);
  REQUIRE(held->routes == routes);
  if (key % 97 == 0) held->stale.store(true, std::memory_order_relaxed);
  // A call inside of the call may replace the slot that `found` points at; `held` stays.
  Signature inner;
  sign(inner, key + 1);
  cache.find(routes, inner);
  REQUIRE(static_cast<const Plan*>(held.get())->key == key);
}

template <class F>
void on_threads(int count, F body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&body, t] { body(t); });
  for (auto& thread : threads) thread.join();
}

// The same few signatures on all threads: what a training loop does.
void hot_signatures() {
  PlanCache cache;
  const int routes = 0;
  on_threads(4, [&](int) {
    for (uint64_t i = 0; i < 20000; ++i) call(cache, &routes, i % 16);
  });
  REQUIRE(CachedPlan::count.load() <= PlanCache::kMaxPlans);
}

// More signatures than the cache holds: what a workload with growing shapes does.
void many_signatures() {
  {
    PlanCache cache;
    const int routes = 0;
    on_threads(4, [&](int t) {
      for (uint64_t i = 0; i < 4000; ++i) call(cache, &routes, i * 4 + static_cast<uint64_t>(t % 2));
    });
    REQUIRE(CachedPlan::count.load() == static_cast<size_t>(g_alive.load()));
    // What threads that ended held is gone; what is alive is in the shared table.
    REQUIRE(g_alive.load() <= static_cast<int64_t>(PlanCache::kMaxPlans));
  }
  REQUIRE(g_alive.load() <= static_cast<int64_t>(PlanCache::kSlots));  // this thread's own table
}

// Routes change while others call: a plan of old routes is never found under new ones.
void changing_routes() {
  PlanCache cache;
  const int sets[3] = {0, 1, 2};
  std::atomic<const int*> current{&sets[0]};
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (int i = 0; i < 2000; ++i) {
      current.store(&sets[i % 3], std::memory_order_release);
      std::this_thread::yield();
    }
    stop.store(true);
  });
  on_threads(3, [&](int) {
    uint64_t i = 0;
    while (!stop.load()) call(cache, current.load(std::memory_order_acquire), i++ % 64);
  });
  changer.join();
}

// Several ops: threads come and go, caches are looked up in any order.
void many_caches() {
  std::vector<std::unique_ptr<PlanCache>> caches;
  for (int i = 0; i < 50; ++i) caches.push_back(std::make_unique<PlanCache>());
  const int routes = 0;
  for (int round = 0; round < 10; ++round)
    on_threads(4, [&](int t) {
      for (uint64_t i = 0; i < 500; ++i) call(*caches[(i * 7 + static_cast<uint64_t>(t)) % caches.size()], &routes, i % 9);
    });
}

}  // namespace

int main() {
  hot_signatures();
  many_signatures();
  changing_routes();
  many_caches();
  std::puts("ok");
  return 0;
}
