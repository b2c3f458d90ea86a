"""Planted bugs: assertions of the kernel that do not hold. The comments are explained in out_of_bounds_masks.py."""
import triton
import triton.language as tl


# check: x=randint(0,10):i32[64] y=zeros:i32[64] --grid 1
@triton.jit
def value_over_its_limit(x, y):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    tl.device_assert(value < 5, "value over 5")  # bug: assert
    tl.store(y + i, value)


# check: y=zeros:i32[8] --grid 8
@triton.jit
def statement_about_the_program(y):
    pid = tl.program_id(0)
    assert pid < 7, "seven programs are enough"  # bug: assert
    tl.store(y + pid, pid)


# check: x=arange:i32[64] n=40 --grid 1
@triton.jit
def masked_assertion_fails_inside_the_mask(x, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    tl.device_assert(value < 30, "value over 30", mask=i < n)  # bug: assert


# check: x=arange:i32[10] --grid 1
@triton.jit
def assertion_in_a_loop(x):
    for k in range(10):
        value = tl.load(x + k)
        tl.device_assert(value != 7, "seven")  # bug: assert


@triton.jit
def checked_root(x):
    tl.device_assert(x >= 0, "negative under a root")  # bug-of assertion_in_a_function: assert
    return tl.sqrt(tl.maximum(x, 0.0))


# check: x=full(-1):f32[16] y=zeros:f32[16] --grid 1
@triton.jit
def assertion_in_a_function(x, y):
    i = tl.arange(0, 16)
    tl.store(y + i, checked_root(tl.load(x + i)))
