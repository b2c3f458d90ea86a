"""The table of configurations as nereid.ops reads it: the first row that holds, by facts of the device and of the problem."""
import numpy as np

from nereid.ops import _configurations as table

HOPPER = {"gpu": 1, "capability": 90, "multiprocessors": 132, "shared": 227, "l2": 50}


def on(device, kernel, **problem):
    return table._first(kernel, tuple({**device, **problem}.items()))


def test_the_first_row_that_holds_counts():
    assert on(HOPPER, "attention_forward", bytes=2, dim=128, causal=1, length=4096, whole=1) == {
        "BLOCK_M": 128, "BLOCK_N": 128, "num_warps": 8, "num_stages": 2, "TMA": 1}  # yapf: disable
    assert on(HOPPER, "attention_forward", bytes=2, dim=64, causal=1, length=16384, whole=1)["BLOCK_M"] == 64
    assert on(HOPPER, "attention_forward", bytes=2, dim=64, causal=1, length=16384, whole=0)["BLOCK_M"] == 128
    assert on(HOPPER, "matmul", bytes=2, large=1, m=8192, n=8192, k=8192)["BLOCK_N"] == 256
    assert on(HOPPER, "matmul", bytes=2, large=0, m=128, n=128, k=8192)["BLOCK_N"] == 64
    assert on(HOPPER, "matmul", bytes=2, large=0, m=1024, n=1024, k=1024)["BLOCK_K"] == 128
    assert on(HOPPER, "nothing", bytes=2) == {}


def test_every_device_has_a_row():
    for capability, shared in ((80, 163), (86, 99), (89, 99), (90, 227), (100, 227), (120, 99)):
        device = {"gpu": 1, "capability": capability, "shared": shared}
        for kernel in ("attention_forward", "attention_backward_kv", "attention_backward_q"):
            assert on(device, kernel, bytes=2, dim=64, causal=0, length=512, whole=0)["BLOCK_M"] >= 32
        assert on(device, "matmul", bytes=4, large=0, m=16, n=16, k=16)["num_warps"] >= 4


def test_arrays_of_the_host_have_the_rows_of_a_processor():
    numbers = table.configuration("matmul", np.zeros(1), bytes=4, large=True, m=1024, n=2000, k=7)
    assert numbers == {"BLOCK_M": 256, "BLOCK_N": 256, "BLOCK_K": 512}
    assert table.launch_options(numbers) == {}
    assert table.launch_options({"num_warps": 8, "BLOCK_M": 1}) == {"num_warps": 8}
