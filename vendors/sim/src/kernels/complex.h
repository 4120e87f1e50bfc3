// A complex number of floats or doubles, laid out as std::complex is. That one costs a compiler half a second, and its
// product repairs infinities, which PyTorch's does not.
#pragma once

namespace torch_fl_sim {

template <class V>
struct Complex {
  using value_type = V;
  V real, imag;

  Complex operator-() const { return {-real, -imag}; }
  Complex operator+(Complex b) const { return {real + b.real, imag + b.imag}; }
  Complex operator-(Complex b) const { return {real - b.real, imag - b.imag}; }
  Complex operator*(Complex b) const { return {real * b.real - imag * b.imag, real * b.imag + imag * b.real}; }
};

}  // namespace torch_fl_sim
