// A stand-in for Enflame's topsaten header, for builds without the SDK. Written by generate.py from table.yaml.
#ifndef TOPSATEN_OPS_H_
#define TOPSATEN_OPS_H_

#include <topsaten/topsaten_define.h>

#include <array>
#include <tuple>
#include <vector>

namespace topsaten {

// abs: appendix B, FL gcu_kernels.cc:33
TOPSATEN_EXPORT topsatenStatus_t topsatenAbs(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// acos: appendix B, FL gcu_kernels.cc:215
TOPSATEN_EXPORT topsatenStatus_t topsatenAcos(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// acosh: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAcosh(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// adaptive_avg_pool2d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAdaptiveAvgPool2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, topsStream_t stream = nullptr);
// add.Tensor: appendix B, FL gcu_kernels.cc:548
TOPSATEN_EXPORT topsatenStatus_t topsatenAdd(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, const topsatenScalar_t& alpha, topsStream_t stream = nullptr);
// add.Scalar: appendix B, FL gcu_kernels.cc:548; trap: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenAdd(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, const topsatenScalar_t& alpha, topsStream_t stream = nullptr);
// _add_relu.Tensor: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAddRelu(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, const topsatenScalar_t& alpha, topsStream_t stream = nullptr);
// _add_relu.Scalar: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAddRelu(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, const topsatenScalar_t& alpha, topsStream_t stream = nullptr);
// addcdiv: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAddcdiv(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& tensor1, const topsatenTensor& tensor2, const topsatenScalar_t& value,
    topsStream_t stream = nullptr);
// addcmul: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAddcmul(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& tensor1, const topsatenTensor& tensor2, const topsatenScalar_t& value,
    topsStream_t stream = nullptr);
// addmm: appendix B, FL gcu_kernels.cc:1400
TOPSATEN_EXPORT topsatenStatus_t topsatenAddmm(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& mat1, const topsatenTensor& mat2, const topsatenScalar_t& beta, const topsatenScalar_t& alpha,
    topsStream_t stream = nullptr);
// addmv: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAddmv(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& mat, const topsatenTensor& vec, const topsatenScalar_t& beta, const topsatenScalar_t& alpha,
    topsStream_t stream = nullptr);
// all.dim: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAll(topsatenTensor& out, const topsatenTensor& self, int64_t dim, bool keepdim,
    topsStream_t stream = nullptr);
// all.dims: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAll(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim,
    bool keepdim, topsStream_t stream = nullptr);
// all: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAll(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// amax: appendix B, FL gcu_kernels.cc:1230
TOPSATEN_EXPORT topsatenStatus_t topsatenAmax(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& dim, bool keepdim, topsStream_t stream = nullptr);
// amin: appendix B, FL gcu_kernels.cc:1266
TOPSATEN_EXPORT topsatenStatus_t topsatenAmin(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& dim, bool keepdim, topsStream_t stream = nullptr);
// _aminmax: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAminmax(std::tuple<topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& self, topsStream_t stream = nullptr);
// _aminmax.dim: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAminmax(std::tuple<topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& self, int64_t dim, bool keepdim, topsStream_t stream = nullptr);
// amp_unscale: ancestor 3.3
TOPSATEN_EXPORT topsatenStatus_t topsatenAmpForeachNonFiniteCheckAndUnscale(std::vector<topsatenTensor>& out,
    topsatenTensor& found_inf, const std::vector<topsatenTensor>& self, const topsatenTensor& inv_scale,
    topsStream_t stream = nullptr);
// _amp_update_scale: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAmpUpdateScale(std::tuple<topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& self, const topsatenTensor& growth_tracker, const topsatenTensor& found_inf,
    double scale_growth_factor, double scale_backoff_factor, int64_t growth_interval, topsStream_t stream = nullptr);
// angle: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAngle(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// any.dim: appendix B, PCD reduce_kernels.cc:101
TOPSATEN_EXPORT topsatenStatus_t topsatenAny(topsatenTensor& out, const topsatenTensor& self, int64_t dim, bool keepdim,
    topsStream_t stream = nullptr);
// any.dims: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAny(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim,
    bool keepdim, topsStream_t stream = nullptr);
// any: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAny(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// arange: appendix B, PCD arange_kernel.cc:77, dtypes: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenArange(topsatenTensor& out, const topsatenScalar_t& start,
    const topsatenScalar_t& end, const topsatenScalar_t& step, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, bool pin_memory, topsStream_t stream = nullptr);
// argsort.stable: appendix B, TG gcu_sorting.cpp:34
TOPSATEN_EXPORT topsatenStatus_t topsatenArgSort(topsatenTensor& out, const topsatenTensor& self, bool stable,
    int64_t dim, bool descending, topsStream_t stream = nullptr);
// argmax: appendix B, PCD arg_min_max_kernels.cc:108
TOPSATEN_EXPORT topsatenStatus_t topsatenArgmax(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& dim, bool keepdim, topsStream_t stream = nullptr);
// argmin: appendix B, PCD arg_min_max_kernels.cc:75
TOPSATEN_EXPORT topsatenStatus_t topsatenArgmin(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& dim, bool keepdim, topsStream_t stream = nullptr);
// asin: appendix B, FL gcu_kernels.cc:202
TOPSATEN_EXPORT topsatenStatus_t topsatenAsin(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// asinh: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAsinh(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// atan: appendix B, FL gcu_kernels.cc:228
TOPSATEN_EXPORT topsatenStatus_t topsatenAtan(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// atan2: appendix B, PCD atan2_kernel.cc:34
TOPSATEN_EXPORT topsatenStatus_t topsatenAtan2(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// atanh: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAtanh(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// avg_pool2d: appendix B, PCD pool2d_kernel.cc:190
TOPSATEN_EXPORT topsatenStatus_t topsatenAvgPool2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& kernel_size, const topsatenSize_t& stride, const topsatenSize_t& padding, bool ceil_mode,
    bool count_include_pad, const topsatenScalar_t& divisor_override, topsStream_t stream = nullptr);
// avg_pool3d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenAvgPool3d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& kernel_size, const topsatenSize_t& stride, const topsatenSize_t& padding, bool ceil_mode,
    bool count_include_pad, const topsatenScalar_t& divisor_override, topsStream_t stream = nullptr);
// baddbmm: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenBaddbmm(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& batch1, const topsatenTensor& batch2, const topsatenScalar_t& beta,
    const topsatenScalar_t& alpha, topsStream_t stream = nullptr);
// bernoulli_p: appendix B, FL rng.cc:283
TOPSATEN_EXPORT topsatenStatus_t topsatenBernoulli(topsatenTensor& self, double p, const topsatenGenerator_t& generator,
    topsStream_t stream = nullptr);
// bernoulli: ancestor 3.3
TOPSATEN_EXPORT topsatenStatus_t topsatenBernoulli(topsatenTensor& out, const topsatenTensor& self,
    const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// bernoulli_tensor: section 1.3, renamed: bernoulli_.Tensor
TOPSATEN_EXPORT topsatenStatus_t topsatenBernoulli_(topsatenTensor& self, const topsatenTensor& p,
    const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// binary_cross_entropy: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenBinaryCrossEntropy(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& target, const topsatenTensor& weight, int64_t reduction, topsStream_t stream = nullptr);
// bincount: appendix B, TG gcu_reduce_ops.cpp:240; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenBincount(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& weights, int64_t minlength, topsStream_t stream = nullptr);
// binomial: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenBinomial(topsatenTensor& out, const topsatenTensor& count,
    const topsatenTensor& prob, const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// bitwise_and.Scalar: appendix B, PCD bitwise_kernel.cc:27
TOPSATEN_EXPORT topsatenStatus_t topsatenBitwiseAnd(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// bitwise_and.Tensor: appendix B, PCD bitwise_kernel.cc:27
TOPSATEN_EXPORT topsatenStatus_t topsatenBitwiseAnd(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// bitwise_left_shift.Tensor: appendix B, PCD bitwise_kernel.cc:109
TOPSATEN_EXPORT topsatenStatus_t topsatenBitwiseLeftShift(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// bitwise_left_shift.Tensor_Scalar: appendix B, PCD bitwise_kernel.cc:109
TOPSATEN_EXPORT topsatenStatus_t topsatenBitwiseLeftShift(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// bitwise_not: appendix B, PCD bitwise_kernel.cc:41
TOPSATEN_EXPORT topsatenStatus_t topsatenBitwiseNot(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// bitwise_or.Scalar: appendix B, PCD bitwise_kernel.cc:78
TOPSATEN_EXPORT topsatenStatus_t topsatenBitwiseOr(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// bitwise_or.Tensor: appendix B, PCD bitwise_kernel.cc:78
TOPSATEN_EXPORT topsatenStatus_t topsatenBitwiseOr(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// bitwise_right_shift.Tensor: appendix B, PCD bitwise_kernel.cc:126
TOPSATEN_EXPORT topsatenStatus_t topsatenBitwiseRightShift(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// bitwise_right_shift.Tensor_Scalar: appendix B, PCD bitwise_kernel.cc:126
TOPSATEN_EXPORT topsatenStatus_t topsatenBitwiseRightShift(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// bitwise_xor.Scalar: appendix B, PCD bitwise_kernel.cc:93
TOPSATEN_EXPORT topsatenStatus_t topsatenBitwiseXor(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// bitwise_xor.Tensor: appendix B, PCD bitwise_kernel.cc:93
TOPSATEN_EXPORT topsatenStatus_t topsatenBitwiseXor(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// bmm: appendix B, FL gcu_kernels.cc:1017
TOPSATEN_EXPORT topsatenStatus_t topsatenBmm(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& mat2, topsStream_t stream = nullptr);
// bucketize.Tensor: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenBucketize(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& boundaries, bool out_int32, bool right, topsStream_t stream = nullptr);
// cat: appendix B, FL gcu_kernels.cc:1480
TOPSATEN_EXPORT topsatenStatus_t topsatenCat(topsatenTensor& out, const std::vector<topsatenTensor>& tensors,
    int64_t dim, topsStream_t stream = nullptr);
// ceil: appendix B, FL gcu_kernels.cc:345
TOPSATEN_EXPORT topsatenStatus_t topsatenCeil(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// celu: appendix B, PCD activation_kernels.cc:700
TOPSATEN_EXPORT topsatenStatus_t topsatenCelu(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& alpha, topsStream_t stream = nullptr);
// channel_shuffle: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenChannelShuffle(topsatenTensor& out, const topsatenTensor& self, int64_t groups,
    topsStream_t stream = nullptr);
// cholesky: appendix B, PCD cholesky_kernel.cc:28
TOPSATEN_EXPORT topsatenStatus_t topsatenCholesky(topsatenTensor& out, const topsatenTensor& self, bool upper,
    topsStream_t stream = nullptr);
// clamp: appendix B, FL gcu_kernels.cc:1370
TOPSATEN_EXPORT topsatenStatus_t topsatenClamp(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& min, const topsatenScalar_t& max, topsStream_t stream = nullptr);
// clamp.Tensor: appendix B, FL gcu_kernels.cc:1370
TOPSATEN_EXPORT topsatenStatus_t topsatenClamp(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& min, const topsatenTensor& max, topsStream_t stream = nullptr);
// clamp_max: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenClampMax(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& max, topsStream_t stream = nullptr);
// clamp_max.Tensor: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenClampMax(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& max, topsStream_t stream = nullptr);
// clamp_min: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenClampMin(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& min, topsStream_t stream = nullptr);
// clamp_min.Tensor: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenClampMin(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& min, topsStream_t stream = nullptr);
// clip: appendix B, PCD clip_kernel.cc:30
TOPSATEN_EXPORT topsatenStatus_t topsatenClip(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& min, const topsatenScalar_t& max, topsStream_t stream = nullptr);
// clip.Tensor: appendix B, PCD clip_kernel.cc:30
TOPSATEN_EXPORT topsatenStatus_t topsatenClip(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& min, const topsatenTensor& max, topsStream_t stream = nullptr);
// col2im: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenCol2im(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, const topsatenSize_t& kernel_size, const topsatenSize_t& dilation,
    const topsatenSize_t& padding, const topsatenSize_t& stride, topsStream_t stream = nullptr);
// conv2d: appendix B, PCD conv_kernel.cc:209
TOPSATEN_EXPORT topsatenStatus_t topsatenConv2d(topsatenTensor& out, const topsatenTensor& input,
    const topsatenTensor& weight, const topsatenTensor& bias, const topsatenSize_t& stride,
    const topsatenSize_t& padding, const topsatenSize_t& dilation, int64_t groups, topsStream_t stream = nullptr);
// conv_depthwise: appendix B, PCD conv_kernel.cc:377
TOPSATEN_EXPORT topsatenStatus_t topsatenConvDepthwise2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& weight, const topsatenTensor& bias, const topsatenSize_t& stride,
    const topsatenSize_t& padding, const topsatenSize_t& dilation, topsStream_t stream = nullptr);
// conv_transpose2d.input: appendix B, PCD conv_transpose_kernel.cc:197
TOPSATEN_EXPORT topsatenStatus_t topsatenConvTranspose2d(topsatenTensor& out, const topsatenTensor& input,
    const topsatenTensor& weight, const topsatenTensor& bias, const topsatenSize_t& stride,
    const topsatenSize_t& padding, const topsatenSize_t& output_padding, int64_t groups, const topsatenSize_t& dilation,
    topsStream_t stream = nullptr);
// convolution: appendix B, PCD conv_kernel.cc:508
TOPSATEN_EXPORT topsatenStatus_t topsatenConvolution(topsatenTensor& out, const topsatenTensor& input,
    const topsatenTensor& weight, const topsatenTensor& bias, const topsatenSize_t& stride,
    const topsatenSize_t& padding, const topsatenSize_t& dilation, bool transposed,
    const topsatenSize_t& output_padding, int64_t groups, topsStream_t stream = nullptr);
// convolution_backward: appendix C, rule; refused: ancestor 3.4
TOPSATEN_EXPORT topsatenStatus_t topsatenConvolutionBackward(std::tuple<topsatenTensor&, topsatenTensor&,
    topsatenTensor&> outs, const topsatenTensor& grad_output, const topsatenTensor& input, const topsatenTensor& weight,
    const topsatenSize_t& bias_sizes, const topsatenSize_t& stride, const topsatenSize_t& padding,
    const topsatenSize_t& dilation, bool transposed, const topsatenSize_t& output_padding, int64_t groups,
    const std::array<bool, 3>& output_mask, topsStream_t stream = nullptr);
// copy: appendix B, TG gcu_copy.cpp:127, I64: ancestor 3.4
TOPSATEN_EXPORT topsatenStatus_t topsatenCopy(topsatenTensor& dst, const topsatenTensor& src, bool non_blocking,
    topsStream_t stream = nullptr);
// copysign.Tensor: appendix B, TG gcu_binary_ops.cpp:61
TOPSATEN_EXPORT topsatenStatus_t topsatenCopysign(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// copysign.Scalar: appendix B, TG gcu_binary_ops.cpp:61
TOPSATEN_EXPORT topsatenStatus_t topsatenCopysign(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// cos: appendix B, FL gcu_kernels.cc:163
TOPSATEN_EXPORT topsatenStatus_t topsatenCos(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// cosh: appendix B, FL gcu_kernels.cc:189
TOPSATEN_EXPORT topsatenStatus_t topsatenCosh(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// count_nonzero: appendix B, TG gcu_tensor_advanced_indexing.cpp:272, traps: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenCountNonzero(int32_t* count, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// cross: appendix B, PCD cross_kernel.cc:70
TOPSATEN_EXPORT topsatenStatus_t topsatenCross(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, const topsatenScalar_t& dim, topsStream_t stream = nullptr);
// cummax: appendix B, PCD cumulate_kernel.cc:83
TOPSATEN_EXPORT topsatenStatus_t topsatenCummax(topsatenTensor& values, topsatenTensor& indices,
    const topsatenTensor& self, int64_t dim, topsStream_t stream = nullptr);
// cummin: appendix B, PCD cumulate_kernel.cc:118
TOPSATEN_EXPORT topsatenStatus_t topsatenCummin(topsatenTensor& values, topsatenTensor& indices,
    const topsatenTensor& self, int64_t dim, topsStream_t stream = nullptr);
// cumprod: appendix B, TG gcu_reduce_ops.cpp:42
TOPSATEN_EXPORT topsatenStatus_t topsatenCumprod(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenDataType_t& dtype, topsStream_t stream = nullptr);
// cumsum: appendix B, PCD cumulate_kernel.cc:44
TOPSATEN_EXPORT topsatenStatus_t topsatenCumsum(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenDataType_t& dtype, topsStream_t stream = nullptr);
// digamma: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenDigamma(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// div.Tensor: appendix B, FL gcu_kernels.cc:415
TOPSATEN_EXPORT topsatenStatus_t topsatenDiv(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// div.Tensor_mode: appendix B, PCD binary_kernels.cc:525
TOPSATEN_EXPORT topsatenStatus_t topsatenDiv(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, const char* rounding_mode, topsStream_t stream = nullptr);
// div.Scalar: appendix B, FL gcu_kernels.cc:415; trap: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenDiv(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// div.Scalar_mode: appendix B, PCD binary_kernels.cc:525; trap: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenDiv(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, const char* rounding_mode, topsStream_t stream = nullptr);
// elu: appendix B, PCD activation_kernels.cc:786
TOPSATEN_EXPORT topsatenStatus_t topsatenElu(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& alpha, const topsatenScalar_t& scale, const topsatenScalar_t& input_scale,
    topsStream_t stream = nullptr);
// elu_backward: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenEluBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenScalar_t& alpha, const topsatenScalar_t& scale, const topsatenScalar_t& input_scale, bool is_result,
    const topsatenTensor& self_or_result, topsStream_t stream = nullptr);
// embedding: appendix B, PCD embedding_kernel.cc:35
TOPSATEN_EXPORT topsatenStatus_t topsatenEmbedding(topsatenTensor& out, const topsatenTensor& weight,
    const topsatenTensor& indices, int64_t padding_idx, bool scale_grad_by_freq, bool sparse,
    topsStream_t stream = nullptr);
// embedding_dense_backward: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenEmbeddingDenseBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& indices, int64_t num_weights, int64_t padding_idx, bool scale_grad_by_freq,
    topsStream_t stream = nullptr);
// eq.Scalar: appendix B, FL gcu_kernels.cc:593
TOPSATEN_EXPORT topsatenStatus_t topsatenEq(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// eq.Tensor: appendix B, FL gcu_kernels.cc:593
TOPSATEN_EXPORT topsatenStatus_t topsatenEq(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// equal: appendix B, TG gcu_equal.cpp:67
TOPSATEN_EXPORT topsatenStatus_t topsatenEqual(bool& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream = nullptr);
// erf: appendix B, FL gcu_kernels.cc:319
TOPSATEN_EXPORT topsatenStatus_t topsatenErf(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// erfc: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenErfc(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// erfinv: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenErfinv(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// exp: appendix B, FL gcu_kernels.cc:72
TOPSATEN_EXPORT topsatenStatus_t topsatenExp(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// exp2: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenExp2(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// expm1: appendix B, FL gcu_kernels.cc:85
TOPSATEN_EXPORT topsatenStatus_t topsatenExpm1(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// exponential: appendix B, FL rng.cc:303
TOPSATEN_EXPORT topsatenStatus_t topsatenExponential(topsatenTensor& out, double lambd,
    const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// eye: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenEye(topsatenTensor& out, int64_t n, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, topsStream_t stream = nullptr);
// eye_m: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenEye(topsatenTensor& out, int64_t n, int64_t m, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, topsStream_t stream = nullptr);
// _fft_c2c: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenFftC2c(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& dim, int64_t normalization, bool forward, topsStream_t stream = nullptr);
// _fft_c2r: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenFftC2r(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& dim, int64_t normalization, int64_t last_dim_size, topsStream_t stream = nullptr);
// _fft_r2c: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenFftR2c(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& dim, int64_t normalization, bool onesided, topsStream_t stream = nullptr);
// fill.Scalar: appendix B, TG gcu_tensor_factories.cpp:105
TOPSATEN_EXPORT topsatenStatus_t topsatenFill(topsatenTensor& self, const topsatenScalar_t& value,
    topsStream_t stream = nullptr);
// fill.Scalar: section 1.3
TOPSATEN_EXPORT topsatenStatus_t topsatenFill_(topsatenTensor& self, const topsatenScalar_t& value,
    topsStream_t stream = nullptr);
// fill_tensor: ancestor 3.3
TOPSATEN_EXPORT topsatenStatus_t topsatenFill_(topsatenTensor& self, const topsatenTensor& value,
    topsStream_t stream = nullptr);
// flip: appendix B, FL gcu_kernels.cc:1314
TOPSATEN_EXPORT topsatenStatus_t topsatenFlip(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& dims, topsStream_t stream = nullptr);
// floor: appendix B, FL gcu_kernels.cc:332
TOPSATEN_EXPORT topsatenStatus_t topsatenFloor(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// floor_divide: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenFloorDivide(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// floor_divide.Scalar: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenFloorDivide(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// fmax: appendix B, PCD binary_kernels.cc:546
TOPSATEN_EXPORT topsatenStatus_t topsatenFmax(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// fmin: appendix B, PCD binary_kernels.cc:566
TOPSATEN_EXPORT topsatenStatus_t topsatenFmin(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// fmod.Scalar: appendix B, FL gcu_kernels.cc:503
TOPSATEN_EXPORT topsatenStatus_t topsatenFmod(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// fmod.Tensor: appendix B, FL gcu_kernels.cc:503
TOPSATEN_EXPORT topsatenStatus_t topsatenFmod(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// _foreach_abs: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAbs(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_acos: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAcos(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_add.Scalar: appendix B, FL gcu_kernels.cc:1745
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAdd(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const topsatenScalar_t& scalar, topsStream_t stream = nullptr);
// _foreach_add.List: appendix B, FL gcu_kernels.cc:1765
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAdd(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& other, const topsatenScalar_t& alpha,
    topsStream_t stream = nullptr);
// _foreach_add.ScalarList: appendix B, FL gcu_kernels.cc:1745
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAdd(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenScalar_t>& scalars,
    topsStream_t stream = nullptr);
// _foreach_add.Tensor: appendix B, FL gcu_kernels.cc:1765
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAdd(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const topsatenTensor& other, const topsatenScalar_t& alpha,
    topsStream_t stream = nullptr);
// _foreach_addcdiv.Scalar: appendix B, FL gcu_kernels.cc:2042
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAddcdiv(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& tensor1,
    const std::vector<topsatenTensor>& tensor2, const topsatenScalar_t& value, topsStream_t stream = nullptr);
// _foreach_addcdiv.ScalarList: appendix B, FL gcu_kernels.cc:2042
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAddcdiv(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& tensor1,
    const std::vector<topsatenTensor>& tensor2, const std::vector<topsatenScalar_t>& scalars,
    topsStream_t stream = nullptr);
// _foreach_addcdiv.Tensor: appendix B, FL gcu_kernels.cc:2042
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAddcdiv(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& tensor1,
    const std::vector<topsatenTensor>& tensor2, const topsatenTensor& scalars, topsStream_t stream = nullptr);
// _foreach_addcmul.Scalar: appendix B, FL gcu_kernels.cc:1987
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAddcmul(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& tensor1,
    const std::vector<topsatenTensor>& tensor2, const topsatenScalar_t& value, topsStream_t stream = nullptr);
// _foreach_addcmul.ScalarList: appendix B, FL gcu_kernels.cc:1987
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAddcmul(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& tensor1,
    const std::vector<topsatenTensor>& tensor2, const std::vector<topsatenScalar_t>& scalars,
    topsStream_t stream = nullptr);
// _foreach_addcmul.Tensor: appendix B, FL gcu_kernels.cc:1987
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAddcmul(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& tensor1,
    const std::vector<topsatenTensor>& tensor2, const topsatenTensor& scalars, topsStream_t stream = nullptr);
// _foreach_asin: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAsin(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_atan: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachAtan(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_ceil: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachCeil(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_clamp_max.Scalar: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachClampMax(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const topsatenScalar_t& scalar, topsStream_t stream = nullptr);
// _foreach_clamp_max.List: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachClampMax(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& other, topsStream_t stream = nullptr);
// _foreach_clamp_max.ScalarList: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachClampMax(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenScalar_t>& scalars,
    topsStream_t stream = nullptr);
// _foreach_clamp_min.Scalar: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachClampMin(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const topsatenScalar_t& scalar, topsStream_t stream = nullptr);
// _foreach_clamp_min.List: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachClampMin(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& other, topsStream_t stream = nullptr);
// _foreach_clamp_min.ScalarList: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachClampMin(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenScalar_t>& scalars,
    topsStream_t stream = nullptr);
// _foreach_cos: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachCos(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_cosh: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachCosh(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_div.Scalar: appendix B, FL gcu_kernels.cc:1866
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachDiv(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const topsatenScalar_t& scalar, topsStream_t stream = nullptr);
// _foreach_div.List: appendix B, FL gcu_kernels.cc:1866
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachDiv(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& other, topsStream_t stream = nullptr);
// _foreach_div.ScalarList: appendix B, FL gcu_kernels.cc:1866
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachDiv(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenScalar_t>& scalars,
    topsStream_t stream = nullptr);
// _foreach_erf: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachErf(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_erfc: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachErfc(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_exp: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachExp(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_expm1: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachExpm1(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_floor: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachFloor(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_lerp.List: appendix B, FL gcu_kernels.cc:1963
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachLerp(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& tensors1,
    const std::vector<topsatenTensor>& weights, topsStream_t stream = nullptr);
// _foreach_lerp.Scalar: appendix B, FL gcu_kernels.cc:1963
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachLerp(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& tensors1,
    const topsatenScalar_t& weight, topsStream_t stream = nullptr);
// _foreach_lerp.ScalarList: appendix B, FL gcu_kernels.cc:1963
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachLerp(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& tensors1,
    const std::vector<topsatenScalar_t>& weight, topsStream_t stream = nullptr);
// _foreach_log2: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachLog2(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_maximum.Scalar: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachMaximum(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const topsatenScalar_t& scalar, topsStream_t stream = nullptr);
// _foreach_maximum.List: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachMaximum(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& other, topsStream_t stream = nullptr);
// _foreach_maximum.ScalarList: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachMaximum(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenScalar_t>& scalars,
    topsStream_t stream = nullptr);
// _foreach_minimum.Scalar: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachMinimum(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const topsatenScalar_t& scalar, topsStream_t stream = nullptr);
// _foreach_minimum.List: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachMinimum(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& other, topsStream_t stream = nullptr);
// _foreach_minimum.ScalarList: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachMinimum(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenScalar_t>& scalars,
    topsStream_t stream = nullptr);
// _foreach_mul.Scalar: appendix B, FL gcu_kernels.cc:1838
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachMul(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const topsatenScalar_t& scalar, topsStream_t stream = nullptr);
// _foreach_mul.List: appendix B, FL gcu_kernels.cc:1838
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachMul(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& other, topsStream_t stream = nullptr);
// _foreach_mul.ScalarList: appendix B, FL gcu_kernels.cc:1838
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachMul(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenScalar_t>& scalars,
    topsStream_t stream = nullptr);
// _foreach_mul.Tensor: appendix B, FL gcu_kernels.cc:1838
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachMul(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const topsatenTensor& other, topsStream_t stream = nullptr);
// _foreach_neg: appendix B, FL gcu_kernels.cc:1911
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachNeg(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_norm.Scalar: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachNorm(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const topsatenScalar_t& ord, const topsatenDataType_t& dtype,
    topsStream_t stream = nullptr);
// _foreach_sqrt: appendix B, FL gcu_kernels.cc:1923
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachSqrt(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, topsStream_t stream = nullptr);
// _foreach_sub.Scalar: appendix B, FL gcu_kernels.cc:1804
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachSub(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const topsatenScalar_t& scalar, topsStream_t stream = nullptr);
// _foreach_sub.List: appendix B, FL gcu_kernels.cc:1824
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachSub(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& other, const topsatenScalar_t& alpha,
    topsStream_t stream = nullptr);
// _foreach_sub.ScalarList: appendix B, FL gcu_kernels.cc:1804
TOPSATEN_EXPORT topsatenStatus_t topsatenForeachSub(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenScalar_t>& scalars,
    topsStream_t stream = nullptr);
// frac: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenFrac(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// frexp.Tensor: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenFrexp(topsatenTensor& mantissa, topsatenTensor& exponent,
    const topsatenTensor& self, topsStream_t stream = nullptr);
// full: appendix B, PCD full_kernel.cc:46
TOPSATEN_EXPORT topsatenStatus_t topsatenFull(topsatenTensor& out, const topsatenSize_t& size,
    const topsatenScalar_t& fill_value, topsStream_t stream = nullptr);
// _fused_adamw: appendix B, TG _fused_adamw_.cpp:26; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenFusedAdamw(std::tuple<std::vector<topsatenTensor>&,
    std::vector<topsatenTensor>&, std::vector<topsatenTensor>&, std::vector<topsatenTensor>&,
    std::vector<topsatenTensor>&> outs, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& grads, const std::vector<topsatenTensor>& exp_avgs,
    const std::vector<topsatenTensor>& exp_avg_sqs, const std::vector<topsatenTensor>& max_exp_avg_sqs,
    const std::vector<topsatenTensor>& state_steps, double lr, double beta1, double beta2, double weight_decay,
    double eps, bool amsgrad, bool maximize, const topsatenTensor& grad_scale, const topsatenTensor& found_inf,
    topsStream_t stream = nullptr);
// gather: appendix B, PCD index_sample_kernel.cc:85
TOPSATEN_EXPORT topsatenStatus_t topsatenGather(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, bool sparse_grad, topsStream_t stream = nullptr);
// gcd: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenGcd(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// ge.Scalar: appendix B, FL gcu_kernels.cc:703
TOPSATEN_EXPORT topsatenStatus_t topsatenGe(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// ge.Tensor: appendix B, FL gcu_kernels.cc:703
TOPSATEN_EXPORT topsatenStatus_t topsatenGe(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// gelu: appendix B, FL gcu_kernels.cc:1329
TOPSATEN_EXPORT topsatenStatus_t topsatenGelu(topsatenTensor& out, const topsatenTensor& self, const char* approximate,
    topsStream_t stream = nullptr);
// gelu_backward: appendix C, rule; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenGeluBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& self, const char* approximate, topsStream_t stream = nullptr);
// glu: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenGlu(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    topsStream_t stream = nullptr);
// glu_jvp: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenGluJvp(topsatenTensor& out, const topsatenTensor& glu, const topsatenTensor& x,
    const topsatenTensor& dx, int64_t dim, topsStream_t stream = nullptr);
// grid_sampler: appendix B, PCD grid_sample_kernel.cc:66
TOPSATEN_EXPORT topsatenStatus_t topsatenGridSampler(topsatenTensor& out, const topsatenTensor& input,
    const topsatenTensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners,
    topsStream_t stream = nullptr);
// grid_sampler_2d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenGridSampler2d(topsatenTensor& out, const topsatenTensor& input,
    const topsatenTensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners,
    topsStream_t stream = nullptr);
// grid_sampler_3d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenGridSampler3d(topsatenTensor& out, const topsatenTensor& input,
    const topsatenTensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners,
    topsStream_t stream = nullptr);
// _grouped_mm: appendix C, rule; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenGroupedMm(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& mat2, const topsatenTensor& offs, const topsatenTensor& bias,
    const topsatenDataType_t& out_dtype, topsStream_t stream = nullptr);
// gt.Scalar: appendix B, FL gcu_kernels.cc:659
TOPSATEN_EXPORT topsatenStatus_t topsatenGt(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// gt.Tensor: appendix B, FL gcu_kernels.cc:659
TOPSATEN_EXPORT topsatenStatus_t topsatenGt(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// hardshrink: appendix B, PCD activation_kernels.cc:716
TOPSATEN_EXPORT topsatenStatus_t topsatenHardshrink(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& lambd, topsStream_t stream = nullptr);
// hardsigmoid: appendix B, PCD activation_kernels.cc:601
TOPSATEN_EXPORT topsatenStatus_t topsatenHardsigmoid(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// hardswish: appendix B, PCD activation_kernels.cc:648
TOPSATEN_EXPORT topsatenStatus_t topsatenHardswish(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// hardtanh: appendix B, PCD activation_kernels.cc:768
TOPSATEN_EXPORT topsatenStatus_t topsatenHardtanh(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& min_val, const topsatenScalar_t& max_val, topsStream_t stream = nullptr);
// histc: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenHistc(topsatenTensor& out, const topsatenTensor& self, int64_t bins,
    const topsatenScalar_t& min, const topsatenScalar_t& max, topsStream_t stream = nullptr);
// huber_loss: appendix B, PCD huber_loss_kernel.cc:32
TOPSATEN_EXPORT topsatenStatus_t topsatenHuberLoss(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& target, int64_t reduction, double delta, topsStream_t stream = nullptr);
// hypot: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenHypot(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// igamma: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenIgamma(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// igammac: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenIgammac(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// im2col: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenIm2col(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& kernel_size, const topsatenSize_t& dilation, const topsatenSize_t& padding,
    const topsatenSize_t& stride, topsStream_t stream = nullptr);
// index.Tensor: appendix B, TG ops.cpp:340
TOPSATEN_EXPORT topsatenStatus_t topsatenIndex(topsatenTensor& out, const topsatenTensor& self,
    const std::vector<topsatenTensor>& indices, topsStream_t stream = nullptr);
// index_add: appendix B, PCD index_add_kernel.cc:33
TOPSATEN_EXPORT topsatenStatus_t topsatenIndexAdd(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, const topsatenTensor& source, const topsatenScalar_t& alpha,
    topsStream_t stream = nullptr);
// index_fill.int_Scalar: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenIndexFill(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, const topsatenScalar_t& value, topsStream_t stream = nullptr);
// index_fill.int_Tensor: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenIndexFill(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, const topsatenTensor& value, topsStream_t stream = nullptr);
// index_put: appendix B, PCD index_put_kernel.cc:50
TOPSATEN_EXPORT topsatenStatus_t topsatenIndexPut(topsatenTensor& out, const topsatenTensor& self,
    const std::vector<topsatenTensor>& indices, const topsatenTensor& values, bool accumulate,
    topsStream_t stream = nullptr);
// _index_put_impl: appendix B, TG gcu_tensor_advanced_indexing.cpp:83
TOPSATEN_EXPORT topsatenStatus_t topsatenIndexPutImpl(topsatenTensor& self, const std::vector<topsatenTensor>& indices,
    const topsatenTensor& values, bool accumulate, bool unsafe, topsStream_t stream = nullptr);
// index_reduce: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenIndexReduce(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, const topsatenTensor& source, const char* reduce, bool include_self,
    topsStream_t stream = nullptr);
// index_select: appendix B, PCD gather_kernel.cc:39; limits: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenIndexSelect(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, topsStream_t stream = nullptr);
// instance_norm: appendix B, PCD instance_norm_kernel.cc:73
TOPSATEN_EXPORT topsatenStatus_t topsatenInstanceNorm(topsatenTensor& out, const topsatenTensor& input,
    const topsatenTensor& weight, const topsatenTensor& bias, const topsatenTensor& running_mean,
    const topsatenTensor& running_var, bool use_input_stats, double momentum, double eps,
    topsStream_t stream = nullptr);
// isinf: appendix B, PCD isinf_kernel.cc:26
TOPSATEN_EXPORT topsatenStatus_t topsatenIsInf(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// isnan: appendix B, PCD isnan_kernel.cc:26
TOPSATEN_EXPORT topsatenStatus_t topsatenIsNan(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// isclose: appendix B, PCD isclose_kernel.cc:43
TOPSATEN_EXPORT topsatenStatus_t topsatenIsclose(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, double rtol, double atol, bool equal_nan, topsStream_t stream = nullptr);
// isfinite: appendix B, PCD isfinite_kernel.cc:26
TOPSATEN_EXPORT topsatenStatus_t topsatenIsfinite(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// isin.Tensor_Tensor: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenIsin(topsatenTensor& out, const topsatenTensor& elements,
    const topsatenTensor& test_elements, bool assume_unique, bool invert, topsStream_t stream = nullptr);
// isin.Tensor_Scalar: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenIsin(topsatenTensor& out, const topsatenTensor& elements,
    const topsatenScalar_t& test_element, bool assume_unique, bool invert, topsStream_t stream = nullptr);
// isneginf: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenIsneginf(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// isposinf: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenIsposinf(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// kthvalue: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenKthvalue(std::tuple<topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& self, int64_t k, int64_t dim, bool keepdim, topsStream_t stream = nullptr);
// __lshift__.Tensor: section 1.3, renamed: __lshift__
TOPSATEN_EXPORT topsatenStatus_t topsatenLShift(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// __lshift__.Scalar: section 1.3, renamed: __lshift__
TOPSATEN_EXPORT topsatenStatus_t topsatenLShift(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// layer_norm: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenLayerNorm(topsatenTensor& out, const topsatenTensor& input,
    const topsatenSize_t& normalized_shape, const topsatenTensor& weight, const topsatenTensor& bias, double eps,
    bool cudnn_enable, topsStream_t stream = nullptr);
// lcm: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenLcm(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// le.Scalar: appendix B, FL gcu_kernels.cc:681
TOPSATEN_EXPORT topsatenStatus_t topsatenLe(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// le.Tensor: appendix B, FL gcu_kernels.cc:681
TOPSATEN_EXPORT topsatenStatus_t topsatenLe(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// leaky_relu: appendix B, PCD activation_kernels.cc:361
TOPSATEN_EXPORT topsatenStatus_t topsatenLeakyRelu(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& negative_slope, topsStream_t stream = nullptr);
// lerp.Scalar: appendix B, PCD lerp_kernel.cc:34
TOPSATEN_EXPORT topsatenStatus_t topsatenLerp(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& end, const topsatenScalar_t& weight, topsStream_t stream = nullptr);
// lerp.Tensor: appendix B, PCD lerp_kernel.cc:34
TOPSATEN_EXPORT topsatenStatus_t topsatenLerp(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& end, const topsatenTensor& weight, topsStream_t stream = nullptr);
// lgamma: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenLgamma(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// linalg_cross: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenLinalgCross(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, int64_t dim, topsStream_t stream = nullptr);
// linalg_lu_factor_ex: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenLinalgLuFactorEx(topsatenTensor& lu, topsatenTensor& pivots,
    topsatenTensor& info, const topsatenTensor& A, bool pivot, bool check_errors, topsStream_t stream = nullptr);
// linalg_lu_solve: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenLinalgLuSolve(topsatenTensor& out, const topsatenTensor& LU,
    const topsatenTensor& pivots, const topsatenTensor& B, bool left, bool adjoint, topsStream_t stream = nullptr);
// linalg_qr: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenLinalgQr(std::tuple<topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& A, const char* mode, topsStream_t stream = nullptr);
// _linalg_solve_ex: section 1.3, renamed and split: _linalg_solve_ex
TOPSATEN_EXPORT topsatenStatus_t topsatenLinalgSolveEx_(topsatenTensor& out, topsatenTensor& lu, topsatenTensor& pivots,
    topsatenTensor& info, const topsatenTensor& A, const topsatenTensor& B, bool left, bool check_errors,
    topsStream_t stream = nullptr);
// linalg_vector_norm: appendix C, rule; float32 only: ancestor 3.4
TOPSATEN_EXPORT topsatenStatus_t topsatenLinalgVectorNorm(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& ord, const topsatenSize_t& dim, bool keepdim, const topsatenDataType_t& dtype,
    topsStream_t stream = nullptr);
// linear: appendix B, TG RegisterLinearOverrideGCU.cpp:412
TOPSATEN_EXPORT topsatenStatus_t topsatenLinear(topsatenTensor& out, const topsatenTensor& input,
    const topsatenTensor& weight, const topsatenTensor& bias, topsStream_t stream = nullptr);
// linspace: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenLinspace(topsatenTensor& out, const topsatenScalar_t& start,
    const topsatenScalar_t& end, int64_t steps, const topsatenDataType_t& dtype, topsatenLayoutType_t layout,
    topsStream_t stream = nullptr);
// log: appendix B, FL gcu_kernels.cc:98
TOPSATEN_EXPORT topsatenStatus_t topsatenLog(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// log10: appendix B, FL gcu_kernels.cc:124
TOPSATEN_EXPORT topsatenStatus_t topsatenLog10(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// log1p: appendix B, FL gcu_kernels.cc:137
TOPSATEN_EXPORT topsatenStatus_t topsatenLog1p(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// log2: appendix B, FL gcu_kernels.cc:111
TOPSATEN_EXPORT topsatenStatus_t topsatenLog2(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// log_sigmoid: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenLogSigmoid(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// log_sigmoid_forward: appendix C, rule; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenLogSigmoidForward(std::tuple<topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& self, topsStream_t stream = nullptr);
// _log_softmax_backward_data: appendix C, rule; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenLogSoftmaxBackwardData(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& output, int64_t dim, const topsatenDataType_t& input_dtype, topsStream_t stream = nullptr);
// _log_softmax: appendix B, PCD log_softmax_kernel.cc:28
TOPSATEN_EXPORT topsatenStatus_t topsatenLogSoftmaxForward(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    topsStream_t stream = nullptr);
// _log_softmax: section 1.3, renamed: _log_softmax
TOPSATEN_EXPORT topsatenStatus_t topsatenLogSoftmaxForward(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    bool half_to_float, topsStream_t stream = nullptr);
// logaddexp: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenLogaddexp(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// logaddexp2: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenLogaddexp2(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// logcumsumexp: appendix B, PCD logcumsumexp_kernel.cc:44
TOPSATEN_EXPORT topsatenStatus_t topsatenLogcumsumexp(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    topsStream_t stream = nullptr);
// logical_and: appendix B, FL gcu_kernels.cc:725
TOPSATEN_EXPORT topsatenStatus_t topsatenLogicalAnd(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// logical_not: appendix B, PCD logical_kernels.cc:79
TOPSATEN_EXPORT topsatenStatus_t topsatenLogicalNot(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// logical_or: appendix B, FL gcu_kernels.cc:747
TOPSATEN_EXPORT topsatenStatus_t topsatenLogicalOr(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// logical_xor: appendix B, PCD logical_kernels.cc:149
TOPSATEN_EXPORT topsatenStatus_t topsatenLogicalXor(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// logit: appendix B, PCD activation_kernels.cc:684
TOPSATEN_EXPORT topsatenStatus_t topsatenLogit(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& eps, topsStream_t stream = nullptr);
// logspace: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenLogspace(topsatenTensor& out, const topsatenScalar_t& start,
    const topsatenScalar_t& end, int64_t steps, double base, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, topsStream_t stream = nullptr);
// logsumexp: appendix B, PCD logsumexp_kernel.cc:42
TOPSATEN_EXPORT topsatenStatus_t topsatenLogsumexp(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& dim, bool keepdim, topsStream_t stream = nullptr);
// lt.Scalar: appendix B, FL gcu_kernels.cc:637
TOPSATEN_EXPORT topsatenStatus_t topsatenLt(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// lt.Tensor: appendix B, FL gcu_kernels.cc:637
TOPSATEN_EXPORT topsatenStatus_t topsatenLt(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// masked_scatter: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenMaskedScatter(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& mask, const topsatenTensor& source, topsStream_t stream = nullptr);
// masked_select: appendix B, TG gcu_index_kernel.cpp:16
TOPSATEN_EXPORT topsatenStatus_t topsatenMaskedSelect(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& mask, topsStream_t stream = nullptr);
// masked_fill.Scalar: appendix B, TG gcu_masked_fill_.cpp:20
TOPSATEN_EXPORT topsatenStatus_t topsatenMasked_fill(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& mask, const topsatenScalar_t& value, topsStream_t stream = nullptr);
// masked_fill_tensor: ancestor 3.3
TOPSATEN_EXPORT topsatenStatus_t topsatenMasked_fill(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& mask, const topsatenTensor& value, topsStream_t stream = nullptr);
// matmul: appendix B, TG RegisterLinearOverrideGCU.cpp:418
TOPSATEN_EXPORT topsatenStatus_t topsatenMatmul(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// max.dim: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenMax(topsatenTensor& values, topsatenTensor& indices,
    const topsatenTensor& self, int64_t dim, bool keepdim, topsStream_t stream = nullptr);
// max: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenMax(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// max_pool2d: appendix B, PCD pool2d_kernel.cc:203
TOPSATEN_EXPORT topsatenStatus_t topsatenMaxPool2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& kernel_size, const topsatenSize_t& stride, const topsatenSize_t& padding,
    const topsatenSize_t& dilation, bool ceil_mode, topsStream_t stream = nullptr);
// max_pool2d_with_indices: section 1.3, renamed and split: max_pool2d_with_indices
TOPSATEN_EXPORT topsatenStatus_t topsatenMaxPool2dIndices(topsatenTensor& out, topsatenTensor& indices,
    const topsatenTensor& self, const topsatenSize_t& kernel_size, const topsatenSize_t& stride,
    const topsatenSize_t& padding, const topsatenSize_t& dilation, bool ceil_mode, topsStream_t stream = nullptr);
// max_pool3d_with_indices: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenMaxPool3dWithIndices(topsatenTensor& out, topsatenTensor& indices,
    const topsatenTensor& self, const topsatenSize_t& kernel_size, const topsatenSize_t& stride,
    const topsatenSize_t& padding, const topsatenSize_t& dilation, bool ceil_mode, topsStream_t stream = nullptr);
// maximum: appendix B, FL gcu_kernels.cc:437
TOPSATEN_EXPORT topsatenStatus_t topsatenMaximum(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// mean: appendix B, FL gcu_kernels.cc:1194
TOPSATEN_EXPORT topsatenStatus_t topsatenMean(topsatenTensor& out, const topsatenTensor& self,
    const topsatenDataType_t& dtype, topsStream_t stream = nullptr);
// mean.dim: appendix B, FL gcu_kernels.cc:1146
TOPSATEN_EXPORT topsatenStatus_t topsatenMean(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& dim, bool keepdim, const topsatenDataType_t& dtype, topsStream_t stream = nullptr);
// median: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenMedian(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// median.dim: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenMedian(std::tuple<topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& self, int64_t dim, bool keepdim, topsStream_t stream = nullptr);
// meshgrid.indexing: appendix B, PCD meshgrid_kernel.cc:54
TOPSATEN_EXPORT topsatenStatus_t topsatenMeshgrid(std::vector<topsatenTensor>& out,
    const std::vector<topsatenTensor>& tensors, const char* indexing, topsStream_t stream = nullptr);
// min.dim: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenMin(topsatenTensor& values, topsatenTensor& indices,
    const topsatenTensor& self, int64_t dim, bool keepdim, topsStream_t stream = nullptr);
// min: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenMin(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// minimum: appendix B, FL gcu_kernels.cc:459
TOPSATEN_EXPORT topsatenStatus_t topsatenMinimum(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// mish: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenMish(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// mm: appendix B, FL gcu_kernels.cc:999
TOPSATEN_EXPORT topsatenStatus_t topsatenMm(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& mat2,
    topsStream_t stream = nullptr);
// mode: appendix B, TG gcu_tensor_compare.cpp:231
TOPSATEN_EXPORT topsatenStatus_t topsatenMode(topsatenTensor& values, topsatenTensor& indices,
    const topsatenTensor& self, int64_t dim, bool keepdim, topsStream_t stream = nullptr);
// mse_loss: appendix B, FL gcu_kernels.cc:1699
TOPSATEN_EXPORT topsatenStatus_t topsatenMseLoss(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& target, int64_t reduction, topsStream_t stream = nullptr);
// mse_loss_backward: appendix B, FL gcu_kernels.cc:1729
TOPSATEN_EXPORT topsatenStatus_t topsatenMseLossBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& self, const topsatenTensor& target, int64_t reduction, topsStream_t stream = nullptr);
// mul.Tensor: appendix B, FL gcu_kernels.cc:393
TOPSATEN_EXPORT topsatenStatus_t topsatenMul(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// mul.Scalar: appendix B, FL gcu_kernels.cc:393; trap: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenMul(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// multi_margin_loss: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenMultiMarginLoss(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& target, const topsatenScalar_t& p, const topsatenScalar_t& margin,
    const topsatenTensor& weight, int64_t reduction, topsStream_t stream = nullptr);
// multinomial: appendix B, FL rng.cc:332
TOPSATEN_EXPORT topsatenStatus_t topsatenMultinomial(topsatenTensor& indices, const topsatenTensor& self,
    int64_t num_samples, bool replacement, const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// nll_loss2d_forward: section 1.3, renamed and split: nll_loss2d_forward
TOPSATEN_EXPORT topsatenStatus_t topsatenNLLLoss2DForward(topsatenTensor& out, topsatenTensor& total_weight,
    const topsatenTensor& self, const topsatenTensor& target, const topsatenTensor& weight, int64_t reduction,
    int64_t ignore_index, topsStream_t stream = nullptr);
// nan_to_num: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenNanToNum(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& nan, const topsatenScalar_t& posinf, const topsatenScalar_t& neginf,
    topsStream_t stream = nullptr);
// nanmedian: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenNanmedian(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// nanmedian.dim: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenNanmedian(std::tuple<topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& self, int64_t dim, bool keepdim, topsStream_t stream = nullptr);
// nansum: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenNansum(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& dim, bool keepdim, const topsatenDataType_t& dtype, topsStream_t stream = nullptr);
// native_batch_norm: appendix B, TG gcu_batch_norm.cpp:130
TOPSATEN_EXPORT topsatenStatus_t topsatenNativeBatchNorm(topsatenTensor& out, topsatenTensor& save_mean,
    topsatenTensor& save_var, const topsatenTensor& input, const topsatenTensor& weight, const topsatenTensor& bias,
    const topsatenTensor& running_mean, const topsatenTensor& running_var, bool training, double momentum, double eps,
    topsStream_t stream = nullptr);
// native_dropout: appendix B, PCD dropout_kernel.cc:65
TOPSATEN_EXPORT topsatenStatus_t topsatenNativeDropout(topsatenTensor& out, topsatenTensor& mask,
    const topsatenTensor& input, double p, bool train, const topsatenGenerator_t& generator,
    topsStream_t stream = nullptr);
// native_dropout_backward: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenNativeDropoutBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& mask, double scale, topsStream_t stream = nullptr);
// native_group_norm: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenNativeGroupNorm(topsatenTensor& out, topsatenTensor& mean,
    topsatenTensor& rstd, const topsatenTensor& input, const topsatenTensor& weight, const topsatenTensor& bias,
    int64_t N, int64_t C, int64_t HxW, int64_t group, double eps, topsStream_t stream = nullptr);
// native_layer_norm: appendix B, FL gcu_kernels.cc:1623
TOPSATEN_EXPORT topsatenStatus_t topsatenNativeLayerNorm(topsatenTensor& out, topsatenTensor& mean,
    topsatenTensor& rstd, const topsatenTensor& input, const topsatenSize_t& normalized_shape,
    const topsatenTensor& weight, const topsatenTensor& bias, const topsatenScalar_t& eps,
    topsStream_t stream = nullptr);
// native_layer_norm_backward: appendix C, rule; trap: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenNativeLayerNormBackward(std::tuple<topsatenTensor&, topsatenTensor&,
    topsatenTensor&> outs, const topsatenTensor& grad_out, const topsatenTensor& input,
    const topsatenSize_t& normalized_shape, const topsatenTensor& mean, const topsatenTensor& rstd,
    const topsatenTensor& weight, const topsatenTensor& bias, const std::array<bool, 3>& output_mask,
    topsStream_t stream = nullptr);
// ne.Scalar: appendix B, FL gcu_kernels.cc:615
TOPSATEN_EXPORT topsatenStatus_t topsatenNe(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// ne.Tensor: appendix B, FL gcu_kernels.cc:615
TOPSATEN_EXPORT topsatenStatus_t topsatenNe(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// neg: appendix B, FL gcu_kernels.cc:293
TOPSATEN_EXPORT topsatenStatus_t topsatenNeg(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// nll_loss_backward: appendix C, rule; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenNllLossBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& self, const topsatenTensor& target, const topsatenTensor& weight, int64_t reduction,
    int64_t ignore_index, const topsatenTensor& total_weight, topsStream_t stream = nullptr);
// nll_loss_forward: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenNllLossForward(std::tuple<topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& self, const topsatenTensor& target, const topsatenTensor& weight, int64_t reduction,
    int64_t ignore_index, topsStream_t stream = nullptr);
// nonzero: appendix B, TG gcu_tensor_advanced_indexing.cpp:299, traps: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenNonzero(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// normal: appendix B, PCD gaussian_kernel.cc:42
TOPSATEN_EXPORT topsatenStatus_t topsatenNormal(topsatenTensor& out, double mean, double std,
    const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// normal_tensor_float: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenNormal(topsatenTensor& out, const topsatenTensor& mean, double std,
    const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// normal_float_tensor: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenNormal(topsatenTensor& out, double mean, const topsatenTensor& std,
    const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// normal_tensor_tensor: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenNormal(topsatenTensor& out, const topsatenTensor& mean,
    const topsatenTensor& std, const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// one_hot: appendix B, PCD one_hot_kernel.cc:40
TOPSATEN_EXPORT topsatenStatus_t topsatenOneHot(topsatenTensor& out, const topsatenTensor& self, int64_t num_classes,
    topsStream_t stream = nullptr);
// ones: appendix B, PCD rnn_kernel.cc:312
TOPSATEN_EXPORT topsatenStatus_t topsatenOnes(topsatenTensor& out, const topsatenSize_t& size,
    const topsatenDataType_t& dtype, topsStream_t stream = nullptr);
// ones: appendix B, FL gcu_kernels.cc:1569
TOPSATEN_EXPORT topsatenStatus_t topsatenOnesLike(topsatenTensor& out, const topsatenTensor& self,
    const topsatenDataType_t& dtype, topsatenLayoutType_t layout, topsatenMemoryFormat_t memory_format,
    topsStream_t stream = nullptr);
// poisson: appendix B, FL rng.cc:343
TOPSATEN_EXPORT topsatenStatus_t topsatenPoisson(topsatenTensor& out, const topsatenTensor& self,
    const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// polar: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenPolar(topsatenTensor& out, const topsatenTensor& abs,
    const topsatenTensor& angle, topsStream_t stream = nullptr);
// pow.Tensor_Tensor: appendix B, FL gcu_kernels.cc:525
TOPSATEN_EXPORT topsatenStatus_t topsatenPow(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& exponent, topsStream_t stream = nullptr);
// pow.Scalar: appendix B, FL gcu_kernels.cc:525
TOPSATEN_EXPORT topsatenStatus_t topsatenPow(topsatenTensor& out, const topsatenScalar_t& self,
    const topsatenTensor& exponent, topsStream_t stream = nullptr);
// pow.Tensor_Scalar: appendix B, FL gcu_kernels.cc:525
TOPSATEN_EXPORT topsatenStatus_t topsatenPow(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& exponent, topsStream_t stream = nullptr);
// _prelu_kernel: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenPreluKernel(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& weight, topsStream_t stream = nullptr);
// prod: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenProd(topsatenTensor& out, const topsatenTensor& self,
    const topsatenDataType_t& dtype, topsStream_t stream = nullptr);
// prod.dim_int: appendix B, PCD reduce_kernels.cc:221
TOPSATEN_EXPORT topsatenStatus_t topsatenProd(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    bool keepdim, const topsatenDataType_t& dtype, topsStream_t stream = nullptr);
// __rshift__.Tensor: section 1.3, renamed: __lshift__
TOPSATEN_EXPORT topsatenStatus_t topsatenRShift(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// __rshift__.Scalar: section 1.3, renamed: __lshift__
TOPSATEN_EXPORT topsatenStatus_t topsatenRShift(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// randint: appendix B, FL rng.cc:221
TOPSATEN_EXPORT topsatenStatus_t topsatenRandint(topsatenTensor& out, int64_t low, int64_t high,
    const topsatenSize_t& size, const topsatenDataType_t& dtype, topsatenLayoutType_t layout, bool pin_memory,
    const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// randn: appendix B, FL rng.cc:133
TOPSATEN_EXPORT topsatenStatus_t topsatenRandn(topsatenTensor& out, const topsatenSize_t& size,
    const topsatenDataType_t& dtype, topsatenLayoutType_t layout, bool pin_memory, const topsatenGenerator_t& generator,
    topsStream_t stream = nullptr);
// randn: appendix B, FL rng.cc:170
TOPSATEN_EXPORT topsatenStatus_t topsatenRandnLike(topsatenTensor& out, const topsatenTensor& self,
    const topsatenDataType_t& dtype, topsatenLayoutType_t layout, bool pin_memory, topsatenMemoryFormat_t memory_format,
    const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// random_from: appendix B, TG gcu_distributions.cpp:60
TOPSATEN_EXPORT topsatenStatus_t topsatenRandom(topsatenTensor& self, int64_t from, const topsatenScalar_t& to,
    const topsatenPhiloxState_t& generator, topsStream_t stream = nullptr);
// random_to: appendix B, FL rng.cc:269
TOPSATEN_EXPORT topsatenStatus_t topsatenRandom(topsatenTensor& self, int64_t to, const topsatenGenerator_t& generator,
    topsStream_t stream = nullptr);
// random: appendix B, FL rng.cc:255
TOPSATEN_EXPORT topsatenStatus_t topsatenRandom(topsatenTensor& self, const topsatenGenerator_t& generator,
    topsStream_t stream = nullptr);
// randperm: appendix B, FL rng.cc:239
TOPSATEN_EXPORT topsatenStatus_t topsatenRandperm(topsatenTensor& out, int64_t n, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, bool pin_memory, const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// range: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenRange(topsatenTensor& out, const topsatenScalar_t& start,
    const topsatenScalar_t& end, const topsatenScalar_t& step, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, topsStream_t stream = nullptr);
// reciprocal: appendix B, FL gcu_kernels.cc:306
TOPSATEN_EXPORT topsatenStatus_t topsatenReciprocal(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// reflection_pad1d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenReflectionPad1d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& padding, topsStream_t stream = nullptr);
// reflection_pad2d: appendix B, TG gcu_pad_ops.cpp:76
TOPSATEN_EXPORT topsatenStatus_t topsatenReflectionPad2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& padding, topsStream_t stream = nullptr);
// reflection_pad3d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenReflectionPad3d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& padding, topsStream_t stream = nullptr);
// relu: appendix B, FL gcu_kernels.cc:280
TOPSATEN_EXPORT topsatenStatus_t topsatenRelu(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// relu6: appendix B, PCD activation_kernels.cc:332
TOPSATEN_EXPORT topsatenStatus_t topsatenRelu6(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// remainder.Scalar: appendix B, FL gcu_kernels.cc:481
TOPSATEN_EXPORT topsatenStatus_t topsatenRemainder(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// remainder.Tensor: appendix B, FL gcu_kernels.cc:481
TOPSATEN_EXPORT topsatenStatus_t topsatenRemainder(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// remainder.Scalar_Tensor: appendix B, FL gcu_kernels.cc:481
TOPSATEN_EXPORT topsatenStatus_t topsatenRemainder(topsatenTensor& out, const topsatenScalar_t& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// repeat: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenRepeat(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& repeats, topsStream_t stream = nullptr);
// repeat_interleave.self_Tensor: appendix B, TG gcu_repeat.cpp:47
TOPSATEN_EXPORT topsatenStatus_t topsatenRepeatInterleave(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& repeats, const topsatenScalar_t& dim, const topsatenScalar_t& output_size,
    topsStream_t stream = nullptr);
// repeat_interleave.self_int: appendix B, TG gcu_repeat.cpp:47
TOPSATEN_EXPORT topsatenStatus_t topsatenRepeatInterleave(topsatenTensor& out, const topsatenTensor& self,
    int64_t repeats, const topsatenScalar_t& dim, const topsatenScalar_t& output_size, topsStream_t stream = nullptr);
// replication_pad1d: appendix C, rule; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenReplicationPad1d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& padding, topsStream_t stream = nullptr);
// replication_pad2d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenReplicationPad2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& padding, topsStream_t stream = nullptr);
// replication_pad3d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenReplicationPad3d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& padding, topsStream_t stream = nullptr);
// uniform: appendix B, PCD uniform_kernel.cc:116
TOPSATEN_EXPORT topsatenStatus_t topsatenRngUniform(topsatenTensor& self, double from, double to,
    const topsatenGenerator_t& generator, topsStream_t stream = nullptr);
// roll: appendix B, PCD roll_kernel.cc:40
TOPSATEN_EXPORT topsatenStatus_t topsatenRoll(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& shifts, const topsatenSize_t& dims, topsStream_t stream = nullptr);
// round: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenRound(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// round.decimals: appendix B, PCD activation_kernels.cc:802
TOPSATEN_EXPORT topsatenStatus_t topsatenRound(topsatenTensor& out, const topsatenTensor& self, int64_t decimals,
    topsStream_t stream = nullptr);
// rsqrt: appendix B, FL gcu_kernels.cc:59
TOPSATEN_EXPORT topsatenStatus_t topsatenRsqrt(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// rsub.Tensor: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenRsub(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, const topsatenScalar_t& alpha, topsStream_t stream = nullptr);
// rsub.Scalar: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenRsub(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, const topsatenScalar_t& alpha, topsStream_t stream = nullptr);
// sdpa_efficient: appendix B, TG gcu_attention.cpp:113
TOPSATEN_EXPORT topsatenStatus_t topsatenScaledDotProductEfficientAttention(std::tuple<topsatenTensor&, topsatenTensor&,
    topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& query, const topsatenTensor& key,
    const topsatenTensor& value, const topsatenTensor& attn_bias, bool compute_log_sumexp, double dropout_p,
    bool is_causal, const topsatenScalar_t& scale, const topsatenPhiloxState_t& philox_state,
    topsStream_t stream = nullptr);
// sdpa_efficient_backward: appendix B, TG gcu_attention.cpp:263
TOPSATEN_EXPORT topsatenStatus_t topsatenScaledDotProductEfficientAttentionBackward(std::tuple<topsatenTensor&,
    topsatenTensor&, topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& grad_out_,
    const topsatenTensor& query, const topsatenTensor& key, const topsatenTensor& value,
    const topsatenTensor& attn_bias, const topsatenTensor& out, const topsatenTensor& logsumexp,
    const topsatenTensor& philox_seed, const topsatenTensor& philox_offset, double dropout_p, const std::array<bool,
    4>& grad_input_mask, bool is_causal, const topsatenScalar_t& scale, const topsatenPhiloxState_t& philox_state,
    topsStream_t stream = nullptr);
// sdpa_flash: appendix B, TG gcu_attention.cpp:60; bfloat16 only: ancestor 3.3
TOPSATEN_EXPORT topsatenStatus_t topsatenScaledDotProductFlashAttention(std::tuple<topsatenTensor&, topsatenTensor&,
    topsatenTensor&, topsatenTensor&, int64_t&, int64_t&, topsatenTensor&, topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& query, const topsatenTensor& key, const topsatenTensor& value, double dropout_p,
    bool is_causal, bool return_debug_mask, const topsatenScalar_t& scale, const topsatenPhiloxState_t& philox_state,
    topsStream_t stream = nullptr);
// sdpa_flash_backward: appendix B, TG gcu_attention.cpp:185
TOPSATEN_EXPORT topsatenStatus_t topsatenScaledDotProductFlashAttentionBackward(std::tuple<topsatenTensor&,
    topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& grad_out, const topsatenTensor& query,
    const topsatenTensor& key, const topsatenTensor& value, const topsatenTensor& out, const topsatenTensor& logsumexp,
    const topsatenTensor& cum_seq_q, const topsatenTensor& cum_seq_k, int64_t max_q, int64_t max_k, double dropout_p,
    bool is_causal, const topsatenTensor& philox_seed, const topsatenTensor& philox_offset,
    const topsatenScalar_t& scale, topsStream_t stream = nullptr);
// scatter: appendix B, TG gcu_tensor_advanced_indexing.cpp:157
TOPSATEN_EXPORT topsatenStatus_t topsatenScatter(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& index, const topsatenTensor& src, int64_t dim, topsatenScatterComputationType_t reduce,
    topsStream_t stream = nullptr);
// scatter: appendix B, TG gcu_tensor_advanced_indexing.cpp:157
TOPSATEN_EXPORT topsatenStatus_t topsatenScatter(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& index, const topsatenScalar_t& value, int64_t dim, topsatenScatterComputationType_t reduce,
    topsStream_t stream = nullptr);
// scatter_add: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenScatterAdd(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, const topsatenTensor& src, topsStream_t stream = nullptr);
// scatter_reduce.two: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenScatterReduce(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, const topsatenTensor& src, const char* reduce, bool include_self,
    topsStream_t stream = nullptr);
// sigmoid: appendix B, FL gcu_kernels.cc:254
TOPSATEN_EXPORT topsatenStatus_t topsatenSigmoid(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// sigmoid_backward: appendix C, rule; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenSigmoidBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& output, topsStream_t stream = nullptr);
// sign: appendix B, FL gcu_kernels.cc:371
TOPSATEN_EXPORT topsatenStatus_t topsatenSign(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// silu: appendix B, FL gcu_kernels.cc:267
TOPSATEN_EXPORT topsatenStatus_t topsatenSilu(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// silu_backward: appendix B, FL gcu_kernels.cc:1676
TOPSATEN_EXPORT topsatenStatus_t topsatenSiluBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& self, topsStream_t stream = nullptr);
// sin: appendix B, FL gcu_kernels.cc:150
TOPSATEN_EXPORT topsatenStatus_t topsatenSin(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// sinc: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenSinc(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// sinh: appendix B, FL gcu_kernels.cc:176
TOPSATEN_EXPORT topsatenStatus_t topsatenSinh(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// smooth_l1_loss: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenSmoothL1Loss(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& target, int64_t reduction, double beta, topsStream_t stream = nullptr);
// _softmax_backward_data: appendix B, FL gcu_kernels.cc:1654
TOPSATEN_EXPORT topsatenStatus_t topsatenSoftmaxBackwardData(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& output, int64_t dim, const topsatenDataType_t& input_dtype, topsStream_t stream = nullptr);
// _softmax: appendix B, PCD softmax_kernel.cc:42
TOPSATEN_EXPORT topsatenStatus_t topsatenSoftmaxForward(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    topsStream_t stream = nullptr);
// _softmax: appendix B, FL gcu_kernels.cc:1345
TOPSATEN_EXPORT topsatenStatus_t topsatenSoftmaxForward(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    bool half_to_float, topsStream_t stream = nullptr);
// softplus: appendix B, PCD activation_kernels.cc:750
TOPSATEN_EXPORT topsatenStatus_t topsatenSoftplus(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& beta, const topsatenScalar_t& threshold, topsStream_t stream = nullptr);
// softshrink: appendix B, PCD activation_kernels.cc:732
TOPSATEN_EXPORT topsatenStatus_t topsatenSoftshrink(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& lambd, topsStream_t stream = nullptr);
// sort.stable: appendix B, TG gcu_sorting.cpp:25
TOPSATEN_EXPORT topsatenStatus_t topsatenSort(topsatenTensor& values, topsatenTensor& indices,
    const topsatenTensor& self, const topsatenScalar_t& stable, int64_t dim, bool descending,
    topsStream_t stream = nullptr);
// sqrt: appendix B, FL gcu_kernels.cc:46
TOPSATEN_EXPORT topsatenStatus_t topsatenSqrt(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// square: appendix B, PCD squared_l2_norm_kernel.cc:28
TOPSATEN_EXPORT topsatenStatus_t topsatenSquare(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// stack: appendix B, PCD stack_kernel.cc:45
TOPSATEN_EXPORT topsatenStatus_t topsatenStack(topsatenTensor& out, const std::vector<topsatenTensor>& tensors,
    int64_t dim, topsStream_t stream = nullptr);
// std.correction: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenStd(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim,
    const topsatenScalar_t& correction, bool keepdim, topsStream_t stream = nullptr);
// std_mean.correction: appendix B, TG gcu_reduce_ops.cpp:64
TOPSATEN_EXPORT topsatenStatus_t topsatenStdMean(topsatenTensor& std, topsatenTensor& mean, const topsatenTensor& self,
    const topsatenSize_t& dim, const topsatenScalar_t& correction, bool keepdim, topsStream_t stream = nullptr);
// sub.Tensor: appendix B, FL gcu_kernels.cc:571
TOPSATEN_EXPORT topsatenStatus_t topsatenSub(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, const topsatenScalar_t& alpha, topsStream_t stream = nullptr);
// sub.Scalar: appendix B, FL gcu_kernels.cc:571; trap: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenSub(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, const topsatenScalar_t& alpha, topsStream_t stream = nullptr);
// sum: appendix B, FL gcu_kernels.cc:1170
TOPSATEN_EXPORT topsatenStatus_t topsatenSum(topsatenTensor& out, const topsatenTensor& self,
    const topsatenDataType_t& dtype, topsStream_t stream = nullptr);
// sum.dim_IntList: appendix B, FL gcu_kernels.cc:1102
TOPSATEN_EXPORT topsatenStatus_t topsatenSum(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim,
    bool keepdim, const topsatenDataType_t& dtype, topsStream_t stream = nullptr);
// tan: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenTan(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// tanh: appendix B, FL gcu_kernels.cc:241
TOPSATEN_EXPORT topsatenStatus_t topsatenTanh(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// tanh_backward: appendix C, rule; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenTanhBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& output, topsStream_t stream = nullptr);
// threshold: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenThreshold(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& threshold, const topsatenScalar_t& value, topsStream_t stream = nullptr);
// tile: appendix B, PCD tile_kernel.cc:33
TOPSATEN_EXPORT topsatenStatus_t topsatenTile(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& dims, topsStream_t stream = nullptr);
// to: appendix B, PCD common_ops.cc:274
TOPSATEN_EXPORT topsatenStatus_t topsatenTo(topsatenTensor& out, const topsatenTensor& self,
    const topsatenDataType_t& dtype, bool non_blocking, bool copy, topsatenMemoryFormat_t memory_format,
    topsStream_t stream = nullptr);
// topk: appendix B, PCD topk_kernel.cc:62
TOPSATEN_EXPORT topsatenStatus_t topsatenTopk(topsatenTensor& values, topsatenTensor& indices,
    const topsatenTensor& self, int64_t k, int64_t dim, bool largest, bool sorted, topsStream_t stream = nullptr);
// trace: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenTrace(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// tril: appendix B, FL gcu_kernels.cc:1281
TOPSATEN_EXPORT topsatenStatus_t topsatenTril(topsatenTensor& out, const topsatenTensor& self, int64_t diagonal,
    topsStream_t stream = nullptr);
// triu: appendix B, FL gcu_kernels.cc:1295
TOPSATEN_EXPORT topsatenStatus_t topsatenTriu(topsatenTensor& out, const topsatenTensor& self, int64_t diagonal,
    topsStream_t stream = nullptr);
// trunc: appendix B, FL gcu_kernels.cc:358
TOPSATEN_EXPORT topsatenStatus_t topsatenTrunc(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);
// _unique: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenUnique(std::tuple<topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& self, bool sorted, bool return_inverse, topsStream_t stream = nullptr);
// _unique2: appendix B, TG gcu_unique.cpp:70
TOPSATEN_EXPORT topsatenStatus_t topsatenUnique2(topsatenTensor& out, topsatenTensor& inverse, topsatenTensor& counts,
    const topsatenTensor& self, bool sorted, bool return_inverse, bool return_counts, topsStream_t stream = nullptr);
// unique_consecutive: appendix B, TG gcu_unique.cpp:162
TOPSATEN_EXPORT topsatenStatus_t topsatenUniqueConsecutive(topsatenTensor& out, topsatenTensor& inverse,
    topsatenTensor& counts, const topsatenTensor& self, bool return_inverse, bool return_counts,
    const topsatenScalar_t& dim, topsStream_t stream = nullptr);
// upsample_bicubic2d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenUpsampleBicubic2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, bool align_corners, const topsatenScalar_t& scales_h,
    const topsatenScalar_t& scales_w, topsStream_t stream = nullptr);
// _upsample_bicubic2d_aa: appendix C, rule; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenUpsampleBicubic2dAa(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, bool align_corners, const topsatenScalar_t& scales_h,
    const topsatenScalar_t& scales_w, topsStream_t stream = nullptr);
// upsample_bilinear2d: appendix B, PCD interpolate_kernels.cc:190
TOPSATEN_EXPORT topsatenStatus_t topsatenUpsampleBilinear2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, bool align_corners, const topsatenScalar_t& scales_h,
    const topsatenScalar_t& scales_w, topsStream_t stream = nullptr);
// _upsample_bilinear2d_aa: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenUpsampleBilinear2dAa(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, bool align_corners, const topsatenScalar_t& scales_h,
    const topsatenScalar_t& scales_w, topsStream_t stream = nullptr);
// upsample_linear1d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenUpsampleLinear1d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, bool align_corners, const topsatenScalar_t& scales,
    topsStream_t stream = nullptr);
// upsample_nearest2d: appendix B, PCD interpolate_kernels.cc:168
TOPSATEN_EXPORT topsatenStatus_t topsatenUpsampleNearest2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, const topsatenScalar_t& scales_h, const topsatenScalar_t& scales_w,
    topsStream_t stream = nullptr);
// upsample_nearest3d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenUpsampleNearest3d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, const topsatenScalar_t& scales_d, const topsatenScalar_t& scales_h,
    const topsatenScalar_t& scales_w, topsStream_t stream = nullptr);
// _upsample_nearest_exact1d: appendix C, rule; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenUpsampleNearestExact1d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, const topsatenScalar_t& scales, topsStream_t stream = nullptr);
// _upsample_nearest_exact2d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenUpsampleNearestExact2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, const topsatenScalar_t& scales_h, const topsatenScalar_t& scales_w,
    topsStream_t stream = nullptr);
// _upsample_nearest_exact3d: appendix C, rule; s60: section 7
TOPSATEN_EXPORT topsatenStatus_t topsatenUpsampleNearestExact3d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, const topsatenScalar_t& scales_d, const topsatenScalar_t& scales_h,
    const topsatenScalar_t& scales_w, topsStream_t stream = nullptr);
// upsample_trilinear3d: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenUpsampleTrilinear3d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, bool align_corners, const topsatenScalar_t& scales_d,
    const topsatenScalar_t& scales_h, const topsatenScalar_t& scales_w, topsStream_t stream = nullptr);
// var.correction: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenVar(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim,
    const topsatenScalar_t& correction, bool keepdim, topsStream_t stream = nullptr);
// var_mean.correction: appendix B, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenVarMean(std::tuple<topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& self, const topsatenSize_t& dim, const topsatenScalar_t& correction, bool keepdim,
    topsStream_t stream = nullptr);
// _weight_norm_interface: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenWeightNormInterface(topsatenTensor& out, topsatenTensor& norms,
    const topsatenTensor& v, const topsatenTensor& g, int64_t dim, topsStream_t stream = nullptr);
// where.self: appendix B, TG gcu_tensor_compare.cpp:127
TOPSATEN_EXPORT topsatenStatus_t topsatenWhere(topsatenTensor& out, const topsatenTensor& condition,
    const topsatenTensor& self, const topsatenTensor& other, topsStream_t stream = nullptr);
// where.ScalarSelf: appendix B, TG gcu_tensor_compare.cpp:127
TOPSATEN_EXPORT topsatenStatus_t topsatenWhere(topsatenTensor& out, const topsatenTensor& condition,
    const topsatenScalar_t& self, const topsatenTensor& other, topsStream_t stream = nullptr);
// where.ScalarOther: appendix B, TG gcu_tensor_compare.cpp:127
TOPSATEN_EXPORT topsatenStatus_t topsatenWhere(topsatenTensor& out, const topsatenTensor& condition,
    const topsatenTensor& self, const topsatenScalar_t& other, topsStream_t stream = nullptr);
// where.Scalar: appendix B, TG gcu_tensor_compare.cpp:127
TOPSATEN_EXPORT topsatenStatus_t topsatenWhere(topsatenTensor& out, const topsatenTensor& condition,
    const topsatenScalar_t& self, const topsatenScalar_t& other, topsStream_t stream = nullptr);
// xlogy.Tensor: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenXlogy(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// xlogy.Scalar_Self: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenXlogy(topsatenTensor& out, const topsatenScalar_t& self,
    const topsatenTensor& other, topsStream_t stream = nullptr);
// xlogy.Scalar_Other: appendix C, rule
TOPSATEN_EXPORT topsatenStatus_t topsatenXlogy(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream = nullptr);
// zero: ancestor 3.3
TOPSATEN_EXPORT topsatenStatus_t topsatenZero(topsatenTensor& self, topsStream_t stream = nullptr);
// zeros: appendix B, PCD common_ops.cc:496
TOPSATEN_EXPORT topsatenStatus_t topsatenZeros(topsatenTensor& out, const topsatenSize_t& size,
    const topsatenDataType_t& dtype, topsStream_t stream = nullptr);
// zeros: appendix B, FL gcu_kernels.cc:1523
TOPSATEN_EXPORT topsatenStatus_t topsatenZerosLike(topsatenTensor& out, const topsatenTensor& self,
    const topsatenDataType_t& dtype, topsatenLayoutType_t layout, topsatenMemoryFormat_t memory_format,
    topsStream_t stream = nullptr);
// i0: section 1.3, renamed: i0
TOPSATEN_EXPORT topsatenStatus_t topsateni0(topsatenTensor& out, const topsatenTensor& self,
    topsStream_t stream = nullptr);

}  // namespace topsaten

#endif  // TOPSATEN_OPS_H_
