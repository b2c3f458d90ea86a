"""Launches on a GPU, over the fake driver of unittest/fakecuda: it runs no kernel, but tells what it was given."""
import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("NEREID_BUILD") or os.path.join(ROOT, "..", "build")
FAKE = os.path.abspath(os.path.join(BUILD, "unittest", "libfake-cuda.so"))
pytestmark = pytest.mark.skipif(not os.path.exists(FAKE), reason="the fake driver is not built")

# Tensors as torch has them, in the memory of the fake GPU or of the host.
PRELUDE = """
import ctypes, sys, types
import triton, triton.language as tl
fake = ctypes.CDLL(r"FAKE")
for name in ("nereidFakeLaunchCount", "nereidFakeParameter", "nereidFakeStream", "nereidFakeTensorMapCount"):
    getattr(fake, name).restype = ctypes.c_uint64

class Tensor:
    def __init__(self, count, dtype="float32", is_cuda=True):
        self.dtype, self.is_cuda, self.nbytes = dtype, is_cuda, count * 4
        if is_cuda:
            address = ctypes.c_uint64()
            assert fake.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(self.nbytes)) == 0
            self.address = address.value
        else:
            self.memory = ctypes.create_string_buffer(self.nbytes)
            self.address = ctypes.addressof(self.memory)
    def data_ptr(self): return self.address
    def is_contiguous(self): return True
    def untyped_storage(self): return self

@triton.jit
def scale(x, y, n, by, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n) * by, i < n)
"""


def run(tmp_path, text, **variables):
    file = tmp_path / "program.py"  # jit functions need a file that holds their source
    file.write_text(PRELUDE.replace("FAKE", FAKE) + text)
    environment = {**os.environ, "PYTHONPATH": ROOT, "NEREID_LIBCUDA": FAKE, "NEREID_CACHE_DIR": str(tmp_path / "cache"),
                   "NEREID_PTXAS": os.path.join(ROOT, "..", "test", "cuda", "Inputs", "fake-ptxas"), **variables}  # yapf: disable
    return subprocess.run([sys.executable, str(file)], env=environment, capture_output=True, text=True)


def test_tensors_of_a_gpu_are_passed_as_they_are(tmp_path):
    done = run(tmp_path, """
x, y = Tensor(100), Tensor(100)
for count in (7, 50, 100):
    kernel = scale[(2, )](x, y, count, 0.5, BLOCK=64)
    last = fake.nereidFakeLaunchCount() - 1
    given = [fake.nereidFakeParameter(ctypes.c_uint64(last), ctypes.c_uint64(i)) for i in range(4)]
    assert given == [x.address, y.address, count, 0x3f000000], given
assert fake.nereidFakeLaunchCount() == 3
assert list(kernel.asm) == ["ttir", "ttgir", "llir", "ptx", "cubin"]
assert ".entry scale" in kernel.asm["ptx"] and kernel.asm["cubin"].startswith(b"FAKECUBIN")
assert kernel.n_regs == 32 and kernel.n_spills == 0 and kernel.n_max_threads == 1024
print("fine")
""")
    assert done.stdout == "fine\n", done.stderr


def test_the_stream_is_torchs(tmp_path):
    done = run(tmp_path, """
stream = ctypes.c_void_p()
assert fake.cuStreamCreate(ctypes.byref(stream), 1) == 0
sys.modules["torch._C"] = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: stream.value + device)
x = Tensor(100)
scale[(2, )](x, x, 100, 2.0, BLOCK=64)
assert fake.nereidFakeStream(ctypes.c_uint64(0)) == stream.value
print("fine")
""")
    assert done.stdout == "fine\n", done.stderr


# torch's exchange in C, as DLPack lays it out; `told` is what it says of the next tensors.
EXCHANGE = """
class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("rank", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]

class Exchange(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("older", ctypes.c_void_p), ("unused", ctypes.c_void_p * 3),
                ("view", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(View))),
                ("stream", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)))]

told, asked = {}, []

def view(tensor, out):
    asked.append("view")
    if not told:
        return -1
    shape, strides = ((ctypes.c_int64 * 2)(*told[name]) for name in ("shape", "strides"))
    tensor.kept = shape, strides
    out[0] = View(tensor.address - 4, told["device"], 2, told["code"], 32, 1, shape, strides, 4)
    return 0

def current_stream(kind, ordinal, out):
    asked.append("stream")
    out[0] = told["stream"]
    return 0

functions = (Exchange._fields_[3][1](view), Exchange._fields_[4][1](current_stream))
exchange = Exchange((ctypes.c_uint32 * 2)(1, 3), None, (ctypes.c_void_p * 3)(), *functions)
make = ctypes.pythonapi.PyCapsule_New
make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
Tensor.__dlpack_c_exchange_api__ = make(ctypes.addressof(exchange), b"dlpack_exchange_api", None)
Tensor.data_ptr = lambda self: asked.append("data_ptr") or self.address
Tensor.untyped_storage = lambda self: types.SimpleNamespace(data_ptr=lambda: self.address, nbytes=lambda: self.nbytes)
sys.modules["torch"] = types.SimpleNamespace(Tensor=Tensor)
sys.modules["torch._C"] = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 0)
"""


def test_torchs_exchange_tells_where_tensors_are(tmp_path):
    done = run(tmp_path, EXCHANGE + """
stream = ctypes.c_void_p()
assert fake.cuStreamCreate(ctypes.byref(stream), 1) == 0
told.update(device=(2, 0), code=2, shape=(4, 25), strides=(25, 1), stream=stream.value)
x, y = Tensor(100), Tensor(100)
for _ in range(2):
    asked.clear()
    scale[(2, )](x, y, 100, 2.0, BLOCK=64)
assert fake.nereidFakeStream(ctypes.c_uint64(0)) == stream.value
assert [fake.nereidFakeParameter(ctypes.c_uint64(0), ctypes.c_uint64(i)) for i in range(2)] == [x.address, y.address]
assert asked == ["view", "view", "stream"], asked
print("fine")
""")
    assert done.stdout == "fine\n", done.stderr


def test_tensors_that_the_exchange_cannot_describe_are_asked(tmp_path):
    done = run(tmp_path, EXCHANGE + """
x = Tensor(100, is_cuda=False)
values = (ctypes.c_float * 100).from_buffer(x.memory)
def check():
    values[99] = 1.5
    asked.clear()
    scale[(2, )](x, x, 100, 2.0, BLOCK=64)
    assert values[99] == 3
    return "data_ptr" in asked
assert check()  # it refuses
told.update(device=(1, 0), code=2, shape=(4, 25), strides=(25, 1))
assert not check()
told.update(shape=(1, 100), strides=(7, 1))  # an axis of one element is never left
assert not check()
told.update(shape=(0, 100), strides=(0, 0))
check()
for wrong in ({"strides": (1, 4)}, {"device": (7, 0)}, {"code": 5}):  # not contiguous; another device; no such type
    told.update(device=(1, 0), code=2, shape=(4, 25), strides=(25, 1))
    told.update(wrong)
    assert check(), wrong

class Other(Tensor):  # answers for itself
    def data_ptr(self): return asked.append("data_ptr") or self.address
told.update(device=(1, 0), code=2, shape=(4, 25), strides=(25, 1))
x.__class__ = Other
assert check()
print("fine")
""")
    assert done.stdout == "fine\n", done.stderr


def test_tensors_that_tma_cannot_read(tmp_path):
    done = run(tmp_path, """
@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    sums = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(left.load([0, k]), right.load([k, 0]), sums)
    tl.store(c + tl.arange(0, BM)[:, None] * N + tl.arange(0, BN)[None, :], sums)

x, y = Tensor(256 * 256, "float16"), Tensor(256 * 256)
counts = []
for rows in (128, 0, 256, 0):
    product[(1, )](x, x, y, rows, 128, 128, BM=128, BN=128, BK=64)
    counts.append(fake.nereidFakeTensorMapCount())
assert counts == [2, 2, 4, 4], counts
assert fake.nereidFakeLaunchCount() == 4
print("fine")
""")
    assert done.stdout == "fine\n", done.stderr


def test_a_tensor_of_the_host_beside_one_of_the_gpu(tmp_path):
    done = run(tmp_path, """
try:
    scale[(2, )](Tensor(100), Tensor(100, is_cuda=False), 100, 2.0, BLOCK=64)
except ValueError as error:
    print(error)
""")
    assert done.stdout == "Pointer argument (at 1) cannot be accessed from Triton (cpu tensor?)\n", done.stderr


def test_tensors_of_the_host_run_on_the_processor(tmp_path):
    text = """
x = Tensor(8, is_cuda=False)
ctypes.memmove(x.address, (ctypes.c_float * 8)(*range(8)), 32)
scale[(1, )](x, x, 8, 3.0, BLOCK=8)
print(list((ctypes.c_float * 8).from_address(x.address)), fake.nereidFakeLaunchCount())
"""
    done = run(tmp_path, text)
    assert done.stdout == "[0.0, 3.0, 6.0, 9.0, 12.0, 15.0, 18.0, 21.0] 0\n", done.stderr
    forced = run(tmp_path, text, NEREID_DEVICE="cuda")
    assert "cannot be accessed from Triton" in forced.stderr


def test_a_failed_kernel_is_named_by_a_later_launch(tmp_path):
    done = run(tmp_path, """
x = Tensor(100)
scale[(2, )](x, x, 100, 2.0, BLOCK=64)
try:
    scale[(2, )](x, x, 100, 2.0, BLOCK=64)
except RuntimeError as error:
    print(error)
""", NEREID_FAKE_CUDA="kernel=700")
    assert "`scale` failed on the GPU: an illegal memory access was encountered" in done.stdout, done.stdout + done.stderr


def test_configurations_are_compiled_at_the_same_time(tmp_path):
    """Each run of the assembler leaves a file and waits until both are there: one after another would never end."""
    slow = tmp_path / "slow-ptxas"
    fake = os.path.join(ROOT, "..", "test", "cuda", "Inputs", "fake-ptxas")
    slow.write_text(f"""#!/bin/sh
case "$1" in --version) exec {fake} --version;; esac
touch {tmp_path}/running.$$
for i in $(seq 200); do
  [ $(ls {tmp_path}/running.* | wc -l) -ge 2 ] && exec {fake} "$@"
  sleep 0.05
done
exit 1
""")
    slow.chmod(0o755)
    done = run(tmp_path, """
tuned = triton.autotune([triton.Config({"BLOCK": size}) for size in (32, 64)], key=["n"],
                        do_bench=lambda call, quantiles: (call(), [1.0, 1.0, 1.0])[1])(scale)
x = Tensor(100)
tuned[(2, )](x, x, 100, 2.0)
assert fake.nereidFakeLaunchCount() == 3  # each once, and the call itself
print("fine")
""", NEREID_PTXAS=str(slow))
    if len(os.sched_getaffinity(0)) > 1:  # as many threads compile as there are cores
        assert done.stdout == "fine\n", done.stderr


def test_what_does_not_fit_is_out_of_resources(tmp_path):
    text = """
@triton.jit
def total(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x, tl.sum(tl.load(x + i)))

try:
    total[(1, )](Tensor(1024), BLOCK=1024)
except triton.runtime.errors.OutOfResources as error:
    print(error.name, error.required > error.limit, error.limit)
"""
    done = run(tmp_path, text, NEREID_FAKE_CUDA="shared=8")
    assert done.stdout == "shared memory True 8\n", done.stdout + done.stderr


def test_assembly_that_is_none_is_an_error_of_the_assembler(tmp_path):
    done = run(tmp_path, """
@triton.jit
def wrong(x):
    v = tl.inline_asm_elementwise("nonsense $0, $1;", "=r,r", [tl.load(x)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(x, v)

try:
    wrong[(1, )](Tensor(4, dtype="int32"))
except triton.runtime.errors.PTXASError as error:
    print(error)
""")
    assert done.stdout.startswith("PTXAS error: ") and "'nonsense'" in done.stdout, done.stdout + done.stderr


def test_code_of_the_user_in_the_place_of_compiled_code(tmp_path):
    done = run(tmp_path, """
import os
x, y = Tensor(100), Tensor(100)
plain = scale[(2, )](x, y, 50, 0.5, BLOCK=64).asm["ptx"]
path = os.path.join(os.environ["NEREID_CACHE_DIR"], "edited.ptx")
with open(path, "w") as file:
    file.write(plain.replace("ret;", "ret; // edited"))
before = fake.nereidFakeLaunchCount()
kernel = scale[(2, )](x, y, 50, 0.5, BLOCK=64, ir_override=path)
assert "// edited" in kernel.asm["ptx"] and b"// edited" in kernel.asm["cubin"] and fake.nereidFakeLaunchCount() == before + 1
assert scale[(2, )](x, y, 50, 0.5, BLOCK=64, ir_override=path) is kernel and scale[(2, )](x, y, 50, 0.5, BLOCK=64).asm["ptx"] == plain

# A dump, edited where it lies, and put in the place of the code by the environment.
from triton import knobs
knobs.cache.dump_dir = knobs.cache.override_dir = os.path.join(os.environ["NEREID_CACHE_DIR"], "dump")
with knobs.compilation.scope():
    knobs.compilation.dump_ir = True
    dumped = scale[(2, )](x, y, 50, 0.5, BLOCK=32).metadata_group["scale.ptx"]
with open(dumped, "a") as file:
    file.write("// dumped")
scale.device_caches[0][0].clear()
knobs.compilation.override = True
assert scale[(2, )](x, y, 50, 0.5, BLOCK=32).asm["ptx"].endswith("// dumped")
print("fine")
""")
    assert done.stdout == "fine\n", done.stderr
