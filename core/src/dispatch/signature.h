// The signature of a call: everything that decides how it runs, as words on the stack.
#pragma once

#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <cstring>

namespace torch_fl {

class Signature {
 public:
  static constexpr uint32_t kInline = 96;

  Signature() = default;
  Signature(const Signature&) = delete;
  Signature& operator=(const Signature&) = delete;
  ~Signature() {
    if (words_ != inline_) delete[] words_;
  }

  void push(uint64_t word) {
    if (__builtin_expect(size_ == capacity_, 0)) grow();
    words_[size_++] = word;
    hash_ = (hash_ ^ word) * UINT64_C(0x9fb21c651e98df25);
    hash_ ^= hash_ >> 32;
  }

  uint64_t hash() const { return hash_; }
  c10::ArrayRef<uint64_t> words() const { return {words_, size_}; }
  bool equals(c10::ArrayRef<uint64_t> other) const {
    return other.size() == size_ && std::memcmp(other.data(), words_, size_ * sizeof(uint64_t)) == 0;
  }

 private:
  void grow() {
    auto* larger = new uint64_t[capacity_ * 2];
    std::memcpy(larger, words_, size_ * sizeof(uint64_t));
    if (words_ != inline_) delete[] words_;
    words_ = larger;
    capacity_ *= 2;
  }

  uint64_t inline_[kInline];
  uint64_t* words_ = inline_;
  uint32_t size_ = 0;
  uint32_t capacity_ = kInline;
  uint64_t hash_ = UINT64_C(0x2545f4914f6cdd1d);
};

}  // namespace torch_fl
