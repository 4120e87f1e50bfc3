/*
 * vendor_kit.h: what every vendor's C++ would write again. Optional: the contract is vendor.h alone.
 *
 * C++17, header-only. Includes vendor.h and the standard library: neither PyTorch nor an SDK.
 *
 *     namespace kit = torch_fl_kit;
 *     fl_status device_malloc(int32_t device, size_t bytes, void** ptr) {
 *       if (device >= count()) return kit::fail(FL_INVALID_DEVICE, "there is no device %d", device);
 *       ...
 *     }
 *     void fill(fl_vendor_api& api) {
 *       api.name = "acme";
 *       api.malloc = kit::guarded<device_malloc>;
 *       ...
 *     }
 *     extern "C" FL_EXPORT fl_status fl_vendor_init(const fl_core_api* core, fl_vendor_api* vendor) {
 *       return kit::offer(core, vendor, fill);
 *     }
 *
 * What it holds belongs to the library that includes it: nothing is exported, nothing shared with another vendor.
 */
#ifndef TORCH_FL_VENDOR_KIT_H_
#define TORCH_FL_VENDOR_KIT_H_

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <type_traits>
#include <utility>
#include <variant>

#include "torch_fl/vendor.h"

// A vendor library exports one name.
#pragma GCC visibility push(hidden)

namespace torch_fl_kit {

/* --------------------------------------------------------------------------------------------------------- errors */

namespace detail {
inline const fl_core_api* g_core = nullptr;

inline fl_status tell(fl_status status, int64_t code, const char* format, va_list values) noexcept {
  char text[1024];
  std::vsnprintf(text, sizeof(text), format, values);
  g_core->set_error(code, text);
  return status;
}
}  // namespace detail

// Core's table; from offer() on.
inline const fl_core_api* core() noexcept { return detail::g_core; }

// Tells core why the current function is about to return `status`, and returns it:
//   if (bytes > room) return fail(FL_INVALID_VALUE, "a copy of %zu bytes into %zu", bytes, room);
__attribute__((format(printf, 2, 3))) inline fl_status fail(fl_status status, const char* format, ...) noexcept {
  va_list values;
  va_start(values, format);
  detail::tell(status, 0, format, values);
  va_end(values);
  return status;
}

// As fail(), with the number that an SDK gave the error.
__attribute__((format(printf, 3, 4))) inline fl_status fail_code(fl_status status, int64_t code, const char* format,
                                                                 ...) noexcept {
  va_list values;
  va_start(values, format);
  detail::tell(status, code, format, values);
  va_end(values);
  return status;
}

// Ends a function early, from any depth of C++ below a guard. FL_UNSUPPORTED sends a call to the next lane, so
// nothing may have been enqueued or written yet.
struct Stop {
  fl_status status;
};
[[noreturn]] inline void unsupported() { throw Stop{FL_UNSUPPORTED}; }
inline void require(fl_status status) {
  if (status != FL_OK) throw Stop{status};
}

// What `body` returns, or the status for what it throws: no exception may cross the boundary.
template <class Body>
fl_status guard(Body&& body) noexcept {
  try {
    return body();
  } catch (const Stop& stop) {
    return stop.status;
  } catch (const std::bad_alloc&) {
    return fail(FL_FAILED, "the host is out of memory");
  } catch (const std::exception& e) {
    return fail(FL_FAILED, "%s", e.what());
  } catch (...) {
    return fail(FL_FAILED, "an exception of an unknown type");
  }
}

template <auto fn>
struct Guard;
template <class Result, class... Args, Result (*fn)(Args...)>
struct Guard<fn> {
  static Result call(Args... args) noexcept {
    if constexpr (std::is_void_v<Result>)
      (void)guard([&] { return fn(args...), FL_OK; });
    else
      return guard([&] { return fn(args...); });
  }
};
// A slot of a table for core: `fn` under a guard. The functions of rows are put under one by codegen.
//   api.malloc = guarded<device_malloc>;
template <auto fn>
constexpr auto guarded = &Guard<fn>::call;

/* --------------------------------------------------------------------------------------------------------- tables */

// The body of fl_vendor_init: refuses another ABI major, else lets `fill` fill the table. `fill` gets one that has
// its versions, and starts nothing.
template <class Fill>
fl_status offer(const fl_core_api* core, fl_vendor_api* vendor, Fill&& fill) noexcept {
  if (vendor->abi_major != FL_ABI_MAJOR) {
    // Of another major nothing is known but the version, so nothing else is filled.
    vendor->abi_major = FL_ABI_MAJOR;
    vendor->abi_minor = FL_ABI_MINOR;
    return FL_ABI_MISMATCH;
  }
  detail::g_core = core;
  return guard([&] {
    fl_vendor_api ours{};
    ours.struct_size = sizeof(ours);
    ours.abi_major = FL_ABI_MAJOR;
    ours.abi_minor = FL_ABI_MINOR;
    fill(ours);
    // An older core has a shorter table: it gets what it knows of.
    std::memcpy(vendor, &ours, std::min(vendor->struct_size, sizeof(ours)));
    return FL_OK;
  });
}

// Copies what the caller's struct has room for; its first field, struct_size, stays the caller's.
template <class T>
void give(const T& from, T* to) noexcept {
  const size_t bytes = std::min(to->struct_size, sizeof(T)), skip = sizeof(size_t);
  if (bytes > skip)
    std::memcpy(reinterpret_cast<char*>(to) + skip, reinterpret_cast<const char*>(&from) + skip, bytes - skip);
}

/* --------------------------------------------------------------------------------------------------------- memory */

inline fl_status check_room(size_t bytes, size_t dst_capacity, size_t src_capacity) noexcept {
  if (bytes <= dst_capacity && bytes <= src_capacity) return FL_OK;
  return fail(FL_INVALID_VALUE, "a copy of %zu bytes from %zu into %zu", bytes, src_capacity, dst_capacity);
}

// Ranges of addresses that do not overlap, with what is known of each: page-locked memory of the host, which an
// asynchronous copy may read after the call has returned, or the segments of a device. Any thread may call.
template <class What = std::monostate>
class Ranges {
 public:
  struct Range {
    const char* begin = nullptr;  // null: not found
    size_t bytes = 0;
    What what{};
    explicit operator bool() const noexcept { return begin != nullptr; }
    // Bytes from an address of the range to its end.
    size_t room(const void* ptr) const noexcept {
      return bytes - static_cast<size_t>(static_cast<const char*>(ptr) - begin);
    }
  };

  void add(const void* ptr, size_t bytes, What what = {}) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    ranges_[static_cast<const char*>(ptr)] = {static_cast<const char*>(ptr), bytes, what};
  }
  // Adds it unless one that is there shares an address with it: gives that one.
  Range try_add(const void* ptr, size_t bytes, What what = {}) {
    const auto* begin = static_cast<const char*>(ptr);
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    const auto after = ranges_.lower_bound(begin + bytes);
    if (after != ranges_.begin())
      if (const Range& before = std::prev(after)->second; before.begin + before.bytes > begin) return before;
    ranges_[begin] = {begin, bytes, what};
    return {};
  }
  // Removes the range that begins at `ptr` and that `fits`, and gives it.
  template <class Fits>
  Range remove(const void* ptr, Fits&& fits) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    const auto found = ranges_.find(static_cast<const char*>(ptr));
    if (found == ranges_.end() || !fits(found->second.what)) return {};
    const Range gone = found->second;
    ranges_.erase(found);
    return gone;
  }
  Range remove(const void* ptr) {
    return remove(ptr, [](const What&) { return true; });
  }
  // The range that the address lies in.
  Range find(const void* ptr) const {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    const auto after = ranges_.upper_bound(static_cast<const char*>(ptr));
    if (after == ranges_.begin()) return {};
    const Range& range = std::prev(after)->second;
    return static_cast<size_t>(static_cast<const char*>(ptr) - range.begin) < range.bytes ? range : Range{};
  }
  // Calls fn(range) for each, in the order of their addresses; it must not come back to this object.
  template <class Fn>
  void each(Fn&& fn) const {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    for (const auto& [begin, range] : ranges_) fn(range);
  }
  bool holds(const void* ptr, size_t bytes) const {
    const Range range = find(ptr);
    return range && bytes <= range.room(ptr);
  }

 private:
  mutable std::shared_mutex mutex_;
  std::map<const char*, Range, std::less<>> ranges_;
};

/* -------------------------------------------------------------------------------------------------------- reading */

// Element `i` of a list, whose elements may be larger than this vendor knows.
template <class T>
const T& item(const fl_list& list, size_t i) noexcept {
  return *reinterpret_cast<const T*>(static_cast<const char*>(list.data) + i * list.element_size);
}

// A number as double, whatever its kind; of a complex one the real part.
inline double to_double(const fl_scalar& s) noexcept {
  return s.kind == FL_DOUBLE ? s.v.d : s.kind == FL_COMPLEX ? s.v.c[0] : static_cast<double>(s.v.i);
}

inline int64_t numel(const fl_tensor& t) noexcept {
  int64_t n = 1;
  for (int32_t d = 0; d < t.ndim; d++) n *= t.sizes[d];
  return n;
}

inline bool same_dtype(const fl_tensor& a, const fl_tensor& b) noexcept {
  return a.dtype.code == b.dtype.code && a.dtype.bits == b.dtype.bits;
}
inline bool same_sizes(const fl_tensor& a, const fl_tensor& b) noexcept {
  return a.ndim == b.ndim && std::equal(a.sizes, a.sizes + a.ndim, b.sizes);
}

// A dimension counted from the front; of a tensor without dimensions 0 and -1 are one.
inline int32_t wrap_dim(int64_t dim, int32_t ndim) noexcept {
  return static_cast<int32_t>(dim < 0 ? dim + std::max(ndim, 1) : dim);
}

/* ---------------------------------------------------------------------------------------------------------- views */

// A tensor as an op library sees it, to slice, split and reorder before it does: an address, sizes and strides, in
// elements. Owns nothing. Made a vendor's own by what turns it into a tensor of its SDK:
//
//   struct View : torch_fl_kit::BasicView<View> {
//     using BasicView::BasicView;
//     operator acmeTensor() const { return {data, rank, sizes, strides, to_acme(dtype)}; }
//   };
template <class Self>
struct BasicView {
  static constexpr int kMaxRank = 9;  // the eight that op libraries have, and one of words
  char* data = nullptr;
  fl_dtype_id dtype = FL_OTHER_DTYPE;
  int rank = 0;
  int64_t width = 0;  // bytes of an element
  int64_t sizes[kMaxRank] = {}, strides[kMaxRank] = {};

  BasicView() = default;
  explicit BasicView(const fl_tensor& t)
      : data(static_cast<char*>(t.data)),
        dtype(fl_dtype_to_id(t.dtype)),
        rank(t.ndim),
        width(static_cast<int64_t>(fl_dtype_size(t.dtype))) {
    if (rank > kMaxRank) unsupported();
    std::copy_n(t.sizes, rank, sizes);
    std::copy_n(t.strides, rank, strides);
  }

  int64_t numel() const noexcept {
    int64_t n = 1;
    for (int d = 0; d < rank; d++) n *= sizes[d];
    return n;
  }
  bool contiguous() const noexcept {
    int64_t step = 1;
    for (int d = rank; d-- > 0; step *= sizes[d])
      if (sizes[d] != 1 && strides[d] != step) return false;
    return true;
  }
  bool same_sizes(const Self& other) const noexcept {
    return rank == other.rank && std::equal(sizes, sizes + rank, other.sizes);
  }
  // Gives it the strides of a contiguous tensor.
  void pack() noexcept {
    int64_t step = 1;
    for (int d = rank; d-- > 0; step *= sizes[d]) strides[d] = step;
  }

  // One without dimensions as one of a single element.
  Self ranked() const { return rank == 0 ? inserted(0) : self(); }
  // With a dimension of one element before `dim`.
  Self inserted(int dim) const {
    Self v = self();
    if (v.rank++ == kMaxRank) unsupported();
    std::copy_backward(sizes + dim, sizes + rank, v.sizes + v.rank);
    std::copy_backward(strides + dim, strides + rank, v.strides + v.rank);
    v.sizes[dim] = v.strides[dim] = 1;
    return v;
  }
  // With the first two dimensions exchanged.
  Self swapped() const {
    Self v = self();
    std::swap(v.sizes[0], v.sizes[1]);
    std::swap(v.strides[0], v.strides[1]);
    return v;
  }
  // Elements `first` to `first + count` of the first dimension; element `index` of the last dimension, which goes.
  Self part(int64_t first, int64_t count) const {
    Self v = self();
    v.data += first * strides[0] * width;
    v.sizes[0] = count;
    return v;
  }
  Self last(int64_t index) const {
    Self v = self();
    v.rank--;
    v.data += index * strides[v.rank] * width;
    return v;
  }
  // Dimensions of one element repeated as often as `like`, of the same rank, has them.
  Self repeated(const Self& like) const {
    Self v = self();
    for (int d = 0; d < rank; d++) {
      if (sizes[d] == 1 && like.sizes[d] != 1) v.strides[d] = 0;
      v.sizes[d] = like.sizes[d];
    }
    return v;
  }
  // A contiguous tensor as a matrix of so many columns, or as a list.
  Self matrix(int64_t columns) const {
    Self v = self();
    v.sizes[0] = numel() / columns;
    v.sizes[1] = v.strides[0] = columns;
    v.strides[1] = 1;
    v.rank = 2;
    return v;
  }
  Self list() const { return matrix(1).last(0); }
  // The same bytes as elements of `as`, `bytes` wide: a last dimension of as many as there are in an element.
  Self words(fl_dtype_id as, int64_t bytes) const {
    Self v = self();
    const int64_t count = width / bytes;
    v.dtype = as;
    v.width = bytes;
    if (count == 1) return v;
    if (rank == kMaxRank) unsupported();
    for (int d = 0; d < rank; d++) v.strides[d] *= count;
    v.sizes[rank] = count;
    v.strides[rank] = 1;
    v.rank++;
    return v;
  }
  // Makes one of neighbouring dimensions that are one in memory, here and in `other` alike, and leaves at least one.
  void merge(Self& other) noexcept {
    int kept = 0;
    for (int d = 0; d < rank; d++) {
      if (sizes[d] == 1) continue;
      const bool joins = kept > 0 && strides[kept - 1] == sizes[d] * strides[d] &&
                         other.strides[kept - 1] == sizes[d] * other.strides[d];
      const int to = joins ? kept - 1 : kept++;
      sizes[to] = other.sizes[to] = joins ? sizes[to] * sizes[d] : sizes[d];
      strides[to] = strides[d];
      other.strides[to] = other.strides[d];
    }
    if (kept == 0) sizes[kept++] = other.sizes[0] = strides[0] = other.strides[0] = 1;
    rank = other.rank = kept;
  }

 private:
  const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

}  // namespace torch_fl_kit

#pragma GCC visibility pop

#endif  // TORCH_FL_VENDOR_KIT_H_
