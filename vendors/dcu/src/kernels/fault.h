// What a kernel found wrong with its numbers: an index outside of its dimension, a probability outside of [0, 1], or
// more places than there are elements for them. The device goes on; the host hears of it when it waits the next time.
#pragma once

#include "kernels/device.h"
#include "torch_fl/vendor.h"

namespace torch_fl_dcu {

// In memory of the host that the device writes.
struct FaultReport {
  enum : uint32_t { kNone, kIndex, kProbability, kSource };
  uint32_t set;  // one of these; written last
  int32_t dim;
  int64_t index, size;
};

// A kernel's member.
struct FaultSink {
  FaultReport* report = nullptr;
  uint32_t* taken = nullptr;  // in device memory: the first to find a fault reports it

  FL_GPU void index(int64_t index, int32_t dim, int64_t size) const {
    if (atomic_exchange(taken, 1) != 0) return;
    report->dim = dim;
    report->index = index;
    report->size = size;
    fence_to_host();
    report->set = FaultReport::kIndex;
  }
  FL_GPU void probability() const {
    if (atomic_exchange(taken, 1) == 0) report->set = FaultReport::kProbability;
  }
  FL_GPU void source() const {
    if (atomic_exchange(taken, 1) == 0) report->set = FaultReport::kSource;
  }
  // Whether the index lies within the dimension; negative ones count from its end.
  FL_GPU bool wrap(int64_t& i, int32_t dim, int64_t size) const {
    if (i >= -size && i < size) {
      i = i < 0 ? i + size : i;
      return true;
    }
    index(i, dim, size);
    return false;
  }
  // The same where negative ones are wrong.
  FL_GPU bool within(int64_t i, int32_t dim, int64_t size) const {
    if (i >= 0 && i < size) return true;
    index(i, dim, size);
    return false;
  }
};

// The sink of a device; made at its first use.
fl_status fault_sink(int32_t device, FaultSink* sink);
// FL_INDEX_ERROR or FL_INVALID_VALUE where a kernel of the device has reported a fault, once.
fl_status take_fault(int32_t device);

}  // namespace torch_fl_dcu
