"""topsrt: devices, memory, streams, events, and what goes wrong as it does on the device."""

import ctypes
import subprocess
import threading

import pytest
import sdk as S
from sdk import D2D, D2H, H2D, SUCCESS


@pytest.fixture
def rt(sdk):
    """The library, with device 0 current and no error left."""
    assert sdk.rt.topsSetDevice(0) == SUCCESS
    yield sdk.rt
    sdk.rt.topsStandinDelay(0)
    sdk.rt.topsStandinFail(None)
    assert sdk.rt.topsSetDevice(0) == SUCCESS
    sdk.rt.topsGetLastError()


def integer(function, *args) -> int:
    """What a function writes through its first argument."""
    value = ctypes.c_int(-1)
    assert function(ctypes.byref(value), *args) == SUCCESS
    return value.value


# ------------------------------------------------------------------------------------------------------------ devices


def test_says_that_it_is_a_stand_in(rt):
    assert b"stand-in" in rt.topsStandinVersion()
    assert integer(rt.topsRuntimeGetVersion) == integer(rt.topsDriverGetVersion) == 0
    name = ctypes.create_string_buffer(256)
    assert rt.topsDeviceGetName(name, 256, 0) == SUCCESS
    assert b"stand-in" in name.value


def test_two_cards(rt):
    assert integer(rt.topsGetDeviceCount) == 2
    assert rt.topsSetDevice(2) == S.INVALID_DEVICE
    assert rt.topsSetDevice(-1) == S.INVALID_DEVICE
    assert integer(rt.topsGetDevice) == 0


BUSES = """
count = ctypes.c_int()
print(rt.topsGetDeviceCount(ctypes.byref(count)), count.value, end=" ")
name = ctypes.create_string_buffer(32)
for i in range(count.value):
    assert rt.topsDeviceGetPCIBusId(name, 32, i) == 0
    print(name.value.decode(), end=" ")
"""


def test_partitioned_cards_show_as_eight_devices(script):
    status, out, _ = script(BUSES, PARTITIONED=1)
    words = out.split()
    assert status == 0 and words[:2] == ["0", "8"]
    assert len(set(words[2:])) == 2 and words[2] == words[5] != words[6]


def test_partitions_share_the_cards_memory(script):
    text = """
a, b = ctypes.c_size_t(), ctypes.c_size_t()
assert rt.topsMemGetInfo(ctypes.byref(a), ctypes.byref(b)) == 0
print(b.value)
"""
    assert int(script(text, MEMORY=64)[1]) == 64 << 20
    assert int(script(text, MEMORY=64, PARTITIONED=1)[1]) == 16 << 20


def test_visible_devices(script):
    _, out, _ = script(BUSES, TOPS_VISIBLE_DEVICES="5,0", PARTITIONED=1)
    words = out.split()
    assert words[1] == "2" and words[2] != words[3]


def test_no_device(script):
    text = """
n = ctypes.c_int()
print(rt.topsGetDeviceCount(ctypes.byref(n)), n.value, rt.topsSetDevice(0), rt.topsInit(0))
"""
    assert script(text, CARDS=0)[1].split() == [str(S.NO_DEVICE), "0", str(S.INVALID_DEVICE), str(S.NO_DEVICE)]


def test_the_current_device_is_the_threads(rt):
    seen = []

    def other():
        seen.append(integer(rt.topsGetDevice))
        assert rt.topsSetDevice(1) == SUCCESS
        seen.append(integer(rt.topsGetDevice))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == [0, 1] and integer(rt.topsGetDevice) == 0


def test_a_forked_child_has_no_device(script):
    text = """
import os
s.malloc(64)
pid = os.fork()
if pid == 0: os._exit(rt.topsSetDevice(0))
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert script(text)[1].strip() == str(S.NOT_INITIALIZED)


# ------------------------------------------------------------------------------------------------------------- memory


def test_new_memory_is_poisoned(sdk, rt):
    pointer = sdk.malloc(1000)
    assert sdk.read(pointer, 1000) == b"\xff" * 1000
    assert rt.topsFree(pointer) == SUCCESS


def test_host_cannot_follow_a_device_pointer(script):
    assert script("ctypes.string_at(s.malloc(64), 1)")[0] == -11


def test_nothing_of_no_bytes(rt):
    pointer = ctypes.c_void_p(1)
    assert rt.topsMalloc(ctypes.byref(pointer), 0) == SUCCESS and pointer.value is None
    pointer = ctypes.c_void_p(1)
    assert rt.topsHostMalloc(ctypes.byref(pointer), 0, 0) == SUCCESS and pointer.value is None
    assert rt.topsFree(None) == SUCCESS


def test_free_needs_the_owning_device(sdk, rt):
    pointer = sdk.malloc(64)
    rt.topsSetDevice(1)
    assert rt.topsFree(pointer) == S.INVALID_POINTER
    assert b"current device" in rt.topsGetErrorString(S.INVALID_POINTER)
    rt.topsSetDevice(0)
    assert rt.topsFree(pointer) == SUCCESS
    assert rt.topsFree(pointer) == S.INVALID_POINTER


def test_a_pointer_of_another_device(sdk, rt):
    pointer = sdk.malloc(8)
    sdk.write(pointer, b"12345678")
    rt.topsSetDevice(1)
    other = sdk.malloc(8)
    assert rt.topsMemset(pointer, 0, 8) == S.INVALID_POINTER
    assert rt.topsMemcpy(pointer, b"abcdefgh", 8, H2D) == S.INVALID_POINTER
    out = ctypes.create_string_buffer(b"x" * 8, 8)
    assert rt.topsMemcpy(out, pointer, 8, D2H) == SUCCESS and out.raw == bytes(8), "read as zeros, silently"
    assert rt.topsMemcpy(other, pointer, 8, D2D) == SUCCESS and sdk.read(other, 8) == bytes(8)
    assert rt.topsMemcpyPeer(other, 1, pointer, 0, 8) == SUCCESS and sdk.read(other, 8) == b"12345678"
    assert rt.topsMemcpyPeer(other, 0, pointer, 1, 8) == S.INVALID_POINTER
    attributes = (ctypes.c_char * 64)()
    assert rt.topsPointerGetAttributes(attributes, ctypes.c_void_p(pointer)) == S.INVALID_POINTER
    assert rt.topsFree(other) == SUCCESS
    rt.topsSetDevice(0)
    assert sdk.read(pointer, 8) == b"12345678"
    assert rt.topsFree(pointer) == SUCCESS


def test_copies_are_checked(sdk, rt):
    pointer = sdk.malloc(8)
    assert rt.topsMemcpy(pointer, b"123456789", 9, H2D) == S.INVALID_VALUE
    assert rt.topsMemcpy(pointer, b"12345678", 8, D2D) == S.INVALID_DIRECTION
    assert rt.topsMemcpy(pointer, b"12345678", 8, 4) == SUCCESS
    assert rt.topsMemset(pointer, 0, 9) == S.INVALID_VALUE
    assert rt.topsMemset(pointer + 2, 65, 3) == SUCCESS
    assert sdk.read(pointer, 8) == b"12AAA678"
    assert rt.topsFree(pointer) == SUCCESS


def test_memory_runs_out(script):
    text = """
p, a, b = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
big = s.malloc(3 << 20)
print(rt.topsMalloc(ctypes.byref(p), 2 << 20), rt.topsGetLastError(), end=" ")
rt.topsMemGetInfo(ctypes.byref(a), ctypes.byref(b)); print(a.value >> 20, end=" ")
assert rt.topsFree(big) == 0
print(rt.topsMalloc(ctypes.byref(p), 2 << 20))
"""
    assert script(text, MEMORY=4)[1].split() == [str(S.OUT_OF_MEMORY), str(S.OUT_OF_MEMORY), "1", "0"]


def test_freed_memory_is_seen_by_late_work(sdk, rt):
    pointer, stream = sdk.malloc(64), sdk.stream()
    rt.topsStandinDelay(20)
    assert rt.topsMemsetAsync(pointer, 1, 64, stream) == SUCCESS
    assert rt.topsFree(pointer) == SUCCESS
    assert rt.topsStreamSynchronize(stream) == S.LAUNCH_FAILURE
    assert rt.topsStreamSynchronize(stream) == SUCCESS
    assert rt.topsStreamDestroy(stream) == SUCCESS


def test_freed_addresses_are_not_used_again_soon(sdk, rt):
    seen = set()
    for _ in range(50):
        pointer = sdk.malloc(4096)
        assert pointer not in seen
        seen.add(pointer)
        assert rt.topsFree(pointer) == SUCCESS


def test_host_memory(rt):
    pointer, block = ctypes.c_void_p(), ctypes.create_string_buffer(8192)
    assert rt.topsHostMalloc(ctypes.byref(pointer), 100, 0) == SUCCESS
    assert ctypes.string_at(pointer, 100) == b"\xff" * 100
    assert rt.topsHostFree(pointer) == SUCCESS
    assert rt.topsHostFree(pointer) == S.INVALID_VALUE
    assert rt.topsHostRegister(block, 8192, 0) == SUCCESS
    assert rt.topsHostRegister(block, 8192, 0) == S.INVALID_VALUE
    attributes = (ctypes.c_int * 16)()
    assert rt.topsPointerGetAttributes(attributes, block) == SUCCESS and attributes[0] == 1
    assert rt.topsHostUnregister(block) == SUCCESS
    assert rt.topsPointerGetAttributes(attributes, block) == S.INVALID_VALUE


# ---------------------------------------------------------------------------------------------------- streams, events


def test_streams_queue_and_not_ready_sticks(sdk, rt):
    pointer, stream = sdk.malloc(64), sdk.stream()
    rt.topsStandinDelay(50)
    assert rt.topsMemsetAsync(pointer, 7, 64, stream) == SUCCESS
    assert rt.topsStreamQuery(stream) == S.NOT_READY
    assert rt.topsGetLastError() == S.NOT_READY, "what a caller forgets to clear"
    assert rt.topsGetLastError() == SUCCESS
    assert rt.topsStreamSynchronize(stream) == SUCCESS
    assert rt.topsStreamQuery(stream) == SUCCESS
    assert sdk.read(pointer, 64) == b"\x07" * 64
    assert rt.topsFree(pointer) == SUCCESS and rt.topsStreamDestroy(stream) == SUCCESS


def test_streams_are_not_ordered_unless_an_event_says_so(sdk, rt):
    pointer, first, second = sdk.malloc(4), sdk.stream(), sdk.stream()
    event = sdk.event(2)
    slow = threading.Event()
    hold = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(lambda *_: slow.wait(10) and None)
    assert rt.topsStreamAddCallback(ctypes.c_void_p(first), hold, None, 0) == SUCCESS
    assert rt.topsMemsetAsync(pointer, 1, 4, first) == SUCCESS
    assert rt.topsEventRecord(event, first) == SUCCESS
    assert rt.topsMemsetAsync(pointer, 2, 4, second) == SUCCESS
    assert rt.topsStreamSynchronize(second) == SUCCESS
    assert rt.topsEventQuery(event) == S.NOT_READY
    assert rt.topsStreamWaitEvent(second, event, 0) == SUCCESS
    assert rt.topsMemsetAsync(pointer, 3, 4, second) == SUCCESS
    assert rt.topsStreamQuery(second) == S.NOT_READY
    slow.set()
    assert rt.topsStreamSynchronize(second) == SUCCESS
    assert sdk.read(pointer, 4) == b"\x03" * 4
    assert rt.topsFree(pointer) == SUCCESS
    for stream in (first, second):
        assert rt.topsStreamDestroy(stream) == SUCCESS
    assert rt.topsEventDestroy(event) == SUCCESS


def test_the_default_stream_orders_blocking_streams_only(sdk, rt):
    pointer, blocking, free = sdk.malloc(4), sdk.stream(0), sdk.stream(1)
    rt.topsStandinDelay(30)
    assert rt.topsMemsetAsync(pointer, 1, 4, blocking) == SUCCESS
    out = ctypes.create_string_buffer(4)
    assert rt.topsMemcpy(out, pointer, 4, D2H) == SUCCESS and out.raw == b"\x01" * 4
    rt.topsStandinDelay(0)
    slow = threading.Event()
    hold = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: slow.wait(10) and None)
    assert rt.topsLaunchHostFunc(ctypes.c_void_p(free), hold, None) == SUCCESS
    assert rt.topsMemsetAsync(pointer, 2, 4, free) == SUCCESS
    assert rt.topsMemcpy(out, pointer, 4, D2H) == SUCCESS and out.raw == b"\x01" * 4, "not ordered behind this stream"
    slow.set()
    assert rt.topsDeviceSynchronize() == SUCCESS
    assert rt.topsFree(pointer) == SUCCESS
    for stream in (blocking, free):
        assert rt.topsStreamDestroy(stream) == SUCCESS


def test_events(sdk, rt):
    stream, start, stop, untimed = sdk.stream(), sdk.event(), sdk.event(), sdk.event(2)
    milliseconds = ctypes.c_float()
    assert rt.topsEventQuery(start) == rt.topsEventSynchronize(start) == SUCCESS, "never recorded"
    assert rt.topsStreamWaitEvent(stream, start, 0) == SUCCESS
    assert rt.topsEventElapsedTime(ctypes.byref(milliseconds), start, stop) == S.INVALID_HANDLE
    rt.topsStandinDelay(20)
    for event in (start, stop, untimed):
        assert rt.topsEventRecord(event, stream) == SUCCESS
    assert rt.topsEventElapsedTime(ctypes.byref(milliseconds), start, stop) == S.NOT_READY
    assert rt.topsEventSynchronize(untimed) == SUCCESS
    assert rt.topsEventElapsedTime(ctypes.byref(milliseconds), start, stop) == SUCCESS
    assert 15 < milliseconds.value < 2000
    assert rt.topsEventElapsedTime(ctypes.byref(milliseconds), start, untimed) == S.INVALID_HANDLE
    assert rt.topsStreamWaitEvent(stream, start, 1) == S.INVALID_VALUE
    rt.topsSetDevice(1)
    other = sdk.stream()
    assert rt.topsEventRecord(start, other) == S.INVALID_HANDLE
    for event in (start, stop, untimed):
        assert rt.topsEventDestroy(event) == SUCCESS
    assert rt.topsEventQuery(start) == S.INVALID_HANDLE
    for one in (stream, other):
        assert rt.topsStreamDestroy(one) == SUCCESS
    assert rt.topsStreamSynchronize(stream) == S.INVALID_HANDLE


def test_work_needs_a_stream_of_the_current_device(sdk, rt):
    pointer, stream = sdk.malloc(4), sdk.stream()
    rt.topsSetDevice(1)
    there = sdk.malloc(4)
    assert rt.topsMemsetAsync(there, 0, 4, stream) == S.INVALID_HANDLE
    assert rt.topsFree(there) == SUCCESS
    rt.topsSetDevice(0)
    assert rt.topsFree(pointer) == SUCCESS and rt.topsStreamDestroy(stream) == SUCCESS


def test_no_events_between_processes(sdk, rt):
    made, handle = ctypes.c_void_p(), ctypes.create_string_buffer(64)
    assert rt.topsEventCreateWithFlags(ctypes.byref(made), 4) == S.NOT_SUPPORTED
    event = sdk.event()
    assert rt.topsIpcGetEventHandle(handle, ctypes.c_void_p(event)) == S.NOT_SUPPORTED
    assert rt.topsEventDestroy(event) == SUCCESS


class Handle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_char * 64)]


def test_memory_between_processes(sdk, rt, script):
    pointer, handle = sdk.malloc(8), Handle()
    sdk.write(pointer, b"12345678")
    assert rt.topsIpcGetMemHandle(ctypes.byref(handle), ctypes.c_void_p(pointer)) == SUCCESS
    text = f"""
class Handle(ctypes.Structure): _fields_ = [("reserved", ctypes.c_char * 64)]
h, p = Handle.from_buffer_copy({bytes(handle)!r}), ctypes.c_void_p()
assert rt.topsIpcOpenMemHandle(ctypes.byref(p), h, 1) == 0
print(s.read(p.value, 8).decode())
assert rt.topsMemset(p.value, 65, 4) == 0 and rt.topsFree(p.value) == {S.INVALID_POINTER}
assert rt.topsIpcCloseMemHandle(p.value) == 0
"""
    status, out, error = script(text)
    assert status == 0, error
    assert out.strip() == "12345678" and sdk.read(pointer, 8) == b"AAAA5678"
    assert rt.topsFree(pointer) == SUCCESS


def test_peers(script):
    text = """
can = ctypes.c_int()
for pair in ((0, 1), (0, 0)):
    assert rt.topsDeviceCanAccessPeer(ctypes.byref(can), *pair) == 0; print(can.value, end=" ")
print(rt.topsDeviceCanAccessPeer(ctypes.byref(can), 0, 9), end=" ")
print(rt.topsDeviceEnablePeerAccess(1, 0), rt.topsDeviceEnablePeerAccess(1, 0))
"""
    assert script(text)[1].split() == ["1", "0", str(S.INVALID_DEVICE), "0", str(S.PEER_ENABLED)]


def test_host_functions_run_in_order(sdk, rt):
    stream, seen = sdk.stream(), []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda user: seen.append(user))
    for i in range(1, 6):
        assert rt.topsLaunchHostFunc(ctypes.c_void_p(stream), function, ctypes.c_void_p(i)) == SUCCESS
    assert rt.topsStreamSynchronize(stream) == SUCCESS
    assert seen == [1, 2, 3, 4, 5]
    assert rt.topsStreamDestroy(stream) == SUCCESS


def test_capture(sdk, rt):
    pointer, stream = sdk.malloc(4), sdk.stream()
    graph, run, active = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    assert rt.topsMemset(pointer, 0, 4) == SUCCESS
    assert rt.topsStreamBeginCapture(ctypes.c_void_p(stream), 0) == SUCCESS
    assert rt.topsStreamIsCapturing(ctypes.c_void_p(stream), ctypes.byref(active)) == SUCCESS and active.value == 1
    assert rt.topsMemsetAsync(pointer, 5, 4, stream) == SUCCESS
    assert rt.topsStreamSynchronize(stream) == 900
    assert rt.topsStreamEndCapture(ctypes.c_void_p(stream), ctypes.byref(graph)) == SUCCESS
    assert sdk.read(pointer, 4) == bytes(4), "captured, not run"
    assert rt.topsGraphInstantiate(ctypes.byref(run), graph, None, None, 0) == SUCCESS
    assert rt.topsGraphDestroy(graph) == SUCCESS
    for _ in range(2):
        assert rt.topsMemset(pointer, 0, 4) == SUCCESS
        assert rt.topsGraphLaunch(run, ctypes.c_void_p(stream)) == SUCCESS
        assert rt.topsStreamSynchronize(stream) == SUCCESS
        assert sdk.read(pointer, 4) == b"\x05" * 4
    assert rt.topsGraphExecDestroy(run) == SUCCESS
    assert rt.topsFree(pointer) == SUCCESS and rt.topsStreamDestroy(stream) == SUCCESS


# ------------------------------------------------------------------------------------------------------------ modules


@pytest.fixture(scope="session")
def image(tmp_path_factory):
    """The compiled kernels."""
    path = tmp_path_factory.mktemp("kernels") / "kernels.so"
    source = S.ROOT / "vendors" / "gcu" / "tests" / "sdk" / "kernels.c"
    subprocess.run(["cc", "-O1", "-Wall", "-shared", "-fPIC", source, "-o", path], check=True)
    return path


@pytest.fixture
def kernel(rt, image):
    """Finds a kernel by name, in a module that was loaded from memory."""
    module = ctypes.c_void_p()
    data = image.read_bytes()
    assert rt.topsModuleLoadData(ctypes.byref(module), data) == SUCCESS

    def find(name: bytes, expected: int = SUCCESS):
        function = ctypes.c_void_p()
        assert rt.topsModuleGetFunction(ctypes.byref(function), module, name) == expected
        return function

    yield find
    assert rt.topsModuleUnload(module) == SUCCESS
    assert rt.topsModuleUnload(module) == S.INVALID_HANDLE


def launch(rt, function, args: list, stream: int, grid=(4, 1, 1)) -> int:
    """Launches a kernel; returns the error."""
    parameters = (ctypes.c_void_p * len(args))(*[ctypes.cast(ctypes.pointer(a), ctypes.c_void_p) for a in args])
    return rt.topsModuleLaunchKernel(function, *grid, 1, 1, 1, 0, ctypes.c_void_p(stream), parameters, None)


def test_launch(sdk, rt, kernel):
    pointer, stream = sdk.malloc(40), sdk.stream()
    args = [ctypes.c_void_p(pointer), ctypes.c_float(1.5), ctypes.c_int32(10)]
    assert launch(rt, kernel(b"fill"), args, stream) == SUCCESS
    assert rt.topsStreamSynchronize(stream) == SUCCESS
    assert list(memoryview(sdk.read(pointer, 40)).cast("f")) == [1.5] * 10
    assert launch(rt, kernel(b"fill"), args, stream, (65536, 1, 1)) == S.INVALID_VALUE
    assert launch(rt, kernel(b"fill"), args, stream, (1, 256, 1)) == S.INVALID_VALUE
    assert launch(rt, kernel(b"fill"), args, stream, (65535, 1, 1)) == SUCCESS
    assert rt.topsStreamSynchronize(stream) == SUCCESS
    kernel(b"nothing", S.INVALID_VALUE)
    kernel(b"no_sizes", S.INVALID_VALUE)
    rt.topsSetDevice(1)
    other = sdk.malloc(40)
    rt.topsSetDevice(0)
    args[0] = ctypes.c_void_p(other)
    assert launch(rt, kernel(b"fill"), args, stream) == S.INVALID_POINTER
    rt.topsStandinFail(b"topsModuleLaunchKernel:1:late")
    args[0] = ctypes.c_void_p(pointer)
    assert launch(rt, kernel(b"fill"), args, stream) == SUCCESS
    assert rt.topsStreamSynchronize(stream) == S.LAUNCH_FAILURE
    assert rt.topsFree(pointer) == SUCCESS and rt.topsStreamDestroy(stream) == SUCCESS
    rt.topsSetDevice(1)
    assert rt.topsFree(other) == SUCCESS


def test_no_image(rt, tmp_path):
    module = ctypes.c_void_p()
    assert rt.topsModuleLoadData(ctypes.byref(module), b"no shared object" * 10) == S.INVALID_VALUE
    assert rt.topsModuleLoad(ctypes.byref(module), str(tmp_path / "none.so").encode()) == S.INVALID_VALUE


def test_an_op_behind_a_kernel_does_not_see_its_output(sdk, rt, kernel):
    """The order of section 7: it holds between kernels, and for copies, but an op needs a synchronisation between."""
    torch = S.torch
    before, out = sdk.put(torch.zeros(10)), sdk.empty((10,), torch.float32)
    stream = sdk.stream()
    args = [ctypes.c_void_p(before.data), ctypes.c_void_p(before.data), ctypes.c_int32(10)]
    for fence in (False, True):
        assert rt.topsMemset(before.data, 0, 40) == SUCCESS
        for _ in range(2):
            assert launch(rt, kernel(b"add_one"), args, stream) == SUCCESS
        if fence:
            assert rt.topsStreamSynchronize(stream) == SUCCESS
        assert sdk.call("topsatenNeg", {"out": out, "self": before}, stream) == S.OK
        assert rt.topsStreamSynchronize(stream) == SUCCESS
        assert sdk.get(before).eq(2).all(), "the kernels themselves ran, in order"
        assert sdk.get(out).eq(-2 if fence else 0).all()
    # The other direction needs nothing, and a copy behind a kernel neither.
    assert sdk.call("topsatenNeg", {"out": before, "self": before}, stream) == S.OK
    assert launch(rt, kernel(b"add_one"), args, stream) == SUCCESS
    assert rt.topsMemcpyAsync(out.data, before.data, 40, D2D, stream) == SUCCESS
    assert rt.topsStreamSynchronize(stream) == SUCCESS
    assert sdk.get(out).eq(-1).all()
    sdk.free(before, out)
    assert rt.topsStreamDestroy(stream) == SUCCESS


def test_an_event_behind_a_kernel_waits_for_it(sdk, rt, kernel):
    pointer, stream, event = sdk.malloc(40), sdk.stream(), sdk.event(2)
    args = [ctypes.c_void_p(pointer), ctypes.c_float(2), ctypes.c_int32(10)]
    assert launch(rt, kernel(b"fill"), args, stream) == SUCCESS
    assert rt.topsEventRecord(event, stream) == SUCCESS
    assert rt.topsEventSynchronize(event) == SUCCESS
    assert list(memoryview(sdk.read(pointer, 40)).cast("f")) == [2.0] * 10
    assert rt.topsFree(pointer) == SUCCESS and rt.topsStreamDestroy(stream) == SUCCESS
    assert rt.topsEventDestroy(event) == SUCCESS


# ---------------------------------------------------------------------------------------------------------- failures


def test_failures_on_demand(sdk, rt):
    rt.topsStandinFail(b"topsMalloc:2")
    pointer = ctypes.c_void_p()
    assert [rt.topsMalloc(ctypes.byref(pointer), 16) for _ in range(3)] == [SUCCESS, S.OUT_OF_MEMORY, SUCCESS]
    one = sdk.put(S.torch.ones(3))
    args = {"out": one, "self": one}
    rt.topsStandinFail(b"topsatenNeg:1:77,topsatenNeg:2:ALLOC_FAILED,topsatenNeg:3:late")
    assert [sdk.call("topsatenNeg", args) for _ in range(2)] == [77, S.ALLOC_FAILED]
    assert sdk.get(one).eq(1).all()
    assert sdk.call("topsatenNeg", args) == S.OK
    assert rt.topsDeviceSynchronize() == S.LAUNCH_FAILURE
    assert rt.topsDeviceSynchronize() == SUCCESS
    assert sdk.call("topsatenNeg", args) == S.OK
    assert sdk.get(one).eq(-1).all()
    sdk.free(one)


def test_failures_from_the_environment(script):
    text = "p = ctypes.c_void_p()\nprint(rt.topsMalloc(ctypes.byref(p), 8), rt.topsMalloc(ctypes.byref(p), 8))"
    assert script(text, FAIL="topsMalloc:1:719")[1].split() == ["719", "0"]
    assert "<function>:<n>" in script(text, FAIL="topsMalloc")[2]
    assert script(text, FAIL="topsMalloc:1:topsErrorInvalidValue")[1].split() == ["1", "0"]


@pytest.mark.parametrize(
    ("fault", "hint"),
    [
        ("topsatenExpp:1", "topsatenExp?"),
        ("topsFree:1", "none of topsrt that can be told to fail; did you mean"),
        ("topsatenExp:1:BAD_PARM", "topsaten has no status BAD_PARM; did you mean BAD_PARAM?"),
        ("topsMalloc:1:ALLOC_FAILED", "topsrt has no status ALLOC_FAILED"),
    ],
)
def test_a_failure_of_an_unknown_name_is_an_error(script, fault, hint):
    text = "p = ctypes.c_void_p()\nrt.topsMalloc(ctypes.byref(p), 8)"
    status, _, error = script(text, FAIL=fault)
    assert status != 0 and hint in error, error


def test_null(script):
    text = """
a = s.put(torch.ones(3))
print(s.call("topsatenNeg", {"out": a, "self": None}), s.get(a).isnan().all().item())
"""
    status, out, error = script(text, NULL=1)
    assert status == 0, error
    assert out.split() == ["0", "False"], "the copies did nothing either: the host buffer is what it was"


def test_unknown_status_has_a_text(rt):
    assert rt.topsGetErrorName(12345) == b"topsErrorUnrecognized"
    assert b"not documented" in rt.topsGetErrorString(12345)
