# first_mistakes.py: what people write first, coming from Python, numpy or torch, and what to write instead.
import math

import numpy as np
import torch
import torch.nn.functional as F
import triton
import triton.language as tl

# --- a list that grows
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    values = []
    for i in range(n):
        values.append(tl.load(x_ptr + i))
#              ^~~~~~ error: a value of type tuple() has no attribute `append`
#   note: a list in a kernel is a tuple: in a `tl.static_range` loop write `items = items + (x, )`
#   note: values that are counted at run time go into a tile, or to memory with `tl.store`

# --- a list that grows at compile time
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    values = []
    for i in tl.static_range(4):
        values.append(tl.load(x_ptr + i))
#              ^~~~~~ error: a value of type tuple() has no attribute `append`
#   note: a list in a kernel is a tuple: in a `tl.static_range` loop write `items = items + (x, )`
#   note: values that are counted at run time go into a tile, or to memory with `tl.store`

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

# --- return of a value from a kernel
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr)
    return x * 2
#   ^~~~~~~~~~~~ error: a kernel must not return a value, but `kernel` returns f32
#   note: store it in memory that the caller passes: `tl.store(out_ptr + offsets, …)`

# --- a pointer with an index
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    i = tl.program_id(0)
    x = x_ptr[i]
#             ^ error: unsupported tensor index: i32
#   note: a pointer is no array: write `tl.load(pointer + offsets)`, with `offsets` such as a number or `tl.arange(0, BLOCK)`

# --- a pointer with a slice
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = x_ptr[0:16]
#             ^~~~ error: unsupported tensor index: a slice with bounds
#   note: a pointer is no array: write `tl.load(pointer + offsets)`, with `offsets` such as a number or `tl.arange(0, BLOCK)`

# --- assignment through an index
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    i = tl.program_id(0)
    x_ptr[i] = 1.0
#   ^~~~~~~~ error: assignment to an element is not supported in a kernel
#   note: a pointer is no array: write `tl.store(x_ptr + offsets, value)`

# --- an element of a tile
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.store(x_ptr, x[0])
#                     ^ error: unsupported tensor index: int
#   note: a tensor is indexed by `:` and `None`
#   note: pick elements with `tl.gather`, or load them from memory

# --- an element of a tile by a loop variable
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    x = tl.load(x_ptr + tl.arange(0, 16))
    for i in range(n):
        tl.store(x_ptr, x[i])
#                         ^ error: unsupported tensor index: i32
#   note: a tensor is indexed by `:` and `None`
#   note: pick elements with `tl.gather`, or load them from memory

# --- assignment to an element of a tile
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.zeros([16], tl.float32)
    x[0] = 1.0
#   ^~~~ error: assignment to an element is not supported in a kernel
#   note: tiles are values: build the new one with `tl.where`, or store to memory with `tl.store`

# --- a slice of a tile
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.store(x_ptr + tl.arange(0, 8), x[:8])
#                                       ^~ error: unsupported tensor index: a slice with bounds
#   note: a tensor is indexed by `:` and `None`
#   note: pick elements with `tl.gather`, or load them from memory

# --- arange with a run-time end
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, n)
#                    ^ error: `end` of `arange` must be a constant integer, got i32
#   note: make a tile of a fixed length, `tl.arange(0, BLOCK)` with `BLOCK: tl.constexpr`, and mask what is too much: `mask=offsets < n`

# --- arange of another length
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    i = tl.arange(0, 100)
#       ^~~~~~~~~~~~~~~~~ error: arange's range must be a power of 2
#   note: it has 100 elements
#   note: round up with `triton.next_power_of_2` and mask what is too much

# --- arange with one argument
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    i = tl.arange(16)
#       ^~~~~~~~~~~~~ error: `arange` needs the argument `end`
#   note: `arange(start, end)` is the signature

# --- arange with a step
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    i = tl.arange(0, 16, 2)
#                        ^ error: too many arguments for `arange`
#   note: `arange(start, end)` is the signature

# --- range over the length of a pointer
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    for i in range(len(x_ptr)):
#                      ^~~~~ error: `len` counts the items of a tuple, got *f32
#   note: a pointer has no length: pass the number of elements as a parameter
        tl.store(x_ptr + i, 0.0)

# --- a loop over a pointer
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    for x in x_ptr:
#            ^~~~~ error: cannot loop over a value of type *f32
#   note: a kernel loops over `range(…)`, `tl.range(…)`, `tl.static_range(…)` or a tuple
        tl.store(x, 0.0)

# --- a loop over a tile
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    for x in tl.load(x_ptr + tl.arange(0, 16)):
#            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: cannot loop over a value of type f32[16]
#   note: a kernel loops over `range(…)`, `tl.range(…)`, `tl.static_range(…)` or a tuple
        tl.store(x_ptr, x)

# --- the shape of a pointer
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    n = x_ptr.shape[0]
#                   ^ error: a pointer or a single number has no extents
#   note: a kernel gets the address of a tensor: pass its extents as parameters
    tl.store(x_ptr, n)

# --- size of a pointer
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, x_ptr.numel())
#                   ^~~~~~~~~~~~~ error: a value of type int cannot be called
#   note: leave out the `()`: `x.numel` and `x.shape` are values

# --- a condition of a tile
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    if x > 0:
#      ^~~~~ error: a condition must be a single boolean, got i1[16]
#   note: give loads and stores a `mask=`, choose elementwise with `tl.where`, or reduce it with `tl.max`
        tl.store(x_ptr, 1.0)

# --- and of tiles
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, 16)
    tl.store(x_ptr + i, 1.0, mask=i and n)
#                                 ^~~~~~~ error: `and`, `or` work on booleans, got i32[16]
#   note: compare: `x != 0`

# --- a while over a tile
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, 16)
    while i < n:
#         ^~~~~ error: a condition must be a single boolean, got i1[16]
#   note: give loads and stores a `mask=`, choose elementwise with `tl.where`, or reduce it with `tl.max`
        i += 1

# --- & without parentheses
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, 16)
    tl.store(x_ptr + i, 1.0, mask=i < n & i > 2)
#                                 ^~~~~~~~~~~~~ error: a chained comparison is not supported in a kernel
#   note: `&` and `|` bind tighter than `<`: write `(a < b) & (b < c)`

# --- a mask that is a number
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i, mask=i)
#                          ^~~~~~ error: `mask` must be boolean, got i32[16]
#   note: compare: `offsets < n`; offsets themselves are added to the pointer: `p + offsets`

# --- a mask of another shape
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i, mask=tl.arange(0, 32) < n)
#                          ^~~~~~~~~~~~~~~~~~~~~~~~~ error: `mask` is i1[32] but the pointer is *f32[16]
#   note: both need the same shape

# --- a mask for one element
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    x = tl.load(x_ptr, mask=tl.arange(0, 32) < n)
#                      ^~~~~~~~~~~~~~~~~~~~~~~~~ error: `mask` is i1[32] but the pointer is a single pointer
#   note: add an offset of that shape to the pointer

# --- a load of a number
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    x = tl.load(n)
#               ^ error: `load` needs a pointer, got i32
#   note: offsets are added to a pointer, which comes from a parameter: `tl.load(p + offsets)`

# --- a load of offsets
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    x = tl.load(tl.arange(0, 16))
#               ^~~~~~~~~~~~~~~~ error: `load` needs a pointer, got i32[16]
#   note: offsets are added to a pointer, which comes from a parameter: `tl.load(p + offsets)`

# --- a load of a load
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    x = tl.load(tl.load(x_ptr))
#               ^~~~~~~~~~~~~~ error: `load` needs a pointer, got f32

# --- load with pointer and offset apart
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    x = tl.load(x_ptr, tl.arange(0, 16))
#                      ^~~~~~~~~~~~~~~~ error: `mask` must be boolean, got i32[16]
#   note: compare: `offsets < n`; offsets themselves are added to the pointer: `p + offsets`

# --- a store with arguments swapped
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i)
    tl.store(x, x_ptr + i)
#            ^ error: `store` needs a pointer, got f32[16]
#   note: the pointer comes first: `tl.store(pointer, value)`

# --- a store without a value
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    tl.store(x_ptr)
#   ^~~~~~~~~~~~~~~ error: `store` needs the argument `value`
#   note: `store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy="")` is the signature

# --- a store of a tile to one place
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    tl.store(x_ptr, tl.arange(0, 16))
#                   ^~~~~~~~~~~~~~~~ error: `value` is i32[16] but the pointer is a single pointer
#   note: add an offset of that shape to the pointer

# --- two pointers added
# sig: x_ptr=*fp32, y_ptr=*fp32
@triton.jit
def kernel(x_ptr, y_ptr):
    tl.store(x_ptr, x_ptr + y_ptr)
#                   ^~~~~~~~~~~~~ error: two pointers cannot be added
#   note: add what they point to: `tl.load(a) + tl.load(b)`; to compute with addresses, cast both to `tl.int64`

# --- a pointer times a number
# sig: x_ptr=*fp32, y_ptr=*fp32
@triton.jit
def kernel(x_ptr, y_ptr):
    tl.store(y_ptr, x_ptr * 2)
#                   ^~~~~~~~~ error: operands of types *f32 and i32 do not go together
#   note: a pointer takes part only in `+`, `-`, comparisons and `tl.where`; what it points to is `tl.load(p)`

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

# --- a block size that is no constexpr
# sig: x_ptr=*fp32, BLOCK=i32
@triton.jit
def kernel(x_ptr, BLOCK):
    x = tl.zeros([BLOCK], tl.float32)
#                ^~~~~~~ error: an extent of a shape must be a constant integer, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- a global that is no constexpr
BLOCK = 16

# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    i = tl.arange(0, BLOCK)
#                    ^~~~~ error: cannot access global variable `BLOCK` in a kernel
#   note: make it a constant: `BLOCK = tl.constexpr(16)`, or pass it as a parameter

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

# --- a string
# sig: x_ptr=*fp32, mode=i32
@triton.jit
def kernel(x_ptr, mode):
    if mode == "relu":
#      ^~~~~~~~~~~~~~ error: a text cannot be compared with i32
#   note: text is known at compile time only: the other side must be a `tl.constexpr`
        tl.store(x_ptr, 0.0)

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

# --- a call of the grid inside
# sig: x_ptr=*fp32
@triton.jit
def other(x_ptr):
    tl.store(x_ptr, 1.0)

# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    other[(1,)](x_ptr)
#   ^~~~~~~~~~~~~~~~~~ error: `a launch of other` cannot be called in a kernel
#   note: a kernel cannot launch another; call it without a grid: `other(…)`

# --- type of an accumulator changes
# sig: x_ptr=*fp16, n=i32
@triton.jit
def kernel(x_ptr, n):
    acc = 0
    for i in range(n):
        acc += tl.load(x_ptr + i)
#       ^~~ error: `acc` is i32 before the loop, but becomes f16 in it
#   note: a variable keeps its type through a loop: cast the new value, or start with that type
    tl.store(x_ptr, acc)

# --- a tuple that grows
# accepted
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    values = ()
    for i in tl.static_range(4):
        values = values + (tl.load(x_ptr + i), )
    tl.store(x_ptr, values[0] + values[3])
