"""Surprise 4: code that no compile-time branch takes may be wrong in any way."""
import triton
import triton.language as tl


@triton.jit
def dead_branches(x, y, MODE: tl.constexpr, DEBUG: tl.constexpr = False):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    if MODE == "double":
        v = v * 2
    elif MODE == "half":
        v = v / 2
    else:
        raise ValueError("no such mode")
    if DEBUG:
        v = misspelt_function(v, tl.no_such_name, undefined_name[0])
        tl.store(y + i, v.not_an_attribute())
    tl.store(y + i, v)


@triton.jit
def never_called(x):
    return tl.this_does_not_exist(x, unknown)


@triton.jit
def after_the_return(x, y, DOUBLE: tl.constexpr):
    i = tl.arange(0, 32)
    if DOUBLE:
        tl.store(y + i, tl.load(x + i) * 2)
        return
    tl.store(y + i, tl.load(x + i))
    return
    never_called(nothing)
