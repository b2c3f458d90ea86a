import triton
import triton.language as tl


@triton.jit
def overlap(out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * (BLOCK // 2) + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, 1.0, mask=i < n)


@triton.jit
def add_up(out_ptr, BLOCK: tl.constexpr):
    tl.atomic_add(out_ptr + tl.arange(0, BLOCK), 1.0)


@triton.jit
def blocks(out):
    out.store([tl.program_id(0) * 16, 0], tl.zeros((16, 32), tl.float32))
