"""Breaks the kernels one by one, on the stand-in, and says which breaks no test of test_rows.py sees.

    python vendors/gcu/tests/mutations.py [--sdk build/gcu-sdk] [--work build/gcu-mutants] [PATTERN ...]

Each mutant is a change of text: in the generated function of one row (one row or more per call shape of templates/), in
that row's flags, in a file of src/kernels, or in core's vendor_kit.h. It is compiled alone and linked before the
vendor's own objects, whose symbols are made weak, so that a mutant costs seconds. PATTERNs (fnmatch) choose mutants by
name; the exit status is 1 where one survives. It is no part of the tests because of its time: about ten minutes.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
VENDOR = ROOT / "vendors" / "gcu"
GENERATED = VENDOR / "src" / "generated"
TESTS = Path(__file__).with_name("test_rows.py")
SECONDS = 200  # of one mutant's tests: one that hangs is seen as well
ABSENT = "whole(0, FL_OTHER_DTYPE)"  # topsaten's undefined number


@dataclass(frozen=True)
class Mutant:
    """name: `<shape or file>: <what is broken>`. source: the mutated translation unit. tests: pytest's -k. head: the
    headers that are compiled beforehand are as they are."""

    name: str
    source: str
    tests: str
    head: bool = True


# Call shape -> ops: what is broken -> (text of the row's function, what takes its place). `wrong stream`
# and `lost strides` come to all of them by themselves.
SHAPES: dict[str, dict[str, dict[str, tuple[str, str]]]] = {
    "unary": {
        "clamp": {
            "swapped bounds": ("c.scalar(1, true), c.scalar(2, true)", "c.scalar(2, true), c.scalar(1, true)"),
            "ignored bound": ("c.scalar(2, true)", ABSENT),
        },
        "isin.Tensor_Tensor": {"ignored invert": ("c.boolean(3)", "false"), "swapped": ("c.tensor(1)", "c.tensor(0)")},
    },
    "unary_float": {"exp": {}},
    "activation": {
        "leaky_relu": {"ignored slope": ("c.scalar(1)", "real_number(0.01)")},
        "elu": {"swapped scales": ("c.scalar(1), c.scalar(2)", "c.scalar(2), c.scalar(1)")},
        "pow.Tensor_Scalar": {"ignored exponent": ("c.scalar(1)", "real_number(2)")},
    },
    "binary": {
        "sub.Tensor": {
            "swapped arguments": ("c.tensor(0), c.tensor(1)", "c.tensor(1), c.tensor(0)"),
            "ignored alpha": ("c.scalar(2)", "whole(1, fl_dtype_to_id(c.arg(0).v.tensor.dtype))"),
        },
        "addcmul": {"ignored value": ("c.scalar(3)", "real_number(1)")},
    },
    "binary_float": {
        "div.Tensor": {"swapped arguments": ("c.tensor(0), c.tensor(1)", "c.tensor(1), c.tensor(0)")},
        "lerp.Scalar": {
            "swapped arguments": ("c.tensor(0), c.tensor(1)", "c.tensor(1), c.tensor(0)"),
            "ignored weight": ("c.scalar(2)", "real_number(0.5)"),
        },
    },
    "compare": {
        "lt.Tensor": {"swapped arguments": ("c.tensor(0), c.tensor(1)", "c.tensor(1), c.tensor(0)")},
        "lt.Scalar": {"ignored number": ("c.scalar(1)", "real_number(0)")},
    },
    "where": {"where.self": {"swapped arguments": ("c.tensor(1), c.tensor(2)", "c.tensor(2), c.tensor(1)")}},
    "reduce": {
        "sum.dim_IntList": {"ignored dimensions": ("c.dims(1)", "topsatenSize_t{}")},
        "amax": {"ignored keepdim": ("c.boolean(2)", "!c.boolean(2)")},
        "argmax": {"ignored dimension": ("c.optional(1, true)", "whole(0, FL_I64)")},
        "cumsum": {"ignored dimension": ("c.dim(1)", "0")},
    },
    "reduce_float": {
        "var.correction": {
            "ignored correction": ("c.scalar(2)", "whole(1)"),
            "ignored dimensions": ("c.dims(1)", "topsatenSize_t{}"),
        },
        "linalg_vector_norm": {"ignored order": ("c.scalar(1)", "real_number(2)")},
    },
    "extreme": {
        "max.dim": {"swapped outputs": ("out0, out1", "out1, out0"), "ignored dimension": ("c.dim(1)", "0")},
        "topk": {"ignored largest": ("c.boolean(3)", "true")},
        "sort.stable": {"ignored descending": ("c.boolean(3)", "false")},
    },
    "numeric": {
        "addmm": {
            "swapped factors": ("c.tensor(1), c.tensor(2)", "c.tensor(2), c.tensor(1)"),
            "swapped numbers": ("c.scalar(3), c.scalar(4)", "c.scalar(4), c.scalar(3)"),
            "ignored alpha": ("c.scalar(4)", "real_number(1)"),
        },
        "_softmax": {"ignored dimension": ("c.dim(1)", "1")},
        "convolution_overrideable": {
            "swapped stride and dilation": ("c.size(3), c.size(4), c.size(5)", "c.size(5), c.size(4), c.size(3)"),
            "ignored groups": ("c.integer(8)", "1"),
            "ignored bias": ("c.tensor(2)", "topsatenTensor()"),
        },
        "_scaled_dot_product_efficient_attention": {
            "swapped key and query": ("c.tensor(0), c.tensor(1)", "c.tensor(1), c.tensor(0)"),
            "ignored scale": ("c.optional(7)", ABSENT),
            "ignored causality": ("c.boolean(6)", "false"),
        },
        "_scaled_dot_product_efficient_attention_backward": {
            "swapped key and value": ("c.tensor(2), c.tensor(3)", "c.tensor(3), c.tensor(2)"),
            "ignored scale": ("c.optional(12)", ABSENT),
        },
        "native_layer_norm": {"ignored eps": ("c.optional(4)", "real_number(1e-5, TOPSATEN_DATA_F64)")},
        "_amp_update_scale_": {
            "swapped factors": ("c.real(3), c.real(4)", "c.real(4), c.real(3)"),
            "ignored interval": ("c.integer(5)", "2000"),
        },
        "upsample_bilinear2d": {"ignored corners": ("c.boolean(2)", "false")},
        "frexp.Tensor": {"lost exponent": ("= c.out(1)", "= topsatenTensor(c.temporary(FL_I32, c.out_view(1)))")},
        "polar": {"swapped": ("c.tensor(0), c.tensor(1)", "c.tensor(1), c.tensor(0)")},
        "bucketize.Tensor": {
            "ignored side": ("true, c.boolean(3)", "true, false"),
            "positions that are not widened": ("c.narrow_out(0)", "c.out(0)"),
        },
        "_fft_r2c": {"ignored normalization": ("c.integer(2)", "int64_t{0}")},
        "_fft_c2r": {"ignored size": ("c.integer(3)", "c.integer(3) - 1")},
        "max_pool3d_with_indices": {
            "swapped": ("c.size(1), c.size(c.size(2)", "c.size(2), c.size(c.size(1)"),
            "ignored dilation": ("c.size(3), c.size(4)", "c.size(3), c.size(3)"),
        },
        "grid_sampler_2d": {"ignored mode": ("c.integer(2)", "int64_t{0}")},
        "channel_shuffle": {"ignored groups": ("c.integer(1)", "int64_t{1}")},
        "_weight_norm_interface": {"ignored dimension": ("c.dim(2)", "int64_t{0}")},
        "nll_loss2d_forward": {
            "ignored reduction": ("c.integer(3)", "int64_t{1}"),
            "ignored index": (", c.integer(4), c.stream()", ", int64_t{-100}, c.stream()"),
            "ignored weight": ("c.tensor(2)", "topsatenTensor()"),
        },
        "multi_margin_loss": {
            "swapped numbers": ("c.scalar(2), c.scalar(3)", "c.scalar(2), c.scalar(2)"),
            "ignored weight": ("c.tensor(4)", "topsatenTensor()"),
        },
        "eye.m_out": {"swapped": ("c.integer(0), c.integer(1)", "c.integer(1), c.integer(0)")},
    },
    "foreach": {
        "_foreach_sub.List": {
            "swapped arguments": ("c.tensors(0), c.tensors(1)", "c.tensors(1), c.tensors(0)"),
            "ignored alpha": ("c.scalar(2)", "real_number(1)"),
        },
        "_foreach_add.ScalarList": {
            "ignored numbers": ("c.scalars(1)", "std::vector<topsatenScalar_t>(c.scalars(1).size(), c.scalars(1)[0])")
        },
        "_amp_foreach_non_finite_check_and_unscale_": {"ignored scale": ("c.tensor(2)", "c.tensor(1)")},
    },
    "foreach_one": {"_foreach_add.Tensor": {"ignored alpha": ("c.scalar(2)", "real_number(1)")}},
    "random": {
        "normal_": {"swapped numbers": ("c.real(1), c.real(2)", "c.real(2), c.real(1)")},
        "uniform_": {"ignored seed": ("c.generator(3)", "topsatenGenerator_t{1, c.generator(3).offset}")},
        "exponential_": {"ignored rate": ("c.real(1)", "1.0")},
        "bernoulli_.float": {"ignored offset": ("c.generator(2)", "topsatenGenerator_t{c.generator(2).seed, 0}")},
        "normal.Tensor_float": {"ignored deviation": ("c.real(1)", "1.0")},
    },
    "movement": {
        "flip": {
            "ignored dimensions": ("c.dims(1, false)", "topsatenSize_t{}"),
            "not in words": ("c.moved(0)", "c.tensor(0)"),
        },
        "cat": {"ignored dimension": ("c.dim(1)", "0")},
        "roll": {"swapped": ("c.dims(2, false)", "c.size(1)")},
        "index_select": {"ignored dimension": ("c.dim(1), c.index", "1, c.index")},
        "index.Tensor": {"ignored order": ("c.indices(1, 0)", "std::vector<topsatenTensor>{c.indices(1, 0)[0]}")},
        "_index_put_impl_": {"ignored accumulate": ("c.boolean(3)", "false")},
    },
    "indexed": {
        "gather": {"ignored dimension": ("c.dim(1), c.index", "0, c.index")},
        "scatter.src": {"ignored dimension": ("c.dim(1), TOPS", "0, TOPS"), "swapped": ("c.tensor(3)", "c.tensor(0)")},
        "scatter.value": {"ignored value": ("c.scalar(3)", "real_number(1)")},
        "index_add": {"ignored alpha": ("c.scalar(4)", "real_number(1)")},
        "index_fill_.int_Scalar": {"ignored value": ("c.scalar(3)", "real_number(1)")},
    },
    "masked": {
        "masked_fill_.Tensor": {"swapped arguments": ("c.tensor(2), c.tensor(0)", "c.tensor(0), c.tensor(2)")},
        "masked_scatter_": {"swapped arguments": ("c.tensor(2)", "c.tensor(0)")},
    },
    "function": {
        "masked_fill_.Scalar": {"ignored value": ("c.arg(2).v.scalar", "fl_scalar{FL_INT, 0, {1}}")},
        "tanh_backward": {"swapped arguments": ("c.out_view(0), c.view(0)", "c.out_view(0), c.view(1)")},
        "sigmoid_backward": {"swapped arguments": ("m.mul(c.view(0)", "m.mul(c.view(1)")},
        "threshold_backward": {
            "swapped arguments": ("c.tensor(1), c.scalar(2)", "c.tensor(0), c.scalar(2)"),
            "ignored threshold": ("c.scalar(2)", "real_number(0)"),
        },
        "_log_softmax_backward_data": {"ignored dimension": ("c.dim(2)", "1")},
        "embedding": {"swapped": ("c.extent(0, 1)", "c.extent(0, 0)")},
        "embedding_dense_backward": {"ignored padding": ("c.integer(3)", "-1")},
        "randperm.generator_out": {"ignored generator": ("c.generator(1)", "topsatenGenerator_t{1, 1}")},
        "im2col": {"swapped": ("c.size(2), c.size(3)", "c.size(3), c.size(2)")},
        "col2im": {"swapped": ("c.size(3), c.size(4)", "c.size(4), c.size(3)")},
        "linspace.out": {"swapped": ("c.scalar(0), c.scalar(1)", "c.scalar(1), c.scalar(0)")},
        "logspace.out": {"ignored base": ("c.real(3)", "10.0")},
        "normal.Tensor_Tensor": {
            "swapped": ("c.tensor(0), c.tensor(1)", "c.tensor(1), c.tensor(0)"),
            "ignored deviation": ("c.tensor(0), c.tensor(1)", "c.tensor(0), 1.0"),
            "unchecked deviation": ("check_deviations(c); ", ""),
        },
        "normal.float_Tensor": {"ignored mean": ("c.real(0)", "0.0")},
    },
    "dynamic": {"_unique2": {"swapped outputs": ("2, 3", "3, 2")}},
    "any": {"fill_.Scalar": {"ignored value": ("c.arg(1).v.scalar", "fl_scalar{FL_INT, 0, {1}}")}},
}
# Rows whose kernels look at strides themselves, or whose functions stand in src/kernels.
READS_NOTHING = {"randperm.generator_out", "linspace.out", "logspace.out", "eye.m_out"}  # that could be late or strided
NO_STREAM = {"_unique2", "fill_.Scalar"} | READS_NOTHING
NO_STRIDES = {"fill_.Scalar", "_amp_update_scale_", "_fft_r2c", "_fft_c2r"} | READS_NOTHING  # core keeps strided FFTs
TESTS_OF = {  # -k, where it is not the shape
    "_scaled_dot_product_efficient_attention_backward": "gradients and attention",
    "randperm.generator_out": "randperm",
    "normal.Tensor_Tensor": "normal or refuses",
    "normal.Tensor_float": "normal",
    "normal.float_Tensor": "normal or refuses",
}
# File of src/kernels -> what is broken -> (text, what takes its place, -k). `stream` comes by itself.
FILES: dict[str, dict[str, tuple[str, str, str]]] = {
    "copy.cpp": {
        "lost strides": ("dst.merge(src);", "src.pack();\n  dst.merge(src);", "any"),
        "swapped arguments": (
            "FL_ATEN(c, Copy, to, src.moved(), false)",
            "FL_ATEN(c, Copy, src.moved(), to, false)",
            "any",
        ),
        "lost strides of a cast": ("const View from = packed(c, src);", "const View from = src;", "any"),
        "the high word is not the sign": ("FL_I32, 31, low", "FL_I32, 1, low", "any"),
        "swapped words": ("copy_elements(c, words.last(1), high);", "copy_elements(c, words.last(1), low);", "any"),
        "a bool of the low word": ("FL_ATEN(c, BitwiseOr, low, low, high);", "", "any"),
    },
    "topsaten.cpp": {
        "indices not counted from the end": ("FL_ATEN(*this, Where, narrow, differ, inside, narrow);", "", "movement"),
        "unchecked high words": ("FL_ATEN(*this, LogicalOr, differ, differ, odd);", "", "outside"),
        "no fault": ("FL_ATEN(*this, LogicalOr, seen, seen, any);", "", "outside"),
        "unclamped indices": ("return inside;", "return narrow;", "outside"),
        "no offset": ("  return g;", "  g.offset = 0;\n  return g;", "random"),
        "lost numbers": ("real_number(real)", "real_number(1)", "any or function"),
        "cut numbers of 64 bits": (
            "std::memcpy(words, dtype == FL_I64",
            "words[1] = 0;\n    if (false) std::memcpy(words, dtype == FL_I64",
            "any",
        ),
    },
    "functions.cpp": {
        "zero: lost strides": ("if (out.contiguous())", "if (true)", "any"),
        "normal: unchecked deviations": ("if (count_nonzero(c, right) != given.numel()) unsupported();", "", "refuses"),
        "histc: swapped ends": ("c.scalar(2), c.scalar(3));", "c.scalar(3), c.scalar(2));", "histc"),
        "histc: unchecked ends": ("if (count_nonzero(c, finite) != self.numel()) unsupported();", "", "refuses"),
        "arange: swapped numbers": ("c.scalar(0), c.scalar(1)", "c.scalar(1), c.scalar(0)", "function"),
        "nonzero: ignored value": ("c.constant(FL_I64, c.integer(2), out)", "c.constant(FL_I64, -1, out)", "dynamic"),
        "nonzero: ignored size": ("size < 0 ? count : c.integer(size)", "count", "dynamic"),
        "masked_select: swapped": ("MaskedSelect, out, self, mask", "MaskedSelect, out, mask, self", "dynamic"),
        "unique: swapped ends": (
            "ends.part(1, count), ends.part(0, count)",
            "ends.part(0, count), ends.part(1, count)",
            "dynamic",
        ),
        "unique: ignored factor": ("ends.part(0, count), whole(-1)", "ends.part(0, count), whole(1)", "dynamic"),
        "unique: ignored order": ("sorts ? ones : ids", "ids", "dynamic"),
        "unique: sorts runs": ("if (sorts) {", "if (true) {", "dynamic"),
        "random: ignored low": ("self, low, c.optional(to)", "self, 0, c.optional(to)", "random"),
        "batch norm: ignored eps": ("m.add(real(4), c.real(7))", "m.add(real(4), 1e-5)", "batch"),
        "batch norm: ignored weight": ("c.given(1) ? m.mul(scale, real(1)) : scale", "scale", "batch"),
        "batch norm: ignored mean": ("m.mul(m.mul(mean, slope), -1)", "m.mul(m.mul(mean, slope), 0)", "batch"),
        "batch norm: ignored momentum": ("true, c.real(6), c.real(7)", "true, 0.1, c.real(7)", "batch"),
        "glu: ignored dimension": ("glu, x, dx, dim)", "glu, x, dx, 0)", "glu"),
        "multinomial: ignored replacement": (
            "number, c.boolean(2), c.generator",
            "number, false, c.generator",
            "multinomial",
        ),
        "multinomial: ignored seed": (
            "c.generator(3, weights.numel() + found.numel())",
            "topsatenGenerator_t{1, 1}",
            "random",
        ),
    },
    "backward.cpp": {
        "gelu: swapped": ("c.out_view(0), c.view(0), slope", "c.out_view(0), c.view(1), slope", "function"),
        "gelu: ignored approximation": ("c.text(2)[0] == 'n'", "c.text(2)[0] != '-'", "function"),
        "nll_loss: ignored weight": ("if (c.given(3))", "if (false)", "nll_loss"),
        "nll_loss: ignored index": (
            "FL_ATEN(c, Where, value, keep, value, c.constant(FL_F32, 0, target));",
            "",
            "nll_loss",
        ),
        "nll_loss: ignored reduction": ("if (c.integer(4) == 1)", "if (false)", "nll_loss"),
        "layer_norm: ignored weight": ("c.given(5) ?", "false ?", "layer"),
        "layer_norm: lost average": ("m.add(scaled, average, -1)", "m.add(scaled, average, 0)", "layer"),
        "convolution: swapped gradient and input": (
            "convolve(pictured(c.out_view(0)), grad,",
            "convolve(pictured(c.out_view(0)), x,",
            "conv or transposed",
        ),
        "convolution: swapped stride and dilation": (
            "dilation, stride, false, none",
            "stride, dilation, false, none",
            "conv or transposed",
        ),
        "convolution: ignored groups": (
            "exchanged(c, big, c.integer(9))",
            "exchanged(c, big, 1)",
            "conv or transposed",
        ),
        "convolution: ignored padding": ("size(step), size(padding)", "size(step), size(none)", "conv or transposed"),
        "convolution: lost rest": ("transposed ? none : more", "none", "conv or transposed"),
        "convolution: lost strides": (
            "copy_elements(c, to, from);",
            "from.pack();\n  copy_elements(c, to, from);",
            "conv or transposed",
        ),
        "convolution: wrong sum": ("List dims{0};", "List dims{};", "conv or transposed"),
        "convolution: a line as a column": (
            "all.insert(all.begin(), first)",
            "all.push_back(first)",
            "conv or transposed",
        ),
    },
}
# The same for vendor_kit.h, whose views copy.cpp splits into words and merges.
KIT: dict[str, tuple[str, str, str]] = {
    "lost strides of words": ("v.strides[d] *= count;", "v.strides[d] *= 1;", "any"),
    "word 1 is word 0": ("v.data += index * strides[v.rank] * width;", "", "any"),
    "merged dimensions that are not one": ("strides[kept - 1] == sizes[d] * strides[d]", "true", "any"),
}
WRONG_STREAM = """#undef FL_ATEN
#define FL_ATEN(c, Name, out, ...)                                    \\
  do {                                                                \\
    topsatenTensor fl_written = (out);                                \\
    must(#Name, topsaten::topsaten##Name(fl_written, __VA_ARGS__, topsStream_t{})); \\
  } while (false)
"""


def one(text: str, old: str, new: str, what: str) -> str:
    if old not in text:
        raise SystemExit(f"{what}: there is no `{old}` any more; the mutant has to follow the kernel")
    return text.replace(old, new)


def functions() -> dict[str, str]:
    """Op -> the text of its generated function."""
    found = {}
    for path in sorted(GENERATED.glob("ops_*.cpp")):
        for block in path.read_text(encoding="utf-8").split("\n// ---- ")[1:]:
            found[block.split("(")[0]] = "// ---- " + block.rsplit("\n}  // namespace", 1)[0] + "\n"
    return found


def unit(function: str, head: str = "") -> str:
    return (
        f'#include "generated/ops.h"\n#include "kernels/functions.h"\n{head}namespace torch_fl_gcu {{\n{function}\n'
        "}  // namespace torch_fl_gcu\n"
    )


def flagged(op: str, flags: str, what: str) -> str:
    """rows.cpp without those flags (a regular expression) of one row."""
    text = (GENERATED / "rows.cpp").read_text(encoding="utf-8")
    row = re.search(rf'    \{{sizeof\(fl_row\), "aten::{re.escape(op)}\(.*?\}},\n', text, re.DOTALL)
    if row is None or not re.search(flags, row.group()):
        raise SystemExit(f"{what}: there is no such row any more")
    return text.replace(row.group(), re.sub(flags, "0", row.group()))


def mutants() -> list[Mutant]:
    found, generated = [], functions()
    for shape, ops in SHAPES.items():
        for op, breaks in ops.items():
            tests = TESTS_OF.get(op, shape)
            for what, (old, new) in breaks.items():
                name = f"{shape}: {op}: {what}"
                found.append(Mutant(name, unit(one(generated[op], old, new, name)), tests))
            if op not in NO_STREAM:
                name, function = f"{shape}: {op}: wrong stream", generated[op]
                if "c.stream()" in function:
                    found.append(Mutant(name, unit(one(function, "c.stream()", "topsStream_t{}", name)), tests))
                else:
                    found.append(Mutant(name, unit(function, WRONG_STREAM), tests))
            if op not in NO_STRIDES:
                name = f"{shape}: {op}: lost strides"
                found.append(Mutant(name, flagged(op, "FL_ROW_DENSE|FL_ROW_CONTIGUOUS", name), tests))
            if shape in ("binary", "binary_float", "compare", "where") and ".Scalar" not in op:
                name = f"{shape}: {op}: lost broadcasting"
                found.append(Mutant(name, flagged(op, "FL_ROW_BROADCAST", name), tests))
    for file, breaks in FILES.items():
        text = (VENDOR / "src" / "kernels" / file).read_text(encoding="utf-8")
        for what, (old, new, tests) in breaks.items():
            name = f"{file}: {what}"
            found.append(Mutant(name, one(text, old, new, name), tests))
        head, rest = text.split("\nnamespace torch_fl_gcu {", 1)
        tests = {
            "copy.cpp": "any",
            "topsaten.cpp": "movement",
            "functions.cpp": "dynamic",
            "backward.cpp": "gradients",
        }[file]
        found.append(Mutant(f"{file}: wrong stream", f"{head}\n{WRONG_STREAM}\nnamespace torch_fl_gcu {{{rest}", tests))
    kit = (ROOT / "core" / "include" / "torch_fl" / "vendor_kit.h").read_text(encoding="utf-8")
    user = (VENDOR / "src" / "kernels" / "copy.cpp").read_text(encoding="utf-8")
    for what, (old, new, tests) in KIT.items():
        name = f"vendor_kit.h: {what}"
        found.append(Mutant(name, one(kit, old, new, name) + user, tests, head=False))
    return found


class Bench:
    """The vendor's objects, built once, and what a mutant needs beside them."""

    def __init__(self, work: Path, sdk: Path):
        self.work, self.sdk, self.package = work, sdk, work / "package"
        self.package.mkdir(parents=True, exist_ok=True)
        for name in ("vendor.toml", "routes.conf"):
            shutil.copyfile(VENDOR / name, self.package / name)
        build, environment = work / "build", os.environ | {"TOPS_HOME": str(sdk)}
        run(["cmake", "-S", str(VENDOR), "-B", str(build)], environment)
        run(["cmake", "--build", str(build)], environment)
        folders = [VENDOR / "src", ROOT / "core" / "include", sdk / "include", sdk / "include" / "gcu"]
        self.compile = ["c++", "-std=c++17", "-O0", "-fPIC", "-fvisibility=hidden", *(f"-I{f}" for f in folders)]
        head = work / "head.h"  # compiled once: most of what a mutant's compilation reads
        head.write_text('#include "generated/ops.h"\n#include "kernels/functions.h"\n', encoding="utf-8")
        run([*self.compile, "-x", "c++-header", str(head), "-o", f"{head}.gch"])
        run(["objcopy", "--weaken", str(build / "gcu_rows.o"), str(work / "rows.o")])
        self.runtime = [str(p) for p in (build / "CMakeFiles" / "torch_fl_gcu.dir").rglob("*.o")]

    def link(self, *objects: Path) -> None:
        library = str(self.package / "libtorch_fl_gcu.so")
        # Weak references alone would not make a library needed.
        libraries = [
            "-Wl,--no-as-needed",
            f"-L{self.sdk}/lib",
            f"-Wl,-rpath,{self.sdk}/lib",
            "-ltopsaten",
            "-ltopsrt",
            "-ldl",
            "-lpthread",
        ]
        run(["c++", "-shared", "-o", library, *map(str, objects), str(self.work / "rows.o"), *self.runtime, *libraries])

    def make(self, mutant: Mutant) -> None:
        source, made = self.work / "mutant.cpp", self.work / "mutant.o"
        source.write_text(mutant.source, encoding="utf-8")
        head = ["-include", str(self.work / "head.h")] if mutant.head else []
        run([*self.compile, *head, "-c", str(source), "-o", str(made)])
        self.link(made)

    def test(self, tests: str) -> str:
        """How pytest ended on the library in `package`: "passed", "failed", "crashed" or "hung". In a process that
        finds torch and pytest loaded, and nothing else."""
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            log = os.open(self.work / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(log, 1)
            os.dup2(log, 2)
            import pytest
            import torch_fl_gcu

            torch_fl_gcu.__spec__.submodule_search_locations[:] = [str(self.package)]
            torch_fl_gcu.__path__ = [str(self.package)]
            words = ["-x", "-q", "-p", "no:cacheprovider", str(TESTS), *(["-k", tests] if tests else [])]
            status = pytest.main(words)
            sys.stdout.flush()
            os._exit(int(status))
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return "hung" if os.WTERMSIG(status) == signal.SIGALRM else "crashed"
        ended = {0: "passed", 1: "failed"}.get(os.WEXITSTATUS(status))
        if ended is None:
            raise SystemExit(f"-k {tests!r}: pytest could not run:\n{(self.work / 'log').read_text(encoding='utf-8')}")
        return ended


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{(done.stdout + done.stderr)[-4000:]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sdk", type=Path, default=ROOT / "build" / "gcu-sdk", help="the built stand-in")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "gcu-mutants", help="a folder for what is built")
    parser.add_argument("patterns", nargs="*", default=["*"], metavar="PATTERN", help="mutants by name")
    options = parser.parse_args()
    chosen = [m for m in mutants() if any(fnmatch.fnmatch(m.name, p) for p in options.patterns)]
    os.environ |= {"FLAGOS_ACCELERATOR": "gcu", "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "OMP_NUM_THREADS": "1"}
    import pytest  # noqa: F401  every mutant's process starts with these
    import torch.testing  # noqa: F401

    bench = Bench(options.work.resolve(), options.sdk.resolve())
    bench.link()
    if bench.test("") != "passed":
        raise SystemExit(f"the kernels as they are fail: {bench.work / 'log'}")
    ends: collections.Counter[str] = collections.Counter()
    start = time.monotonic()
    for mutant in chosen:
        bench.make(mutant)
        ended = bench.test(mutant.tests)
        ends[ended] += 1
        print(f"{'SURVIVED' if ended == 'passed' else ended:9}{mutant.name}", flush=True)
    killed = sum(ends.values()) - ends["passed"]
    how = ", ".join(f"{count} {end}" for end, count in ends.items() if end != "passed")
    print(
        f"{len(chosen)} mutants, {killed} killed ({how}), {ends['passed']} survived; {time.monotonic() - start:.0f} s"
    )
    return int(ends["passed"] != 0)


if __name__ == "__main__":
    sys.exit(main())
