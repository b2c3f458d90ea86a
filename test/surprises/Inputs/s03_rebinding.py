"""Surprise 3: kernels rebind their own parameters, even constexprs, and a compile-time `if` opens no scope."""
import triton
import triton.language as tl


@triton.jit
def parameters_rebound(x, y, n, stride, STEP: tl.constexpr, WIDE: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    y += row * n
    n = n - 1
    n //= STEP
    STEP = STEP + 1
    i = tl.arange(0, 64)
    if WIDE:
        factor = 3.0
        last: tl.constexpr = 64
    else:
        factor = 5
        last: tl.constexpr = 32
    j = tl.arange(0, last)
    tl.store(y + j, tl.load(x + j) * factor + STEP + n)


@triton.jit
def constexpr_in_a_loop(y, N: tl.constexpr):
    total = 0
    for k in tl.static_range(N):
        if k % 2 == 0:
            piece = k * 10
        else:
            piece = k
        total += piece
    N = total + N
    tl.store(y, N)
