"""`triton.compile` for targets: no device, no driver; what it gives can go to other processes."""
import os
import subprocess
import sys

import pytest
from test_cuda import FAKE, PRELUDE, ROOT

needs_fake = pytest.mark.skipif(not os.path.exists(FAKE), reason="the fake driver is not built")

HEAD = """
import json, os, pickle
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, CompiledKernel

@triton.jit
def scale(x, y, n, by, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n) * by, i < n)

@triton.jit
def checked(x, n):
    i = tl.program_id(0) * n + tl.arange(0, 64)
    tl.device_assert(i < 1000, "small")
    tl.store(x + i, 1.0)

def source(fn=scale):
    if fn is checked:
        return ASTSource(fn, {"x": "*fp32", "n": "i32"})
    return ASTSource(fn, {"x": "*fp32", "y": "*fp32", "n": "i32", "by": "fp32", "BLOCK": "constexpr"}, {"BLOCK": 64},
                     {(0, ): [["tt.divisibility", 16]]})

CUDA = GPUTarget("cuda", 90, 32)
"""


def run(tmp_path, text, prelude=HEAD, **variables):
    file = tmp_path / "program.py"
    file.write_text(prelude + text)
    environment = {**os.environ, "PYTHONPATH": ROOT, "NEREID_LIBCUDA": "/there/is/none.so", "NEREID_CACHE_DIR": str(tmp_path / "cache"),
                   "TRITON_CACHE_DIR": str(tmp_path / "triton"),
                   "NEREID_PTXAS": os.path.join(ROOT, "..", "test", "cuda", "Inputs", "fake-ptxas"), **variables}  # yapf: disable
    done = subprocess.run([sys.executable, str(file)], env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_gpu_that_is_not_there(tmp_path):
    run(
        tmp_path, """
kernel = triton.compile(source(), target=CUDA, options={"num_warps": 2, "num_stages": 2})
ptx, about = kernel.asm["ptx"], kernel.metadata
assert ".target sm_90a" in ptx and kernel.asm["cubin"] == kernel.kernel and kernel.kernel.startswith(b"FAKECUBIN")
# What Triton's kernels take: the arguments that are not constants, scratch memory, a profiler's.
assert ptx[ptx.index(".entry scale("):].split(")")[0].count(".param") == 6
assert (about.name, about.num_warps, about.num_ctas, about.num_stages, about.shared) == ("scale", 2, 1, 2, 0)
assert (about.global_scratch_size, about.profile_scratch_size, about.tmem_size, about.launch_pdl) == (0, 0, 0, False)
assert about.target == CUDA and about.hash == kernel.hash and kernel.packed_metadata == (2, 1, 0)
assert "tt.load" in kernel.asm["ttir"] and "ttg.target" in kernel.asm["ttgir"] and "define" in kernel.asm["llir"]
assert ".target sm_80" in triton.compile(source(), target=GPUTarget("cuda", 80, 32)).asm["ptx"]
assert ".target sm_80" in triton.compile(source(), target=CUDA, options={"arch": "sm80"}).asm["ptx"]
assert kernel.module is None and kernel.function is None
""")


def test_the_processor_is_a_target(tmp_path):
    run(
        tmp_path, """
import numpy as np
kernel = triton.compile(source(), target=GPUTarget("cpu", "x86_64", 32))
x, y = np.arange(100, dtype=np.float32), np.zeros(100, dtype=np.float32)
kernel[(2, )](x, y, 100, 0.5, 64)
assert np.array_equal(y, x / 2) and "ptx" not in kernel.asm and "scale" in kernel.asm["asm"]
same = np.arange(100, dtype=np.float32)
kernel[(2, 1, 1)](same, same, np.int64(100), 2, None)  # arguments that overlap, a number of numpy, an ignored constant
assert np.array_equal(same, 2 * x)
for wrong, error in (((x, y, 1.5, 2.0, 64), TypeError), ((x, y, 1), TypeError), (("x", y, 1, 2.0, 64), TypeError)):
    try:
        kernel[(1, )](*wrong)
        assert False, wrong
    except error:
        pass
""")


def test_the_files_are_where_triton_has_them(tmp_path):
    run(
        tmp_path, """
from triton.runtime.cache import _base32
heard = []
triton.knobs.compilation.listener = lambda **about: heard.append(about["cache_hit"])
kernel = triton.compile(source(), target=CUDA)
folder = os.path.join(os.environ["TRITON_CACHE_DIR"], _base32(kernel.hash))
assert {"scale.ptx", "scale.cubin", "scale.json", "__grp__scale.json"} <= set(os.listdir(folder)), os.listdir(folder)
assert json.load(open(folder + "/scale.json"))["target"] == {"backend": "cuda", "arch": 90, "warp_size": 32}
again = triton.compile(source(), target=CUDA)
assert heard == [False, True] and again.hash == kernel.hash and again.asm["cubin"] == kernel.asm["cubin"]
assert CompiledKernel(source(), kernel.metadata_group, kernel.hash).metadata == kernel.metadata
hashes = {triton.compile(source(), target=CUDA, options=options).hash
          for options in ({}, {"num_warps": 8}, {"debug": True}, {"maxnreg": 64}, {"sanitize_overflow": False})}
assert len(hashes) == 5
""")


def test_the_listener_hears_of_launches_too(tmp_path):
    run(
        tmp_path, """
import numpy as np
heard = []
triton.knobs.compilation.listener = lambda *, times, cache_hit, **more: heard.append((cache_hit, times.total_lowering > 0, times.store_results > 0))
x = np.arange(100, dtype=np.float32)
for _ in range(2):
    scale[(2, )](x, np.empty_like(x), 100, 2.0, 64)
    scale.device_caches.clear()
assert heard == [(False, True, True), (True, False, False)], heard
""")


def test_checks_are_what_the_options_say(tmp_path):
    run(
        tmp_path, """
def ptx(**options):
    return triton.compile(source(checked), target=CUDA, options=options).asm["ptx"]
both, asserts, none = ptx(debug=True), ptx(debug=True, sanitize_overflow=False), ptx()
assert "overflow detected" in bytes(int(b) for line in both.splitlines() if ".b8 " in line
                                    for b in line[line.index("{") + 1:line.index("}")].split(",")).decode("latin1")
assert both.count("call.uni") > asserts.count("call.uni") > 0 and "__assertfail" not in none
# Nothing beside the arguments is needed for it, and nobody has to wait.
assert asserts[asserts.index(".entry checked("):].split(")")[0].count(".param") == 4 and "bar.red" not in asserts
""")


def test_unknown_options_are_refused_by_name(tmp_path):
    run(
        tmp_path, """
for options, error, text in (({"num_wraps": 4}, KeyError, "num_wraps"), ({"num_warps": 3}, AssertionError, "power of 2"),
                             ({"ir_override": "a.ttir"}, NotImplementedError, "ir_override"),
                             ({"instrumentation_mode": "consan"}, NotImplementedError, "instrumentation_mode"),
                             ({"warp_size": 64}, ValueError, "warp_size")):
    try:
        triton.compile(source(), target=CUDA, options=options)
        assert False, options
    except error as problem:
        assert text in str(problem), problem
try:
    triton.compile(source(), target=GPUTarget("cuda", 80, 32), options={"num_ctas": 2})
    assert False
except ValueError as problem:
    assert "num_ctas > 1 requires NVIDIA SM90+" in str(problem)
""")


# As torch's compile workers do it: the state of a kernel without its function goes through a pickle.
PICKLE = """
def packed(kernel):
    fn = kernel.src.fn
    fn.params
    fn.fn = fn.__globals__ = fn.used_global_vals = fn._hash_lock = None
    fn.repr = None
    return pickle.dumps({**kernel.__dict__, "metadata": kernel.metadata._asdict(), "module": None, "function": None, "run": None})

def unpacked(data):
    from collections import namedtuple
    state = pickle.loads(data)
    state["metadata"] = namedtuple("KernelMetadata", sorted(state["metadata"]))(**state["metadata"])
    kernel = CompiledKernel.__new__(CompiledKernel)
    kernel.__dict__.update(state)
    return kernel
"""


# As torch.compile writes a kernel that it compiled in its own process to its cache: the copy that it keeps for that stays without the
# function when the kernel gets it back.
def test_copy_of_a_kernel_without_its_function_stays_without(tmp_path):
    run(
        tmp_path, """
import copy
assert copy.deepcopy(scale) is scale
taken = scale.fn, scale.__globals__, scale.used_global_vals, scale._hash_lock
scale.params, scale.arg_names
scale.fn = scale.__globals__ = scale.used_global_vals = scale._hash_lock = None
copied = copy.deepcopy(scale)
scale.fn, scale.__globals__, scale.used_global_vals, scale._hash_lock = taken
assert copied is not scale and copied.fn is None
again = pickle.loads(pickle.dumps(copied))
assert again.arg_names == scale.arg_names and again.src == scale.src
""")


@needs_fake
def test_workers_compile_and_the_parent_launches(tmp_path):
    run(
        tmp_path, HEAD + PICKLE + """
import multiprocessing

def work(connection):
    connection.send_bytes(packed(triton.compile(source(), target=CUDA)))

x, y = Tensor(100), Tensor(100)
scale[(1, )](x, y, 100, 2.0, BLOCK=64)  # the parent uses the GPU before it forks
here, there = multiprocessing.Pipe()
worker = multiprocessing.get_context("fork").Process(target=work, args=(there, ))
worker.start()
kernel = unpacked(here.recv_bytes())
worker.join()
assert worker.exitcode == 0 and kernel.src.fn.arg_names == ["x", "y", "n", "by", "BLOCK"]
assert [p.is_constexpr for p in kernel.src.fn.params] == [False] * 4 + [True]
kernel.run(2, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, y, 7, 0.5, 64)
last = fake.nereidFakeLaunchCount() - 1
given = [fake.nereidFakeParameter(ctypes.c_uint64(last), ctypes.c_uint64(i)) for i in range(6)]
assert given == [x.address, y.address, 7, 0x3f000000, 0, 0], given
assert kernel.n_regs == 32 and kernel.n_spills == 0 and isinstance(kernel.function, int) and kernel.function
seen = []
triton.knobs.runtime.launch_enter_hook.add(lambda about: seen.append(about.get()["name"]))
kernel[(2, )](x.address, None, 7, 0.5, 64)
assert seen == ["scale"] and fake.nereidFakeLaunchCount() == last + 2
host = Tensor(100, is_cuda=False)
try:
    kernel[(2, )](host, y, 7, 0.5, 64)
    assert False
except ValueError as problem:
    assert "Pointer argument (at 0) cannot be accessed from Triton (cpu tensor?)" in str(problem)
""", PRELUDE.replace("FAKE", FAKE), NEREID_LIBCUDA=FAKE)


@needs_fake
def test_a_copy_of_a_process_with_a_gpu_says_so_when_it_launches(tmp_path):
    run(
        tmp_path, HEAD + """
import multiprocessing, numpy as np
context = multiprocessing.get_context("fork")
x = Tensor(100)
scale[(1, )](x, x, 100, 2.0, BLOCK=64)

def work(connection):
    triton.compile(source(), target=CUDA)
    a = np.ones(1000, dtype=np.float32)
    scale[(16, )](a, a, 1000, 2.0, BLOCK=64)
    connection.send(float(a.sum()))
    try:
        scale[(1, )](x, x, 100, 2.0, BLOCK=64)
    except RuntimeError as problem:
        connection.send(str(problem))

here, there = context.Pipe()
worker = context.Process(target=work, args=(there, ))
worker.start()
assert here.recv() == 2000
message = here.recv()
assert "forked from one that uses the GPU" in message and "spawn" in message, message
worker.join()
assert worker.exitcode == 0
""", PRELUDE.replace("FAKE", FAKE), NEREID_LIBCUDA=FAKE)


def test_what_a_kernel_writes_to_can_be_seen(tmp_path):
    run(
        tmp_path, """
ir = triton._C.libtriton.ir
context = ir.context()
ir.load_dialects(context)
backend = triton.compiler.compiler.make_backend(CUDA)
backend.load_dialects(context)
options = backend.parse_options({})
module = source().make_ir(CUDA, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
names, stored, functions = [], [], []

def visit(op):
    names.append(op.get_name())
    if op.get_name() == "tt.store":
        stored.append(op.get_operand(0).id())
        assert op.get_num_operands() == 3 and op.get_num_results() == 0
    if op.get_name() == "tt.func":
        functions.append(op.get_str_attr("sym_name"))
        assert op.get_num_regions() == 1

module.walk(visit)
assert functions == ["scale"] and names[-1] == "builtin.module" and "tt.return" in names and len(stored) == 1
assert module.verify() and "tt.func public @scale" in str(module)
""")


def test_lines_can_be_left_out(tmp_path):
    run(
        tmp_path, """
assert ".loc" in triton.compile(source(), target=CUDA).asm["ptx"]
os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
without = triton.compile(source(), target=CUDA).asm["ptx"]
assert ".loc" not in without and "\t.file" not in without, without
""")


def test_code_of_the_user_in_the_place_of_compiled_code(tmp_path):
    run(
        tmp_path, """
from triton import knobs
kernel = triton.compile(source(), target=CUDA)
edited = kernel.asm["ptx"].replace("ret;", "ret; // edited")
with open("edited.ptx", "w") as file:
    file.write(edited)
replaced = triton.compile(source(), target=CUDA, options={"ir_override": "edited.ptx"})
assert replaced.asm["ptx"] == edited and replaced.asm["cubin"] != kernel.asm["cubin"] and replaced.packed_metadata == kernel.packed_metadata
with open("edited.ptx", "a") as file:
    file.write("// again")
assert triton.compile(source(), target=CUDA, options={"ir_override": "edited.ptx"}).asm["ptx"].endswith("// again")
with open("code.cubin", "wb") as file:
    file.write(b"\\x7fELF and more")
assert triton.compile(source(), target=CUDA, options={"ir_override": "code.cubin"}).asm["cubin"] == b"\\x7fELF and more"

# As TRITON_KERNEL_DUMP leaves it and TRITON_KERNEL_OVERRIDE takes it.
knobs.cache.override_dir = os.path.abspath("override")
knobs.compilation.override = True
assert triton.compile(source(), target=CUDA).asm["ptx"] == kernel.asm["ptx"]
from triton.runtime.cache import get_override_manager
folder = get_override_manager(kernel.hash).cache_dir
os.makedirs(folder)
for name, text in (("scale.ttir", kernel.asm["ttir"]), ("scale.ptx", edited)):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)
assert triton.compile(source(), target=CUDA).asm["ptx"] == edited
os.remove(os.path.join(folder, "scale.ptx"))
for options, error, text in (({}, NotImplementedError, "scale.ttir"), ({"ir_override": "none.ptx"}, FileNotFoundError, "none.ptx")):
    try:
        triton.compile(source(), target=CUDA, options=options)
        assert False, options
    except error as problem:
        assert text in str(problem), problem
knobs.compilation.override = False
with open("other.ptx", "w") as file:
    file.write(edited.replace("scale(", "other("))
for target, text in ((CUDA, "has no `.entry scale(`"), (GPUTarget("cpu", "", 32), "code for the processor")):
    try:
        triton.compile(source(), target=target, options={"ir_override": "other.ptx"})
        assert False, target
    except Exception as problem:
        assert text in str(problem), problem
""")
