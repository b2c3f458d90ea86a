"""Which variables have a value where, and which: as in Triton, or more."""
import numpy as np
import pytest

import triton
import triton.language as tl


def run(kernel, *args, count=4):
    out = np.full(count, -1, np.int32)
    kernel[(1, )](out, *args)
    return out.tolist()


@triton.jit
def counted(out, n):
    for i in range(n):
        pass
    tl.store(out, i)
    for i in range(n, 0, -2):
        pass
    tl.store(out + 1, i)
    for j in range(2):
        for i in range(n):
            tl.store(out + 2, i)
    tl.store(out + 3, i)


def test_variable_of_a_loop_after_it():
    assert run(counted, 5) == [4, 1, 4, 4]
    assert run(counted, 2) == [1, 2, 1, 1]


@triton.jit
def none_in_a_branch(out, n):
    value = None
    if n > 3:
        value = n
        tl.store(out, value)
    value = n + 1
    tl.store(out + 1, value)


def test_none_that_a_branch_gives_a_value():
    assert run(none_in_a_branch, 5) == [5, 6, -1, -1]
    assert run(none_in_a_branch, 1) == [-1, 2, -1, -1]


@triton.jit
def both_branches(out, n):
    if n > 3:
        a = n
        b = 1
    else:
        a = 2 * n
        b = 2
    tl.store(out, a + b)
    if n > 3:
        if n > 4:
            c = 1
        else:
            c = 2
    else:
        c = 3
    tl.store(out + 1, c)
    for k in tl.static_range(3):
        last = k * n
    tl.store(out + 2, last)


def test_set_in_both_branches_and_in_unrolled_loops():
    assert run(both_branches, 5) == [6, 1, 10, -1]
    assert run(both_branches, 2) == [6, 3, 4, -1]


@triton.jit
def constexpr_of_run_time(out, n):
    size: tl.constexpr = n * 4
    tl.store(out, size * tl.program_id(0) + size)
    for i in range(2):
        twice: tl.constexpr = i * 2
        tl.store(out + 1 + i, twice)


def test_constexpr_annotation_of_a_value_of_run_time():
    assert run(constexpr_of_run_time, 5) == [20, 0, 2, -1]


@triton.jit
def one_branch(out, n):
    if n > 3:
        a = n
    tl.store(out, a)


@triton.jit
def dynamic_loop(out, n):
    for i in range(n):
        a = i
    tl.store(out, a)


@triton.jit
def other_types(out, n):
    if n > 3:
        a = n
    else:
        a = 1.0
    tl.store(out, a)


@triton.jit
def other_type_in_loop(out, n):
    a = 0
    for i in range(n):
        a += 1.0
    tl.store(out, a)


@pytest.mark.parametrize("kernel, message", [(one_branch, "may have no value"), (dynamic_loop, "may have no value"),
                                             (other_types, "Mismatched type for a"), (other_type_in_loop, "before the loop")])
def test_what_triton_refuses_too(kernel, message):
    with pytest.raises(triton.CompilationError, match=message):
        run(kernel, 5)
