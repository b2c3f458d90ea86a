import torch
import triton
import triton.language as tl


@triton.jit
def fine(x_ptr):
    tl.store(x_ptr, 1.0)


@triton.jit
def misspelt(x_ptr):
    tl.store(x_ptr, tl.lode(x_ptr))


@triton.jit
def keyword(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr, masks=None))


@triton.jit
def breaks(x_ptr, n):
    for i in range(n):
        break


@triton.jit
def host(x_ptr):
    tl.store(x_ptr, torch.sum(x_ptr))


@triton.jit
def calls_a_dtype(x):
    tl.store(x, tl.float32(0.0))
