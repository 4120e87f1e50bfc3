// Templates for calls whose sizes grow: what each number of the launches is of the size that changes.
//
// Only calls of kernels that compute each element by itself take part, whose grid is one tile per block (the launches
// say so: LaunchRecord::Tile). Any grid that covers the elements is right for such a kernel, so what has to be known is
// the sizes, strides and counts that it gets. Those are affine in the one size that changes, or the calls have no
// template. A family's calls agree in all that FlagGems and Triton look at: which sizes are 1, are equal, divide by 16,
// and their power of two.
#pragma once

#include <c10/util/SmallVector.h>

#include <memory>
#include <mutex>
#include <vector>

#include "dispatch/api.h"
#include "replay/key.h"
#include "replay/numbers.h"
#include "replay/template.h"

namespace torch_fl {

// A call as its family sees it.
struct GrowingCall {
  // `exact`: of replay_key().
  GrowingCall(const OpEntry& entry, Lane lane, c10::ArrayRef<c10::IValue> args, const ReplayKey& exact);

  bool fits = true;  // there may be a family of such calls
  c10::SmallVector<uint64_t, 32> key;
  c10::SmallVector<int64_t, 16> sizes;  // and strides, of all tensors
};

// The families of one op. Thread-safe.
class Growth {
 public:
  static Growth& of(const OpEntry& entry);

  // A call of its family was seen before, and it has or may get a template.
  bool knows(const GrowingCall& call);
  // A template to serve the call by; null where there is none, or where it is to be compared first.
  std::shared_ptr<const CallTemplate> take(const GrowingCall& call);
  // A template to compare what the call does with.
  std::shared_ptr<const CallTemplate> expect(const GrowingCall& call);
  // What a call did.
  void add(const GrowingCall& call, const CallTemplate& made);
  // The call did not do what was expected. True: calls were served by that.
  bool refuse(const GrowingCall& call);

 private:
  static constexpr size_t kMaxFamilies = 16;
  static constexpr size_t kProof = 3, kMaxCaptures = 6;
  struct Affine {
    int64_t factor = 0, offset = 0;
    bool at(int64_t size, int64_t& value) const {
      return !__builtin_mul_overflow(factor, size, &value) && !__builtin_add_overflow(value, offset, &value);
    }
  };
  struct Capture {
    c10::SmallVector<int64_t, 16> sizes;
    std::vector<uint64_t> values;
  };
  struct Family {
    c10::SmallVector<uint64_t, 32> key;
    std::unique_ptr<const Apart> apart;
    std::vector<Capture> captures;
    size_t driver = 0;  // the size that changes
    std::vector<Affine> sizes, values;
    uint64_t turns = 0, served = 0, used = 0;
    bool ready = false, hopeless = false;

    void prove();
    std::shared_ptr<const CallTemplate> make(const GrowingCall& call) const;
  };
  Family* find(const GrowingCall& call);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Family>> families_;
  uint64_t clock_ = 0;
};

}  // namespace torch_fl
