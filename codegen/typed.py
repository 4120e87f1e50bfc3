"""The ops with a typed entry: called so often that packing their arguments would show.

Which ones was counted in encoders, decoders, diffusion transformers and their training. The entries themselves are
templates (core/src/dispatch/typed_call.h); this writes the list of them for the torch that core is built for.
"""

from __future__ import annotations

from codegen.schemas import Schemas

# Typed on the lane `none` as well: what the benchmarks of a fallback call.
HOST_COPIES = """
add.Tensor add_.Tensor sub.Tensor mul.Tensor mul_.Tensor div.Tensor div_.Tensor maximum eq.Tensor eq.Scalar le.Tensor
le.Scalar where.self cat index.Tensor embedding neg exp sqrt rsqrt sin cos tanh sigmoid relu relu_ silu gelu
pow.Tensor_Scalar mm bmm addmm _softmax _log_softmax native_layer_norm sum.dim_IntList mean.dim index_select
fill_.Scalar
"""

OPS = """
sub_.Tensor minimum remainder.Tensor pow.Tensor_Tensor pow.Scalar div.Tensor_mode rsub.Tensor eq_.Tensor
ne.Tensor ne.Scalar lt.Tensor lt.Scalar le_.Tensor gt.Tensor gt.Scalar ge.Tensor ge.Scalar isin.Tensor_Tensor
bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor bitwise_not logical_and.out logical_or.out
logical_not.out lerp.Scalar lerp_.Scalar lerp.Tensor lerp_.Tensor addcmul addcmul_ addcdiv addcdiv_
where.self_out clamp clamp_ clamp.Tensor clamp_min clamp_min_ clamp_max clamp_max_ masked_fill_.Scalar
masked_fill_.Tensor abs.out neg_ exp_ exp2 log log_ log2 log1p sqrt_ rsqrt_ reciprocal sin_ cos_ tanh_ sigmoid_
silu_ erf floor ceil round trunc sign isneginf isposinf hardtanh hardswish leaky_relu elu softplus mish

silu_backward gelu_backward sigmoid_backward tanh_backward threshold_backward leaky_relu_backward elu_backward
softplus_backward _softmax_backward_data _log_softmax_backward_data native_dropout native_dropout_backward
native_layer_norm_backward native_group_norm native_group_norm_backward native_batch_norm
native_batch_norm_backward _fused_rms_norm _fused_rms_norm_backward embedding_dense_backward nll_loss_forward
nll_loss_backward mse_loss mse_loss_backward

any any.dim all all.dim max max.dim min min.dim amax amin argmax argmin cumsum prod var.correction
std.correction var_mean.correction linalg_vector_norm topk sort.stable multinomial nonzero

mm.out bmm.out addmm.out baddbmm addmv dot _addmm_activation

_index_put_impl_ gather scatter.src scatter.value scatter_.src scatter_.value scatter_add scatter_add_ index_add
index_add_ index_copy_ index_fill_.int_Scalar tril triu roll flip repeat_interleave.Tensor cat.out zero_
fill_.Tensor normal_ uniform_ random_ bernoulli_.float exponential_

_scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_backward
_scaled_dot_product_efficient_attention _scaled_dot_product_efficient_attention_backward
_scaled_dot_product_cudnn_attention _scaled_dot_product_cudnn_attention_backward
_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_flash_attention_for_cpu_backward

convolution_overrideable convolution_backward max_pool2d_with_indices max_pool2d_with_indices_backward
avg_pool2d avg_pool2d_backward _adaptive_avg_pool2d _adaptive_avg_pool2d_backward upsample_nearest2d
upsample_nearest2d_backward _upsample_nearest_exact2d upsample_bilinear2d upsample_bilinear2d_backward

_cudnn_rnn _cudnn_rnn_backward

_foreach_add.Scalar _foreach_add_.Scalar _foreach_add.List _foreach_add_.List _foreach_add_.ScalarList
_foreach_add_.Tensor _foreach_sub.Scalar _foreach_sub_.Scalar _foreach_sub_.List _foreach_mul.Scalar
_foreach_mul_.Scalar _foreach_mul.List _foreach_mul_.List _foreach_mul_.ScalarList _foreach_mul.Tensor
_foreach_mul_.Tensor _foreach_div.Scalar _foreach_div_.Scalar _foreach_div_.List _foreach_div_.ScalarList
_foreach_div_.Tensor _foreach_neg _foreach_neg_ _foreach_sqrt _foreach_sqrt_ _foreach_reciprocal_ _foreach_abs
_foreach_maximum_.List _foreach_lerp_.Scalar _foreach_addcmul_.Scalar _foreach_addcmul_.ScalarList
_foreach_addcdiv_.Scalar _foreach_addcdiv_.ScalarList _foreach_norm.Scalar _foreach_copy_ _foreach_zero_
_fused_adamw_ _fused_adamw_.tensor_lr _fused_adam_ _fused_adam_.tensor_lr _fused_sgd_
_amp_foreach_non_finite_check_and_unscale_ _amp_update_scale_
"""

# PyTorch gives an out-of-tree device its own form of these; under another key the plain one runs.
STAND_INS = {"convolution_overrideable": "convolution"}

PART = """{banner}
{includes}

#include "dispatch/typed_call.h"
#include "typed_parts.h"

namespace torch_fl::typed {{

void fill_{part}(Table& table) {{
{entries}
}}

}}  // namespace torch_fl::typed
"""

HEADER = """{banner}#pragma once

#include "dispatch/typed.h"

namespace torch_fl::typed {{

{declarations}

}}  // namespace torch_fl::typed
"""

INDEX = """{banner}
#include "typed_parts.h"

namespace torch_fl::typed {{

void fill(Table& table) {{
{calls}
}}

}}  // namespace torch_fl::typed
"""


def entry(op: str, loaded: Schemas, host_copies: bool) -> str:
    """The line of one op in a part's table."""
    names = [op, STAND_INS.get(op, op)]
    structs = [f"at::_ops::{loaded.functions[name].func.name.unambiguous_name()}" for name in names]
    arguments = structs if host_copies or op in STAND_INS else structs[:1]
    arguments += ["true"] if host_copies else []
    return f'  table.emplace("{op}", &install<{", ".join(arguments)}>);'


def render(loaded: Schemas, banner: str, parts: int) -> dict[str, str]:
    """File name -> text. An op that this torch does not have is left out."""
    host, plain = HOST_COPIES.split(), OPS.split()
    listed = [op for op in [*host, *plain] if op in loaded.functions]
    files = {
        "typed_parts.h": HEADER.format(
            banner=banner, declarations="\n".join(f"void fill_{part}(Table& table);" for part in range(parts))
        ),
        "typed_index.cpp": INDEX.format(
            banner=banner, calls="\n".join(f"  fill_{part}(table);" for part in range(parts))
        ),
    }
    for part in range(parts):
        chosen = listed[part::parts]
        needed = {loaded.functions[name].root_name for op in chosen for name in (op, STAND_INS.get(op, op))}
        files[f"typed_{part}.cpp"] = PART.format(
            banner=banner,
            part=part,
            includes="\n".join(f"#include <ATen/ops/{root}_ops.h>" for root in sorted(needed)),
            entries="\n".join(entry(op, loaded, op in host) for op in chosen),
        )
    return files
