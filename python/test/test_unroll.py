"""Loops that are unrolled count the same iterations."""
import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def count(out, n, START: tl.constexpr, STEP: tl.constexpr, FACTOR: tl.constexpr):
    turns = 0
    total = 0
    for i in tl.range(START, n, STEP, loop_unroll_factor=FACTOR):
        turns += 1
        total = total * 3 + i
    tl.store(out, turns)
    tl.store(out + 1, total)


@pytest.mark.parametrize("factor", [1, 2, 4, 5])
@pytest.mark.parametrize("start, step", [(0, 1), (0, 3), (2, 4), (-3, 2)])
def test_turns(start, step, factor):
    for n in (-5, 0, 1, 2, 3, 7, 8, 9, 17):
        out = np.zeros(2, np.int32)
        count[(1, )](out, n, start, step, factor)
        total = 0
        for i in range(start, n, step):
            total = total * 3 + i
        assert out.tolist() == [len(range(start, n, step)), np.int64(total).astype(np.int32)], (n, start, step, factor)
