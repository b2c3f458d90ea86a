"""Surprise 12: kernels call private parts of Triton's own library, which is jit source itself."""
import triton
import triton.language as tl
from triton.language import core
from triton.language.standard import _log2


@triton.jit
def private_names(x, y, N: tl.constexpr):
    dims: tl.constexpr = _log2(N)
    shape: tl.constexpr = [2] * dims
    i = core.arange(0, N)
    v = core.load(x + i)
    cube = core.reshape(v, shape)
    top = tl.max(cube, axis=0)
    half = core.reshape(top, [N // 2])
    tl.store(y + tl.arange(0, N // 2), half)
    tl.store(y + N // 2, dims + tl.standard._log2(N * 4))


@triton.jit
def exchange(x, flip, i: tl.constexpr):
    return tl.standard._compare_and_swap(x, flip, i)


@triton.jit
def sorting_network(x, y):
    i = tl.arange(0, 2)
    v = tl.load(x + i)
    tl.store(y + i, exchange(v, 0, 0))
    tl.store(y + 2 + i, exchange(v, 1, 0))


@triton.jit
def core_spellings(x, y):
    i = tl.core.arange(0, 32)
    v = tl.core.load(x + i)
    tl.core.static_assert(v.dtype == tl.core.float32)
    for k in tl.core.static_range(2):
        v = tl.core.where(v > 0, v, v - 1)
    tl.store(y + i, v)
