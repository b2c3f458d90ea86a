import triton
import triton.language as tl


@triton.jit
def fault(x_ptr, far):
    tl.store(x_ptr + far, 1.0)


@triton.jit
def unmasked(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i) + 1
    tl.store(out_ptr + i, x)


@triton.jit
def too_early(out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i - 1, 1.0)


@triton.jit
def reads_x(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i % 4, tl.load(x_ptr + i))
