// The public functions. Written by generate.py from table.yaml.
#include "op.h"

namespace tops_standin {

namespace custom {
#define TOPS_STANDIN_CUSTOM(name) void name(Call& call);
#include "custom.inc"
#undef TOPS_STANDIN_CUSTOM
}  // namespace custom

namespace {

template <class... Args>
topsatenStatus_t call(const Op& op, topsStream_t stream, const Args&... args) {
  if (null_mode()) return TOPSATEN_STATUS_SUCCESS;
  const Value values[] = {Value(args)...};
  return run(op, values, stream);
}

const Param params_0[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_1[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_2[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_3[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
};
const Param params_4[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_5[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_6[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_7[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_8[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"tensor1", Kind::tensor, false, true, false, 0x4177},
    {"tensor2", Kind::tensor, false, true, false, 0x4177},
    {"value", Kind::scalar, false, false, false, 0},
};
const Param params_9[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"tensor1", Kind::tensor, false, true, false, 0x4177},
    {"tensor2", Kind::tensor, false, true, false, 0x4177},
    {"value", Kind::scalar, false, false, false, 0},
};
const Param params_10[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"mat1", Kind::tensor, false, true, false, 0x130},
    {"mat2", Kind::tensor, false, true, false, 0x130},
    {"beta", Kind::scalar, false, false, false, 0},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_11[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"mat", Kind::tensor, false, true, false, 0x130},
    {"vec", Kind::tensor, false, true, false, 0x130},
    {"beta", Kind::scalar, false, false, false, 0},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_12[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_13[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::sizes, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_14[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
};
const Param params_15[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::sizes, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_16[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::sizes, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_17[] = {
    {"min_out", Kind::tensor, true, true, false, 0x177},
    {"max_out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_18[] = {
    {"min_out", Kind::tensor, true, true, false, 0x177},
    {"max_out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::integer, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_19[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"found_inf", Kind::tensor, true, false, false, 0x100},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"inv_scale", Kind::tensor, false, false, false, 0x100},
};
const Param params_20[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"growth_tracker_out", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"growth_tracker", Kind::tensor, false, false, false, 0x40},
    {"found_inf", Kind::tensor, false, false, false, 0x100},
    {"scale_growth_factor", Kind::real, false, false, false, 0},
    {"scale_backoff_factor", Kind::real, false, false, false, 0},
    {"growth_interval", Kind::integer, false, false, false, 0},
};
const Param params_21[] = {
    {"out", Kind::tensor, true, true, false, 0x80130},
    {"self", Kind::tensor, false, true, false, 0x80130},
};
const Param params_22[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_23[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::sizes, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_24[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
};
const Param params_25[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"start", Kind::scalar, false, false, false, 0},
    {"end", Kind::scalar, false, false, false, 0},
    {"step", Kind::scalar, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"layout", Kind::layout, false, false, false, 0},
    {"pin_memory", Kind::boolean, false, false, false, 0},
};
const Param params_26[] = {
    {"out", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"stable", Kind::boolean, false, false, false, 0},
    {"dim", Kind::integer, false, false, false, 0},
    {"descending", Kind::boolean, false, false, false, 0},
};
const Param params_27[] = {
    {"out", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::scalar, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_28[] = {
    {"out", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::scalar, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_29[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_30[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_31[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_32[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"other", Kind::tensor, false, true, false, 0x130},
};
const Param params_33[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_34[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"kernel_size", Kind::sizes, false, false, false, 0},
    {"stride", Kind::sizes, false, false, false, 0},
    {"padding", Kind::sizes, false, false, false, 0},
    {"ceil_mode", Kind::boolean, false, false, false, 0},
    {"count_include_pad", Kind::boolean, false, false, false, 0},
    {"divisor_override", Kind::scalar, false, false, false, 0},
};
const Param params_35[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"kernel_size", Kind::sizes, false, false, false, 0},
    {"stride", Kind::sizes, false, false, false, 0},
    {"padding", Kind::sizes, false, false, false, 0},
    {"ceil_mode", Kind::boolean, false, false, false, 0},
    {"count_include_pad", Kind::boolean, false, false, false, 0},
    {"divisor_override", Kind::scalar, false, false, false, 0},
};
const Param params_36[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"batch1", Kind::tensor, false, true, false, 0x130},
    {"batch2", Kind::tensor, false, true, false, 0x130},
    {"beta", Kind::scalar, false, false, false, 0},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_37[] = {
    {"self", Kind::tensor, true, true, false, 0x130},
    {"p", Kind::real, false, false, false, 0},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_38[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_39[] = {
    {"self", Kind::tensor, true, true, false, 0x130},
    {"p", Kind::tensor, false, true, false, 0x130},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_40[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"target", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::tensor, false, true, true, 0x130},
    {"reduction", Kind::integer, false, false, false, 0},
};
const Param params_41[] = {
    {"out", Kind::tensor, true, false, false, 0x140},
    {"self", Kind::tensor, false, true, false, 0x40},
    {"weights", Kind::tensor, false, false, true, 0x100},
    {"minlength", Kind::integer, false, false, false, 0},
};
const Param params_42[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"count", Kind::tensor, false, true, false, 0x130},
    {"prob", Kind::tensor, false, true, false, 0x130},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_43[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_44[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::tensor, false, true, false, 0x4047},
};
const Param params_45[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::tensor, false, true, false, 0x4047},
};
const Param params_46[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_47[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
};
const Param params_48[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_49[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::tensor, false, true, false, 0x4047},
};
const Param params_50[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::tensor, false, true, false, 0x4047},
};
const Param params_51[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_52[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_53[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::tensor, false, true, false, 0x4047},
};
const Param params_54[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"mat2", Kind::tensor, false, true, false, 0x130},
};
const Param params_55[] = {
    {"out", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"boundaries", Kind::tensor, false, true, false, 0x177},
    {"out_int32", Kind::boolean, false, false, false, 0},
    {"right", Kind::boolean, false, false, false, 0},
};
const Param params_56[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"tensors", Kind::tensors, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
};
const Param params_57[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_58[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_59[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"groups", Kind::integer, false, false, false, 0},
};
const Param params_60[] = {
    {"out", Kind::tensor, true, true, false, 0x100},
    {"self", Kind::tensor, false, true, false, 0x100},
    {"upper", Kind::boolean, false, false, false, 0},
};
const Param params_61[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"min", Kind::scalar, false, false, false, 0},
    {"max", Kind::scalar, false, false, false, 0},
};
const Param params_62[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"min", Kind::tensor, false, true, true, 0x177},
    {"max", Kind::tensor, false, true, true, 0x177},
};
const Param params_63[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"max", Kind::scalar, false, false, false, 0},
};
const Param params_64[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"max", Kind::tensor, false, true, false, 0x177},
};
const Param params_65[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"min", Kind::scalar, false, false, false, 0},
};
const Param params_66[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"min", Kind::tensor, false, true, false, 0x177},
};
const Param params_67[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"min", Kind::scalar, false, false, false, 0},
    {"max", Kind::scalar, false, false, false, 0},
};
const Param params_68[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"min", Kind::tensor, false, true, true, 0x177},
    {"max", Kind::tensor, false, true, true, 0x177},
};
const Param params_69[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
    {"kernel_size", Kind::sizes, false, false, false, 0},
    {"dilation", Kind::sizes, false, false, false, 0},
    {"padding", Kind::sizes, false, false, false, 0},
    {"stride", Kind::sizes, false, false, false, 0},
};
const Param params_70[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::tensor, false, true, false, 0x130},
    {"bias", Kind::tensor, false, true, true, 0x130},
    {"stride", Kind::sizes, false, false, false, 0},
    {"padding", Kind::sizes, false, false, false, 0},
    {"dilation", Kind::sizes, false, false, false, 0},
    {"groups", Kind::integer, false, false, false, 0},
};
const Param params_71[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::tensor, false, true, false, 0x130},
    {"bias", Kind::tensor, false, true, true, 0x130},
    {"stride", Kind::sizes, false, false, false, 0},
    {"padding", Kind::sizes, false, false, false, 0},
    {"dilation", Kind::sizes, false, false, false, 0},
};
const Param params_72[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::tensor, false, true, false, 0x130},
    {"bias", Kind::tensor, false, true, true, 0x130},
    {"stride", Kind::sizes, false, false, false, 0},
    {"padding", Kind::sizes, false, false, false, 0},
    {"output_padding", Kind::sizes, false, false, false, 0},
    {"groups", Kind::integer, false, false, false, 0},
    {"dilation", Kind::sizes, false, false, false, 0},
};
const Param params_73[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::tensor, false, true, false, 0x130},
    {"bias", Kind::tensor, false, true, true, 0x130},
    {"stride", Kind::sizes, false, false, false, 0},
    {"padding", Kind::sizes, false, false, false, 0},
    {"dilation", Kind::sizes, false, false, false, 0},
    {"transposed", Kind::boolean, false, false, false, 0},
    {"output_padding", Kind::sizes, false, false, false, 0},
    {"groups", Kind::integer, false, false, false, 0},
};
const Param params_74[] = {
    {"grad_input", Kind::tensor, true, true, true, 0x130},
    {"grad_weight", Kind::tensor, true, true, true, 0x130},
    {"grad_bias", Kind::tensor, true, true, true, 0x130},
    {"grad_output", Kind::tensor, false, true, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::tensor, false, true, false, 0x130},
    {"bias_sizes", Kind::sizes, false, false, false, 0},
    {"stride", Kind::sizes, false, false, false, 0},
    {"padding", Kind::sizes, false, false, false, 0},
    {"dilation", Kind::sizes, false, false, false, 0},
    {"transposed", Kind::boolean, false, false, false, 0},
    {"output_padding", Kind::sizes, false, false, false, 0},
    {"groups", Kind::integer, false, false, false, 0},
    {"output_mask", Kind::flags, false, false, false, 0},
};
const Param params_75[] = {
    {"dst", Kind::tensor, true, true, false, 0x4977},
    {"src", Kind::tensor, false, true, false, 0x4977},
    {"non_blocking", Kind::boolean, false, false, false, 0},
};
const Param params_76[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"other", Kind::tensor, false, true, false, 0x130},
};
const Param params_77[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_78[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_79[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_80[] = {
    {"count", Kind::host_count, true, false, false, 0},
    {"self", Kind::tensor, false, true, false, 0x6976},
};
const Param params_81[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::scalar, false, false, false, 0},
};
const Param params_82[] = {
    {"values", Kind::tensor, true, true, false, 0x177},
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::integer, false, false, false, 0},
};
const Param params_83[] = {
    {"values", Kind::tensor, true, true, false, 0x177},
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::integer, false, false, false, 0},
};
const Param params_84[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::integer, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_85[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::integer, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_86[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_87[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_88[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
    {"rounding_mode", Kind::string, false, false, false, 0},
};
const Param params_89[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_90[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
    {"rounding_mode", Kind::string, false, false, false, 0},
};
const Param params_91[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"alpha", Kind::scalar, false, false, false, 0},
    {"scale", Kind::scalar, false, false, false, 0},
    {"input_scale", Kind::scalar, false, false, false, 0},
};
const Param params_92[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"grad_output", Kind::tensor, false, true, false, 0x130},
    {"alpha", Kind::scalar, false, false, false, 0},
    {"scale", Kind::scalar, false, false, false, 0},
    {"input_scale", Kind::scalar, false, false, false, 0},
    {"is_result", Kind::boolean, false, false, false, 0},
    {"self_or_result", Kind::tensor, false, true, false, 0x130},
};
const Param params_93[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"weight", Kind::tensor, false, true, false, 0x4177},
    {"indices", Kind::tensor, false, false, false, 0x40},
    {"padding_idx", Kind::integer, false, false, false, 0},
    {"scale_grad_by_freq", Kind::boolean, false, false, false, 0},
    {"sparse", Kind::boolean, false, false, false, 0},
};
const Param params_94[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"grad_output", Kind::tensor, false, true, false, 0x4177},
    {"indices", Kind::tensor, false, false, false, 0x40},
    {"num_weights", Kind::integer, false, false, false, 0},
    {"padding_idx", Kind::integer, false, false, false, 0},
    {"scale_grad_by_freq", Kind::boolean, false, false, false, 0},
};
const Param params_95[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_96[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_97[] = {
    {"out", Kind::host_boolean, true, false, false, 0},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_98[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_99[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_100[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_101[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_102[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_103[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_104[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"lambd", Kind::real, false, false, false, 0},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_105[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"n", Kind::integer, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"layout", Kind::layout, false, false, false, 0},
};
const Param params_106[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"n", Kind::integer, false, false, false, 0},
    {"m", Kind::integer, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"layout", Kind::layout, false, false, false, 0},
};
const Param params_107[] = {
    {"out", Kind::tensor, true, true, false, 0x80000},
    {"self", Kind::tensor, false, true, false, 0x80000},
    {"dim", Kind::sizes, false, false, false, 0},
    {"normalization", Kind::integer, false, false, false, 0},
    {"forward", Kind::boolean, false, false, false, 0},
};
const Param params_108[] = {
    {"out", Kind::tensor, true, true, false, 0x100},
    {"self", Kind::tensor, false, false, false, 0x80000},
    {"dim", Kind::sizes, false, false, false, 0},
    {"normalization", Kind::integer, false, false, false, 0},
    {"last_dim_size", Kind::integer, false, false, false, 0},
};
const Param params_109[] = {
    {"out", Kind::tensor, true, false, false, 0x80000},
    {"self", Kind::tensor, false, true, false, 0x100},
    {"dim", Kind::sizes, false, false, false, 0},
    {"normalization", Kind::integer, false, false, false, 0},
    {"onesided", Kind::boolean, false, false, false, 0},
};
const Param params_110[] = {
    {"self", Kind::tensor, true, true, false, 0x4177},
    {"value", Kind::scalar, false, false, false, 0},
};
const Param params_111[] = {
    {"self", Kind::tensor, true, true, false, 0x4177},
    {"value", Kind::scalar, false, false, false, 0},
};
const Param params_112[] = {
    {"self", Kind::tensor, true, true, false, 0x4177},
    {"value", Kind::tensor, false, true, false, 0x4177},
};
const Param params_113[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dims", Kind::sizes, false, false, false, 0},
};
const Param params_114[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_115[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_116[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_117[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_118[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_119[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_120[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_121[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_122[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_123[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalar", Kind::scalar, false, false, false, 0},
};
const Param params_124[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"other", Kind::tensors, false, true, false, 0x130},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_125[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalars", Kind::scalars, false, false, false, 0},
};
const Param params_126[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"other", Kind::tensor, false, true, false, 0x130},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_127[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"tensor1", Kind::tensors, false, true, false, 0x130},
    {"tensor2", Kind::tensors, false, true, false, 0x130},
    {"value", Kind::scalar, false, false, false, 0},
};
const Param params_128[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"tensor1", Kind::tensors, false, true, false, 0x130},
    {"tensor2", Kind::tensors, false, true, false, 0x130},
    {"scalars", Kind::scalars, false, false, false, 0},
};
const Param params_129[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"tensor1", Kind::tensors, false, true, false, 0x130},
    {"tensor2", Kind::tensors, false, true, false, 0x130},
    {"scalars", Kind::tensor, false, true, false, 0x130},
};
const Param params_130[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"tensor1", Kind::tensors, false, true, false, 0x130},
    {"tensor2", Kind::tensors, false, true, false, 0x130},
    {"value", Kind::scalar, false, false, false, 0},
};
const Param params_131[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"tensor1", Kind::tensors, false, true, false, 0x130},
    {"tensor2", Kind::tensors, false, true, false, 0x130},
    {"scalars", Kind::scalars, false, false, false, 0},
};
const Param params_132[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"tensor1", Kind::tensors, false, true, false, 0x130},
    {"tensor2", Kind::tensors, false, true, false, 0x130},
    {"scalars", Kind::tensor, false, true, false, 0x130},
};
const Param params_133[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_134[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_135[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_136[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalar", Kind::scalar, false, false, false, 0},
};
const Param params_137[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"other", Kind::tensors, false, true, false, 0x130},
};
const Param params_138[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalars", Kind::scalars, false, false, false, 0},
};
const Param params_139[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalar", Kind::scalar, false, false, false, 0},
};
const Param params_140[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"other", Kind::tensors, false, true, false, 0x130},
};
const Param params_141[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalars", Kind::scalars, false, false, false, 0},
};
const Param params_142[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_143[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_144[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalar", Kind::scalar, false, false, false, 0},
};
const Param params_145[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"other", Kind::tensors, false, true, false, 0x130},
};
const Param params_146[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalars", Kind::scalars, false, false, false, 0},
};
const Param params_147[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_148[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_149[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_150[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_151[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_152[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"tensors1", Kind::tensors, false, true, false, 0x130},
    {"weights", Kind::tensors, false, true, true, 0x130},
};
const Param params_153[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"tensors1", Kind::tensors, false, true, false, 0x130},
    {"weight", Kind::scalar, false, false, false, 0},
};
const Param params_154[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"tensors1", Kind::tensors, false, true, false, 0x130},
    {"weight", Kind::scalars, false, false, false, 0},
};
const Param params_155[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_156[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalar", Kind::scalar, false, false, false, 0},
};
const Param params_157[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"other", Kind::tensors, false, true, false, 0x130},
};
const Param params_158[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalars", Kind::scalars, false, false, false, 0},
};
const Param params_159[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalar", Kind::scalar, false, false, false, 0},
};
const Param params_160[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"other", Kind::tensors, false, true, false, 0x130},
};
const Param params_161[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalars", Kind::scalars, false, false, false, 0},
};
const Param params_162[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalar", Kind::scalar, false, false, false, 0},
};
const Param params_163[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"other", Kind::tensors, false, true, false, 0x130},
};
const Param params_164[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalars", Kind::scalars, false, false, false, 0},
};
const Param params_165[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"other", Kind::tensor, false, true, false, 0x130},
};
const Param params_166[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_167[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"ord", Kind::scalar, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_168[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
};
const Param params_169[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalar", Kind::scalar, false, false, false, 0},
};
const Param params_170[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"other", Kind::tensors, false, true, false, 0x130},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_171[] = {
    {"out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"scalars", Kind::scalars, false, false, false, 0},
};
const Param params_172[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_173[] = {
    {"mantissa", Kind::tensor, true, true, false, 0x130},
    {"exponent", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_174[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"size", Kind::sizes, false, false, false, 0},
    {"fill_value", Kind::scalar, false, false, false, 0},
};
const Param params_175[] = {
    {"self_out", Kind::tensors, true, true, false, 0x130},
    {"grads_out", Kind::tensors, true, true, false, 0x130},
    {"exp_avgs_out", Kind::tensors, true, true, false, 0x130},
    {"exp_avg_sqs_out", Kind::tensors, true, true, false, 0x130},
    {"max_exp_avg_sqs_out", Kind::tensors, true, true, false, 0x130},
    {"self", Kind::tensors, false, true, false, 0x130},
    {"grads", Kind::tensors, false, true, false, 0x130},
    {"exp_avgs", Kind::tensors, false, true, false, 0x130},
    {"exp_avg_sqs", Kind::tensors, false, true, false, 0x130},
    {"max_exp_avg_sqs", Kind::tensors, false, true, false, 0x130},
    {"state_steps", Kind::tensors, false, true, false, 0x130},
    {"lr", Kind::real, false, false, false, 0},
    {"beta1", Kind::real, false, false, false, 0},
    {"beta2", Kind::real, false, false, false, 0},
    {"weight_decay", Kind::real, false, false, false, 0},
    {"eps", Kind::real, false, false, false, 0},
    {"amsgrad", Kind::boolean, false, false, false, 0},
    {"maximize", Kind::boolean, false, false, false, 0},
    {"grad_scale", Kind::tensor, false, true, true, 0x130},
    {"found_inf", Kind::tensor, false, true, true, 0x130},
};
const Param params_176[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
    {"index", Kind::tensor, false, false, false, 0x40},
    {"sparse_grad", Kind::boolean, false, false, false, 0},
};
const Param params_177[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::tensor, false, true, false, 0x4047},
};
const Param params_178[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_179[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_180[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"approximate", Kind::string, false, false, false, 0},
};
const Param params_181[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"grad_output", Kind::tensor, false, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"approximate", Kind::string, false, false, false, 0},
};
const Param params_182[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::integer, false, false, false, 0},
};
const Param params_183[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"glu", Kind::tensor, false, true, false, 0x130},
    {"x", Kind::tensor, false, true, false, 0x130},
    {"dx", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::integer, false, false, false, 0},
};
const Param params_184[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"grid", Kind::tensor, false, true, false, 0x130},
    {"interpolation_mode", Kind::integer, false, false, false, 0},
    {"padding_mode", Kind::integer, false, false, false, 0},
    {"align_corners", Kind::boolean, false, false, false, 0},
};
const Param params_185[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"grid", Kind::tensor, false, true, false, 0x130},
    {"interpolation_mode", Kind::integer, false, false, false, 0},
    {"padding_mode", Kind::integer, false, false, false, 0},
    {"align_corners", Kind::boolean, false, false, false, 0},
};
const Param params_186[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"grid", Kind::tensor, false, true, false, 0x130},
    {"interpolation_mode", Kind::integer, false, false, false, 0},
    {"padding_mode", Kind::integer, false, false, false, 0},
    {"align_corners", Kind::boolean, false, false, false, 0},
};
const Param params_187[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"mat2", Kind::tensor, false, true, false, 0x130},
    {"offs", Kind::tensor, false, false, true, 0x40},
    {"bias", Kind::tensor, false, true, true, 0x130},
    {"out_dtype", Kind::dtype, false, false, false, 0},
};
const Param params_188[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_189[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_190[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"lambd", Kind::scalar, false, false, false, 0},
};
const Param params_191[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_192[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_193[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"min_val", Kind::scalar, false, false, false, 0},
    {"max_val", Kind::scalar, false, false, false, 0},
};
const Param params_194[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"bins", Kind::integer, false, false, false, 0},
    {"min", Kind::scalar, false, false, false, 0},
    {"max", Kind::scalar, false, false, false, 0},
};
const Param params_195[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"target", Kind::tensor, false, true, false, 0x130},
    {"reduction", Kind::integer, false, false, false, 0},
    {"delta", Kind::real, false, false, false, 0},
};
const Param params_196[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"other", Kind::tensor, false, true, false, 0x130},
};
const Param params_197[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"other", Kind::tensor, false, true, false, 0x130},
};
const Param params_198[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"other", Kind::tensor, false, true, false, 0x130},
};
const Param params_199[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"kernel_size", Kind::sizes, false, false, false, 0},
    {"dilation", Kind::sizes, false, false, false, 0},
    {"padding", Kind::sizes, false, false, false, 0},
    {"stride", Kind::sizes, false, false, false, 0},
};
const Param params_200[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"indices", Kind::tensors, false, false, true, 0x40},
};
const Param params_201[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
    {"index", Kind::tensor, false, false, false, 0x40},
    {"source", Kind::tensor, false, true, false, 0x4177},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_202[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
    {"index", Kind::tensor, false, false, false, 0x40},
    {"value", Kind::scalar, false, false, false, 0},
};
const Param params_203[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
    {"index", Kind::tensor, false, false, false, 0x40},
    {"value", Kind::tensor, false, true, false, 0x4177},
};
const Param params_204[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"indices", Kind::tensors, false, false, true, 0x40},
    {"values", Kind::tensor, false, true, false, 0x4177},
    {"accumulate", Kind::boolean, false, false, false, 0},
};
const Param params_205[] = {
    {"self", Kind::tensor, true, true, false, 0x4177},
    {"indices", Kind::tensors, false, false, true, 0x40},
    {"values", Kind::tensor, false, true, false, 0x4177},
    {"accumulate", Kind::boolean, false, false, false, 0},
    {"unsafe", Kind::boolean, false, false, false, 0},
};
const Param params_206[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
    {"index", Kind::tensor, false, false, false, 0x40},
    {"source", Kind::tensor, false, true, false, 0x4177},
    {"reduce", Kind::string, false, false, false, 0},
    {"include_self", Kind::boolean, false, false, false, 0},
};
const Param params_207[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
    {"index", Kind::tensor, false, false, false, 0x840},
};
const Param params_208[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::tensor, false, true, true, 0x130},
    {"bias", Kind::tensor, false, true, true, 0x130},
    {"running_mean", Kind::tensor, false, true, true, 0x130},
    {"running_var", Kind::tensor, false, true, true, 0x130},
    {"use_input_stats", Kind::boolean, false, false, false, 0},
    {"momentum", Kind::real, false, false, false, 0},
    {"eps", Kind::real, false, false, false, 0},
};
const Given given_208[] = {{"cudnn_enabled", false}};
const Param params_209[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_210[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_211[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
    {"rtol", Kind::real, false, false, false, 0},
    {"atol", Kind::real, false, false, false, 0},
    {"equal_nan", Kind::boolean, false, false, false, 0},
};
const Param params_212[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_213[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"elements", Kind::tensor, false, true, false, 0x177},
    {"test_elements", Kind::tensor, false, true, false, 0x177},
    {"assume_unique", Kind::boolean, false, false, false, 0},
    {"invert", Kind::boolean, false, false, false, 0},
};
const Param params_214[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"elements", Kind::tensor, false, true, false, 0x177},
    {"test_element", Kind::scalar, false, false, false, 0},
    {"assume_unique", Kind::boolean, false, false, false, 0},
    {"invert", Kind::boolean, false, false, false, 0},
};
const Param params_215[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_216[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_217[] = {
    {"values", Kind::tensor, true, true, false, 0x177},
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"k", Kind::integer, false, false, false, 0},
    {"dim", Kind::integer, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_218[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::tensor, false, true, false, 0x4047},
};
const Param params_219[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_220[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"normalized_shape", Kind::sizes, false, false, false, 0},
    {"weight", Kind::tensor, false, true, true, 0x130},
    {"bias", Kind::tensor, false, true, true, 0x130},
    {"eps", Kind::real, false, false, false, 0},
    {"cudnn_enable", Kind::boolean, false, false, false, 0},
};
const Param params_221[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::tensor, false, true, false, 0x4047},
};
const Param params_222[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_223[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_224[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"negative_slope", Kind::scalar, false, false, false, 0},
};
const Param params_225[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"end", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::scalar, false, false, false, 0},
};
const Param params_226[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"end", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::tensor, false, true, false, 0x130},
};
const Param params_227[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_228[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
};
const Param params_229[] = {
    {"lu", Kind::tensor, true, true, false, 0x100},
    {"pivots", Kind::tensor, true, false, false, 0x40},
    {"info", Kind::tensor, true, false, false, 0x40},
    {"A", Kind::tensor, false, true, false, 0x100},
    {"pivot", Kind::boolean, false, false, false, 0},
    {"check_errors", Kind::boolean, false, false, false, 0},
};
const Param params_230[] = {
    {"out", Kind::tensor, true, true, false, 0x100},
    {"LU", Kind::tensor, false, true, false, 0x100},
    {"pivots", Kind::tensor, false, false, false, 0x40},
    {"B", Kind::tensor, false, true, false, 0x100},
    {"left", Kind::boolean, false, false, false, 0},
    {"adjoint", Kind::boolean, false, false, false, 0},
};
const Param params_231[] = {
    {"q", Kind::tensor, true, true, false, 0x100},
    {"r", Kind::tensor, true, true, false, 0x100},
    {"A", Kind::tensor, false, true, false, 0x100},
    {"mode", Kind::string, false, false, false, 0},
};
const Param params_232[] = {
    {"out", Kind::tensor, true, true, false, 0x100},
    {"lu", Kind::tensor, true, true, false, 0x100},
    {"pivots", Kind::tensor, true, false, false, 0x40},
    {"info", Kind::tensor, true, false, false, 0x40},
    {"A", Kind::tensor, false, true, false, 0x100},
    {"B", Kind::tensor, false, true, false, 0x100},
    {"left", Kind::boolean, false, false, false, 0},
    {"check_errors", Kind::boolean, false, false, false, 0},
};
const Param params_233[] = {
    {"out", Kind::tensor, true, true, false, 0x100},
    {"self", Kind::tensor, false, true, false, 0x100},
    {"ord", Kind::scalar, false, false, false, 0},
    {"dim", Kind::sizes, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_234[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::tensor, false, true, false, 0x130},
    {"bias", Kind::tensor, false, true, true, 0x130},
};
const Param params_235[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"start", Kind::scalar, false, false, false, 0},
    {"end", Kind::scalar, false, false, false, 0},
    {"steps", Kind::integer, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"layout", Kind::layout, false, false, false, 0},
};
const Param params_236[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_237[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_238[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_239[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_240[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_241[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"buffer", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_242[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"grad_output", Kind::tensor, false, true, false, 0x130},
    {"output", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::integer, false, false, false, 0},
    {"input_dtype", Kind::dtype, false, false, false, 0},
};
const Param params_243[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::integer, false, false, false, 0},
};
const Given given_243[] = {{"half_to_float", false}};
const Param params_244[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::integer, false, false, false, 0},
    {"half_to_float", Kind::boolean, false, false, false, 0},
};
const Param params_245[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"other", Kind::tensor, false, true, false, 0x130},
};
const Param params_246[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"other", Kind::tensor, false, true, false, 0x130},
};
const Param params_247[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::integer, false, false, false, 0},
};
const Param params_248[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_249[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
};
const Param params_250[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_251[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_252[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"eps", Kind::scalar, false, false, false, 0},
};
const Param params_253[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"start", Kind::scalar, false, false, false, 0},
    {"end", Kind::scalar, false, false, false, 0},
    {"steps", Kind::integer, false, false, false, 0},
    {"base", Kind::real, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"layout", Kind::layout, false, false, false, 0},
};
const Param params_254[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::sizes, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_255[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_256[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_257[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"mask", Kind::tensor, false, false, false, 0x4000},
    {"source", Kind::tensor, false, true, false, 0x4177},
};
const Param params_258[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"mask", Kind::tensor, false, false, false, 0x4000},
};
const Param params_259[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"mask", Kind::tensor, false, false, false, 0x4000},
    {"value", Kind::scalar, false, false, false, 0},
};
const Param params_260[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"mask", Kind::tensor, false, false, false, 0x4000},
    {"value", Kind::tensor, false, true, false, 0x4177},
};
const Param params_261[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"other", Kind::tensor, false, true, false, 0x130},
};
const Param params_262[] = {
    {"values", Kind::tensor, true, true, false, 0x177},
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::integer, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_263[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_264[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"kernel_size", Kind::sizes, false, false, false, 0},
    {"stride", Kind::sizes, false, false, false, 0},
    {"padding", Kind::sizes, false, false, false, 0},
    {"dilation", Kind::sizes, false, false, false, 0},
    {"ceil_mode", Kind::boolean, false, false, false, 0},
};
const Param params_265[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"kernel_size", Kind::sizes, false, false, false, 0},
    {"stride", Kind::sizes, false, false, false, 0},
    {"padding", Kind::sizes, false, false, false, 0},
    {"dilation", Kind::sizes, false, false, false, 0},
    {"ceil_mode", Kind::boolean, false, false, false, 0},
};
const Param params_266[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"kernel_size", Kind::sizes, false, false, false, 0},
    {"stride", Kind::sizes, false, false, false, 0},
    {"padding", Kind::sizes, false, false, false, 0},
    {"dilation", Kind::sizes, false, false, false, 0},
    {"ceil_mode", Kind::boolean, false, false, false, 0},
};
const Param params_267[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_268[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_269[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::sizes, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_270[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_271[] = {
    {"values", Kind::tensor, true, true, false, 0x177},
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::integer, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_272[] = {
    {"out", Kind::tensors, true, true, false, 0x4177},
    {"tensors", Kind::tensors, false, true, false, 0x4177},
    {"indexing", Kind::string, false, false, false, 0},
};
const Param params_273[] = {
    {"values", Kind::tensor, true, true, false, 0x177},
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::integer, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_274[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_275[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_276[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_277[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"mat2", Kind::tensor, false, true, false, 0x130},
};
const Param params_278[] = {
    {"values", Kind::tensor, true, true, false, 0x177},
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::integer, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_279[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"target", Kind::tensor, false, true, false, 0x130},
    {"reduction", Kind::integer, false, false, false, 0},
};
const Param params_280[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"grad_output", Kind::tensor, false, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"target", Kind::tensor, false, true, false, 0x130},
    {"reduction", Kind::integer, false, false, false, 0},
};
const Param params_281[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_282[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_283[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"target", Kind::tensor, false, false, false, 0x40},
    {"p", Kind::scalar, false, false, false, 0},
    {"margin", Kind::scalar, false, false, false, 0},
    {"weight", Kind::tensor, false, true, true, 0x130},
    {"reduction", Kind::integer, false, false, false, 0},
};
const Param params_284[] = {
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"num_samples", Kind::integer, false, false, false, 0},
    {"replacement", Kind::boolean, false, false, false, 0},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_285[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"total_weight", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"target", Kind::tensor, false, false, false, 0x40},
    {"weight", Kind::tensor, false, true, true, 0x130},
    {"reduction", Kind::integer, false, false, false, 0},
    {"ignore_index", Kind::integer, false, false, false, 0},
};
const Param params_286[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"nan", Kind::scalar, false, false, false, 0},
    {"posinf", Kind::scalar, false, false, false, 0},
    {"neginf", Kind::scalar, false, false, false, 0},
};
const Param params_287[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_288[] = {
    {"values", Kind::tensor, true, true, false, 0x177},
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::integer, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_289[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::sizes, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_290[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"save_mean", Kind::tensor, true, false, false, 0x130},
    {"save_var", Kind::tensor, true, false, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::tensor, false, true, true, 0x130},
    {"bias", Kind::tensor, false, true, true, 0x130},
    {"running_mean", Kind::tensor, false, true, true, 0x130},
    {"running_var", Kind::tensor, false, true, true, 0x130},
    {"training", Kind::boolean, false, false, false, 0},
    {"momentum", Kind::real, false, false, false, 0},
    {"eps", Kind::real, false, false, false, 0},
};
const Param params_291[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"mask", Kind::tensor, true, false, false, 0x4000},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"p", Kind::real, false, false, false, 0},
    {"train", Kind::boolean, false, false, false, 0},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_292[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"grad_output", Kind::tensor, false, true, false, 0x130},
    {"mask", Kind::tensor, false, false, false, 0x4000},
    {"scale", Kind::real, false, false, false, 0},
};
const Param params_293[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"mean", Kind::tensor, true, false, false, 0x130},
    {"rstd", Kind::tensor, true, false, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::tensor, false, true, true, 0x130},
    {"bias", Kind::tensor, false, true, true, 0x130},
    {"N", Kind::integer, false, false, false, 0},
    {"C", Kind::integer, false, false, false, 0},
    {"HxW", Kind::integer, false, false, false, 0},
    {"group", Kind::integer, false, false, false, 0},
    {"eps", Kind::real, false, false, false, 0},
};
const Param params_294[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"mean", Kind::tensor, true, false, false, 0x130},
    {"rstd", Kind::tensor, true, false, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"normalized_shape", Kind::sizes, false, false, false, 0},
    {"weight", Kind::tensor, false, true, true, 0x130},
    {"bias", Kind::tensor, false, true, true, 0x130},
    {"eps", Kind::scalar, false, false, false, 0},
};
const Param params_295[] = {
    {"grad_input", Kind::tensor, true, true, true, 0x130},
    {"grad_weight", Kind::tensor, true, true, true, 0x130},
    {"grad_bias", Kind::tensor, true, true, true, 0x130},
    {"grad_out", Kind::tensor, false, true, false, 0x130},
    {"input", Kind::tensor, false, true, false, 0x130},
    {"normalized_shape", Kind::sizes, false, false, false, 0},
    {"mean", Kind::tensor, false, false, false, 0x130},
    {"rstd", Kind::tensor, false, false, false, 0x130},
    {"weight", Kind::tensor, false, true, true, 0x130},
    {"bias", Kind::tensor, false, true, true, 0x130},
    {"output_mask", Kind::flags, false, false, false, 0},
};
const Param params_296[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_297[] = {
    {"out", Kind::tensor, true, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_298[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_299[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"grad_output", Kind::tensor, false, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"target", Kind::tensor, false, false, false, 0x40},
    {"weight", Kind::tensor, false, true, true, 0x130},
    {"reduction", Kind::integer, false, false, false, 0},
    {"ignore_index", Kind::integer, false, false, false, 0},
    {"total_weight", Kind::tensor, false, true, false, 0x130},
};
const Param params_300[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"total_weight", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"target", Kind::tensor, false, false, false, 0x40},
    {"weight", Kind::tensor, false, true, true, 0x130},
    {"reduction", Kind::integer, false, false, false, 0},
    {"ignore_index", Kind::integer, false, false, false, 0},
};
const Param params_301[] = {
    {"out", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x6976},
};
const Param params_302[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"mean", Kind::real, false, false, false, 0},
    {"std", Kind::real, false, false, false, 0},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_303[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"mean", Kind::tensor, false, false, false, 0x130},
    {"std", Kind::real, false, false, false, 0},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_304[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"mean", Kind::real, false, false, false, 0},
    {"std", Kind::tensor, false, true, false, 0x130},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_305[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"mean", Kind::tensor, false, false, false, 0x130},
    {"std", Kind::tensor, false, true, false, 0x130},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_306[] = {
    {"out", Kind::tensor, true, true, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x40},
    {"num_classes", Kind::integer, false, false, false, 0},
};
const Param params_307[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"size", Kind::sizes, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_308[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"layout", Kind::layout, false, false, false, 0},
    {"memory_format", Kind::memory_format, false, false, false, 0},
};
const Param params_309[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_310[] = {
    {"out", Kind::tensor, true, false, false, 0x80000},
    {"abs", Kind::tensor, false, true, false, 0x100},
    {"angle", Kind::tensor, false, true, false, 0x100},
};
const Param params_311[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"exponent", Kind::tensor, false, true, false, 0x4177},
};
const Param params_312[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::scalar, false, false, false, 0},
    {"exponent", Kind::tensor, false, true, false, 0x4177},
};
const Param params_313[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"exponent", Kind::scalar, false, false, false, 0},
};
const Param params_314[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"weight", Kind::tensor, false, true, false, 0x130},
};
const Param params_315[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_316[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::integer, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_317[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::tensor, false, true, false, 0x4047},
};
const Param params_318[] = {
    {"out", Kind::tensor, true, true, false, 0x4047},
    {"self", Kind::tensor, false, true, false, 0x4047},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_319[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"low", Kind::integer, false, false, false, 0},
    {"high", Kind::integer, false, false, false, 0},
    {"size", Kind::sizes, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"layout", Kind::layout, false, false, false, 0},
    {"pin_memory", Kind::boolean, false, false, false, 0},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_320[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"size", Kind::sizes, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"layout", Kind::layout, false, false, false, 0},
    {"pin_memory", Kind::boolean, false, false, false, 0},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_321[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"layout", Kind::layout, false, false, false, 0},
    {"pin_memory", Kind::boolean, false, false, false, 0},
    {"memory_format", Kind::memory_format, false, false, false, 0},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_322[] = {
    {"self", Kind::tensor, true, true, false, 0x4177},
    {"from", Kind::integer, false, false, false, 0},
    {"to", Kind::scalar, false, false, false, 0},
    {"generator", Kind::philox, false, false, false, 0},
};
const Param params_323[] = {
    {"self", Kind::tensor, true, true, false, 0x4177},
    {"to", Kind::integer, false, false, false, 0},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_324[] = {
    {"self", Kind::tensor, true, true, false, 0x4177},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_325[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"n", Kind::integer, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"layout", Kind::layout, false, false, false, 0},
    {"pin_memory", Kind::boolean, false, false, false, 0},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_326[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"start", Kind::scalar, false, false, false, 0},
    {"end", Kind::scalar, false, false, false, 0},
    {"step", Kind::scalar, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"layout", Kind::layout, false, false, false, 0},
};
const Param params_327[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_328[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"padding", Kind::sizes, false, false, false, 0},
};
const Param params_329[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"padding", Kind::sizes, false, false, false, 0},
};
const Param params_330[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"padding", Kind::sizes, false, false, false, 0},
};
const Param params_331[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_332[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_333[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_334[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_335[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::scalar, false, false, false, 0},
    {"other", Kind::tensor, false, true, false, 0x4177},
};
const Param params_336[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"repeats", Kind::sizes, false, false, false, 0},
};
const Param params_337[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"repeats", Kind::tensor, false, false, false, 0x40},
    {"dim", Kind::scalar, false, false, false, 0},
    {"output_size", Kind::scalar, false, false, false, 0},
};
const Param params_338[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"repeats", Kind::integer, false, false, false, 0},
    {"dim", Kind::scalar, false, false, false, 0},
    {"output_size", Kind::scalar, false, false, false, 0},
};
const Param params_339[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"padding", Kind::sizes, false, false, false, 0},
};
const Param params_340[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"padding", Kind::sizes, false, false, false, 0},
};
const Param params_341[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"padding", Kind::sizes, false, false, false, 0},
};
const Param params_342[] = {
    {"self", Kind::tensor, true, true, false, 0x130},
    {"from", Kind::real, false, false, false, 0},
    {"to", Kind::real, false, false, false, 0},
    {"generator", Kind::generator, false, false, false, 0},
};
const Param params_343[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"shifts", Kind::sizes, false, false, false, 0},
    {"dims", Kind::sizes, false, false, false, 0},
};
const Param params_344[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_345[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"decimals", Kind::integer, false, false, false, 0},
};
const Param params_346[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_347[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_348[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_349[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"log_sumexp", Kind::tensor, true, false, false, 0x130},
    {"seed", Kind::tensor, true, true, true, 0x130},
    {"offset", Kind::tensor, true, true, true, 0x130},
    {"query", Kind::tensor, false, true, false, 0x130},
    {"key", Kind::tensor, false, true, false, 0x130},
    {"value", Kind::tensor, false, true, false, 0x130},
    {"attn_bias", Kind::tensor, false, true, true, 0x130},
    {"compute_log_sumexp", Kind::boolean, false, false, false, 0},
    {"dropout_p", Kind::real, false, false, false, 0},
    {"is_causal", Kind::boolean, false, false, false, 0},
    {"scale", Kind::scalar, false, false, false, 0},
    {"philox_state", Kind::philox, false, false, false, 0},
};
const Param params_350[] = {
    {"grad_query", Kind::tensor, true, true, false, 0x130},
    {"grad_key", Kind::tensor, true, true, false, 0x130},
    {"grad_value", Kind::tensor, true, true, false, 0x130},
    {"grad_bias", Kind::tensor, true, true, true, 0x130},
    {"grad_out_", Kind::tensor, false, true, false, 0x130},
    {"query", Kind::tensor, false, true, false, 0x130},
    {"key", Kind::tensor, false, true, false, 0x130},
    {"value", Kind::tensor, false, true, false, 0x130},
    {"attn_bias", Kind::tensor, false, true, true, 0x130},
    {"out", Kind::tensor, false, true, false, 0x130},
    {"logsumexp", Kind::tensor, false, false, false, 0x130},
    {"philox_seed", Kind::tensor, false, true, true, 0x130},
    {"philox_offset", Kind::tensor, false, true, true, 0x130},
    {"dropout_p", Kind::real, false, false, false, 0},
    {"grad_input_mask", Kind::flags, false, false, false, 0},
    {"is_causal", Kind::boolean, false, false, false, 0},
    {"scale", Kind::scalar, false, false, false, 0},
    {"philox_state", Kind::philox, false, false, false, 0},
};
const Param params_351[] = {
    {"out", Kind::tensor, true, true, false, 0x20},
    {"log_sumexp", Kind::tensor, true, false, false, 0x130},
    {"cum_seq_q", Kind::tensor, true, true, true, 0x20},
    {"cum_seq_k", Kind::tensor, true, true, true, 0x20},
    {"max_q", Kind::host_integer, true, false, false, 0},
    {"max_k", Kind::host_integer, true, false, false, 0},
    {"philox_seed", Kind::tensor, true, true, true, 0x20},
    {"philox_offset", Kind::tensor, true, true, true, 0x20},
    {"debug_mask", Kind::tensor, true, true, true, 0x20},
    {"query", Kind::tensor, false, true, false, 0x20},
    {"key", Kind::tensor, false, true, false, 0x20},
    {"value", Kind::tensor, false, true, false, 0x20},
    {"dropout_p", Kind::real, false, false, false, 0},
    {"is_causal", Kind::boolean, false, false, false, 0},
    {"return_debug_mask", Kind::boolean, false, false, false, 0},
    {"scale", Kind::scalar, false, false, false, 0},
    {"philox_state", Kind::philox, false, false, false, 0},
};
const Param params_352[] = {
    {"grad_query", Kind::tensor, true, true, false, 0x20},
    {"grad_key", Kind::tensor, true, true, false, 0x20},
    {"grad_value", Kind::tensor, true, true, false, 0x20},
    {"grad_out", Kind::tensor, false, true, false, 0x20},
    {"query", Kind::tensor, false, true, false, 0x20},
    {"key", Kind::tensor, false, true, false, 0x20},
    {"value", Kind::tensor, false, true, false, 0x20},
    {"out", Kind::tensor, false, true, false, 0x20},
    {"logsumexp", Kind::tensor, false, false, false, 0x130},
    {"cum_seq_q", Kind::tensor, false, true, true, 0x20},
    {"cum_seq_k", Kind::tensor, false, true, true, 0x20},
    {"max_q", Kind::integer, false, false, false, 0},
    {"max_k", Kind::integer, false, false, false, 0},
    {"dropout_p", Kind::real, false, false, false, 0},
    {"is_causal", Kind::boolean, false, false, false, 0},
    {"philox_seed", Kind::tensor, false, true, true, 0x20},
    {"philox_offset", Kind::tensor, false, true, true, 0x20},
    {"scale", Kind::scalar, false, false, false, 0},
};
const Param params_353[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"index", Kind::tensor, false, false, false, 0x40},
    {"src", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
    {"reduce", Kind::scatter_mode, false, false, false, 0},
};
const Param params_354[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"index", Kind::tensor, false, false, false, 0x40},
    {"value", Kind::scalar, false, false, false, 0},
    {"dim", Kind::integer, false, false, false, 0},
    {"reduce", Kind::scatter_mode, false, false, false, 0},
};
const Param params_355[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
    {"index", Kind::tensor, false, false, false, 0x40},
    {"src", Kind::tensor, false, true, false, 0x4177},
};
const Param params_356[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
    {"index", Kind::tensor, false, false, false, 0x40},
    {"src", Kind::tensor, false, true, false, 0x4177},
    {"reduce", Kind::string, false, false, false, 0},
    {"include_self", Kind::boolean, false, false, false, 0},
};
const Param params_357[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_358[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"grad_output", Kind::tensor, false, true, false, 0x130},
    {"output", Kind::tensor, false, true, false, 0x130},
};
const Param params_359[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_360[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_361[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"grad_output", Kind::tensor, false, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_362[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_363[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_364[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_365[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"target", Kind::tensor, false, true, false, 0x130},
    {"reduction", Kind::integer, false, false, false, 0},
    {"beta", Kind::real, false, false, false, 0},
};
const Param params_366[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"grad_output", Kind::tensor, false, true, false, 0x130},
    {"output", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::integer, false, false, false, 0},
    {"input_dtype", Kind::dtype, false, false, false, 0},
};
const Param params_367[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::integer, false, false, false, 0},
};
const Given given_367[] = {{"half_to_float", false}};
const Param params_368[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::integer, false, false, false, 0},
    {"half_to_float", Kind::boolean, false, false, false, 0},
};
const Param params_369[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"beta", Kind::scalar, false, false, false, 0},
    {"threshold", Kind::scalar, false, false, false, 0},
};
const Param params_370[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"lambd", Kind::scalar, false, false, false, 0},
};
const Param params_371[] = {
    {"values", Kind::tensor, true, true, false, 0x177},
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"stable", Kind::scalar, false, false, false, 0},
    {"dim", Kind::integer, false, false, false, 0},
    {"descending", Kind::boolean, false, false, false, 0},
};
const Param params_372[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_373[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_374[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"tensors", Kind::tensors, false, true, false, 0x4177},
    {"dim", Kind::integer, false, false, false, 0},
};
const Param params_375[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::sizes, false, false, false, 0},
    {"correction", Kind::scalar, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_376[] = {
    {"std", Kind::tensor, true, true, false, 0x130},
    {"mean", Kind::tensor, true, false, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::sizes, false, false, false, 0},
    {"correction", Kind::scalar, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_377[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::tensor, false, true, false, 0x4177},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_378[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"other", Kind::scalar, false, false, false, 0},
    {"alpha", Kind::scalar, false, false, false, 0},
};
const Param params_379[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_380[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"dim", Kind::sizes, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_381[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_382[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_383[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"grad_output", Kind::tensor, false, true, false, 0x130},
    {"output", Kind::tensor, false, true, false, 0x130},
};
const Param params_384[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"threshold", Kind::scalar, false, false, false, 0},
    {"value", Kind::scalar, false, false, false, 0},
};
const Param params_385[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dims", Kind::sizes, false, false, false, 0},
};
const Param params_386[] = {
    {"out", Kind::tensor, true, false, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"non_blocking", Kind::boolean, false, false, false, 0},
    {"copy", Kind::boolean, false, false, false, 0},
    {"memory_format", Kind::memory_format, false, false, false, 0},
};
const Param params_387[] = {
    {"values", Kind::tensor, true, true, false, 0x177},
    {"indices", Kind::tensor, true, false, false, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"k", Kind::integer, false, false, false, 0},
    {"dim", Kind::integer, false, false, false, 0},
    {"largest", Kind::boolean, false, false, false, 0},
    {"sorted", Kind::boolean, false, false, false, 0},
};
const Param params_388[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"self", Kind::tensor, false, true, false, 0x177},
};
const Param params_389[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"diagonal", Kind::integer, false, false, false, 0},
};
const Param params_390[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"diagonal", Kind::integer, false, false, false, 0},
};
const Param params_391[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};
const Param params_392[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"inverse", Kind::tensor, true, false, true, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"sorted", Kind::boolean, false, false, false, 0},
    {"return_inverse", Kind::boolean, false, false, false, 0},
};
const Param params_393[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"inverse", Kind::tensor, true, false, true, 0x40},
    {"counts", Kind::tensor, true, false, true, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"sorted", Kind::boolean, false, false, false, 0},
    {"return_inverse", Kind::boolean, false, false, false, 0},
    {"return_counts", Kind::boolean, false, false, false, 0},
};
const Param params_394[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"inverse", Kind::tensor, true, false, true, 0x40},
    {"counts", Kind::tensor, true, false, true, 0x40},
    {"self", Kind::tensor, false, true, false, 0x177},
    {"return_inverse", Kind::boolean, false, false, false, 0},
    {"return_counts", Kind::boolean, false, false, false, 0},
    {"dim", Kind::scalar, false, false, false, 0},
};
const Param params_395[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
    {"align_corners", Kind::boolean, false, false, false, 0},
    {"scales_h", Kind::scalar, false, false, false, 0},
    {"scales_w", Kind::scalar, false, false, false, 0},
};
const Param params_396[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
    {"align_corners", Kind::boolean, false, false, false, 0},
    {"scales_h", Kind::scalar, false, false, false, 0},
    {"scales_w", Kind::scalar, false, false, false, 0},
};
const Param params_397[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
    {"align_corners", Kind::boolean, false, false, false, 0},
    {"scales_h", Kind::scalar, false, false, false, 0},
    {"scales_w", Kind::scalar, false, false, false, 0},
};
const Param params_398[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
    {"align_corners", Kind::boolean, false, false, false, 0},
    {"scales_h", Kind::scalar, false, false, false, 0},
    {"scales_w", Kind::scalar, false, false, false, 0},
};
const Param params_399[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
    {"align_corners", Kind::boolean, false, false, false, 0},
    {"scales", Kind::scalar, false, false, false, 0},
};
const Param params_400[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
    {"scales_h", Kind::scalar, false, false, false, 0},
    {"scales_w", Kind::scalar, false, false, false, 0},
};
const Param params_401[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
    {"scales_d", Kind::scalar, false, false, false, 0},
    {"scales_h", Kind::scalar, false, false, false, 0},
    {"scales_w", Kind::scalar, false, false, false, 0},
};
const Param params_402[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
    {"scales", Kind::scalar, false, false, false, 0},
};
const Param params_403[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
    {"scales_h", Kind::scalar, false, false, false, 0},
    {"scales_w", Kind::scalar, false, false, false, 0},
};
const Param params_404[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
    {"scales_d", Kind::scalar, false, false, false, 0},
    {"scales_h", Kind::scalar, false, false, false, 0},
    {"scales_w", Kind::scalar, false, false, false, 0},
};
const Param params_405[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"output_size", Kind::sizes, false, false, false, 0},
    {"align_corners", Kind::boolean, false, false, false, 0},
    {"scales_d", Kind::scalar, false, false, false, 0},
    {"scales_h", Kind::scalar, false, false, false, 0},
    {"scales_w", Kind::scalar, false, false, false, 0},
};
const Param params_406[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::sizes, false, false, false, 0},
    {"correction", Kind::scalar, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_407[] = {
    {"var", Kind::tensor, true, true, false, 0x130},
    {"mean", Kind::tensor, true, false, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::sizes, false, false, false, 0},
    {"correction", Kind::scalar, false, false, false, 0},
    {"keepdim", Kind::boolean, false, false, false, 0},
};
const Param params_408[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"norms", Kind::tensor, true, true, false, 0x130},
    {"v", Kind::tensor, false, true, false, 0x130},
    {"g", Kind::tensor, false, true, false, 0x130},
    {"dim", Kind::integer, false, false, false, 0},
};
const Param params_409[] = {
    {"out", Kind::tensor, true, true, false, 0x1879ff},
    {"condition", Kind::tensor, false, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x1879ff},
    {"other", Kind::tensor, false, true, false, 0x1879ff},
};
const Param params_410[] = {
    {"out", Kind::tensor, true, true, false, 0x1879ff},
    {"condition", Kind::tensor, false, false, false, 0x4000},
    {"self", Kind::scalar, false, false, false, 0},
    {"other", Kind::tensor, false, true, false, 0x1879ff},
};
const Param params_411[] = {
    {"out", Kind::tensor, true, true, false, 0x1879ff},
    {"condition", Kind::tensor, false, false, false, 0x4000},
    {"self", Kind::tensor, false, true, false, 0x1879ff},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_412[] = {
    {"out", Kind::tensor, true, true, false, 0x1879ff},
    {"condition", Kind::tensor, false, false, false, 0x4000},
    {"self", Kind::scalar, false, false, false, 0},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_413[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"other", Kind::tensor, false, true, false, 0x130},
};
const Param params_414[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::scalar, false, false, false, 0},
    {"other", Kind::tensor, false, true, false, 0x130},
};
const Param params_415[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
    {"other", Kind::scalar, false, false, false, 0},
};
const Param params_416[] = {
    {"self", Kind::tensor, true, true, false, 0x4177},
};
const Param params_417[] = {
    {"out", Kind::tensor, true, true, false, 0x177},
    {"size", Kind::sizes, false, false, false, 0},
    {"dtype", Kind::dtype, false, false, false, 0},
};
const Param params_418[] = {
    {"out", Kind::tensor, true, true, false, 0x4177},
    {"self", Kind::tensor, false, true, false, 0x4177},
    {"dtype", Kind::dtype, false, false, false, 0},
    {"layout", Kind::layout, false, false, false, 0},
    {"memory_format", Kind::memory_format, false, false, false, 0},
};
const Param params_419[] = {
    {"out", Kind::tensor, true, true, false, 0x130},
    {"self", Kind::tensor, false, true, false, 0x130},
};

const Op ops[] = {
    {"topsatenAbs", "abs", "", nullptr, params_0, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenAcos", "acos", "", nullptr, params_1, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenAcosh", "acosh", "", nullptr, params_2, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAdaptiveAvgPool2d", "adaptive_avg_pool2d", "", nullptr, params_3, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenAdd", "add", "Tensor", nullptr, params_4, 4, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAdd", "add", "Scalar", nullptr, params_5, 4, Shape::same, Strides::broadcast, Refuse::no, false,
     trap_tensor_scalar, nullptr, 0},
    {"topsatenAddRelu", "_add_relu", "Tensor", nullptr, params_6, 4, Shape::same, Strides::broadcast, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenAddRelu", "_add_relu", "Scalar", nullptr, params_7, 4, Shape::same, Strides::broadcast, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenAddcdiv", "addcdiv", "", nullptr, params_8, 5, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAddcmul", "addcmul", "", nullptr, params_9, 5, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAddmm", "addmm", "", nullptr, params_10, 6, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenAddmv", "addmv", "", nullptr, params_11, 6, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenAll", "all", "dim", nullptr, params_12, 4, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAll", "all", "dims", nullptr, params_13, 4, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAll", "all", "", nullptr, params_14, 2, Shape::free, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenAmax", "amax", "", nullptr, params_15, 4, Shape::free, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenAmin", "amin", "", nullptr, params_16, 4, Shape::free, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenAminmax", "_aminmax", "", nullptr, params_17, 3, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenAminmax", "_aminmax", "dim", nullptr, params_18, 5, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenAmpForeachNonFiniteCheckAndUnscale", nullptr, nullptr, &custom::amp_unscale, params_19, 4, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenAmpUpdateScale", "_amp_update_scale", "", nullptr, params_20, 8, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenAngle", "angle", "", nullptr, params_21, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAny", "any", "dim", nullptr, params_22, 4, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAny", "any", "dims", nullptr, params_23, 4, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAny", "any", "", nullptr, params_24, 2, Shape::free, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenArange", nullptr, nullptr, &custom::arange, params_25, 7, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenArgSort", "argsort", "stable", nullptr, params_26, 5, Shape::free, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenArgmax", "argmax", "", nullptr, params_27, 4, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenArgmin", "argmin", "", nullptr, params_28, 4, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAsin", "asin", "", nullptr, params_29, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenAsinh", "asinh", "", nullptr, params_30, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAtan", "atan", "", nullptr, params_31, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenAtan2", "atan2", "", nullptr, params_32, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAtanh", "atanh", "", nullptr, params_33, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenAvgPool2d", "avg_pool2d", "", nullptr, params_34, 8, Shape::free, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenAvgPool3d", "avg_pool3d", "", nullptr, params_35, 8, Shape::free, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenBaddbmm", "baddbmm", "", nullptr, params_36, 6, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenBernoulli", nullptr, nullptr, &custom::bernoulli_p, params_37, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenBernoulli", nullptr, nullptr, &custom::bernoulli, params_38, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenBernoulli_", nullptr, nullptr, &custom::bernoulli_tensor, params_39, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenBinaryCrossEntropy", "binary_cross_entropy", "", nullptr, params_40, 5, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenBincount", "bincount", "", nullptr, params_41, 4, Shape::free, Strides::contiguous, Refuse::s60, false, 0,
     nullptr, 0},
    {"topsatenBinomial", nullptr, nullptr, &custom::binomial, params_42, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenBitwiseAnd", "bitwise_and", "Scalar", nullptr, params_43, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenBitwiseAnd", "bitwise_and", "Tensor", nullptr, params_44, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenBitwiseLeftShift", "bitwise_left_shift", "Tensor", nullptr, params_45, 3, Shape::same, Strides::broadcast,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenBitwiseLeftShift", "bitwise_left_shift", "Tensor_Scalar", nullptr, params_46, 3, Shape::same,
     Strides::broadcast, Refuse::no, false, 0, nullptr, 0},
    {"topsatenBitwiseNot", "bitwise_not", "", nullptr, params_47, 2, Shape::same, Strides::broadcast, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenBitwiseOr", "bitwise_or", "Scalar", nullptr, params_48, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenBitwiseOr", "bitwise_or", "Tensor", nullptr, params_49, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenBitwiseRightShift", "bitwise_right_shift", "Tensor", nullptr, params_50, 3, Shape::same,
     Strides::broadcast, Refuse::no, false, 0, nullptr, 0},
    {"topsatenBitwiseRightShift", "bitwise_right_shift", "Tensor_Scalar", nullptr, params_51, 3, Shape::same,
     Strides::broadcast, Refuse::no, false, 0, nullptr, 0},
    {"topsatenBitwiseXor", "bitwise_xor", "Scalar", nullptr, params_52, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenBitwiseXor", "bitwise_xor", "Tensor", nullptr, params_53, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenBmm", "bmm", "", nullptr, params_54, 3, Shape::free, Strides::contiguous, Refuse::no, true, 0, nullptr,
     0},
    {"topsatenBucketize", "bucketize", "Tensor", nullptr, params_55, 5, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenCat", "cat", "", nullptr, params_56, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenCeil", "ceil", "", nullptr, params_57, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenCelu", "celu", "", nullptr, params_58, 3, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenChannelShuffle", "channel_shuffle", "", nullptr, params_59, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenCholesky", "cholesky", "", nullptr, params_60, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenClamp", "clamp", "", nullptr, params_61, 4, Shape::same, Strides::broadcast, Refuse::no, false,
     trap_narrow_scalars, nullptr, 0},
    {"topsatenClamp", "clamp", "Tensor", nullptr, params_62, 4, Shape::same, Strides::broadcast, Refuse::no, false,
     trap_narrow_scalars, nullptr, 0},
    {"topsatenClampMax", "clamp_max", "", nullptr, params_63, 3, Shape::same, Strides::broadcast, Refuse::no, false,
     trap_narrow_scalars, nullptr, 0},
    {"topsatenClampMax", "clamp_max", "Tensor", nullptr, params_64, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, trap_narrow_scalars, nullptr, 0},
    {"topsatenClampMin", "clamp_min", "", nullptr, params_65, 3, Shape::same, Strides::broadcast, Refuse::no, false,
     trap_narrow_scalars, nullptr, 0},
    {"topsatenClampMin", "clamp_min", "Tensor", nullptr, params_66, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, trap_narrow_scalars, nullptr, 0},
    {"topsatenClip", "clip", "", nullptr, params_67, 4, Shape::same, Strides::broadcast, Refuse::no, false,
     trap_narrow_scalars, nullptr, 0},
    {"topsatenClip", "clip", "Tensor", nullptr, params_68, 4, Shape::same, Strides::broadcast, Refuse::no, false,
     trap_narrow_scalars, nullptr, 0},
    {"topsatenCol2im", "col2im", "", nullptr, params_69, 7, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenConv2d", "conv2d", "", nullptr, params_70, 8, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenConvDepthwise2d", nullptr, nullptr, &custom::conv_depthwise, params_71, 7, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenConvTranspose2d", "conv_transpose2d", "input", nullptr, params_72, 9, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenConvolution", "convolution", "", nullptr, params_73, 10, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenConvolutionBackward", "convolution_backward", "", nullptr, params_74, 14, Shape::free,
     Strides::contiguous, Refuse::not_support, false, 0, nullptr, 0},
    {"topsatenCopy", nullptr, nullptr, &custom::copy, params_75, 3, Shape::same, Strides::any, Refuse::no, false,
     trap_i64_copy, nullptr, 0},
    {"topsatenCopysign", "copysign", "Tensor", nullptr, params_76, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenCopysign", "copysign", "Scalar", nullptr, params_77, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenCos", "cos", "", nullptr, params_78, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenCosh", "cosh", "", nullptr, params_79, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenCountNonzero", nullptr, nullptr, &custom::count_nonzero, params_80, 2, Shape::free, Strides::contiguous,
     Refuse::no, false, trap_wrong_count, nullptr, 0},
    {"topsatenCross", "cross", "", nullptr, params_81, 4, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenCummax", "cummax", "", nullptr, params_82, 4, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenCummin", "cummin", "", nullptr, params_83, 4, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenCumprod", "cumprod", "", nullptr, params_84, 4, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenCumsum", "cumsum", "", nullptr, params_85, 4, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenDigamma", "digamma", "", nullptr, params_86, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenDiv", "div", "Tensor", nullptr, params_87, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenDiv", "div", "Tensor_mode", nullptr, params_88, 4, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenDiv", "div", "Scalar", nullptr, params_89, 3, Shape::same, Strides::broadcast, Refuse::no, false,
     trap_tensor_scalar, nullptr, 0},
    {"topsatenDiv", "div", "Scalar_mode", nullptr, params_90, 4, Shape::same, Strides::broadcast, Refuse::no, false,
     trap_tensor_scalar, nullptr, 0},
    {"topsatenElu", "elu", "", nullptr, params_91, 5, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenEluBackward", "elu_backward", "", nullptr, params_92, 7, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenEmbedding", "embedding", "", nullptr, params_93, 6, Shape::free, Strides::contiguous, Refuse::no, false,
     trap_index, nullptr, 0},
    {"topsatenEmbeddingDenseBackward", "embedding_dense_backward", "", nullptr, params_94, 6, Shape::free,
     Strides::contiguous, Refuse::no, false, trap_index, nullptr, 0},
    {"topsatenEq", "eq", "Scalar", nullptr, params_95, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenEq", "eq", "Tensor", nullptr, params_96, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenEqual", nullptr, nullptr, &custom::equal, params_97, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenErf", "erf", "", nullptr, params_98, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenErfc", "erfc", "", nullptr, params_99, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenErfinv", "erfinv", "", nullptr, params_100, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenExp", "exp", "", nullptr, params_101, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenExp2", "exp2", "", nullptr, params_102, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenExpm1", "expm1", "", nullptr, params_103, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenExponential", nullptr, nullptr, &custom::exponential, params_104, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenEye", nullptr, nullptr, &custom::eye, params_105, 4, Shape::free, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenEye", nullptr, nullptr, &custom::eye_m, params_106, 5, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenFftC2c", "_fft_c2c", "", nullptr, params_107, 5, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenFftC2r", "_fft_c2r", "", nullptr, params_108, 5, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenFftR2c", "_fft_r2c", "", nullptr, params_109, 5, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenFill", "fill", "Scalar", nullptr, params_110, 2, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenFill_", "fill", "Scalar", nullptr, params_111, 2, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenFill_", nullptr, nullptr, &custom::fill_tensor, params_112, 2, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenFlip", "flip", "", nullptr, params_113, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenFloor", "floor", "", nullptr, params_114, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenFloorDivide", "floor_divide", "", nullptr, params_115, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenFloorDivide", "floor_divide", "Scalar", nullptr, params_116, 3, Shape::same, Strides::broadcast,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenFmax", "fmax", "", nullptr, params_117, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenFmin", "fmin", "", nullptr, params_118, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenFmod", "fmod", "Scalar", nullptr, params_119, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenFmod", "fmod", "Tensor", nullptr, params_120, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenForeachAbs", "_foreach_abs", "", nullptr, params_121, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachAcos", "_foreach_acos", "", nullptr, params_122, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachAdd", "_foreach_add", "Scalar", nullptr, params_123, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachAdd", "_foreach_add", "List", nullptr, params_124, 4, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachAdd", "_foreach_add", "ScalarList", nullptr, params_125, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachAdd", "_foreach_add", "Tensor", nullptr, params_126, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachAddcdiv", "_foreach_addcdiv", "Scalar", nullptr, params_127, 5, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachAddcdiv", "_foreach_addcdiv", "ScalarList", nullptr, params_128, 5, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachAddcdiv", "_foreach_addcdiv", "Tensor", nullptr, params_129, 5, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachAddcmul", "_foreach_addcmul", "Scalar", nullptr, params_130, 5, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachAddcmul", "_foreach_addcmul", "ScalarList", nullptr, params_131, 5, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachAddcmul", "_foreach_addcmul", "Tensor", nullptr, params_132, 5, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachAsin", "_foreach_asin", "", nullptr, params_133, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachAtan", "_foreach_atan", "", nullptr, params_134, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachCeil", "_foreach_ceil", "", nullptr, params_135, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachClampMax", "_foreach_clamp_max", "Scalar", nullptr, params_136, 3, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachClampMax", "_foreach_clamp_max", "List", nullptr, params_137, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachClampMax", "_foreach_clamp_max", "ScalarList", nullptr, params_138, 3, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachClampMin", "_foreach_clamp_min", "Scalar", nullptr, params_139, 3, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachClampMin", "_foreach_clamp_min", "List", nullptr, params_140, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachClampMin", "_foreach_clamp_min", "ScalarList", nullptr, params_141, 3, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachCos", "_foreach_cos", "", nullptr, params_142, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachCosh", "_foreach_cosh", "", nullptr, params_143, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachDiv", "_foreach_div", "Scalar", nullptr, params_144, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachDiv", "_foreach_div", "List", nullptr, params_145, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachDiv", "_foreach_div", "ScalarList", nullptr, params_146, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachErf", "_foreach_erf", "", nullptr, params_147, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachErfc", "_foreach_erfc", "", nullptr, params_148, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachExp", "_foreach_exp", "", nullptr, params_149, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachExpm1", "_foreach_expm1", "", nullptr, params_150, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachFloor", "_foreach_floor", "", nullptr, params_151, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachLerp", "_foreach_lerp", "List", nullptr, params_152, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachLerp", "_foreach_lerp", "Scalar", nullptr, params_153, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachLerp", "_foreach_lerp", "ScalarList", nullptr, params_154, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachLog2", "_foreach_log2", "", nullptr, params_155, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachMaximum", "_foreach_maximum", "Scalar", nullptr, params_156, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachMaximum", "_foreach_maximum", "List", nullptr, params_157, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachMaximum", "_foreach_maximum", "ScalarList", nullptr, params_158, 3, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachMinimum", "_foreach_minimum", "Scalar", nullptr, params_159, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachMinimum", "_foreach_minimum", "List", nullptr, params_160, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachMinimum", "_foreach_minimum", "ScalarList", nullptr, params_161, 3, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachMul", "_foreach_mul", "Scalar", nullptr, params_162, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachMul", "_foreach_mul", "List", nullptr, params_163, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachMul", "_foreach_mul", "ScalarList", nullptr, params_164, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachMul", "_foreach_mul", "Tensor", nullptr, params_165, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachNeg", "_foreach_neg", "", nullptr, params_166, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachNorm", "_foreach_norm", "Scalar", nullptr, params_167, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachSqrt", "_foreach_sqrt", "", nullptr, params_168, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachSub", "_foreach_sub", "Scalar", nullptr, params_169, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenForeachSub", "_foreach_sub", "List", nullptr, params_170, 4, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenForeachSub", "_foreach_sub", "ScalarList", nullptr, params_171, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenFrac", "frac", "", nullptr, params_172, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenFrexp", "frexp", "Tensor", nullptr, params_173, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenFull", nullptr, nullptr, &custom::full, params_174, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenFusedAdamw", "_fused_adamw", "", nullptr, params_175, 20, Shape::free, Strides::contiguous, Refuse::s60,
     false, 0, nullptr, 0},
    {"topsatenGather", "gather", "", nullptr, params_176, 5, Shape::free, Strides::contiguous, Refuse::no, false,
     trap_index, nullptr, 0},
    {"topsatenGcd", "gcd", "", nullptr, params_177, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenGe", "ge", "Scalar", nullptr, params_178, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenGe", "ge", "Tensor", nullptr, params_179, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenGelu", "gelu", "", nullptr, params_180, 3, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenGeluBackward", "gelu_backward", "", nullptr, params_181, 4, Shape::same, Strides::broadcast, Refuse::s60,
     false, 0, nullptr, 0},
    {"topsatenGlu", "glu", "", nullptr, params_182, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenGluJvp", "glu_jvp", "", nullptr, params_183, 5, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenGridSampler", "grid_sampler", "", nullptr, params_184, 6, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenGridSampler2d", "grid_sampler_2d", "", nullptr, params_185, 6, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenGridSampler3d", "grid_sampler_3d", "", nullptr, params_186, 6, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenGroupedMm", "_grouped_mm", "", nullptr, params_187, 6, Shape::free, Strides::contiguous, Refuse::s60,
     true, 0, nullptr, 0},
    {"topsatenGt", "gt", "Scalar", nullptr, params_188, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenGt", "gt", "Tensor", nullptr, params_189, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenHardshrink", "hardshrink", "", nullptr, params_190, 3, Shape::same, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenHardsigmoid", "hardsigmoid", "", nullptr, params_191, 2, Shape::same, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenHardswish", "hardswish", "", nullptr, params_192, 2, Shape::same, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenHardtanh", "hardtanh", "", nullptr, params_193, 4, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenHistc", "histc", "", nullptr, params_194, 5, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenHuberLoss", "huber_loss", "", nullptr, params_195, 5, Shape::free, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenHypot", "hypot", "", nullptr, params_196, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenIgamma", "igamma", "", nullptr, params_197, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenIgammac", "igammac", "", nullptr, params_198, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenIm2col", "im2col", "", nullptr, params_199, 6, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenIndex", "index", "Tensor", nullptr, params_200, 3, Shape::free, Strides::contiguous, Refuse::no, false,
     trap_index, nullptr, 0},
    {"topsatenIndexAdd", "index_add", "", nullptr, params_201, 6, Shape::free, Strides::contiguous, Refuse::no, false,
     trap_index, nullptr, 0},
    {"topsatenIndexFill", "index_fill", "int_Scalar", nullptr, params_202, 5, Shape::free, Strides::contiguous,
     Refuse::no, false, trap_index, nullptr, 0},
    {"topsatenIndexFill", "index_fill", "int_Tensor", nullptr, params_203, 5, Shape::free, Strides::contiguous,
     Refuse::no, false, trap_index, nullptr, 0},
    {"topsatenIndexPut", "index_put", "", nullptr, params_204, 5, Shape::free, Strides::contiguous, Refuse::no, false,
     trap_index, nullptr, 0},
    {"topsatenIndexPutImpl", "_index_put_impl", "", nullptr, params_205, 5, Shape::free, Strides::contiguous,
     Refuse::no, false, trap_index, nullptr, 0},
    {"topsatenIndexReduce", "index_reduce", "", nullptr, params_206, 7, Shape::free, Strides::contiguous, Refuse::no,
     false, trap_index, nullptr, 0},
    {"topsatenIndexSelect", "index_select", "", nullptr, params_207, 4, Shape::free, Strides::contiguous, Refuse::no,
     false, trap_size_limit | trap_index, nullptr, 0},
    {"topsatenInstanceNorm", "instance_norm", "", nullptr, params_208, 9, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, given_208, 1},
    {"topsatenIsInf", "isinf", "", nullptr, params_209, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenIsNan", "isnan", "", nullptr, params_210, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenIsclose", "isclose", "", nullptr, params_211, 6, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenIsfinite", "isfinite", "", nullptr, params_212, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenIsin", "isin", "Tensor_Tensor", nullptr, params_213, 5, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenIsin", "isin", "Tensor_Scalar", nullptr, params_214, 5, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenIsneginf", "isneginf", "", nullptr, params_215, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenIsposinf", "isposinf", "", nullptr, params_216, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenKthvalue", "kthvalue", "", nullptr, params_217, 6, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenLShift", "__lshift__", "Tensor", nullptr, params_218, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenLShift", "__lshift__", "Scalar", nullptr, params_219, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenLayerNorm", "layer_norm", "", nullptr, params_220, 7, Shape::free, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenLcm", "lcm", "", nullptr, params_221, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenLe", "le", "Scalar", nullptr, params_222, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenLe", "le", "Tensor", nullptr, params_223, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenLeakyRelu", "leaky_relu", "", nullptr, params_224, 3, Shape::same, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenLerp", "lerp", "Scalar", nullptr, params_225, 4, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenLerp", "lerp", "Tensor", nullptr, params_226, 4, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenLgamma", "lgamma", "", nullptr, params_227, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenLinalgCross", "linalg_cross", "", nullptr, params_228, 4, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenLinalgLuFactorEx", "linalg_lu_factor_ex", "", nullptr, params_229, 6, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenLinalgLuSolve", "linalg_lu_solve", "", nullptr, params_230, 6, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenLinalgQr", "linalg_qr", "", nullptr, params_231, 4, Shape::free, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenLinalgSolveEx_", "_linalg_solve_ex", "", nullptr, params_232, 8, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenLinalgVectorNorm", "linalg_vector_norm", "", nullptr, params_233, 6, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenLinear", "linear", "", nullptr, params_234, 4, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenLinspace", nullptr, nullptr, &custom::linspace, params_235, 6, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenLog", "log", "", nullptr, params_236, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenLog10", "log10", "", nullptr, params_237, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenLog1p", "log1p", "", nullptr, params_238, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenLog2", "log2", "", nullptr, params_239, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenLogSigmoid", "log_sigmoid", "", nullptr, params_240, 2, Shape::same, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenLogSigmoidForward", "log_sigmoid_forward", "", nullptr, params_241, 3, Shape::free, Strides::contiguous,
     Refuse::s60, false, 0, nullptr, 0},
    {"topsatenLogSoftmaxBackwardData", "_log_softmax_backward_data", "", nullptr, params_242, 5, Shape::free,
     Strides::contiguous, Refuse::s60, false, 0, nullptr, 0},
    {"topsatenLogSoftmaxForward", "_log_softmax", "", nullptr, params_243, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, given_243, 1},
    {"topsatenLogSoftmaxForward", "_log_softmax", "", nullptr, params_244, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenLogaddexp", "logaddexp", "", nullptr, params_245, 3, Shape::same, Strides::broadcast, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenLogaddexp2", "logaddexp2", "", nullptr, params_246, 3, Shape::same, Strides::broadcast, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenLogcumsumexp", "logcumsumexp", "", nullptr, params_247, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenLogicalAnd", "logical_and", "", nullptr, params_248, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenLogicalNot", "logical_not", "", nullptr, params_249, 2, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenLogicalOr", "logical_or", "", nullptr, params_250, 3, Shape::same, Strides::broadcast, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenLogicalXor", "logical_xor", "", nullptr, params_251, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenLogit", "logit", "", nullptr, params_252, 3, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenLogspace", nullptr, nullptr, &custom::logspace, params_253, 7, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenLogsumexp", "logsumexp", "", nullptr, params_254, 4, Shape::free, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenLt", "lt", "Scalar", nullptr, params_255, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenLt", "lt", "Tensor", nullptr, params_256, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenMaskedScatter", "masked_scatter", "", nullptr, params_257, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenMaskedSelect", "masked_select", "", nullptr, params_258, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenMasked_fill", "masked_fill", "Scalar", nullptr, params_259, 4, Shape::same, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenMasked_fill", nullptr, nullptr, &custom::masked_fill_tensor, params_260, 4, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenMatmul", "matmul", "", nullptr, params_261, 3, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenMax", "max", "dim", nullptr, params_262, 5, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenMax", "max", "", nullptr, params_263, 2, Shape::free, Strides::contiguous, Refuse::no, true, 0, nullptr,
     0},
    {"topsatenMaxPool2d", "max_pool2d", "", nullptr, params_264, 7, Shape::free, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenMaxPool2dIndices", "max_pool2d_with_indices", "", nullptr, params_265, 8, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenMaxPool3dWithIndices", "max_pool3d_with_indices", "", nullptr, params_266, 8, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenMaximum", "maximum", "", nullptr, params_267, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenMean", "mean", "", nullptr, params_268, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenMean", "mean", "dim", nullptr, params_269, 5, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenMedian", "median", "", nullptr, params_270, 2, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenMedian", "median", "dim", nullptr, params_271, 5, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenMeshgrid", "meshgrid", "indexing", nullptr, params_272, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenMin", "min", "dim", nullptr, params_273, 5, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenMin", "min", "", nullptr, params_274, 2, Shape::free, Strides::contiguous, Refuse::no, true, 0, nullptr,
     0},
    {"topsatenMinimum", "minimum", "", nullptr, params_275, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenMish", "mish", "", nullptr, params_276, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenMm", "mm", "", nullptr, params_277, 3, Shape::free, Strides::contiguous, Refuse::no, true, 0, nullptr, 0},
    {"topsatenMode", "mode", "", nullptr, params_278, 5, Shape::free, Strides::contiguous, Refuse::no, true, 0, nullptr,
     0},
    {"topsatenMseLoss", "mse_loss", "", nullptr, params_279, 4, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenMseLossBackward", "mse_loss_backward", "", nullptr, params_280, 5, Shape::free, Strides::broadcast,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenMul", "mul", "Tensor", nullptr, params_281, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenMul", "mul", "Scalar", nullptr, params_282, 3, Shape::same, Strides::broadcast, Refuse::no, false,
     trap_tensor_scalar, nullptr, 0},
    {"topsatenMultiMarginLoss", "multi_margin_loss", "", nullptr, params_283, 7, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenMultinomial", nullptr, nullptr, &custom::multinomial, params_284, 5, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenNLLLoss2DForward", "nll_loss2d_forward", "", nullptr, params_285, 7, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenNanToNum", "nan_to_num", "", nullptr, params_286, 5, Shape::same, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenNanmedian", "nanmedian", "", nullptr, params_287, 2, Shape::free, Strides::contiguous, Refuse::no, true,
     0, nullptr, 0},
    {"topsatenNanmedian", "nanmedian", "dim", nullptr, params_288, 5, Shape::free, Strides::contiguous, Refuse::no,
     true, 0, nullptr, 0},
    {"topsatenNansum", "nansum", "", nullptr, params_289, 5, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenNativeBatchNorm", "native_batch_norm", "", nullptr, params_290, 11, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenNativeDropout", nullptr, nullptr, &custom::native_dropout, params_291, 6, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenNativeDropoutBackward", "native_dropout_backward", "", nullptr, params_292, 4, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenNativeGroupNorm", "native_group_norm", "", nullptr, params_293, 11, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenNativeLayerNorm", "native_layer_norm", "", nullptr, params_294, 8, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenNativeLayerNormBackward", "native_layer_norm_backward", "", nullptr, params_295, 11, Shape::free,
     Strides::contiguous, Refuse::no, false, trap_writes_nothing, nullptr, 0},
    {"topsatenNe", "ne", "Scalar", nullptr, params_296, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenNe", "ne", "Tensor", nullptr, params_297, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenNeg", "neg", "", nullptr, params_298, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenNllLossBackward", "nll_loss_backward", "", nullptr, params_299, 8, Shape::free, Strides::contiguous,
     Refuse::s60, false, 0, nullptr, 0},
    {"topsatenNllLossForward", "nll_loss_forward", "", nullptr, params_300, 7, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenNonzero", nullptr, nullptr, &custom::nonzero, params_301, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, trap_wrong_count, nullptr, 0},
    {"topsatenNormal", nullptr, nullptr, &custom::normal, params_302, 4, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenNormal", nullptr, nullptr, &custom::normal_tensor_float, params_303, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenNormal", nullptr, nullptr, &custom::normal_float_tensor, params_304, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenNormal", nullptr, nullptr, &custom::normal_tensor_tensor, params_305, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenOneHot", nullptr, nullptr, &custom::one_hot, params_306, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenOnes", nullptr, nullptr, &custom::ones, params_307, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenOnesLike", nullptr, nullptr, &custom::ones, params_308, 5, Shape::same, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenPoisson", nullptr, nullptr, &custom::poisson, params_309, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenPolar", "polar", "", nullptr, params_310, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenPow", "pow", "Tensor_Tensor", nullptr, params_311, 3, Shape::same, Strides::broadcast, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenPow", "pow", "Scalar", nullptr, params_312, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenPow", "pow", "Tensor_Scalar", nullptr, params_313, 3, Shape::same, Strides::broadcast, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenPreluKernel", "_prelu_kernel", "", nullptr, params_314, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenProd", "prod", "", nullptr, params_315, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenProd", "prod", "dim_int", nullptr, params_316, 5, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenRShift", "__rshift__", "Tensor", nullptr, params_317, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenRShift", "__rshift__", "Scalar", nullptr, params_318, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenRandint", nullptr, nullptr, &custom::randint, params_319, 8, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenRandn", nullptr, nullptr, &custom::randn, params_320, 6, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenRandnLike", nullptr, nullptr, &custom::randn, params_321, 7, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenRandom", nullptr, nullptr, &custom::random_from, params_322, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenRandom", nullptr, nullptr, &custom::random_to, params_323, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenRandom", nullptr, nullptr, &custom::random, params_324, 2, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenRandperm", nullptr, nullptr, &custom::randperm, params_325, 6, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenRange", nullptr, nullptr, &custom::range, params_326, 6, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenReciprocal", "reciprocal", "", nullptr, params_327, 2, Shape::same, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenReflectionPad1d", "reflection_pad1d", "", nullptr, params_328, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenReflectionPad2d", "reflection_pad2d", "", nullptr, params_329, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenReflectionPad3d", "reflection_pad3d", "", nullptr, params_330, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenRelu", "relu", "", nullptr, params_331, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenRelu6", "relu6", "", nullptr, params_332, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenRemainder", "remainder", "Scalar", nullptr, params_333, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenRemainder", "remainder", "Tensor", nullptr, params_334, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenRemainder", "remainder", "Scalar_Tensor", nullptr, params_335, 3, Shape::same, Strides::broadcast,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenRepeat", "repeat", "", nullptr, params_336, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenRepeatInterleave", "repeat_interleave", "self_Tensor", nullptr, params_337, 5, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenRepeatInterleave", "repeat_interleave", "self_int", nullptr, params_338, 5, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenReplicationPad1d", "replication_pad1d", "", nullptr, params_339, 3, Shape::free, Strides::contiguous,
     Refuse::s60, false, 0, nullptr, 0},
    {"topsatenReplicationPad2d", "replication_pad2d", "", nullptr, params_340, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenReplicationPad3d", "replication_pad3d", "", nullptr, params_341, 3, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenRngUniform", nullptr, nullptr, &custom::uniform, params_342, 4, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenRoll", "roll", "", nullptr, params_343, 4, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenRound", "round", "", nullptr, params_344, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenRound", "round", "decimals", nullptr, params_345, 3, Shape::same, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenRsqrt", "rsqrt", "", nullptr, params_346, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenRsub", "rsub", "Tensor", nullptr, params_347, 4, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenRsub", "rsub", "Scalar", nullptr, params_348, 4, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenScaledDotProductEfficientAttention", nullptr, nullptr, &custom::sdpa_efficient, params_349, 13,
     Shape::free, Strides::attention, Refuse::no, true, 0, nullptr, 0},
    {"topsatenScaledDotProductEfficientAttentionBackward", nullptr, nullptr, &custom::sdpa_efficient_backward,
     params_350, 18, Shape::free, Strides::attention, Refuse::no, true, 0, nullptr, 0},
    {"topsatenScaledDotProductFlashAttention", nullptr, nullptr, &custom::sdpa_flash, params_351, 17, Shape::free,
     Strides::attention, Refuse::no, true, 0, nullptr, 0},
    {"topsatenScaledDotProductFlashAttentionBackward", nullptr, nullptr, &custom::sdpa_flash_backward, params_352, 18,
     Shape::free, Strides::attention, Refuse::no, true, 0, nullptr, 0},
    {"topsatenScatter", nullptr, nullptr, &custom::scatter, params_353, 6, Shape::free, Strides::contiguous, Refuse::no,
     false, trap_index, nullptr, 0},
    {"topsatenScatter", nullptr, nullptr, &custom::scatter, params_354, 6, Shape::free, Strides::contiguous, Refuse::no,
     false, trap_index, nullptr, 0},
    {"topsatenScatterAdd", "scatter_add", "", nullptr, params_355, 5, Shape::free, Strides::contiguous, Refuse::no,
     false, trap_index, nullptr, 0},
    {"topsatenScatterReduce", "scatter_reduce", "two", nullptr, params_356, 7, Shape::free, Strides::contiguous,
     Refuse::no, false, trap_index, nullptr, 0},
    {"topsatenSigmoid", "sigmoid", "", nullptr, params_357, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenSigmoidBackward", "sigmoid_backward", "", nullptr, params_358, 3, Shape::same, Strides::broadcast,
     Refuse::s60, false, 0, nullptr, 0},
    {"topsatenSign", "sign", "", nullptr, params_359, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenSilu", "silu", "", nullptr, params_360, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenSiluBackward", "silu_backward", "", nullptr, params_361, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenSin", "sin", "", nullptr, params_362, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenSinc", "sinc", "", nullptr, params_363, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenSinh", "sinh", "", nullptr, params_364, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenSmoothL1Loss", "smooth_l1_loss", "", nullptr, params_365, 5, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenSoftmaxBackwardData", "_softmax_backward_data", "", nullptr, params_366, 5, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenSoftmaxForward", "_softmax", "", nullptr, params_367, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, given_367, 1},
    {"topsatenSoftmaxForward", "_softmax", "", nullptr, params_368, 4, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenSoftplus", "softplus", "", nullptr, params_369, 4, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenSoftshrink", "softshrink", "", nullptr, params_370, 3, Shape::same, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenSort", "sort", "stable", nullptr, params_371, 6, Shape::free, Strides::contiguous, Refuse::no, true, 0,
     nullptr, 0},
    {"topsatenSqrt", "sqrt", "", nullptr, params_372, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenSquare", "square", "", nullptr, params_373, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenStack", "stack", "", nullptr, params_374, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenStd", "std", "correction", nullptr, params_375, 5, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenStdMean", "std_mean", "correction", nullptr, params_376, 6, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenSub", "sub", "Tensor", nullptr, params_377, 4, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenSub", "sub", "Scalar", nullptr, params_378, 4, Shape::same, Strides::broadcast, Refuse::no, false,
     trap_tensor_scalar, nullptr, 0},
    {"topsatenSum", "sum", "", nullptr, params_379, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenSum", "sum", "dim_IntList", nullptr, params_380, 5, Shape::free, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenTan", "tan", "", nullptr, params_381, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
    {"topsatenTanh", "tanh", "", nullptr, params_382, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenTanhBackward", "tanh_backward", "", nullptr, params_383, 3, Shape::same, Strides::broadcast, Refuse::s60,
     false, 0, nullptr, 0},
    {"topsatenThreshold", "threshold", "", nullptr, params_384, 4, Shape::same, Strides::contiguous, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenTile", "tile", "", nullptr, params_385, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenTo", nullptr, nullptr, &custom::to, params_386, 6, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenTopk", "topk", "", nullptr, params_387, 7, Shape::free, Strides::contiguous, Refuse::no, true, 0, nullptr,
     0},
    {"topsatenTrace", "trace", "", nullptr, params_388, 2, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenTril", "tril", "", nullptr, params_389, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenTriu", "triu", "", nullptr, params_390, 3, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenTrunc", "trunc", "", nullptr, params_391, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenUnique", "_unique", "", nullptr, params_392, 5, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenUnique2", "_unique2", "", nullptr, params_393, 7, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenUniqueConsecutive", "unique_consecutive", "", nullptr, params_394, 7, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenUpsampleBicubic2d", "upsample_bicubic2d", "", nullptr, params_395, 6, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenUpsampleBicubic2dAa", "_upsample_bicubic2d_aa", "", nullptr, params_396, 6, Shape::free,
     Strides::contiguous, Refuse::s60, false, 0, nullptr, 0},
    {"topsatenUpsampleBilinear2d", "upsample_bilinear2d", "", nullptr, params_397, 6, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenUpsampleBilinear2dAa", "_upsample_bilinear2d_aa", "", nullptr, params_398, 6, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenUpsampleLinear1d", "upsample_linear1d", "", nullptr, params_399, 5, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenUpsampleNearest2d", "upsample_nearest2d", "", nullptr, params_400, 5, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenUpsampleNearest3d", "upsample_nearest3d", "", nullptr, params_401, 6, Shape::free, Strides::contiguous,
     Refuse::no, false, 0, nullptr, 0},
    {"topsatenUpsampleNearestExact1d", "_upsample_nearest_exact1d", "", nullptr, params_402, 4, Shape::free,
     Strides::contiguous, Refuse::s60, false, 0, nullptr, 0},
    {"topsatenUpsampleNearestExact2d", "_upsample_nearest_exact2d", "", nullptr, params_403, 5, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenUpsampleNearestExact3d", "_upsample_nearest_exact3d", "", nullptr, params_404, 6, Shape::free,
     Strides::contiguous, Refuse::s60, false, 0, nullptr, 0},
    {"topsatenUpsampleTrilinear3d", "upsample_trilinear3d", "", nullptr, params_405, 7, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenVar", "var", "correction", nullptr, params_406, 5, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenVarMean", "var_mean", "correction", nullptr, params_407, 6, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenWeightNormInterface", "_weight_norm_interface", "", nullptr, params_408, 5, Shape::free,
     Strides::contiguous, Refuse::no, false, 0, nullptr, 0},
    {"topsatenWhere", "where", "self", nullptr, params_409, 4, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenWhere", "where", "ScalarSelf", nullptr, params_410, 4, Shape::same, Strides::broadcast, Refuse::no, false,
     0, nullptr, 0},
    {"topsatenWhere", "where", "ScalarOther", nullptr, params_411, 4, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenWhere", "where", "Scalar", nullptr, params_412, 4, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenXlogy", "xlogy", "Tensor", nullptr, params_413, 3, Shape::same, Strides::broadcast, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenXlogy", "xlogy", "Scalar_Self", nullptr, params_414, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenXlogy", "xlogy", "Scalar_Other", nullptr, params_415, 3, Shape::same, Strides::broadcast, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenZero", "zero", "", nullptr, params_416, 1, Shape::free, Strides::contiguous, Refuse::no, false, 0,
     nullptr, 0},
    {"topsatenZeros", nullptr, nullptr, &custom::zeros, params_417, 3, Shape::free, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsatenZerosLike", nullptr, nullptr, &custom::zeros, params_418, 5, Shape::same, Strides::contiguous, Refuse::no,
     false, 0, nullptr, 0},
    {"topsateni0", "i0", "", nullptr, params_419, 2, Shape::same, Strides::contiguous, Refuse::no, false, 0, nullptr,
     0},
};

}  // namespace
}  // namespace tops_standin

namespace topsaten {

topsatenStatus_t topsatenAbs(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[0], stream, out, self);
}
topsatenStatus_t topsatenAcos(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[1], stream, out, self);
}
topsatenStatus_t topsatenAcosh(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[2], stream, out, self);
}
topsatenStatus_t topsatenAdaptiveAvgPool2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[3], stream, out, self, output_size);
}
topsatenStatus_t topsatenAdd(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[4], stream, out, self, other, alpha);
}
topsatenStatus_t topsatenAdd(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[5], stream, out, self, other, alpha);
}
topsatenStatus_t topsatenAddRelu(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[6], stream, out, self, other, alpha);
}
topsatenStatus_t topsatenAddRelu(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[7], stream, out, self, other, alpha);
}
topsatenStatus_t topsatenAddcdiv(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& tensor1,
    const topsatenTensor& tensor2, const topsatenScalar_t& value, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[8], stream, out, self, tensor1, tensor2, value);
}
topsatenStatus_t topsatenAddcmul(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& tensor1,
    const topsatenTensor& tensor2, const topsatenScalar_t& value, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[9], stream, out, self, tensor1, tensor2, value);
}
topsatenStatus_t topsatenAddmm(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& mat1,
    const topsatenTensor& mat2, const topsatenScalar_t& beta, const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[10], stream, out, self, mat1, mat2, beta, alpha);
}
topsatenStatus_t topsatenAddmv(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& mat,
    const topsatenTensor& vec, const topsatenScalar_t& beta, const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[11], stream, out, self, mat, vec, beta, alpha);
}
topsatenStatus_t topsatenAll(topsatenTensor& out, const topsatenTensor& self, int64_t dim, bool keepdim,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[12], stream, out, self, dim, keepdim);
}
topsatenStatus_t topsatenAll(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim, bool keepdim,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[13], stream, out, self, dim, keepdim);
}
topsatenStatus_t topsatenAll(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[14], stream, out, self);
}
topsatenStatus_t topsatenAmax(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim, bool keepdim,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[15], stream, out, self, dim, keepdim);
}
topsatenStatus_t topsatenAmin(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim, bool keepdim,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[16], stream, out, self, dim, keepdim);
}
topsatenStatus_t topsatenAminmax(std::tuple<topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[17], stream, std::get<0>(outs), std::get<1>(outs), self);
}
topsatenStatus_t topsatenAminmax(std::tuple<topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& self,
    int64_t dim, bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[18], stream, std::get<0>(outs), std::get<1>(outs), self, dim, keepdim);
}
topsatenStatus_t topsatenAmpForeachNonFiniteCheckAndUnscale(std::vector<topsatenTensor>& out, topsatenTensor& found_inf,
    const std::vector<topsatenTensor>& self, const topsatenTensor& inv_scale, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[19], stream, out, found_inf, self, inv_scale);
}
topsatenStatus_t topsatenAmpUpdateScale(std::tuple<topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& self,
    const topsatenTensor& growth_tracker, const topsatenTensor& found_inf, double scale_growth_factor,
    double scale_backoff_factor, int64_t growth_interval, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[20], stream, std::get<0>(outs), std::get<1>(outs), self, growth_tracker,
      found_inf, scale_growth_factor, scale_backoff_factor, growth_interval);
}
topsatenStatus_t topsatenAngle(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[21], stream, out, self);
}
topsatenStatus_t topsatenAny(topsatenTensor& out, const topsatenTensor& self, int64_t dim, bool keepdim,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[22], stream, out, self, dim, keepdim);
}
topsatenStatus_t topsatenAny(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim, bool keepdim,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[23], stream, out, self, dim, keepdim);
}
topsatenStatus_t topsatenAny(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[24], stream, out, self);
}
topsatenStatus_t topsatenArange(topsatenTensor& out, const topsatenScalar_t& start, const topsatenScalar_t& end,
    const topsatenScalar_t& step, const topsatenDataType_t& dtype, topsatenLayoutType_t layout, bool pin_memory,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[25], stream, out, start, end, step, dtype, layout, pin_memory);
}
topsatenStatus_t topsatenArgSort(topsatenTensor& out, const topsatenTensor& self, bool stable, int64_t dim,
    bool descending, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[26], stream, out, self, stable, dim, descending);
}
topsatenStatus_t topsatenArgmax(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& dim,
    bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[27], stream, out, self, dim, keepdim);
}
topsatenStatus_t topsatenArgmin(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& dim,
    bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[28], stream, out, self, dim, keepdim);
}
topsatenStatus_t topsatenAsin(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[29], stream, out, self);
}
topsatenStatus_t topsatenAsinh(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[30], stream, out, self);
}
topsatenStatus_t topsatenAtan(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[31], stream, out, self);
}
topsatenStatus_t topsatenAtan2(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[32], stream, out, self, other);
}
topsatenStatus_t topsatenAtanh(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[33], stream, out, self);
}
topsatenStatus_t topsatenAvgPool2d(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& kernel_size,
    const topsatenSize_t& stride, const topsatenSize_t& padding, bool ceil_mode, bool count_include_pad,
    const topsatenScalar_t& divisor_override, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[34], stream, out, self, kernel_size, stride, padding, ceil_mode,
      count_include_pad, divisor_override);
}
topsatenStatus_t topsatenAvgPool3d(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& kernel_size,
    const topsatenSize_t& stride, const topsatenSize_t& padding, bool ceil_mode, bool count_include_pad,
    const topsatenScalar_t& divisor_override, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[35], stream, out, self, kernel_size, stride, padding, ceil_mode,
      count_include_pad, divisor_override);
}
topsatenStatus_t topsatenBaddbmm(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& batch1,
    const topsatenTensor& batch2, const topsatenScalar_t& beta, const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[36], stream, out, self, batch1, batch2, beta, alpha);
}
topsatenStatus_t topsatenBernoulli(topsatenTensor& self, double p, const topsatenGenerator_t& generator,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[37], stream, self, p, generator);
}
topsatenStatus_t topsatenBernoulli(topsatenTensor& out, const topsatenTensor& self,
    const topsatenGenerator_t& generator, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[38], stream, out, self, generator);
}
topsatenStatus_t topsatenBernoulli_(topsatenTensor& self, const topsatenTensor& p, const topsatenGenerator_t& generator,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[39], stream, self, p, generator);
}
topsatenStatus_t topsatenBinaryCrossEntropy(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& target, const topsatenTensor& weight, int64_t reduction, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[40], stream, out, self, target, weight, reduction);
}
topsatenStatus_t topsatenBincount(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& weights,
    int64_t minlength, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[41], stream, out, self, weights, minlength);
}
topsatenStatus_t topsatenBinomial(topsatenTensor& out, const topsatenTensor& count, const topsatenTensor& prob,
    const topsatenGenerator_t& generator, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[42], stream, out, count, prob, generator);
}
topsatenStatus_t topsatenBitwiseAnd(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[43], stream, out, self, other);
}
topsatenStatus_t topsatenBitwiseAnd(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[44], stream, out, self, other);
}
topsatenStatus_t topsatenBitwiseLeftShift(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[45], stream, out, self, other);
}
topsatenStatus_t topsatenBitwiseLeftShift(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[46], stream, out, self, other);
}
topsatenStatus_t topsatenBitwiseNot(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[47], stream, out, self);
}
topsatenStatus_t topsatenBitwiseOr(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[48], stream, out, self, other);
}
topsatenStatus_t topsatenBitwiseOr(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[49], stream, out, self, other);
}
topsatenStatus_t topsatenBitwiseRightShift(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[50], stream, out, self, other);
}
topsatenStatus_t topsatenBitwiseRightShift(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[51], stream, out, self, other);
}
topsatenStatus_t topsatenBitwiseXor(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[52], stream, out, self, other);
}
topsatenStatus_t topsatenBitwiseXor(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[53], stream, out, self, other);
}
topsatenStatus_t topsatenBmm(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& mat2,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[54], stream, out, self, mat2);
}
topsatenStatus_t topsatenBucketize(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& boundaries,
    bool out_int32, bool right, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[55], stream, out, self, boundaries, out_int32, right);
}
topsatenStatus_t topsatenCat(topsatenTensor& out, const std::vector<topsatenTensor>& tensors, int64_t dim,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[56], stream, out, tensors, dim);
}
topsatenStatus_t topsatenCeil(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[57], stream, out, self);
}
topsatenStatus_t topsatenCelu(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& alpha,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[58], stream, out, self, alpha);
}
topsatenStatus_t topsatenChannelShuffle(topsatenTensor& out, const topsatenTensor& self, int64_t groups,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[59], stream, out, self, groups);
}
topsatenStatus_t topsatenCholesky(topsatenTensor& out, const topsatenTensor& self, bool upper, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[60], stream, out, self, upper);
}
topsatenStatus_t topsatenClamp(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& min,
    const topsatenScalar_t& max, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[61], stream, out, self, min, max);
}
topsatenStatus_t topsatenClamp(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& min,
    const topsatenTensor& max, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[62], stream, out, self, min, max);
}
topsatenStatus_t topsatenClampMax(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& max,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[63], stream, out, self, max);
}
topsatenStatus_t topsatenClampMax(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& max,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[64], stream, out, self, max);
}
topsatenStatus_t topsatenClampMin(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& min,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[65], stream, out, self, min);
}
topsatenStatus_t topsatenClampMin(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& min,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[66], stream, out, self, min);
}
topsatenStatus_t topsatenClip(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& min,
    const topsatenScalar_t& max, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[67], stream, out, self, min, max);
}
topsatenStatus_t topsatenClip(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& min,
    const topsatenTensor& max, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[68], stream, out, self, min, max);
}
topsatenStatus_t topsatenCol2im(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& output_size,
    const topsatenSize_t& kernel_size, const topsatenSize_t& dilation, const topsatenSize_t& padding,
    const topsatenSize_t& stride, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[69], stream, out, self, output_size, kernel_size, dilation, padding,
      stride);
}
topsatenStatus_t topsatenConv2d(topsatenTensor& out, const topsatenTensor& input, const topsatenTensor& weight,
    const topsatenTensor& bias, const topsatenSize_t& stride, const topsatenSize_t& padding,
    const topsatenSize_t& dilation, int64_t groups, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[70], stream, out, input, weight, bias, stride, padding, dilation, groups);
}
topsatenStatus_t topsatenConvDepthwise2d(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& weight,
    const topsatenTensor& bias, const topsatenSize_t& stride, const topsatenSize_t& padding,
    const topsatenSize_t& dilation, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[71], stream, out, self, weight, bias, stride, padding, dilation);
}
topsatenStatus_t topsatenConvTranspose2d(topsatenTensor& out, const topsatenTensor& input, const topsatenTensor& weight,
    const topsatenTensor& bias, const topsatenSize_t& stride, const topsatenSize_t& padding,
    const topsatenSize_t& output_padding, int64_t groups, const topsatenSize_t& dilation, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[72], stream, out, input, weight, bias, stride, padding, output_padding,
      groups, dilation);
}
topsatenStatus_t topsatenConvolution(topsatenTensor& out, const topsatenTensor& input, const topsatenTensor& weight,
    const topsatenTensor& bias, const topsatenSize_t& stride, const topsatenSize_t& padding,
    const topsatenSize_t& dilation, bool transposed, const topsatenSize_t& output_padding, int64_t groups,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[73], stream, out, input, weight, bias, stride, padding, dilation,
      transposed, output_padding, groups);
}
topsatenStatus_t topsatenConvolutionBackward(std::tuple<topsatenTensor&, topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& grad_output, const topsatenTensor& input, const topsatenTensor& weight,
    const topsatenSize_t& bias_sizes, const topsatenSize_t& stride, const topsatenSize_t& padding,
    const topsatenSize_t& dilation, bool transposed, const topsatenSize_t& output_padding, int64_t groups,
    const std::array<bool, 3>& output_mask, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[74], stream, std::get<0>(outs), std::get<1>(outs), std::get<2>(outs),
      grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups,
      output_mask);
}
topsatenStatus_t topsatenCopy(topsatenTensor& dst, const topsatenTensor& src, bool non_blocking, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[75], stream, dst, src, non_blocking);
}
topsatenStatus_t topsatenCopysign(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[76], stream, out, self, other);
}
topsatenStatus_t topsatenCopysign(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[77], stream, out, self, other);
}
topsatenStatus_t topsatenCos(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[78], stream, out, self);
}
topsatenStatus_t topsatenCosh(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[79], stream, out, self);
}
topsatenStatus_t topsatenCountNonzero(int32_t* count, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[80], stream, count, self);
}
topsatenStatus_t topsatenCross(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    const topsatenScalar_t& dim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[81], stream, out, self, other, dim);
}
topsatenStatus_t topsatenCummax(topsatenTensor& values, topsatenTensor& indices, const topsatenTensor& self,
    int64_t dim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[82], stream, values, indices, self, dim);
}
topsatenStatus_t topsatenCummin(topsatenTensor& values, topsatenTensor& indices, const topsatenTensor& self,
    int64_t dim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[83], stream, values, indices, self, dim);
}
topsatenStatus_t topsatenCumprod(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenDataType_t& dtype, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[84], stream, out, self, dim, dtype);
}
topsatenStatus_t topsatenCumsum(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenDataType_t& dtype, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[85], stream, out, self, dim, dtype);
}
topsatenStatus_t topsatenDigamma(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[86], stream, out, self);
}
topsatenStatus_t topsatenDiv(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[87], stream, out, self, other);
}
topsatenStatus_t topsatenDiv(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    const char* rounding_mode, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[88], stream, out, self, other, rounding_mode);
}
topsatenStatus_t topsatenDiv(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[89], stream, out, self, other);
}
topsatenStatus_t topsatenDiv(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    const char* rounding_mode, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[90], stream, out, self, other, rounding_mode);
}
topsatenStatus_t topsatenElu(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& alpha,
    const topsatenScalar_t& scale, const topsatenScalar_t& input_scale, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[91], stream, out, self, alpha, scale, input_scale);
}
topsatenStatus_t topsatenEluBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenScalar_t& alpha, const topsatenScalar_t& scale, const topsatenScalar_t& input_scale, bool is_result,
    const topsatenTensor& self_or_result, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[92], stream, out, grad_output, alpha, scale, input_scale, is_result,
      self_or_result);
}
topsatenStatus_t topsatenEmbedding(topsatenTensor& out, const topsatenTensor& weight, const topsatenTensor& indices,
    int64_t padding_idx, bool scale_grad_by_freq, bool sparse, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[93], stream, out, weight, indices, padding_idx, scale_grad_by_freq,
      sparse);
}
topsatenStatus_t topsatenEmbeddingDenseBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& indices, int64_t num_weights, int64_t padding_idx, bool scale_grad_by_freq,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[94], stream, out, grad_output, indices, num_weights, padding_idx,
      scale_grad_by_freq);
}
topsatenStatus_t topsatenEq(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[95], stream, out, self, other);
}
topsatenStatus_t topsatenEq(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[96], stream, out, self, other);
}
topsatenStatus_t topsatenEqual(bool& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[97], stream, &out, self, other);
}
topsatenStatus_t topsatenErf(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[98], stream, out, self);
}
topsatenStatus_t topsatenErfc(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[99], stream, out, self);
}
topsatenStatus_t topsatenErfinv(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[100], stream, out, self);
}
topsatenStatus_t topsatenExp(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[101], stream, out, self);
}
topsatenStatus_t topsatenExp2(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[102], stream, out, self);
}
topsatenStatus_t topsatenExpm1(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[103], stream, out, self);
}
topsatenStatus_t topsatenExponential(topsatenTensor& out, double lambd, const topsatenGenerator_t& generator,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[104], stream, out, lambd, generator);
}
topsatenStatus_t topsatenEye(topsatenTensor& out, int64_t n, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[105], stream, out, n, dtype, layout);
}
topsatenStatus_t topsatenEye(topsatenTensor& out, int64_t n, int64_t m, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[106], stream, out, n, m, dtype, layout);
}
topsatenStatus_t topsatenFftC2c(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim,
    int64_t normalization, bool forward, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[107], stream, out, self, dim, normalization, forward);
}
topsatenStatus_t topsatenFftC2r(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim,
    int64_t normalization, int64_t last_dim_size, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[108], stream, out, self, dim, normalization, last_dim_size);
}
topsatenStatus_t topsatenFftR2c(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim,
    int64_t normalization, bool onesided, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[109], stream, out, self, dim, normalization, onesided);
}
topsatenStatus_t topsatenFill(topsatenTensor& self, const topsatenScalar_t& value, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[110], stream, self, value);
}
topsatenStatus_t topsatenFill_(topsatenTensor& self, const topsatenScalar_t& value, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[111], stream, self, value);
}
topsatenStatus_t topsatenFill_(topsatenTensor& self, const topsatenTensor& value, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[112], stream, self, value);
}
topsatenStatus_t topsatenFlip(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dims,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[113], stream, out, self, dims);
}
topsatenStatus_t topsatenFloor(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[114], stream, out, self);
}
topsatenStatus_t topsatenFloorDivide(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[115], stream, out, self, other);
}
topsatenStatus_t topsatenFloorDivide(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[116], stream, out, self, other);
}
topsatenStatus_t topsatenFmax(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[117], stream, out, self, other);
}
topsatenStatus_t topsatenFmin(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[118], stream, out, self, other);
}
topsatenStatus_t topsatenFmod(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[119], stream, out, self, other);
}
topsatenStatus_t topsatenFmod(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[120], stream, out, self, other);
}
topsatenStatus_t topsatenForeachAbs(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[121], stream, out, self);
}
topsatenStatus_t topsatenForeachAcos(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[122], stream, out, self);
}
topsatenStatus_t topsatenForeachAdd(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const topsatenScalar_t& scalar, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[123], stream, out, self, scalar);
}
topsatenStatus_t topsatenForeachAdd(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& other, const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[124], stream, out, self, other, alpha);
}
topsatenStatus_t topsatenForeachAdd(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenScalar_t>& scalars, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[125], stream, out, self, scalars);
}
topsatenStatus_t topsatenForeachAdd(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const topsatenTensor& other, const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[126], stream, out, self, other, alpha);
}
topsatenStatus_t topsatenForeachAddcdiv(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& tensor1, const std::vector<topsatenTensor>& tensor2,
    const topsatenScalar_t& value, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[127], stream, out, self, tensor1, tensor2, value);
}
topsatenStatus_t topsatenForeachAddcdiv(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& tensor1, const std::vector<topsatenTensor>& tensor2,
    const std::vector<topsatenScalar_t>& scalars, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[128], stream, out, self, tensor1, tensor2, scalars);
}
topsatenStatus_t topsatenForeachAddcdiv(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& tensor1, const std::vector<topsatenTensor>& tensor2,
    const topsatenTensor& scalars, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[129], stream, out, self, tensor1, tensor2, scalars);
}
topsatenStatus_t topsatenForeachAddcmul(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& tensor1, const std::vector<topsatenTensor>& tensor2,
    const topsatenScalar_t& value, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[130], stream, out, self, tensor1, tensor2, value);
}
topsatenStatus_t topsatenForeachAddcmul(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& tensor1, const std::vector<topsatenTensor>& tensor2,
    const std::vector<topsatenScalar_t>& scalars, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[131], stream, out, self, tensor1, tensor2, scalars);
}
topsatenStatus_t topsatenForeachAddcmul(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& tensor1, const std::vector<topsatenTensor>& tensor2,
    const topsatenTensor& scalars, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[132], stream, out, self, tensor1, tensor2, scalars);
}
topsatenStatus_t topsatenForeachAsin(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[133], stream, out, self);
}
topsatenStatus_t topsatenForeachAtan(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[134], stream, out, self);
}
topsatenStatus_t topsatenForeachCeil(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[135], stream, out, self);
}
topsatenStatus_t topsatenForeachClampMax(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const topsatenScalar_t& scalar, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[136], stream, out, self, scalar);
}
topsatenStatus_t topsatenForeachClampMax(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[137], stream, out, self, other);
}
topsatenStatus_t topsatenForeachClampMax(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenScalar_t>& scalars, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[138], stream, out, self, scalars);
}
topsatenStatus_t topsatenForeachClampMin(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const topsatenScalar_t& scalar, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[139], stream, out, self, scalar);
}
topsatenStatus_t topsatenForeachClampMin(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[140], stream, out, self, other);
}
topsatenStatus_t topsatenForeachClampMin(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenScalar_t>& scalars, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[141], stream, out, self, scalars);
}
topsatenStatus_t topsatenForeachCos(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[142], stream, out, self);
}
topsatenStatus_t topsatenForeachCosh(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[143], stream, out, self);
}
topsatenStatus_t topsatenForeachDiv(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const topsatenScalar_t& scalar, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[144], stream, out, self, scalar);
}
topsatenStatus_t topsatenForeachDiv(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[145], stream, out, self, other);
}
topsatenStatus_t topsatenForeachDiv(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenScalar_t>& scalars, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[146], stream, out, self, scalars);
}
topsatenStatus_t topsatenForeachErf(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[147], stream, out, self);
}
topsatenStatus_t topsatenForeachErfc(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[148], stream, out, self);
}
topsatenStatus_t topsatenForeachExp(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[149], stream, out, self);
}
topsatenStatus_t topsatenForeachExpm1(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[150], stream, out, self);
}
topsatenStatus_t topsatenForeachFloor(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[151], stream, out, self);
}
topsatenStatus_t topsatenForeachLerp(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& tensors1, const std::vector<topsatenTensor>& weights, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[152], stream, out, self, tensors1, weights);
}
topsatenStatus_t topsatenForeachLerp(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& tensors1, const topsatenScalar_t& weight, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[153], stream, out, self, tensors1, weight);
}
topsatenStatus_t topsatenForeachLerp(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& tensors1, const std::vector<topsatenScalar_t>& weight, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[154], stream, out, self, tensors1, weight);
}
topsatenStatus_t topsatenForeachLog2(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[155], stream, out, self);
}
topsatenStatus_t topsatenForeachMaximum(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const topsatenScalar_t& scalar, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[156], stream, out, self, scalar);
}
topsatenStatus_t topsatenForeachMaximum(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[157], stream, out, self, other);
}
topsatenStatus_t topsatenForeachMaximum(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenScalar_t>& scalars, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[158], stream, out, self, scalars);
}
topsatenStatus_t topsatenForeachMinimum(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const topsatenScalar_t& scalar, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[159], stream, out, self, scalar);
}
topsatenStatus_t topsatenForeachMinimum(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[160], stream, out, self, other);
}
topsatenStatus_t topsatenForeachMinimum(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenScalar_t>& scalars, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[161], stream, out, self, scalars);
}
topsatenStatus_t topsatenForeachMul(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const topsatenScalar_t& scalar, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[162], stream, out, self, scalar);
}
topsatenStatus_t topsatenForeachMul(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[163], stream, out, self, other);
}
topsatenStatus_t topsatenForeachMul(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenScalar_t>& scalars, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[164], stream, out, self, scalars);
}
topsatenStatus_t topsatenForeachMul(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const topsatenTensor& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[165], stream, out, self, other);
}
topsatenStatus_t topsatenForeachNeg(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[166], stream, out, self);
}
topsatenStatus_t topsatenForeachNorm(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const topsatenScalar_t& ord, const topsatenDataType_t& dtype, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[167], stream, out, self, ord, dtype);
}
topsatenStatus_t topsatenForeachSqrt(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[168], stream, out, self);
}
topsatenStatus_t topsatenForeachSub(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const topsatenScalar_t& scalar, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[169], stream, out, self, scalar);
}
topsatenStatus_t topsatenForeachSub(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenTensor>& other, const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[170], stream, out, self, other, alpha);
}
topsatenStatus_t topsatenForeachSub(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& self,
    const std::vector<topsatenScalar_t>& scalars, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[171], stream, out, self, scalars);
}
topsatenStatus_t topsatenFrac(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[172], stream, out, self);
}
topsatenStatus_t topsatenFrexp(topsatenTensor& mantissa, topsatenTensor& exponent, const topsatenTensor& self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[173], stream, mantissa, exponent, self);
}
topsatenStatus_t topsatenFull(topsatenTensor& out, const topsatenSize_t& size, const topsatenScalar_t& fill_value,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[174], stream, out, size, fill_value);
}
topsatenStatus_t topsatenFusedAdamw(std::tuple<std::vector<topsatenTensor>&, std::vector<topsatenTensor>&,
    std::vector<topsatenTensor>&, std::vector<topsatenTensor>&, std::vector<topsatenTensor>&> outs,
    const std::vector<topsatenTensor>& self, const std::vector<topsatenTensor>& grads,
    const std::vector<topsatenTensor>& exp_avgs, const std::vector<topsatenTensor>& exp_avg_sqs,
    const std::vector<topsatenTensor>& max_exp_avg_sqs, const std::vector<topsatenTensor>& state_steps, double lr,
    double beta1, double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
    const topsatenTensor& grad_scale, const topsatenTensor& found_inf, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[175], stream, std::get<0>(outs), std::get<1>(outs), std::get<2>(outs),
      std::get<3>(outs), std::get<4>(outs), self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1,
      beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf);
}
topsatenStatus_t topsatenGather(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, bool sparse_grad, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[176], stream, out, self, dim, index, sparse_grad);
}
topsatenStatus_t topsatenGcd(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[177], stream, out, self, other);
}
topsatenStatus_t topsatenGe(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[178], stream, out, self, other);
}
topsatenStatus_t topsatenGe(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[179], stream, out, self, other);
}
topsatenStatus_t topsatenGelu(topsatenTensor& out, const topsatenTensor& self, const char* approximate,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[180], stream, out, self, approximate);
}
topsatenStatus_t topsatenGeluBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& self, const char* approximate, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[181], stream, out, grad_output, self, approximate);
}
topsatenStatus_t topsatenGlu(topsatenTensor& out, const topsatenTensor& self, int64_t dim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[182], stream, out, self, dim);
}
topsatenStatus_t topsatenGluJvp(topsatenTensor& out, const topsatenTensor& glu, const topsatenTensor& x,
    const topsatenTensor& dx, int64_t dim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[183], stream, out, glu, x, dx, dim);
}
topsatenStatus_t topsatenGridSampler(topsatenTensor& out, const topsatenTensor& input, const topsatenTensor& grid,
    int64_t interpolation_mode, int64_t padding_mode, bool align_corners, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[184], stream, out, input, grid, interpolation_mode, padding_mode,
      align_corners);
}
topsatenStatus_t topsatenGridSampler2d(topsatenTensor& out, const topsatenTensor& input, const topsatenTensor& grid,
    int64_t interpolation_mode, int64_t padding_mode, bool align_corners, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[185], stream, out, input, grid, interpolation_mode, padding_mode,
      align_corners);
}
topsatenStatus_t topsatenGridSampler3d(topsatenTensor& out, const topsatenTensor& input, const topsatenTensor& grid,
    int64_t interpolation_mode, int64_t padding_mode, bool align_corners, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[186], stream, out, input, grid, interpolation_mode, padding_mode,
      align_corners);
}
topsatenStatus_t topsatenGroupedMm(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& mat2,
    const topsatenTensor& offs, const topsatenTensor& bias, const topsatenDataType_t& out_dtype, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[187], stream, out, self, mat2, offs, bias, out_dtype);
}
topsatenStatus_t topsatenGt(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[188], stream, out, self, other);
}
topsatenStatus_t topsatenGt(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[189], stream, out, self, other);
}
topsatenStatus_t topsatenHardshrink(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& lambd,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[190], stream, out, self, lambd);
}
topsatenStatus_t topsatenHardsigmoid(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[191], stream, out, self);
}
topsatenStatus_t topsatenHardswish(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[192], stream, out, self);
}
topsatenStatus_t topsatenHardtanh(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& min_val,
    const topsatenScalar_t& max_val, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[193], stream, out, self, min_val, max_val);
}
topsatenStatus_t topsatenHistc(topsatenTensor& out, const topsatenTensor& self, int64_t bins,
    const topsatenScalar_t& min, const topsatenScalar_t& max, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[194], stream, out, self, bins, min, max);
}
topsatenStatus_t topsatenHuberLoss(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& target,
    int64_t reduction, double delta, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[195], stream, out, self, target, reduction, delta);
}
topsatenStatus_t topsatenHypot(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[196], stream, out, self, other);
}
topsatenStatus_t topsatenIgamma(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[197], stream, out, self, other);
}
topsatenStatus_t topsatenIgammac(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[198], stream, out, self, other);
}
topsatenStatus_t topsatenIm2col(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& kernel_size,
    const topsatenSize_t& dilation, const topsatenSize_t& padding, const topsatenSize_t& stride, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[199], stream, out, self, kernel_size, dilation, padding, stride);
}
topsatenStatus_t topsatenIndex(topsatenTensor& out, const topsatenTensor& self,
    const std::vector<topsatenTensor>& indices, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[200], stream, out, self, indices);
}
topsatenStatus_t topsatenIndexAdd(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, const topsatenTensor& source, const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[201], stream, out, self, dim, index, source, alpha);
}
topsatenStatus_t topsatenIndexFill(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, const topsatenScalar_t& value, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[202], stream, out, self, dim, index, value);
}
topsatenStatus_t topsatenIndexFill(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, const topsatenTensor& value, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[203], stream, out, self, dim, index, value);
}
topsatenStatus_t topsatenIndexPut(topsatenTensor& out, const topsatenTensor& self,
    const std::vector<topsatenTensor>& indices, const topsatenTensor& values, bool accumulate, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[204], stream, out, self, indices, values, accumulate);
}
topsatenStatus_t topsatenIndexPutImpl(topsatenTensor& self, const std::vector<topsatenTensor>& indices,
    const topsatenTensor& values, bool accumulate, bool unsafe, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[205], stream, self, indices, values, accumulate, unsafe);
}
topsatenStatus_t topsatenIndexReduce(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, const topsatenTensor& source, const char* reduce, bool include_self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[206], stream, out, self, dim, index, source, reduce, include_self);
}
topsatenStatus_t topsatenIndexSelect(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[207], stream, out, self, dim, index);
}
topsatenStatus_t topsatenInstanceNorm(topsatenTensor& out, const topsatenTensor& input, const topsatenTensor& weight,
    const topsatenTensor& bias, const topsatenTensor& running_mean, const topsatenTensor& running_var,
    bool use_input_stats, double momentum, double eps, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[208], stream, out, input, weight, bias, running_mean, running_var,
      use_input_stats, momentum, eps);
}
topsatenStatus_t topsatenIsInf(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[209], stream, out, self);
}
topsatenStatus_t topsatenIsNan(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[210], stream, out, self);
}
topsatenStatus_t topsatenIsclose(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    double rtol, double atol, bool equal_nan, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[211], stream, out, self, other, rtol, atol, equal_nan);
}
topsatenStatus_t topsatenIsfinite(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[212], stream, out, self);
}
topsatenStatus_t topsatenIsin(topsatenTensor& out, const topsatenTensor& elements, const topsatenTensor& test_elements,
    bool assume_unique, bool invert, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[213], stream, out, elements, test_elements, assume_unique, invert);
}
topsatenStatus_t topsatenIsin(topsatenTensor& out, const topsatenTensor& elements, const topsatenScalar_t& test_element,
    bool assume_unique, bool invert, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[214], stream, out, elements, test_element, assume_unique, invert);
}
topsatenStatus_t topsatenIsneginf(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[215], stream, out, self);
}
topsatenStatus_t topsatenIsposinf(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[216], stream, out, self);
}
topsatenStatus_t topsatenKthvalue(std::tuple<topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& self,
    int64_t k, int64_t dim, bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[217], stream, std::get<0>(outs), std::get<1>(outs), self, k, dim,
      keepdim);
}
topsatenStatus_t topsatenLShift(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[218], stream, out, self, other);
}
topsatenStatus_t topsatenLShift(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[219], stream, out, self, other);
}
topsatenStatus_t topsatenLayerNorm(topsatenTensor& out, const topsatenTensor& input,
    const topsatenSize_t& normalized_shape, const topsatenTensor& weight, const topsatenTensor& bias, double eps,
    bool cudnn_enable, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[220], stream, out, input, normalized_shape, weight, bias, eps,
      cudnn_enable);
}
topsatenStatus_t topsatenLcm(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[221], stream, out, self, other);
}
topsatenStatus_t topsatenLe(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[222], stream, out, self, other);
}
topsatenStatus_t topsatenLe(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[223], stream, out, self, other);
}
topsatenStatus_t topsatenLeakyRelu(topsatenTensor& out, const topsatenTensor& self,
    const topsatenScalar_t& negative_slope, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[224], stream, out, self, negative_slope);
}
topsatenStatus_t topsatenLerp(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& end,
    const topsatenScalar_t& weight, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[225], stream, out, self, end, weight);
}
topsatenStatus_t topsatenLerp(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& end,
    const topsatenTensor& weight, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[226], stream, out, self, end, weight);
}
topsatenStatus_t topsatenLgamma(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[227], stream, out, self);
}
topsatenStatus_t topsatenLinalgCross(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    int64_t dim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[228], stream, out, self, other, dim);
}
topsatenStatus_t topsatenLinalgLuFactorEx(topsatenTensor& lu, topsatenTensor& pivots, topsatenTensor& info,
    const topsatenTensor& A, bool pivot, bool check_errors, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[229], stream, lu, pivots, info, A, pivot, check_errors);
}
topsatenStatus_t topsatenLinalgLuSolve(topsatenTensor& out, const topsatenTensor& LU, const topsatenTensor& pivots,
    const topsatenTensor& B, bool left, bool adjoint, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[230], stream, out, LU, pivots, B, left, adjoint);
}
topsatenStatus_t topsatenLinalgQr(std::tuple<topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& A,
    const char* mode, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[231], stream, std::get<0>(outs), std::get<1>(outs), A, mode);
}
topsatenStatus_t topsatenLinalgSolveEx_(topsatenTensor& out, topsatenTensor& lu, topsatenTensor& pivots,
    topsatenTensor& info, const topsatenTensor& A, const topsatenTensor& B, bool left, bool check_errors,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[232], stream, out, lu, pivots, info, A, B, left, check_errors);
}
topsatenStatus_t topsatenLinalgVectorNorm(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& ord,
    const topsatenSize_t& dim, bool keepdim, const topsatenDataType_t& dtype, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[233], stream, out, self, ord, dim, keepdim, dtype);
}
topsatenStatus_t topsatenLinear(topsatenTensor& out, const topsatenTensor& input, const topsatenTensor& weight,
    const topsatenTensor& bias, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[234], stream, out, input, weight, bias);
}
topsatenStatus_t topsatenLinspace(topsatenTensor& out, const topsatenScalar_t& start, const topsatenScalar_t& end,
    int64_t steps, const topsatenDataType_t& dtype, topsatenLayoutType_t layout, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[235], stream, out, start, end, steps, dtype, layout);
}
topsatenStatus_t topsatenLog(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[236], stream, out, self);
}
topsatenStatus_t topsatenLog10(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[237], stream, out, self);
}
topsatenStatus_t topsatenLog1p(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[238], stream, out, self);
}
topsatenStatus_t topsatenLog2(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[239], stream, out, self);
}
topsatenStatus_t topsatenLogSigmoid(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[240], stream, out, self);
}
topsatenStatus_t topsatenLogSigmoidForward(std::tuple<topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[241], stream, std::get<0>(outs), std::get<1>(outs), self);
}
topsatenStatus_t topsatenLogSoftmaxBackwardData(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& output, int64_t dim, const topsatenDataType_t& input_dtype, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[242], stream, out, grad_output, output, dim, input_dtype);
}
topsatenStatus_t topsatenLogSoftmaxForward(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[243], stream, out, self, dim);
}
topsatenStatus_t topsatenLogSoftmaxForward(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    bool half_to_float, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[244], stream, out, self, dim, half_to_float);
}
topsatenStatus_t topsatenLogaddexp(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[245], stream, out, self, other);
}
topsatenStatus_t topsatenLogaddexp2(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[246], stream, out, self, other);
}
topsatenStatus_t topsatenLogcumsumexp(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[247], stream, out, self, dim);
}
topsatenStatus_t topsatenLogicalAnd(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[248], stream, out, self, other);
}
topsatenStatus_t topsatenLogicalNot(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[249], stream, out, self);
}
topsatenStatus_t topsatenLogicalOr(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[250], stream, out, self, other);
}
topsatenStatus_t topsatenLogicalXor(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[251], stream, out, self, other);
}
topsatenStatus_t topsatenLogit(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& eps,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[252], stream, out, self, eps);
}
topsatenStatus_t topsatenLogspace(topsatenTensor& out, const topsatenScalar_t& start, const topsatenScalar_t& end,
    int64_t steps, double base, const topsatenDataType_t& dtype, topsatenLayoutType_t layout, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[253], stream, out, start, end, steps, base, dtype, layout);
}
topsatenStatus_t topsatenLogsumexp(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim,
    bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[254], stream, out, self, dim, keepdim);
}
topsatenStatus_t topsatenLt(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[255], stream, out, self, other);
}
topsatenStatus_t topsatenLt(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[256], stream, out, self, other);
}
topsatenStatus_t topsatenMaskedScatter(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& mask,
    const topsatenTensor& source, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[257], stream, out, self, mask, source);
}
topsatenStatus_t topsatenMaskedSelect(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& mask,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[258], stream, out, self, mask);
}
topsatenStatus_t topsatenMasked_fill(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& mask,
    const topsatenScalar_t& value, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[259], stream, out, self, mask, value);
}
topsatenStatus_t topsatenMasked_fill(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& mask,
    const topsatenTensor& value, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[260], stream, out, self, mask, value);
}
topsatenStatus_t topsatenMatmul(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[261], stream, out, self, other);
}
topsatenStatus_t topsatenMax(topsatenTensor& values, topsatenTensor& indices, const topsatenTensor& self, int64_t dim,
    bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[262], stream, values, indices, self, dim, keepdim);
}
topsatenStatus_t topsatenMax(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[263], stream, out, self);
}
topsatenStatus_t topsatenMaxPool2d(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& kernel_size,
    const topsatenSize_t& stride, const topsatenSize_t& padding, const topsatenSize_t& dilation, bool ceil_mode,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[264], stream, out, self, kernel_size, stride, padding, dilation,
      ceil_mode);
}
topsatenStatus_t topsatenMaxPool2dIndices(topsatenTensor& out, topsatenTensor& indices, const topsatenTensor& self,
    const topsatenSize_t& kernel_size, const topsatenSize_t& stride, const topsatenSize_t& padding,
    const topsatenSize_t& dilation, bool ceil_mode, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[265], stream, out, indices, self, kernel_size, stride, padding, dilation,
      ceil_mode);
}
topsatenStatus_t topsatenMaxPool3dWithIndices(topsatenTensor& out, topsatenTensor& indices, const topsatenTensor& self,
    const topsatenSize_t& kernel_size, const topsatenSize_t& stride, const topsatenSize_t& padding,
    const topsatenSize_t& dilation, bool ceil_mode, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[266], stream, out, indices, self, kernel_size, stride, padding, dilation,
      ceil_mode);
}
topsatenStatus_t topsatenMaximum(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[267], stream, out, self, other);
}
topsatenStatus_t topsatenMean(topsatenTensor& out, const topsatenTensor& self, const topsatenDataType_t& dtype,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[268], stream, out, self, dtype);
}
topsatenStatus_t topsatenMean(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim, bool keepdim,
    const topsatenDataType_t& dtype, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[269], stream, out, self, dim, keepdim, dtype);
}
topsatenStatus_t topsatenMedian(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[270], stream, out, self);
}
topsatenStatus_t topsatenMedian(std::tuple<topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& self,
    int64_t dim, bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[271], stream, std::get<0>(outs), std::get<1>(outs), self, dim, keepdim);
}
topsatenStatus_t topsatenMeshgrid(std::vector<topsatenTensor>& out, const std::vector<topsatenTensor>& tensors,
    const char* indexing, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[272], stream, out, tensors, indexing);
}
topsatenStatus_t topsatenMin(topsatenTensor& values, topsatenTensor& indices, const topsatenTensor& self, int64_t dim,
    bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[273], stream, values, indices, self, dim, keepdim);
}
topsatenStatus_t topsatenMin(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[274], stream, out, self);
}
topsatenStatus_t topsatenMinimum(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[275], stream, out, self, other);
}
topsatenStatus_t topsatenMish(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[276], stream, out, self);
}
topsatenStatus_t topsatenMm(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& mat2,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[277], stream, out, self, mat2);
}
topsatenStatus_t topsatenMode(topsatenTensor& values, topsatenTensor& indices, const topsatenTensor& self, int64_t dim,
    bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[278], stream, values, indices, self, dim, keepdim);
}
topsatenStatus_t topsatenMseLoss(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& target,
    int64_t reduction, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[279], stream, out, self, target, reduction);
}
topsatenStatus_t topsatenMseLossBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& self, const topsatenTensor& target, int64_t reduction, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[280], stream, out, grad_output, self, target, reduction);
}
topsatenStatus_t topsatenMul(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[281], stream, out, self, other);
}
topsatenStatus_t topsatenMul(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[282], stream, out, self, other);
}
topsatenStatus_t topsatenMultiMarginLoss(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& target,
    const topsatenScalar_t& p, const topsatenScalar_t& margin, const topsatenTensor& weight, int64_t reduction,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[283], stream, out, self, target, p, margin, weight, reduction);
}
topsatenStatus_t topsatenMultinomial(topsatenTensor& indices, const topsatenTensor& self, int64_t num_samples,
    bool replacement, const topsatenGenerator_t& generator, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[284], stream, indices, self, num_samples, replacement, generator);
}
topsatenStatus_t topsatenNLLLoss2DForward(topsatenTensor& out, topsatenTensor& total_weight, const topsatenTensor& self,
    const topsatenTensor& target, const topsatenTensor& weight, int64_t reduction, int64_t ignore_index,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[285], stream, out, total_weight, self, target, weight, reduction,
      ignore_index);
}
topsatenStatus_t topsatenNanToNum(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& nan,
    const topsatenScalar_t& posinf, const topsatenScalar_t& neginf, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[286], stream, out, self, nan, posinf, neginf);
}
topsatenStatus_t topsatenNanmedian(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[287], stream, out, self);
}
topsatenStatus_t topsatenNanmedian(std::tuple<topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& self,
    int64_t dim, bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[288], stream, std::get<0>(outs), std::get<1>(outs), self, dim, keepdim);
}
topsatenStatus_t topsatenNansum(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim,
    bool keepdim, const topsatenDataType_t& dtype, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[289], stream, out, self, dim, keepdim, dtype);
}
topsatenStatus_t topsatenNativeBatchNorm(topsatenTensor& out, topsatenTensor& save_mean, topsatenTensor& save_var,
    const topsatenTensor& input, const topsatenTensor& weight, const topsatenTensor& bias,
    const topsatenTensor& running_mean, const topsatenTensor& running_var, bool training, double momentum, double eps,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[290], stream, out, save_mean, save_var, input, weight, bias, running_mean,
      running_var, training, momentum, eps);
}
topsatenStatus_t topsatenNativeDropout(topsatenTensor& out, topsatenTensor& mask, const topsatenTensor& input, double p,
    bool train, const topsatenGenerator_t& generator, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[291], stream, out, mask, input, p, train, generator);
}
topsatenStatus_t topsatenNativeDropoutBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& mask, double scale, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[292], stream, out, grad_output, mask, scale);
}
topsatenStatus_t topsatenNativeGroupNorm(topsatenTensor& out, topsatenTensor& mean, topsatenTensor& rstd,
    const topsatenTensor& input, const topsatenTensor& weight, const topsatenTensor& bias, int64_t N, int64_t C,
    int64_t HxW, int64_t group, double eps, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[293], stream, out, mean, rstd, input, weight, bias, N, C, HxW, group,
      eps);
}
topsatenStatus_t topsatenNativeLayerNorm(topsatenTensor& out, topsatenTensor& mean, topsatenTensor& rstd,
    const topsatenTensor& input, const topsatenSize_t& normalized_shape, const topsatenTensor& weight,
    const topsatenTensor& bias, const topsatenScalar_t& eps, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[294], stream, out, mean, rstd, input, normalized_shape, weight, bias,
      eps);
}
topsatenStatus_t topsatenNativeLayerNormBackward(std::tuple<topsatenTensor&, topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& grad_out, const topsatenTensor& input, const topsatenSize_t& normalized_shape,
    const topsatenTensor& mean, const topsatenTensor& rstd, const topsatenTensor& weight, const topsatenTensor& bias,
    const std::array<bool, 3>& output_mask, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[295], stream, std::get<0>(outs), std::get<1>(outs), std::get<2>(outs),
      grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask);
}
topsatenStatus_t topsatenNe(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[296], stream, out, self, other);
}
topsatenStatus_t topsatenNe(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[297], stream, out, self, other);
}
topsatenStatus_t topsatenNeg(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[298], stream, out, self);
}
topsatenStatus_t topsatenNllLossBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& self, const topsatenTensor& target, const topsatenTensor& weight, int64_t reduction,
    int64_t ignore_index, const topsatenTensor& total_weight, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[299], stream, out, grad_output, self, target, weight, reduction,
      ignore_index, total_weight);
}
topsatenStatus_t topsatenNllLossForward(std::tuple<topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& self,
    const topsatenTensor& target, const topsatenTensor& weight, int64_t reduction, int64_t ignore_index,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[300], stream, std::get<0>(outs), std::get<1>(outs), self, target, weight,
      reduction, ignore_index);
}
topsatenStatus_t topsatenNonzero(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[301], stream, out, self);
}
topsatenStatus_t topsatenNormal(topsatenTensor& out, double mean, double std, const topsatenGenerator_t& generator,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[302], stream, out, mean, std, generator);
}
topsatenStatus_t topsatenNormal(topsatenTensor& out, const topsatenTensor& mean, double std,
    const topsatenGenerator_t& generator, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[303], stream, out, mean, std, generator);
}
topsatenStatus_t topsatenNormal(topsatenTensor& out, double mean, const topsatenTensor& std,
    const topsatenGenerator_t& generator, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[304], stream, out, mean, std, generator);
}
topsatenStatus_t topsatenNormal(topsatenTensor& out, const topsatenTensor& mean, const topsatenTensor& std,
    const topsatenGenerator_t& generator, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[305], stream, out, mean, std, generator);
}
topsatenStatus_t topsatenOneHot(topsatenTensor& out, const topsatenTensor& self, int64_t num_classes,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[306], stream, out, self, num_classes);
}
topsatenStatus_t topsatenOnes(topsatenTensor& out, const topsatenSize_t& size, const topsatenDataType_t& dtype,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[307], stream, out, size, dtype);
}
topsatenStatus_t topsatenOnesLike(topsatenTensor& out, const topsatenTensor& self, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, topsatenMemoryFormat_t memory_format, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[308], stream, out, self, dtype, layout, memory_format);
}
topsatenStatus_t topsatenPoisson(topsatenTensor& out, const topsatenTensor& self, const topsatenGenerator_t& generator,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[309], stream, out, self, generator);
}
topsatenStatus_t topsatenPolar(topsatenTensor& out, const topsatenTensor& abs, const topsatenTensor& angle,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[310], stream, out, abs, angle);
}
topsatenStatus_t topsatenPow(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& exponent,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[311], stream, out, self, exponent);
}
topsatenStatus_t topsatenPow(topsatenTensor& out, const topsatenScalar_t& self, const topsatenTensor& exponent,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[312], stream, out, self, exponent);
}
topsatenStatus_t topsatenPow(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& exponent,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[313], stream, out, self, exponent);
}
topsatenStatus_t topsatenPreluKernel(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& weight,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[314], stream, out, self, weight);
}
topsatenStatus_t topsatenProd(topsatenTensor& out, const topsatenTensor& self, const topsatenDataType_t& dtype,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[315], stream, out, self, dtype);
}
topsatenStatus_t topsatenProd(topsatenTensor& out, const topsatenTensor& self, int64_t dim, bool keepdim,
    const topsatenDataType_t& dtype, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[316], stream, out, self, dim, keepdim, dtype);
}
topsatenStatus_t topsatenRShift(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[317], stream, out, self, other);
}
topsatenStatus_t topsatenRShift(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[318], stream, out, self, other);
}
topsatenStatus_t topsatenRandint(topsatenTensor& out, int64_t low, int64_t high, const topsatenSize_t& size,
    const topsatenDataType_t& dtype, topsatenLayoutType_t layout, bool pin_memory, const topsatenGenerator_t& generator,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[319], stream, out, low, high, size, dtype, layout, pin_memory, generator);
}
topsatenStatus_t topsatenRandn(topsatenTensor& out, const topsatenSize_t& size, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, bool pin_memory, const topsatenGenerator_t& generator, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[320], stream, out, size, dtype, layout, pin_memory, generator);
}
topsatenStatus_t topsatenRandnLike(topsatenTensor& out, const topsatenTensor& self, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, bool pin_memory, topsatenMemoryFormat_t memory_format,
    const topsatenGenerator_t& generator, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[321], stream, out, self, dtype, layout, pin_memory, memory_format,
      generator);
}
topsatenStatus_t topsatenRandom(topsatenTensor& self, int64_t from, const topsatenScalar_t& to,
    const topsatenPhiloxState_t& generator, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[322], stream, self, from, to, generator);
}
topsatenStatus_t topsatenRandom(topsatenTensor& self, int64_t to, const topsatenGenerator_t& generator,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[323], stream, self, to, generator);
}
topsatenStatus_t topsatenRandom(topsatenTensor& self, const topsatenGenerator_t& generator, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[324], stream, self, generator);
}
topsatenStatus_t topsatenRandperm(topsatenTensor& out, int64_t n, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, bool pin_memory, const topsatenGenerator_t& generator, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[325], stream, out, n, dtype, layout, pin_memory, generator);
}
topsatenStatus_t topsatenRange(topsatenTensor& out, const topsatenScalar_t& start, const topsatenScalar_t& end,
    const topsatenScalar_t& step, const topsatenDataType_t& dtype, topsatenLayoutType_t layout, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[326], stream, out, start, end, step, dtype, layout);
}
topsatenStatus_t topsatenReciprocal(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[327], stream, out, self);
}
topsatenStatus_t topsatenReflectionPad1d(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& padding,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[328], stream, out, self, padding);
}
topsatenStatus_t topsatenReflectionPad2d(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& padding,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[329], stream, out, self, padding);
}
topsatenStatus_t topsatenReflectionPad3d(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& padding,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[330], stream, out, self, padding);
}
topsatenStatus_t topsatenRelu(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[331], stream, out, self);
}
topsatenStatus_t topsatenRelu6(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[332], stream, out, self);
}
topsatenStatus_t topsatenRemainder(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[333], stream, out, self, other);
}
topsatenStatus_t topsatenRemainder(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[334], stream, out, self, other);
}
topsatenStatus_t topsatenRemainder(topsatenTensor& out, const topsatenScalar_t& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[335], stream, out, self, other);
}
topsatenStatus_t topsatenRepeat(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& repeats,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[336], stream, out, self, repeats);
}
topsatenStatus_t topsatenRepeatInterleave(topsatenTensor& out, const topsatenTensor& self,
    const topsatenTensor& repeats, const topsatenScalar_t& dim, const topsatenScalar_t& output_size,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[337], stream, out, self, repeats, dim, output_size);
}
topsatenStatus_t topsatenRepeatInterleave(topsatenTensor& out, const topsatenTensor& self, int64_t repeats,
    const topsatenScalar_t& dim, const topsatenScalar_t& output_size, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[338], stream, out, self, repeats, dim, output_size);
}
topsatenStatus_t topsatenReplicationPad1d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& padding, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[339], stream, out, self, padding);
}
topsatenStatus_t topsatenReplicationPad2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& padding, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[340], stream, out, self, padding);
}
topsatenStatus_t topsatenReplicationPad3d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& padding, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[341], stream, out, self, padding);
}
topsatenStatus_t topsatenRngUniform(topsatenTensor& self, double from, double to, const topsatenGenerator_t& generator,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[342], stream, self, from, to, generator);
}
topsatenStatus_t topsatenRoll(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& shifts,
    const topsatenSize_t& dims, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[343], stream, out, self, shifts, dims);
}
topsatenStatus_t topsatenRound(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[344], stream, out, self);
}
topsatenStatus_t topsatenRound(topsatenTensor& out, const topsatenTensor& self, int64_t decimals, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[345], stream, out, self, decimals);
}
topsatenStatus_t topsatenRsqrt(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[346], stream, out, self);
}
topsatenStatus_t topsatenRsub(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[347], stream, out, self, other, alpha);
}
topsatenStatus_t topsatenRsub(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[348], stream, out, self, other, alpha);
}
topsatenStatus_t topsatenScaledDotProductEfficientAttention(std::tuple<topsatenTensor&, topsatenTensor&,
    topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& query, const topsatenTensor& key,
    const topsatenTensor& value, const topsatenTensor& attn_bias, bool compute_log_sumexp, double dropout_p,
    bool is_causal, const topsatenScalar_t& scale, const topsatenPhiloxState_t& philox_state, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[349], stream, std::get<0>(outs), std::get<1>(outs), std::get<2>(outs),
      std::get<3>(outs), query, key, value, attn_bias, compute_log_sumexp, dropout_p, is_causal, scale, philox_state);
}
topsatenStatus_t topsatenScaledDotProductEfficientAttentionBackward(std::tuple<topsatenTensor&, topsatenTensor&,
    topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& grad_out_, const topsatenTensor& query,
    const topsatenTensor& key, const topsatenTensor& value, const topsatenTensor& attn_bias, const topsatenTensor& out,
    const topsatenTensor& logsumexp, const topsatenTensor& philox_seed, const topsatenTensor& philox_offset,
    double dropout_p, const std::array<bool, 4>& grad_input_mask, bool is_causal, const topsatenScalar_t& scale,
    const topsatenPhiloxState_t& philox_state, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[350], stream, std::get<0>(outs), std::get<1>(outs), std::get<2>(outs),
      std::get<3>(outs), grad_out_, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p,
      grad_input_mask, is_causal, scale, philox_state);
}
topsatenStatus_t topsatenScaledDotProductFlashAttention(std::tuple<topsatenTensor&, topsatenTensor&, topsatenTensor&,
    topsatenTensor&, int64_t&, int64_t&, topsatenTensor&, topsatenTensor&, topsatenTensor&> outs,
    const topsatenTensor& query, const topsatenTensor& key, const topsatenTensor& value, double dropout_p,
    bool is_causal, bool return_debug_mask, const topsatenScalar_t& scale, const topsatenPhiloxState_t& philox_state,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[351], stream, std::get<0>(outs), std::get<1>(outs), std::get<2>(outs),
      std::get<3>(outs), &std::get<4>(outs), &std::get<5>(outs), std::get<6>(outs), std::get<7>(outs),
      std::get<8>(outs), query, key, value, dropout_p, is_causal, return_debug_mask, scale, philox_state);
}
topsatenStatus_t topsatenScaledDotProductFlashAttentionBackward(std::tuple<topsatenTensor&, topsatenTensor&,
    topsatenTensor&> outs, const topsatenTensor& grad_out, const topsatenTensor& query, const topsatenTensor& key,
    const topsatenTensor& value, const topsatenTensor& out, const topsatenTensor& logsumexp,
    const topsatenTensor& cum_seq_q, const topsatenTensor& cum_seq_k, int64_t max_q, int64_t max_k, double dropout_p,
    bool is_causal, const topsatenTensor& philox_seed, const topsatenTensor& philox_offset,
    const topsatenScalar_t& scale, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[352], stream, std::get<0>(outs), std::get<1>(outs), std::get<2>(outs),
      grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal,
      philox_seed, philox_offset, scale);
}
topsatenStatus_t topsatenScatter(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& index,
    const topsatenTensor& src, int64_t dim, topsatenScatterComputationType_t reduce, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[353], stream, out, self, index, src, dim, reduce);
}
topsatenStatus_t topsatenScatter(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& index,
    const topsatenScalar_t& value, int64_t dim, topsatenScatterComputationType_t reduce, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[354], stream, out, self, index, value, dim, reduce);
}
topsatenStatus_t topsatenScatterAdd(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, const topsatenTensor& src, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[355], stream, out, self, dim, index, src);
}
topsatenStatus_t topsatenScatterReduce(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    const topsatenTensor& index, const topsatenTensor& src, const char* reduce, bool include_self,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[356], stream, out, self, dim, index, src, reduce, include_self);
}
topsatenStatus_t topsatenSigmoid(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[357], stream, out, self);
}
topsatenStatus_t topsatenSigmoidBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& output, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[358], stream, out, grad_output, output);
}
topsatenStatus_t topsatenSign(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[359], stream, out, self);
}
topsatenStatus_t topsatenSilu(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[360], stream, out, self);
}
topsatenStatus_t topsatenSiluBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[361], stream, out, grad_output, self);
}
topsatenStatus_t topsatenSin(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[362], stream, out, self);
}
topsatenStatus_t topsatenSinc(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[363], stream, out, self);
}
topsatenStatus_t topsatenSinh(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[364], stream, out, self);
}
topsatenStatus_t topsatenSmoothL1Loss(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& target,
    int64_t reduction, double beta, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[365], stream, out, self, target, reduction, beta);
}
topsatenStatus_t topsatenSoftmaxBackwardData(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& output, int64_t dim, const topsatenDataType_t& input_dtype, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[366], stream, out, grad_output, output, dim, input_dtype);
}
topsatenStatus_t topsatenSoftmaxForward(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[367], stream, out, self, dim);
}
topsatenStatus_t topsatenSoftmaxForward(topsatenTensor& out, const topsatenTensor& self, int64_t dim,
    bool half_to_float, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[368], stream, out, self, dim, half_to_float);
}
topsatenStatus_t topsatenSoftplus(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& beta,
    const topsatenScalar_t& threshold, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[369], stream, out, self, beta, threshold);
}
topsatenStatus_t topsatenSoftshrink(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& lambd,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[370], stream, out, self, lambd);
}
topsatenStatus_t topsatenSort(topsatenTensor& values, topsatenTensor& indices, const topsatenTensor& self,
    const topsatenScalar_t& stable, int64_t dim, bool descending, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[371], stream, values, indices, self, stable, dim, descending);
}
topsatenStatus_t topsatenSqrt(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[372], stream, out, self);
}
topsatenStatus_t topsatenSquare(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[373], stream, out, self);
}
topsatenStatus_t topsatenStack(topsatenTensor& out, const std::vector<topsatenTensor>& tensors, int64_t dim,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[374], stream, out, tensors, dim);
}
topsatenStatus_t topsatenStd(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim,
    const topsatenScalar_t& correction, bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[375], stream, out, self, dim, correction, keepdim);
}
topsatenStatus_t topsatenStdMean(topsatenTensor& std, topsatenTensor& mean, const topsatenTensor& self,
    const topsatenSize_t& dim, const topsatenScalar_t& correction, bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[376], stream, std, mean, self, dim, correction, keepdim);
}
topsatenStatus_t topsatenSub(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[377], stream, out, self, other, alpha);
}
topsatenStatus_t topsatenSub(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    const topsatenScalar_t& alpha, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[378], stream, out, self, other, alpha);
}
topsatenStatus_t topsatenSum(topsatenTensor& out, const topsatenTensor& self, const topsatenDataType_t& dtype,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[379], stream, out, self, dtype);
}
topsatenStatus_t topsatenSum(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim, bool keepdim,
    const topsatenDataType_t& dtype, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[380], stream, out, self, dim, keepdim, dtype);
}
topsatenStatus_t topsatenTan(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[381], stream, out, self);
}
topsatenStatus_t topsatenTanh(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[382], stream, out, self);
}
topsatenStatus_t topsatenTanhBackward(topsatenTensor& out, const topsatenTensor& grad_output,
    const topsatenTensor& output, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[383], stream, out, grad_output, output);
}
topsatenStatus_t topsatenThreshold(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& threshold,
    const topsatenScalar_t& value, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[384], stream, out, self, threshold, value);
}
topsatenStatus_t topsatenTile(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dims,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[385], stream, out, self, dims);
}
topsatenStatus_t topsatenTo(topsatenTensor& out, const topsatenTensor& self, const topsatenDataType_t& dtype,
    bool non_blocking, bool copy, topsatenMemoryFormat_t memory_format, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[386], stream, out, self, dtype, non_blocking, copy, memory_format);
}
topsatenStatus_t topsatenTopk(topsatenTensor& values, topsatenTensor& indices, const topsatenTensor& self, int64_t k,
    int64_t dim, bool largest, bool sorted, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[387], stream, values, indices, self, k, dim, largest, sorted);
}
topsatenStatus_t topsatenTrace(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[388], stream, out, self);
}
topsatenStatus_t topsatenTril(topsatenTensor& out, const topsatenTensor& self, int64_t diagonal, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[389], stream, out, self, diagonal);
}
topsatenStatus_t topsatenTriu(topsatenTensor& out, const topsatenTensor& self, int64_t diagonal, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[390], stream, out, self, diagonal);
}
topsatenStatus_t topsatenTrunc(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[391], stream, out, self);
}
topsatenStatus_t topsatenUnique(std::tuple<topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& self,
    bool sorted, bool return_inverse, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[392], stream, std::get<0>(outs), std::get<1>(outs), self, sorted,
      return_inverse);
}
topsatenStatus_t topsatenUnique2(topsatenTensor& out, topsatenTensor& inverse, topsatenTensor& counts,
    const topsatenTensor& self, bool sorted, bool return_inverse, bool return_counts, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[393], stream, out, inverse, counts, self, sorted, return_inverse,
      return_counts);
}
topsatenStatus_t topsatenUniqueConsecutive(topsatenTensor& out, topsatenTensor& inverse, topsatenTensor& counts,
    const topsatenTensor& self, bool return_inverse, bool return_counts, const topsatenScalar_t& dim,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[394], stream, out, inverse, counts, self, return_inverse, return_counts,
      dim);
}
topsatenStatus_t topsatenUpsampleBicubic2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, bool align_corners, const topsatenScalar_t& scales_h,
    const topsatenScalar_t& scales_w, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[395], stream, out, self, output_size, align_corners, scales_h, scales_w);
}
topsatenStatus_t topsatenUpsampleBicubic2dAa(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, bool align_corners, const topsatenScalar_t& scales_h,
    const topsatenScalar_t& scales_w, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[396], stream, out, self, output_size, align_corners, scales_h, scales_w);
}
topsatenStatus_t topsatenUpsampleBilinear2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, bool align_corners, const topsatenScalar_t& scales_h,
    const topsatenScalar_t& scales_w, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[397], stream, out, self, output_size, align_corners, scales_h, scales_w);
}
topsatenStatus_t topsatenUpsampleBilinear2dAa(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, bool align_corners, const topsatenScalar_t& scales_h,
    const topsatenScalar_t& scales_w, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[398], stream, out, self, output_size, align_corners, scales_h, scales_w);
}
topsatenStatus_t topsatenUpsampleLinear1d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, bool align_corners, const topsatenScalar_t& scales, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[399], stream, out, self, output_size, align_corners, scales);
}
topsatenStatus_t topsatenUpsampleNearest2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, const topsatenScalar_t& scales_h, const topsatenScalar_t& scales_w,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[400], stream, out, self, output_size, scales_h, scales_w);
}
topsatenStatus_t topsatenUpsampleNearest3d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, const topsatenScalar_t& scales_d, const topsatenScalar_t& scales_h,
    const topsatenScalar_t& scales_w, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[401], stream, out, self, output_size, scales_d, scales_h, scales_w);
}
topsatenStatus_t topsatenUpsampleNearestExact1d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, const topsatenScalar_t& scales, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[402], stream, out, self, output_size, scales);
}
topsatenStatus_t topsatenUpsampleNearestExact2d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, const topsatenScalar_t& scales_h, const topsatenScalar_t& scales_w,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[403], stream, out, self, output_size, scales_h, scales_w);
}
topsatenStatus_t topsatenUpsampleNearestExact3d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, const topsatenScalar_t& scales_d, const topsatenScalar_t& scales_h,
    const topsatenScalar_t& scales_w, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[404], stream, out, self, output_size, scales_d, scales_h, scales_w);
}
topsatenStatus_t topsatenUpsampleTrilinear3d(topsatenTensor& out, const topsatenTensor& self,
    const topsatenSize_t& output_size, bool align_corners, const topsatenScalar_t& scales_d,
    const topsatenScalar_t& scales_h, const topsatenScalar_t& scales_w, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[405], stream, out, self, output_size, align_corners, scales_d, scales_h,
      scales_w);
}
topsatenStatus_t topsatenVar(topsatenTensor& out, const topsatenTensor& self, const topsatenSize_t& dim,
    const topsatenScalar_t& correction, bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[406], stream, out, self, dim, correction, keepdim);
}
topsatenStatus_t topsatenVarMean(std::tuple<topsatenTensor&, topsatenTensor&> outs, const topsatenTensor& self,
    const topsatenSize_t& dim, const topsatenScalar_t& correction, bool keepdim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[407], stream, std::get<0>(outs), std::get<1>(outs), self, dim, correction,
      keepdim);
}
topsatenStatus_t topsatenWeightNormInterface(topsatenTensor& out, topsatenTensor& norms, const topsatenTensor& v,
    const topsatenTensor& g, int64_t dim, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[408], stream, out, norms, v, g, dim);
}
topsatenStatus_t topsatenWhere(topsatenTensor& out, const topsatenTensor& condition, const topsatenTensor& self,
    const topsatenTensor& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[409], stream, out, condition, self, other);
}
topsatenStatus_t topsatenWhere(topsatenTensor& out, const topsatenTensor& condition, const topsatenScalar_t& self,
    const topsatenTensor& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[410], stream, out, condition, self, other);
}
topsatenStatus_t topsatenWhere(topsatenTensor& out, const topsatenTensor& condition, const topsatenTensor& self,
    const topsatenScalar_t& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[411], stream, out, condition, self, other);
}
topsatenStatus_t topsatenWhere(topsatenTensor& out, const topsatenTensor& condition, const topsatenScalar_t& self,
    const topsatenScalar_t& other, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[412], stream, out, condition, self, other);
}
topsatenStatus_t topsatenXlogy(topsatenTensor& out, const topsatenTensor& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[413], stream, out, self, other);
}
topsatenStatus_t topsatenXlogy(topsatenTensor& out, const topsatenScalar_t& self, const topsatenTensor& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[414], stream, out, self, other);
}
topsatenStatus_t topsatenXlogy(topsatenTensor& out, const topsatenTensor& self, const topsatenScalar_t& other,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[415], stream, out, self, other);
}
topsatenStatus_t topsatenZero(topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[416], stream, self);
}
topsatenStatus_t topsatenZeros(topsatenTensor& out, const topsatenSize_t& size, const topsatenDataType_t& dtype,
    topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[417], stream, out, size, dtype);
}
topsatenStatus_t topsatenZerosLike(topsatenTensor& out, const topsatenTensor& self, const topsatenDataType_t& dtype,
    topsatenLayoutType_t layout, topsatenMemoryFormat_t memory_format, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[418], stream, out, self, dtype, layout, memory_format);
}
topsatenStatus_t topsateni0(topsatenTensor& out, const topsatenTensor& self, topsStream_t stream) {
  return tops_standin::call(tops_standin::ops[419], stream, out, self);
}

}  // namespace topsaten
