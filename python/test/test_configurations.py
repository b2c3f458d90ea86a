"""The table of configurations as nereid.ops reads it: the first row that holds, by facts of the device and of the problem."""
import re
import shutil
import subprocess

import numpy as np
import pytest

from nereid.ops import _configurations as table
from nereid.ops._library import kernel as library_kernel

HOPPER = {"gpu": 1, "capability": 90, "multiprocessors": 132, "shared": 227, "l2": 50}


def on(device, kernel, **problem):
    return table._first(kernel, tuple({**device, **problem}.items()))


def test_the_first_row_that_holds_counts():
    assert on(HOPPER, "attention_forward", bytes=2, dim=128, causal=1, length=4096, whole=1) == {
        "BLOCK_M": 128, "BLOCK_N": 128, "num_warps": 8, "num_stages": 2, "TMA": 1}  # yapf: disable
    assert on(HOPPER, "attention_forward", bytes=2, dim=64, causal=1, length=16384, whole=1)["BLOCK_M"] == 64
    assert on(HOPPER, "attention_forward", bytes=2, dim=64, causal=1, length=16384, whole=0)["BLOCK_M"] == 128
    assert on(HOPPER, "attention_backward_scores", bytes=2, dim=128, causal=1, length=4096, whole=1)["BLOCK_N"] == 128
    assert on(HOPPER, "attention_backward_scores", bytes=2, dim=64, causal=1, length=4096, whole=1) == {}
    assert on(HOPPER, "matmul", bytes=2, large=1, m=8192, n=8192, k=8192)["BLOCK_N"] == 256
    assert on(HOPPER, "matmul", bytes=2, large=0, m=128, n=128, k=8192)["BLOCK_N"] == 64
    assert on(HOPPER, "matmul", bytes=2, large=0, m=1024, n=1024, k=1024)["BLOCK_K"] == 128
    assert on(HOPPER, "nothing", bytes=2) == {}


GPUS = ((80, 163), (86, 99), (89, 99), (90, 227), (100, 227), (120, 99))  # capability, KiB that a block may have


def test_every_device_has_a_row():
    for capability, shared in GPUS:
        device = {"gpu": 1, "capability": capability, "shared": shared}
        for kernel in ("attention_forward", "attention_backward_kv", "attention_backward_q"):
            assert on(device, kernel, bytes=2, dim=64, causal=0, length=512, whole=0)["BLOCK_M"] >= 32
        assert on(device, "matmul", bytes=4, large=0, m=16, n=16, k=16)["num_warps"] >= 4


def test_arrays_of_the_host_have_the_rows_of_a_processor():
    numbers = table.configuration("matmul", np.zeros(1), bytes=4, large=True, m=1024, n=2000, k=7)
    assert numbers == {"BLOCK_M": 256, "BLOCK_N": 256, "BLOCK_K": 512}
    assert table.launch_options(numbers) == {}
    assert table.launch_options({"num_warps": 8, "BLOCK_M": 1}) == {"num_warps": 8}


@pytest.mark.parametrize("kernel", ("forward", "backward_kv", "backward_q"))
@pytest.mark.parametrize("capability, shared", ((86, 99), (100, 227)))
@pytest.mark.parametrize("size, dim", ((2, 128), (2, 256), (4, 256)))
def test_long_heads_fit_into_gpus_that_are_not_here(kernel, capability, shared, size, dim):
    """Into shared memory, and, where an assembler is here, nearly into registers."""
    import triton
    from triton.backends.compiler import GPUTarget
    numbers = on({"gpu": 1, "capability": capability, "shared": shared}, "attention_" + kernel, bytes=size, dim=dim, causal=1, length=4096, whole=0)
    function = library_kernel("flash_attention", "flash_attention_" + kernel)
    constants = {"DIM": dim, "BLOCK_M": numbers["BLOCK_M"], "BLOCK_N": numbers["BLOCK_N"], "CAUSAL": True, "PRECISION": "ieee", "BY_DESCRIPTOR": False, "group": 1}
    constants |= {name: None if name == "scores_ptr" else 0 for name in ("scores_ptr", "scores_stride", "first") if name in function.arg_names}
    element = "*fp16" if size == 2 else "*fp32"
    types = {name: "constexpr" if name in constants else "fp32" if name == "scale" else ("*fp32" if name in ("lse_ptr", "delta_ptr") else element) if name.endswith("_ptr") else "i32" for name in function.arg_names}
    attributes = {(i, ): [["tt.divisibility", 16]] for i, name in enumerate(function.arg_names) if name not in constants and name != "scale"}
    compiled = triton.compile(triton.compiler.ASTSource(function, types, {(function.arg_names.index(name), ): value for name, value in constants.items()}, attributes), target=GPUTarget("cuda", capability, 32),
                              options=table.launch_options(numbers))  # yapf: disable
    assert compiled.metadata.shared <= shared << 10
    if kernel == "backward_kv" and shutil.which("ptxas"):
        target = re.search(r"\.target (\w+)", compiled.asm["ptx"])[1]
        told = subprocess.run(["ptxas", "-v", f"-arch={target}", "-o", "/dev/null", "-"], input=compiled.asm["ptx"], capture_output=True, text=True, check=True)
        assert int(re.search(r"(\d+) bytes spill stores", told.stderr + told.stdout)[1]) <= 400
