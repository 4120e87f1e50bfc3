"""What PyTorch's CUDA kernels, hipified ones among them, do otherwise than the host's, for the quirks of vendors that
box calls to them: {pattern of test ids: reason}.
"""

from harness import lanes

_ASSERT = "CUDA's kernels find such an index by an assertion, after which the process has no device any more"
_WORDS = "the error is CUDA's own, with its words"
_OVERLAP = "CUDA's kernel does not look whether what it writes is what it reads"
_OWN = "kernels that PyTorch compiles for tensors of `cuda` itself"
UNSUPPORTED: dict[str, str] = {
    "test_routes.py::test_index_out_of_range*": _ASSERT,
    "test_memory.py::test_out_of_memory_message": _WORDS,
    "test_routes.py::test_vendor_errors_have_one_form": _WORDS,
    "test_routes.py::test_host_pointer_is_no_device_pointer": _WORDS,
    "test_device.py::test_a_host_tensor_among_the_devices_is_named?shape0?": _WORDS,
    "test_views.py::test_writes_go_through?unfold?": "where a view's elements overlap, one written twice holds either "
    "value; PyTorch promises no more, and a device computes them side by side",
    "test_parallel.py::test_data_parallel_on_one_device": "DataParallel takes the first device that PyTorch names",
    "test_numbers.py::test_numbers_are_rounded?sub-65536.0?": "CUDA takes a number beyond half precision as it is",
    "test_as_on_the_host.py::test_integers_are_counted_as_devices_count_them*": "CUDA counts them in their own dtype",
    "test_as_on_the_host.py::test_what_is_wrong_without_elements_is_wrong?rows by floats?": _WORDS,
    "test_out.py::test_overlap_is_told_where_a_plan_is_there?cumsum?": _OVERLAP,
    "test_layouts.py::test_results_are_laid_out_as_on_the_host?shuffle-*": "CUDA's kernel refuses strided arguments",
    "test_inductor.py::test_what_a_kernel_finds_wrong_is_raised": _ASSERT,
    "test_census.py::test_many_signatures_leave_memory_bounded*": "boxed calls make no plans",
    "test_boxing.py::*jiterator*": _OWN,
    "test_opinfo.py::*jiterator*": _OWN,
    "test_memory.py::test_empty_cache_gives_memory_back": "other processes use the device's memory too",
}

for _lane in lanes.compared():
    if _lane == "none":  # the host
        continue
    for _pattern, _reason in {
        "test_opinfo.py::test_out?{}-*-narrow_copy?": "CUDA has no out= of it; flagos has, by the CPU",
        "test_autograd.py::test_gradients?{}-*-linalg.lstsq*": "CUDA has one of its four drivers",
        "test_autograd.py::test_gradients?{}-*-logcumsumexp?": "CUDA's own gradient is less exact",
    }.items():
        UNSUPPORTED[_pattern.format(_lane)] = _reason

for _case in ("index_select", "mm-sparse", "hspmm-sspaddmm", "dense-view.add_(sparse)", "add-sub-mul", "same-twice",
              "promotion", "add_-itself", "old-parts-live-on", "add_", "add-out"):  # fmt: skip
    UNSUPPORTED[f"test_sparse.py::test_as_on_host?default-{_case}?"] = (
        "CUDA's sparse kernels order and size them otherwise"
    )
UNSUPPORTED["test_sparse.py::test_errors_as_on_host?default-bad crow?"] = "CUDA does not look at the numbers"
