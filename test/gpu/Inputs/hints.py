import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def depend(x, y):
    gdc_wait()
    value = tl.load(x)
    gdc_launch_dependents()
    tl.store(y, value)


@triton.jit
def assume(x, n):
    tl.assume(n > 0)
    tl.store(x, n)


@triton.jit
def loops(x, n, STAYS: tl.constexpr):
    for i in tl.range(0, n, disable_licm=STAYS):
        tl.atomic_add(x, i)


@triton.jit
def while_loop(x, n, STAYS: tl.constexpr):
    i = 0
    while tl.condition(i < n, disable_licm=STAYS):
        tl.atomic_add(x, i)
        i += 1


@triton.jit
def unrolled(x, FACTOR: tl.constexpr):
    for i in tl.range(0, 10, loop_unroll_factor=FACTOR):
        tl.atomic_add(x, i)


@triton.jit
def policies(x, y, z, N: tl.constexpr):
    i = tl.arange(0, N)
    kept = tl.load(x + i, eviction_policy="evict_last") + tl.load(x + N + i, i < N - 1, eviction_policy="evict_last")
    left = tl.load(y + i, eviction_policy="evict_first", cache_modifier=".cg")
    tl.store(z + i, kept + left, eviction_policy="evict_first")
