# first_functions.py: functions, methods and keywords of Python, numpy and torch that people try first, and what to write instead.
import math

import numpy as np
import torch
import torch.nn.functional as F
import triton
import triton.language as tl

# --- a function of numpy
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.store(x_ptr + tl.arange(0, 16), np.exp(x))
#                                      ^~~~~~~~~ error: `numpy.exp` cannot be called in a kernel
#   note: write `tl.exp(…)`
#   note: only functions of the language and `@triton.jit` functions can

# --- a function of math
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.store(x_ptr + tl.arange(0, 16), math.exp(x))
#                                               ^ error: `math.exp` works on values that are known at compile time, not on `f32[16]`
#   note: write `tl.exp(…)`

# --- a function of torch
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.store(x_ptr + tl.arange(0, 16), torch.exp(x))
#                                      ^~~~~~~~~~~~ error: `torch.exp` cannot be called in a kernel
#   note: write `tl.exp(…)`
#   note: only functions of the language and `@triton.jit` functions can

# --- a type of numpy as a function
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, np.float32(2.0))
#                   ^~~~~~~~~~~~~~~ error: `numpy.float32` cannot be called in a kernel
#   note: write `x.to(tl.float32)`, or `tl.full([], value, tl.float32)`
#   note: only functions of the language and `@triton.jit` functions can

# --- torch.nn.functional
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.store(x_ptr + tl.arange(0, 16), F.gelu(x))
#                                      ^~~~~~~~~ error: `torch.nn.functional.gelu` cannot be called in a kernel
#   note: write `0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))`
#   note: only functions of the language and `@triton.jit` functions can

# --- a constant of numpy
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, math.inf)
    tl.store(x_ptr, np.inf)
#                   ^~~~~~ error: expected a tensor or a number, got unknown value `numpy.inf`
#   note: write `float("inf")`

# --- a type of torch
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr).to(torch.float16))
#                                     ^~~~~~~~~~~~~ error: `dtype` must be a type such as `tl.float32`, got unknown value `torch.float16`
#   note: write `tl.float16`

# --- tl.relu
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, tl.relu(tl.load(x_ptr)))
#                      ^~~~ error: `tl` has no `relu`
#   note: write `tl.maximum(x, 0.0)`

# --- tl.gelu
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, tl.gelu(tl.load(x_ptr)))
#                      ^~~~ error: `tl` has no `gelu`
#   note: write `0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))`

# --- tl.tanh
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, tl.tanh(tl.load(x_ptr)))
#                      ^~~~ error: `tl` has no `tanh`
#   note: write `libdevice.tanh(x)`, after `from triton.language.extra import libdevice`

# --- tl.silu
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, tl.silu(tl.load(x_ptr)))
#                      ^~~~ error: `tl` has no `silu`
#   note: write `x * tl.sigmoid(x)`

# --- tl.mean
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, tl.mean(tl.load(x_ptr + tl.arange(0, 16))))
#                      ^~~~ error: `tl` has no `mean`
#   note: write `tl.sum(x, axis) / n`

# --- tl.pow
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, tl.pow(tl.load(x_ptr), 2.0))
#                      ^~~ error: `tl` has no `pow`
#   note: write `x * x`, or call `pow` of `tl.extra.libdevice`

# --- power operator
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) ** 2)
#                   ^~~~~~~~~~~~~~~~~~~ error: `**` is not defined for tensors
#   note: multiply, or call `pow` of `tl.extra.libdevice`

# --- tl.tensor
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.tensor([1, 2, 3, 4])
#       ^~~~~~~~~~~~~~~~~~~~~~~ error: `tensor` takes no arguments

# --- tl.array
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.array([1, 2, 3, 4])
#          ^~~~~ error: `tl` has no `array`
#   note: make a tile with `tl.arange`, `tl.zeros` or `tl.full`, or load it from memory

# --- tl.empty
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.empty([16], tl.float32)
#          ^~~~~ error: `tl` has no `empty`
#   note: write `tl.zeros(shape, dtype)`

# --- tl.ones
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.ones([16], tl.float32)
#          ^~~~ error: `tl` has no `ones`
#   note: write `tl.full(shape, 1, dtype)`

# --- tl.syncthreads
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.syncthreads()
#      ^~~~~~~~~~~ error: `tl` has no `syncthreads`
#   note: write `tl.debug_barrier()`; between stores and loads of one program none is needed

# --- tl.program_idx
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr + tl.program_idx(0), 1.0)
#                       ^~~~~~~~~~~ error: `tl` has no `program_idx`
#   note: did you mean `program_id`?

# --- tl.print
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.print("x", tl.load(x_ptr))
#      ^~~~~ error: `tl` has no `print`
#   note: write `tl.device_print("x", x)`, or `print("x", x)`

# --- tl.isnan
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.isnan(tl.load(x_ptr))
#          ^~~~~ error: `tl` has no `isnan`
#   note: write `x != x`

# --- wrong keyword
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i, mask=i < n, default=0.0)
#                                      ^~~~~~~~~~~ error: `load` has no parameter `default`
#   note: did you mean `other`?

# --- keyword dim
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, 16)
    x = tl.sum(i, dim=0)
#                 ^~~~~ error: `sum` has no parameter `dim`
#   note: did you mean `axis`?

# --- keyword keepdim
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, 16)
    x = tl.sum(i, axis=0, keepdim=True)
#                         ^~~~~~~~~~~~ error: `sum` has no parameter `keepdim`
#   note: did you mean `keep_dims`?

# --- print in a kernel
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    print(f"value {tl.load(x_ptr)}")
#                  ^~~~~~~~~~~~~~ error: an f-string in a kernel can only show values known at compile time, but this is f32
#   note: print run-time values with `tl.device_print`

# --- a plain function
def helper(x):
    return x * 2

# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, helper(tl.load(x_ptr)))
#                   ^~~~~~~~~~~~~~~~~~~~~~ error: `helper` is a plain Python function, which a kernel cannot call
#   note: decorate it with `@triton.jit`, or with `@triton.constexpr_function` if it runs at compile time

# --- abs, max, min, round, int, float of Python
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr)
    y = abs(x) + max(x, 0.0) + min(x, 1.0)
#       ^~~ error: the function `abs` of Python cannot be used in a kernel
#   note: write `tl.abs(x)`
    tl.store(x_ptr, float(x))

# --- int of Python
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, int(tl.load(x_ptr)))
#                       ^~~~~~~~~~~~~~ error: `int` converts only values known at compile time
#   note: convert a run-time value with `.to(tl.int32)`

# --- dot of vectors
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i)
    tl.store(x_ptr, tl.dot(x, x))
#                   ^~~~~~~~~~~~ error: `dot` needs two tensors of one rank, 2 or more, got f32[16] and f32[16]
#   note: the product of two vectors is `tl.sum(a * b)`

# --- reshape to -1
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.zeros([16, 16], tl.float32)
    y = x.reshape(-1)
#       ^~~~~~~~~~~~~ error: an extent of a shape must be at least 1, got -1
#   note: write the extent itself; `tl.ravel(x)` has one axis

# --- a method of torch
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    y = x.exp()
    z = x.float()
#         ^~~~~ error: a value of type f32[16] has no attribute `float`
#   note: write `x.to(tl.float32)`
    w = x.unsqueeze(0)

# --- item
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    w = x.item()
#       ^~~~~~~~ error: expected a scalar or a tensor of one element, got f32[16]

# --- a method that copies
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    w = x.contiguous()
#         ^~~~~~~~~~ error: a value of type f32[16] has no attribute `contiguous`
#   note: leave it out: a tile is a value, which lies nowhere

# --- a file
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    with open("x") as f:
#        ^~~~ error: the function `open` of Python cannot be used in a kernel
#   note: move this to the host, or to a `@triton.constexpr_function`
        pass

# --- zeros without type
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.zeros([16])
#       ^~~~~~~~~~~~~~ error: `zeros` needs the argument `dtype`
#   note: `zeros(shape, dtype)` is the signature

# --- program_id without axis
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr + tl.program_id(), 1.0)
#                    ^~~~~~~~~~~~~~~ error: `program_id` needs the argument `axis`
#   note: `program_id(axis)` is the signature

