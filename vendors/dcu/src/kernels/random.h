// Random fills and dropout. Tensors are contiguous (core sees to it): element i always gets the same number, whatever
// the strides of the caller's tensor and however many threads there are.
#pragma once

#include "kernels/elementwise.h"

namespace torch_fl_dcu {

struct Random4 {
  uint32_t word[4];
};

// Philox4x32-10. The four numbers of one subsequence at one offset, as CUDA's: the counter is {offset / 4,
// subsequence}.
FL_GPU Random4 philox(uint64_t seed, uint64_t subsequence, uint64_t offset) {
  const uint64_t position = offset / 4;
  uint32_t counter[4] = {static_cast<uint32_t>(position), static_cast<uint32_t>(position >> 32),
                         static_cast<uint32_t>(subsequence), static_cast<uint32_t>(subsequence >> 32)};
  uint32_t key[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  for (int round = 0; round < 10; round++) {
    const uint64_t a = uint64_t{0xD2511F53} * counter[0], b = uint64_t{0xCD9E8D57} * counter[2];
    const uint32_t mixed[4] = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
                               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    for (int i = 0; i < 4; i++) counter[i] = mixed[i];
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return {{counter[0], counter[1], counter[2], counter[3]}};
}

// A seed and an offset for one call. Four elements share a subsequence, one word for each; where 64 bits are needed,
// two elements share one.
struct RandomSource {
  uint64_t seed = 0, offset = 0;
};
fl_status take_random(const fl_call* call, const fl_value* generator, RandomSource* source);

// In [0, 1), with as many random bits as the type can hold exactly: 24 of 32, 53 of 64, 11 or 8 for the halves.
template <class T>
constexpr int kDigits = std::numeric_limits<T>::digits < 32 ? 24 : 53;
template <>
inline constexpr int kDigits<float16> = 11;
template <>
inline constexpr int kDigits<bfloat16> = 8;

FL_HD float uniform_of(uint32_t word, int digits) {
  return static_cast<float>(word >> (32 - digits)) * (1.0f / static_cast<float>(1u << digits));
}
FL_HD double uniform_of(uint32_t high, uint32_t low) {
  return static_cast<double>((static_cast<uint64_t>(high) << 32 | low) >> 11) * 0x1p-53;
}

// out[i] = f(bits): N elements per subsequence, each drawn from its share of the four words.
template <class T, class F>
struct RandomFill {
  static constexpr int N = F::kElements;
  T* out;
  int64_t count;
  RandomSource source;
  F f;

  FL_GPU void operator()() const {
    const int64_t group = block_id() * block_threads() + thread_id(), first = group * N;
    if (first >= count) return;
    const Random4 words = philox(source.seed, static_cast<uint64_t>(group), source.offset);
    T drawn[N];
    f(words, drawn);
    if (first + N <= count && N * sizeof(T) <= 16) {
      Pack<T, N> pack;
      FL_UNROLL
      for (int i = 0; i < N; i++) pack.x[i] = drawn[i];
      *reinterpret_cast<Pack<T, N>*>(out + first) = pack;
    } else {
      FL_UNROLL
      for (int i = 0; i < N; i++)
        if (first + i < count) out[first + i] = drawn[i];
    }
  }
};

template <class T>
constexpr bool kNeedsTwoWords = std::is_same_v<T, double> || std::is_same_v<T, int64_t>;

// In [from, to).
template <class T>
struct Uniform {
  using M = Math<T>;
  static constexpr int kElements = kNeedsTwoWords<T> ? 2 : 4;
  M from, range, to;
  FL_GPU T scaled(M x) const {
    const T drawn = narrow<T>(x * range + from);
    return widen(drawn) < to ? drawn : narrow<T>(from);  // rounding may reach the excluded end
  }
  FL_GPU void operator()(const Random4& r, T (&out)[kElements]) const {
    FL_UNROLL
    for (int i = 0; i < kElements; i++) {
      if constexpr (kElements == 2)
        out[i] = scaled(uniform_of(r.word[2 * i], r.word[2 * i + 1]));
      else
        out[i] = scaled(uniform_of(r.word[i], kDigits<T>));
    }
  }
};

// Normal, by Box and Muller: two elements from two words, or one from each pair of them for double.
template <class T>
struct Normal {
  using M = Math<T>;
  static constexpr int kElements = kNeedsTwoWords<T> ? 2 : 4;
  M mean, deviation;
  FL_GPU static void pair(M u, M v, M& a, M& b) {
    const M radius = std::sqrt(M(-2) * std::log(u)), angle = M(6.283185307179586477) * v;
    a = radius * std::cos(angle);
    b = radius * std::sin(angle);
  }
  FL_GPU void operator()(const Random4& r, T (&out)[kElements]) const {
    M x[kElements];
    if constexpr (kElements == 2) {
      pair(M(1) - uniform_of(r.word[0], r.word[1]), uniform_of(r.word[2], r.word[3]), x[0], x[1]);
    } else {
      pair(M(1) - uniform_of(r.word[0], 24), uniform_of(r.word[1], 24), x[0], x[1]);
      pair(M(1) - uniform_of(r.word[2], 24), uniform_of(r.word[3], 24), x[2], x[3]);
    }
    FL_UNROLL
    for (int i = 0; i < kElements; i++) out[i] = narrow<T>(x[i] * deviation + mean);
  }
};

template <class T>
struct Exponential {
  using M = Math<T>;
  static constexpr int kElements = kNeedsTwoWords<T> ? 2 : 4;
  M lambda;
  FL_GPU void operator()(const Random4& r, T (&out)[kElements]) const {
    FL_UNROLL
    for (int i = 0; i < kElements; i++) {
      M u;
      if constexpr (kElements == 2)
        u = uniform_of(r.word[2 * i], r.word[2 * i + 1]);
      else
        u = uniform_of(r.word[i], 24);
      // Never zero: u is below 1, and where it is 0 the smallest step stands for it.
      u = u == M(0) ? std::numeric_limits<M>::epsilon() / 2 : u;
      out[i] = narrow<T>(-std::log1p(-u) / lambda);
    }
  }
};

template <class T>
struct Bernoulli {
  static constexpr int kElements = 2;
  double p;
  FL_GPU void operator()(const Random4& r, T (&out)[kElements]) const {
    FL_UNROLL
    for (int i = 0; i < kElements; i++) out[i] = narrow<T>(uniform_of(r.word[2 * i], r.word[2 * i + 1]) < p ? 1 : 0);
  }
};

template <class T, class F>
fl_status random_fill(const fl_call* call, const fl_value* generator, const F& f) {
  const fl_tensor& out = tensor_out(call, 0);
  RandomFill<T, F> body{static_cast<T*>(out.data), numel(out), {}, f};
  if (body.count == 0) return FL_OK;
  if (const fl_status status = take_random(call, generator, &body.source)) return status;
  // Elements are stored together where that is aligned.
  if (reinterpret_cast<uintptr_t>(out.data) % (F::kElements * sizeof(T)) != 0) return FL_UNSUPPORTED;
  return launch(call, body, blocks_for(blocks_for(body.count, F::kElements), 256));
}

// uniform_(self, from, to, generator)
template <class Ts>
fl_status uniform(const fl_call* call, Ts types) {
  const double from = double_arg(call, 1), to = double_arg(call, 2);
  if (!(from <= to))
    return fail(FL_INVALID_VALUE, "uniform_ expects to return a [from, to) range, but found from=%g > to=%g", from, to);
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using M = Math<T>;
    return random_fill<T>(call, fl_arg(call, 3),
                          Uniform<T>{static_cast<M>(from), static_cast<M>(to - from), static_cast<M>(to)});
  });
}

// normal_(self, mean, std, generator)
template <class Ts>
fl_status normal(const fl_call* call, Ts types) {
  const double mean = double_arg(call, 1), deviation = double_arg(call, 2);
  if (!(deviation >= 0)) return fail(FL_INVALID_VALUE, "normal expects std >= 0.0, but found std %g", deviation);
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using M = Math<T>;
    return random_fill<T>(call, fl_arg(call, 3), Normal<T>{static_cast<M>(mean), static_cast<M>(deviation)});
  });
}

// exponential_(self, lambd, generator)
template <class Ts>
fl_status exponential(const fl_call* call, Ts types) {
  const double lambda = double_arg(call, 1);
  if (!(lambda > 0)) return fail(FL_INVALID_VALUE, "exponential_ expects lambda > 0.0, but found lambda=%g", lambda);
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return random_fill<T>(call, fl_arg(call, 2), Exponential<T>{static_cast<Math<T>>(lambda)});
  });
}

// bernoulli_.float(self, p, generator): 1 with probability p
template <class Ts>
fl_status bernoulli(const fl_call* call, Ts types) {
  const double p = double_arg(call, 1);
  if (!(p >= 0 && p <= 1)) return fail(FL_INVALID_VALUE, "bernoulli_ expects p to be in [0, 1], but got p=%g", p);
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return random_fill<T>(call, fl_arg(call, 2), Bernoulli<T>{p});
  });
}

template <class T>
struct Dropout {
  const T* in;
  T* out;
  bool* mask;
  int64_t count;
  RandomSource source;
  float p;
  Math<T> scale;
  bool train;

  FL_GPU void operator()() const {
    const int64_t group = block_id() * block_threads() + thread_id(), first = group * 4;
    if (first >= count) return;
    const Random4 words = philox(source.seed, static_cast<uint64_t>(group), source.offset);
    Pack<T, 4> x;
    Pack<bool, 4> keep;
    const bool whole = first + 4 <= count;
    if (whole)
      x = *reinterpret_cast<const Pack<T, 4>*>(in + first);
    else
      for (int i = 0; first + i < count; i++) x.x[i] = in[first + i];
    FL_UNROLL
    for (int i = 0; i < 4; i++) {
      keep.x[i] = !train || uniform_of(words.word[i], 24) >= p;
      x.x[i] = narrow<T>(whole || first + i < count ? (keep.x[i] ? widen(x.x[i]) * scale : Math<T>(0)) : Math<T>(0));
    }
    if (whole) {
      *reinterpret_cast<Pack<T, 4>*>(out + first) = x;
      *reinterpret_cast<Pack<bool, 4>*>(mask + first) = keep;
    } else {
      for (int i = 0; first + i < count; i++) {
        out[first + i] = x.x[i];
        mask[first + i] = keep.x[i];
      }
    }
  }
};

// native_dropout(input, p, train?) -> (out, mask): the kept elements are scaled by 1 / (1 - p).
template <class Ts>
fl_status dropout(const fl_call* call, Ts types) {
  const fl_tensor &input = tensor_arg(call, 0), &out = tensor_out(call, 0), &mask = tensor_out(call, 1);
  if (!same_dtype(input, out)) return FL_UNSUPPORTED;
  const double p = double_arg(call, 1);
  if (!(p >= 0 && p <= 1))
    return fail(FL_INVALID_VALUE, "dropout probability has to be between 0 and 1, but got %g", p);
  return dispatch(types, input.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    const bool train = is_none(fl_arg(call, 2)) || bool_arg(call, 2);
    Dropout<T> body{static_cast<const T*>(input.data),
                    static_cast<T*>(out.data),
                    static_cast<bool*>(mask.data),
                    numel(input),
                    {},
                    static_cast<float>(p),
                    static_cast<Math<T>>(!train   ? 1
                                         : p == 1 ? 0
                                                  : 1 / (1 - p)),
                    train};
    if (body.count == 0) return FL_OK;
    for (const void* data : {input.data, out.data, mask.data})
      if (reinterpret_cast<uintptr_t>(data) % (4 * (data == mask.data ? 1 : sizeof(T))) != 0) return FL_UNSUPPORTED;
    if (train)
      if (const fl_status status = take_random(call, nullptr, &body.source)) return status;
    return launch(call, body, blocks_for(blocks_for(body.count, 4), 256));
  });
}

}  // namespace torch_fl_dcu
