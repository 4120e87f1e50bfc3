// Random fills and dropout. Tensors are contiguous (core sees to it): element i always gets the same number, whatever
// the strides of the caller's tensor and however many threads there are.
#pragma once

#include "kernels/fault.h"
#include "kernels/rows.h"

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
  bool together = false;

  FL_GPU void operator()() const {
    const int64_t group = thread_index(), first = group * N;
    if (first >= count) return;
    const Random4 words = philox(source.seed, static_cast<uint64_t>(group), source.offset);
    T drawn[N];
    f(words, drawn);
    if (together && first + N <= count && N * sizeof(T) <= 16) {
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

// Whole numbers of [from, from + range); a range of 0 is all of 2^64.
template <class T>
struct Whole {
  static constexpr int kElements = 2;
  uint64_t range;
  int64_t from;
  FL_GPU void operator()(const Random4& r, T (&out)[kElements]) const {
    FL_UNROLL
    for (int i = 0; i < kElements; i++) {
      const uint64_t word = static_cast<uint64_t>(r.word[2 * i]) << 32 | r.word[2 * i + 1];
      const auto number = static_cast<int64_t>((range != 0 ? word % range : word) + static_cast<uint64_t>(from));
      if constexpr (kIsHalf<T>)
        out[i] = narrow<T>(static_cast<float>(number));
      else
        out[i] = static_cast<T>(number);
    }
  }
};

template <class T>
struct LogNormal : Normal<T> {
  using M = Math<T>;
  static constexpr int kElements = Normal<T>::kElements;
  FL_GPU void operator()(const Random4& r, T (&out)[kElements]) const {
    Normal<M>{this->mean, this->deviation}(r, out);
    FL_UNROLL
    for (int i = 0; i < kElements; i++) out[i] = std::exp(out[i]);
  }
};

template <class T>
struct Cauchy {
  using M = Math<T>;
  static constexpr int kElements = kNeedsTwoWords<T> ? 2 : 4;
  M median, sigma;
  FL_GPU void operator()(const Random4& r, T (&out)[kElements]) const {
    FL_UNROLL
    for (int i = 0; i < kElements; i++) {
      M u;
      if constexpr (kElements == 2)
        u = uniform_of(r.word[2 * i], r.word[2 * i + 1]);
      else
        u = uniform_of(r.word[i], 24);
      // Not the ends, where the tangent has none.
      constexpr M kStep = std::numeric_limits<M>::epsilon();
      u = u < kStep ? kStep : u > M(1) - kStep ? M(1) - kStep : u;
      out[i] = narrow<T>(median + sigma * std::tan(M(3.14159265358979323846) * (u - M(0.5))));
    }
  }
};

// Tries until the first success.
template <class T>
struct Geometric {
  static constexpr int kElements = 2;
  double log_failure;  // of 1 - p
  FL_GPU void operator()(const Random4& r, T (&out)[kElements]) const {
    FL_UNROLL
    for (int i = 0; i < kElements; i++) {
      const double u = 1 - uniform_of(r.word[2 * i], r.word[2 * i + 1]);  // not 0
      const double tries = std::ceil(std::log(u) / log_failure);
      out[i] = narrow<T>(tries < 1 ? 1.0 : tries);
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
  // Elements are stored together where that is aligned.
  body.together = reinterpret_cast<uintptr_t>(out.data) % (F::kElements * sizeof(T)) == 0;
  if (const fl_status status = take_random(call, generator, &body.source)) return status;
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

// random_(self), random_.to(self, to), random_.from(self, from, to): whole numbers below `to`, which may be absent: up
// to the largest that the dtype counts to. Core has checked that from < to.
template <class Ts>
fl_status random_whole(const fl_call* call, Ts types, int from_at, int to_at, int generator_at) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    // Floats: whole numbers without a gap.
    constexpr int kBits = std::is_same_v<T, float16>    ? 11
                          : std::is_same_v<T, bfloat16> ? 8
                                                        : std::numeric_limits<T>::digits;
    const bool bounded = to_at > 0 && fl_arg(call, to_at)->kind == FL_INT;
    const int64_t from = from_at > 0 ? int_arg(call, from_at) : 0;
    constexpr uint64_t kCount = uint64_t{1} << kBits;  // of the numbers from 0 on
    // PyTorch has errors and warnings for bounds that the dtype cannot count to: the next lane's.
    const auto counts = [&](int64_t n) {
      constexpr auto kMost = static_cast<int64_t>(kCount - (kIsFloat<T> ? 0 : 1));
      return n <= kMost && (n >= 0 || (std::is_signed_v<Math<T>> && n >= -kMost - (kIsFloat<T> ? 0 : 1)));
    };
    if (!counts(from) || (bounded && !counts(int_arg(call, to_at) - 1))) return FL_UNSUPPORTED;
    const uint64_t end = bounded ? static_cast<uint64_t>(int_arg(call, to_at)) : kCount + (kIsFloat<T> ? 1 : 0);
    const Whole<T> f{end - static_cast<uint64_t>(from), from};
    return random_fill<T>(call, fl_arg(call, generator_at), f);
  });
}

// log_normal_(self, mean, std, generator)
template <class Ts>
fl_status log_normal(const fl_call* call, Ts types) {
  const double mean = double_arg(call, 1), deviation = double_arg(call, 2);
  if (!(deviation > 0)) return fail(FL_INVALID_VALUE, "log_normal_ expects std > 0.0, but found std=%g", deviation);
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return random_fill<T>(call, fl_arg(call, 3), LogNormal<T>{{static_cast<T>(mean), static_cast<T>(deviation)}});
  });
}

// cauchy_(self, median, sigma, generator)
template <class Ts>
fl_status cauchy(const fl_call* call, Ts types) {
  const double median = double_arg(call, 1), sigma = double_arg(call, 2);
  if (!(sigma > 0)) return fail(FL_INVALID_VALUE, "cauchy_ expects sigma > 0.0, but found sigma=%g", sigma);
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return random_fill<T>(call, fl_arg(call, 3), Cauchy<T>{static_cast<T>(median), static_cast<T>(sigma)});
  });
}

// geometric_(self, p, generator)
template <class Ts>
fl_status geometric(const fl_call* call, Ts types) {
  const double p = double_arg(call, 1);
  if (!(p > 0 && p < 1)) return fail(FL_INVALID_VALUE, "geometric_ expects p to be in (0, 1), but got p=%g", p);
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return random_fill<T>(call, fl_arg(call, 2), Geometric<T>{std::log1p(-p)});
  });
}

template <class T>
struct BernoulliEach {
  T* out;
  const double* p;
  int64_t count;
  RandomSource source;
  FaultSink faults;
  FL_GPU void operator()() const {
    const int64_t group = thread_index(), first = group * 2;
    if (first >= count) return;
    const Random4 r = philox(source.seed, static_cast<uint64_t>(group), source.offset);
    for (int i = 0; i < 2 && first + i < count; i++) {
      const double chance = p[first + i];
      if (!(chance >= 0 && chance <= 1)) faults.probability();  // a NaN too
      out[first + i] = narrow<T>(uniform_of(r.word[2 * i], r.word[2 * i + 1]) < chance ? 1 : 0);
    }
  }
};

// bernoulli_.Tensor(self, p, generator): p expands to self
template <class Ts>
fl_status bernoulli_each(const fl_call* call, Ts types) {
  const fl_tensor &out = tensor_out(call, 0), &p = tensor_arg(call, 1);
  const int64_t count = numel(out);
  if (count == 0) return FL_OK;
  const Scratch scratch(call, static_cast<size_t>(count) * sizeof(double));
  fl_tensor wide = out;  // contiguous, as the output is
  wide.data = scratch.data();
  wide.dtype = {FL_CODE_FLOAT, 64, 1};
  return dispatch(types, out.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    BernoulliEach<T> body{static_cast<T*>(out.data), static_cast<const double*>(scratch.data()), count, {}, {}};
    if (const fl_status status = fault_sink(call->device, &body.faults)) return status;
    if (const fl_status status = copy_elements(call, wide, p)) return status;
    if (const fl_status status = take_random(call, fl_arg(call, 2), &body.source)) return status;
    return launch(call, body, blocks_for(blocks_for(count, 2), 256));
  });
}

// native_dropout_backward(grad_output, mask, scale)
template <class M>
struct ScaleKept {
  M scale;
  FL_HD M operator()(M grad, bool kept) const { return grad * (kept ? scale : M(0)); }
};
template <class Ts>
fl_status dropout_backward(const fl_call* call, Ts types) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using M = Math<T>;
    return elementwise<T, T, bool>(call, ScaleKept<M>{static_cast<M>(double_arg(call, 2))}, fl_out(call, 0),
                                   fl_arg(call, 0), fl_arg(call, 1));
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
  bool together;  // four elements lie at aligned addresses

  FL_GPU void operator()() const {
    const int64_t group = thread_index(), first = group * 4;
    if (first >= count) return;
    const Random4 words = philox(source.seed, static_cast<uint64_t>(group), source.offset);
    Pack<T, 4> x;
    Pack<bool, 4> keep;
    const bool whole = together && first + 4 <= count;
    if (whole)
      x = *reinterpret_cast<const Pack<T, 4>*>(in + first);
    else
      for (int i = 0; i < 4 && first + i < count; i++) x.x[i] = in[first + i];
    FL_UNROLL
    for (int i = 0; i < 4; i++) {
      keep.x[i] = !train || uniform_of(words.word[i], 24) >= p;
      x.x[i] = narrow<T>(whole || first + i < count ? (keep.x[i] ? widen(x.x[i]) * scale : Math<T>(0)) : Math<T>(0));
    }
    if (whole) {
      *reinterpret_cast<Pack<T, 4>*>(out + first) = x;
      *reinterpret_cast<Pack<bool, 4>*>(mask + first) = keep;
    } else {
      for (int i = 0; i < 4 && first + i < count; i++) {
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
                    train,
                    are_aligned({input.data, out.data}) && reinterpret_cast<uintptr_t>(mask.data) % 4 == 0};
    if (body.count == 0) return FL_OK;
    if (train)
      if (const fl_status status = take_random(call, nullptr, &body.source)) return status;
    return launch(call, body, blocks_for(blocks_for(body.count, 4), 256));
  });
}

}  // namespace torch_fl_dcu
