"""What goes wrong on a real GPU, case by case: what is said, and that the process goes on where CUDA allows it. Needs an
NVIDIA GPU, torch and the drop-in (`python -m nereid test/cuda/gpu_errors.py [NEREID]`); the table comes last.

The cases of the command line run NEREID (build/bin/nereid); the others are calls in this process, each followed by a
launch that must be right. The illegal address comes last: it costs the process its GPU."""
import os
import re
import subprocess
import sys

import torch
import triton
import triton.language as tl

HERE = os.path.dirname(os.path.abspath(__file__))
NEREID = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..", "build", "bin", "nereid")
KERNELS = os.path.join(HERE, "Inputs", "kernels.py")
rows = []


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, STEPS):
    rows, columns, inner = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    sums = tl.zeros([M, N], tl.float32)
    for step in range(STEPS):
        left = tl.load(a + rows * 4096 + (step * K + inner)[None, :])
        right = tl.load(b + (step * K + inner)[:, None] * 4096 + columns)
        sums = tl.dot(left, right, sums)
    tl.store(c + rows * 4096 + columns, sums)


@triton.jit
def wrong_assembly(x):
    value = tl.load(x)
    tl.store(x, tl.inline_asm_elementwise("nonsense $0, $1;", "=r,r", [value], dtype=tl.int32, is_pure=True, pack=1))


@triton.jit
def wild(x, offset):
    tl.store(x + offset, 1.0)


@triton.jit
def asserting(x, n):
    tl.device_assert(n < 5, "n is too large")
    tl.store(x, n)


def show(name, what, is_right):
    print(f"--- {name}: {'as expected' if is_right else 'NOT as expected'}\n{what.strip()}\n", flush=True)
    rows.append((name, is_right))


def goes_on():
    x = torch.arange(1000, device="cuda", dtype=torch.float32)
    out = torch.empty_like(x)
    add[(8, )](x, x, out, 1000, BLOCK=128)
    return bool((out == 2 * x).all())


def in_process(name, call, *patterns, survives=True):
    try:
        call()
        torch.cuda.synchronize()
        text = "no error"
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
    is_right = all(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)
    if survives:
        went_on = goes_on()
        text += f"\nthe process goes on: {went_on}"
        is_right = is_right and went_on
    show(name, text, is_right)


def command(name, words, *patterns, status, environment=None):
    done = subprocess.run([NEREID, *words], capture_output=True, text=True, env={**os.environ, **(environment or {})}, timeout=60)
    text = f"$ nereid {' '.join(words)}\nexit status {done.returncode}\n{done.stderr or done.stdout}"
    show(name, text, done.returncode == status and all(re.search(pattern, text) for pattern in patterns))


def freed_stream():
    """torch keeps its streams: one of the driver's own is made, and freed before the launch."""
    import ctypes
    cuda = ctypes.CDLL("libcuda.so.1")
    handle = ctypes.c_void_p()
    cuda.cuStreamCreate(ctypes.byref(handle), 1)
    stream = torch.cuda.ExternalStream(handle.value)
    x = torch.zeros(16, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        cuda.cuStreamDestroy_v2(handle)
        add[(1, )](x, x, x, 16, BLOCK=16)


def main():
    small = ["x=ones:f32[8]", "y=ones:f32[8]", "out=zeros:f32[8]", "n=8", "BLOCK=8", "--grid", "1"]
    assert goes_on()
    command("no driver", ["run", KERNELS + ":add", *small, "--device", "cuda"], "there is no CUDA driver", "NEREID_LIBCUDA names another file",
            status=3, environment={"NEREID_LIBCUDA": "/nonexistent"})
    command("no device", ["run", KERNELS + ":add", *small, "--device", "cuda"], "there is no GPU to use", status=3,
            environment={"CUDA_VISIBLE_DEVICES": ""})
    command("a device that is not there", ["run", KERNELS + ":add", *small, "--device", "cuda:7"], "there is no GPU 7", status=3)
    command("an illegal address (command line)", ["run", HERE + "/Inputs/wild.py:wild", "x=zeros:f32[8]", "offset=100000000000", "--grid", "2",
            "--device", "cuda"], "`wild` failed on the GPU", "offset=100000000000", "nereid check", status=1)
    command("inline assembly (command line)", ["run", KERNELS + ":wrong", "x=ones:i32[1]", "--grid", "1", "--device", "cuda"],
            r"kernels.py:20:\d+: error: the PTX for this line cannot be assembled", status=2)
    free, _ = torch.cuda.mem_get_info()
    held = torch.empty(free - (1 << 30), dtype=torch.uint8, device="cuda")  # 1 GiB is left
    command("out of memory", ["run", KERNELS + ":add", "x=ones:f32[400000000]", "y=ones:f32[8]", "out=zeros:f32[8]", "n=8", "BLOCK=8", "--grid", "1",
            "--device", "cuda"], "out of memory on GPU 0", "were asked for", "are free", status=3)
    del held
    torch.cuda.empty_cache()

    a = torch.zeros(4096, 4096, device="cuda", dtype=torch.float16)
    c = torch.zeros(4096, 4096, device="cuda", dtype=torch.float32)
    in_process("too much shared memory", lambda: product[(1, )](a, a, c, 256, 256, 256, 16, num_stages=1, num_warps=8), "shared memory", r"\d+", "smaller")
    in_process("too many threads", lambda: add[(1, )](c, c, c, 16, BLOCK=4096, num_warps=64), "threads|num_warps")
    in_process("inline assembly", lambda: wrong_assembly[(1, )](torch.zeros(1, device="cuda", dtype=torch.int32)), "gpu_errors.py", "nonsense")
    in_process("a freed stream", freed_stream, "stream")
    in_process("a grid that is too large", lambda: add[(1, 70000)](c, c, c, 16, BLOCK=16), "65535")
    in_process("a tensor of the host", lambda: add[(1, )](torch.zeros(16), c, c, 16, BLOCK=16), "cpu tensor|memory of the host|host")
    in_process("device_assert", lambda: asserting[(1, )](torch.zeros(1, device="cuda"), 9, debug=True), "n is too large")
    in_process("an illegal address", lambda: wild[(2, )](c, 100000000000), "wild|illegal", survives=False)
    in_process("after it", lambda: add[(1, )](c, c, c, 16, BLOCK=16), "lost to this process|illegal", survives=False)
    print("case" + " " * 36 + "as expected")
    for name, is_right in rows:
        print(f"{name:40}{'yes' if is_right else 'NO'}")
    wrong = sum(not is_right for _, is_right in rows)
    print(f"{len(rows) - wrong} passed, {wrong} failed", flush=True)
    os._exit(1 if wrong else 0)  # torch would complain about the lost context while it ends


main()
