"""The boundary: it can express every op, libraries keep to it, and each way to fail to load has its own message."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
import torch
from harness import child
from harness.device import needs_device, vendor_name

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_HEADER = _ROOT / "core" / "include" / "torch_fl" / "vendor.h"
_PRIMITIVES = _ROOT / "core" / "primitives.txt"

# PyTorch's type of an argument -> fl_kind. An optional one adds FL_NONE.
_ARGUMENT_KINDS = {
    "Tensor": "FL_TENSOR",
    "List[Tensor]": "FL_TENSOR_LIST",
    "List[Optional[Tensor]]": "FL_OPTIONAL_TENSOR_LIST",
    "int": "FL_INT",
    "SymInt": "FL_INT",
    "float": "FL_DOUBLE",
    "bool": "FL_BOOLEAN",
    "complex": "FL_COMPLEX",
    "number": "FL_SCALAR",
    "Scalar": "FL_SCALAR",
    "ScalarType": "FL_DTYPE",
    "Layout": "FL_LAYOUT",
    "MemoryFormat": "FL_MEMORY_FORMAT",
    "str": "FL_STRING",
    "Generator": "FL_GENERATOR",
    "Device": "FL_DEVICE",
    "List[int]": "FL_INT_LIST",
    "List[SymInt]": "FL_INT_LIST",
    "List[float]": "FL_DOUBLE_LIST",
    "List[bool]": "FL_BOOL_LIST",
    "List[number]": "FL_SCALAR_LIST",
    "List[Scalar]": "FL_SCALAR_LIST",
    "List[str]": "FL_STRING_LIST",
}
# A result is a tensor, none, a list, or a host value.
_RESULT_KINDS = {
    "FL_TENSOR",
    "FL_TENSOR_LIST",
    "FL_INT",
    "FL_DOUBLE",
    "FL_BOOLEAN",
    "FL_SCALAR",
    "FL_DTYPE",
    "FL_INT_LIST",
}
# What takes these is served by core itself, whatever the vendor.
_CORES_OWN = {"Storage", "Stream", "QScheme"}
# Their weights are objects of a class that PyTorch has for CPU engines only.
_HOST_ONLY = {"quantized_gru", "quantized_lstm"}


def _kinds() -> set[str]:
    body = re.search(r"typedef enum fl_kind \{(.*?)\} fl_kind;", _HEADER.read_text(), re.S)[1]
    return set(re.findall(r"\bFL_[A-Z_]+", body))


def _overloads_with_kernels() -> list:
    names = set()
    for key in ("CPU", "CUDA", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"):
        names |= set(torch._C._dispatch_get_registrations_for_dispatch_key(key))
    schemas = {}
    for schema in torch._C._jit_get_all_schemas():
        name = f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name
        schemas[name] = schema
    return [schemas[name] for name in sorted(names) if name.startswith("aten::") and name in schemas]


def _plain(kind) -> str:
    text = str(kind)
    while match := re.fullmatch(r"Optional\[(.*)\]", text):
        text = match[1]
    return text


def _real_types(schema):
    # `type` calls a ScalarType an int; `real_type` keeps it apart.
    return [_plain(argument.real_type) for argument in schema.arguments], [_plain(r.real_type) for r in schema.returns]


def test_every_overload_can_be_expressed():
    kinds, missing = _kinds(), []
    primitives = {name.split(".")[0].rstrip("_") for name in _PRIMITIVES.read_text().split()}
    overloads = _overloads_with_kernels()
    assert len(overloads) > 1000
    for schema in overloads:
        name = schema.name.removeprefix("aten::")
        if name in _HOST_ONLY:
            continue
        core = name.rstrip("_") in primitives
        arguments, results = _real_types(schema)
        for text in arguments:
            if _ARGUMENT_KINDS.get(text) not in kinds and not (text in _CORES_OWN and core):
                missing.append(f"{name}.{schema.overload_name}: argument {text}")
        for text in results:
            if _ARGUMENT_KINDS.get(text) not in kinds & _RESULT_KINDS and not (text in _CORES_OWN and core):
                missing.append(f"{name}.{schema.overload_name}: result {text}")
    assert not missing, "\n".join(missing)


def test_header_is_c_and_needs_nothing():
    text = _HEADER.read_text()
    assert set(re.findall(r"#include\s*[<\"](.*?)[>\"]", text)) == {"stddef.h", "stdint.h"}
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    for options in (["-x", "c", "-std=c99"], ["-x", "c++", "-std=c++17"]):
        subprocess.run([compiler, *options, "-Wall", "-Werror", "-fsyntax-only", str(_HEADER)], check=True)


def test_kit_needs_the_boundary_and_the_standard_library():
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    kit = _HEADER.with_name("vendor_kit.h")
    options = ["-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{_HEADER.parents[1]}"]
    seen = subprocess.run([compiler, *options, "-fsyntax-only", "-H", str(kit)], check=True, capture_output=True).stderr
    direct = re.findall(rb"^\. (.*)$", seen, re.MULTILINE)
    assert b"torch_fl/vendor.h" in b" ".join(direct)
    outside = seen.replace(str(_HEADER.parents[1]).encode(), b"")  # a checkout may lie in a folder of any name
    assert not re.search(rb"torch/|ATen/|c10/|Python\.h", outside)


def _library() -> pathlib.Path:
    from torch_fl import discovery

    return discovery.chosen().vendor.library


def _readelf(*options) -> str:
    if shutil.which("readelf") is None:
        pytest.skip("no readelf")
    return subprocess.run(["readelf", *options, str(_library())], check=True, capture_output=True, text=True).stdout


@needs_device
def test_vendor_library_links_neither_pytorch_nor_python():
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", _readelf("-d", "-W"))
    assert needed and not [lib for lib in needed if re.search(r"torch|c10|python|torch_fl", lib)], needed
    undefined = [line.split()[-1] for line in _readelf("--dyn-syms", "-W").splitlines() if " UND " in line]
    assert not [s for s in undefined if re.match(r"_?Py[A-Z]|_ZN\w*(c10|2at)\d", s)]


@needs_device
def test_vendor_library_exports_one_function():
    defined = []
    for line in _readelf("--dyn-syms", "-W").splitlines():
        parts = line.split()
        if len(parts) >= 8 and parts[4] in ("GLOBAL", "WEAK") and parts[6] != "UND":
            defined.append(parts[7].split("@")[0])
    ours = [s for s in defined if not s.startswith("_ZNSt") and not s.startswith("_ZSt")]
    assert "fl_vendor_init" in ours
    # The C++ library's own templates may be exported weakly; nothing of the vendor's is.
    assert [s for s in ours if "fl_" in s] == ["fl_vendor_init"]


# ---- wheels that cannot be used

_SOURCE = """
#include "torch_fl/vendor.h"
#include <string.h>
static fl_status count(int32_t* n) { *n = 1; return FL_OK; }
static fl_status init(void) { BODY_INIT }
/* Slots that core cannot do without; nothing here is ever called. */
static fl_status stub_malloc(int32_t d, size_t n, void** p) { (void)d; (void)n; (void)p; return FL_FAILED; }
static fl_status stub_free(int32_t d, void* p) { (void)d; (void)p; return FL_FAILED; }
static fl_status stub_create(int32_t d, int32_t x, fl_stream* s) { (void)d; (void)x; (void)s; return FL_FAILED; }
static fl_status stub_sync(int32_t d, fl_stream s) { (void)d; (void)s; return FL_FAILED; }
static fl_status stub_copy(void* a, size_t b, int32_t c, const void* d, size_t e, int32_t f, size_t g, fl_copy_kind h) {
  (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; (void)g; (void)h; return FL_FAILED;
}
FL_EXPORT fl_status fl_vendor_init(const fl_core_api* core, fl_vendor_api* v) {
  (void)core;
  v->name = "NAME";
  v->version = "0";
  v->abi_major = MAJOR;
  v->abi_minor = MINOR;
  v->init = init;
  v->device_count = count;
  v->malloc = stub_malloc;
  v->free = stub_free;
  v->stream_create = stub_create;
  v->stream_synchronize = stub_sync;
  v->memcpy_sync = stub_copy;
  BODY
  return FL_OK;
}
"""


def _vendor(
    folder: pathlib.Path,
    name: str,
    *,
    library: str | None,
    module: str = "",
    available: str = "True",
    embedded: bool = False,
):
    """A vendor wheel, as installed, under ``folder``; ``library`` is C source, None leaves the library out."""
    package = folder / f"torch_fl_{name}"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(f'{module}\nNAME = "{name}"\ndef is_available():\n    return {available}\n')
    facts = f'name = "{name}"\ntitle = "{name}"\nembedded = {str(embedded).lower()}\nlanes = ["{name}", "none"]\n'
    (package / "vendor.toml").write_text(facts)
    (package / "routes.conf").write_text("")
    info = folder / f"torch_fl_{name}-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch-fl-{name}\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[torch_fl.vendors]\n{name} = torch_fl_{name}\n")
    if library is None:
        return
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    source = folder / f"{name}.c"
    source.write_text(library)
    target = package / f"libtorch_fl_{name}.so"
    include = f"-I{_HEADER.parents[1]}"
    subprocess.run([compiler, "-shared", "-fPIC", include, "-o", str(target), str(source)], check=True)


def _source(name, major="FL_ABI_MAJOR", minor="FL_ABI_MINOR", body="", init="return FL_OK;"):
    values = {"BODY_INIT": init, "NAME": name, "MAJOR": major, "MINOR": minor, "BODY": body}
    return re.sub(r"\b(BODY_INIT|NAME|MAJOR|MINOR|BODY)\b", lambda m: values[m[1]], _SOURCE)


def _path(folder: pathlib.Path) -> str:
    return os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))


_USE = """
print("HOST", torch.ones(2).sum().item(), flush=True)
import torch_fl
print("COUNT", torch.flagos.device_count(), torch.accelerator.is_available(), flush=True)
torch.ones(2, device="flagos")
print("USED", flush=True)
"""
# Vendors that this machine has besides would be chosen, or be one too many.
_ONLY = """
import importlib.metadata as metadata
real = metadata.distributions
def wanted(distribution):
    vendors = distribution.entry_points.select(group="torch_fl.vendors")
    return not vendors or any(e.name in {} for e in vendors)
metadata.distributions = lambda **k: filter(wanted, real(**k))
import torch
"""


def _use(folder: pathlib.Path, accelerator: str):
    """Runs a process with the vendors of ``folder`` besides the installed ones: imports, host work, then the device."""
    return child.run(_USE, env={"PYTHONPATH": _path(folder), "FLAGOS_ACCELERATOR": accelerator})


def _choose(folder: pathlib.Path, *only: str):
    """As _use(), in a process that has the vendors ``only`` and is told of none; PyTorch's import loads torch_fl."""
    env = {"PYTHONPATH": _path(folder), "FLAGOS_ACCELERATOR": None}
    return child.run(_ONLY.format(set(only) or ()) + _USE, env=env, head=False)


def _assert_refused(result, *words):
    assert "HOST 2.0" in result.stdout, f"import torch failed: {result.stderr[-1500:]}"
    assert "COUNT 0 False" in result.stdout, result.stdout + result.stderr[-1500:]
    assert "USED" not in result.stdout and result.returncode != 0
    message = result.stderr.strip().splitlines()[-1]
    assert message.startswith("RuntimeError"), result.stderr[-1500:]
    for word in words:
        assert word in message, f"{word!r} is not in: {message}"


LIBRARIES = {
    "another ABI major": (lambda n: _source(n, major="FL_ABI_MAJOR + 1"), ["ABI 2.0", "ABI 1.0", "pip install"]),
    "a newer ABI minor": (lambda n: _source(n, minor="FL_ABI_MINOR + 1"), ["ABI 1.1", "Update core"]),
    "no symbol": (lambda n: "int nothing_here;", ["fl_vendor_init", "pip install"]),
    "an SDK that is missing": (
        lambda n: _source(n, body="extern int sdk_function_that_is_nowhere(void); sdk_function_that_is_nowhere();"),
        ["sdk_function_that_is_nowhere", "torch-fl doctor"],
    ),
    "an init that fails": (
        lambda n: (
            _source(n, init='g_core->set_error(7, "driver too old"); return FL_FAILED;')
            .replace("static fl_status init", "static const fl_core_api* g_core;\nstatic fl_status init")
            .replace("(void)core;", "g_core = core;")
        ),
        ["init()", "FAILED", "driver too old"],
    ),
    "no device": (lambda n: _source(n, init="return FL_NO_DEVICE;"), ["no device", "torch-fl doctor"]),
    "another name": (lambda n: _source("somebody"), ["somebody", "pip install"]),
    "empty slots": (lambda n: _source(n, body="v->malloc = 0; v->memcpy_sync = 0;"), ["malloc", "memcpy_sync"]),
    "no library": (lambda n: None, [".so", "missing"]),
    "a library that is text": (lambda n: None, ["torch_fl_fake"]),
}


@needs_device
@pytest.mark.parametrize("case", LIBRARIES)
def test_library_that_cannot_be_used(tmp_path, case):
    source, words = LIBRARIES[case]
    _vendor(tmp_path, "fake", library=source("fake"))
    if case == "a library that is text":
        (tmp_path / "torch_fl_fake" / "libtorch_fl_fake.so").write_text("not an ELF file")
    _assert_refused(_use(tmp_path, "fake"), "fake", *words)


@needs_device
def test_broken_package_never_runs_on_the_embedded_vendor_unseen(tmp_path):
    _vendor(tmp_path, "fake", library=_source("fake"), module="raise ImportError('libfoo.so.3 is missing')")
    _vendor(tmp_path, "spare", library=_source("spare"), embedded=True)
    result = _choose(tmp_path, "fake", "spare")
    _assert_refused(result, "fake", "libfoo.so.3 is missing", "torch-fl doctor", "FLAGOS_ACCELERATOR=spare")


@needs_device
def test_broken_package_does_not_hide_a_vendor_that_is_named(tmp_path):
    _vendor(tmp_path, "fake", library=None, module="raise ImportError('libfoo.so.3 is missing')")
    assert "USED" in _use(tmp_path, vendor_name()).stdout


@needs_device
def test_vendor_without_a_device_says_so(tmp_path):
    _vendor(tmp_path, "fake", library=_source("fake"), available="False")
    _assert_refused(_choose(tmp_path, "fake"), "fake", "no device")


@needs_device
def test_two_usable_vendors(tmp_path):
    for name in ("one", "two"):
        _vendor(tmp_path, name, library=_source(name))
    _assert_refused(_choose(tmp_path, "one", "two"), "several vendors", "one", "two", "FLAGOS_ACCELERATOR")


@needs_device
def test_no_vendor(tmp_path):
    _assert_refused(_choose(tmp_path), "no torch-fl-<vendor> wheel is installed", "pip install")


@needs_device
def test_message_comes_again(tmp_path):
    """The second use of a device that could not be loaded says the same as the first."""
    _vendor(tmp_path, "fake", library="int nothing_here;")
    result = child.check(
        """
        messages = []
        uses = [lambda: torch.ones(1, device=DEV), torch.flagos.init, torch.flagos.current_stream]
        for use in uses:
            try:
                use()
            except RuntimeError as error:
                messages.append(str(error).splitlines()[0])
        assert len(messages) == 3 and all("fl_vendor_init" in m for m in messages), messages
        """,
        env={"PYTHONPATH": _path(tmp_path), "FLAGOS_ACCELERATOR": "fake"},
    )
    assert result.returncode == 0
