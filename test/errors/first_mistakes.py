# first_mistakes.py: lists, loops, conditions and constants as people write them first, coming from Python, numpy or torch.
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

# --- return of a value from a kernel
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr)
    return x * 2
#   ^~~~~~~~~~~~ error: a kernel must not return a value, but `kernel` returns f32
#   note: store it in memory that the caller passes: `tl.store(out_ptr + offsets, …)`

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
#   note: it is 100
#   note: round up with `triton.next_power_of_2` and mask what is too much
#   note: or allow every extent, which Triton does not: `any_extent=True` of a launch, no `--strict-triton`

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

# --- a loop over a tile
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    for x in tl.load(x_ptr + tl.arange(0, 16)):
#            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: cannot loop over a value of type f32[16]
#   note: a kernel loops over `range(…)`, `tl.range(…)`, `tl.static_range(…)` or a tuple
        tl.store(x_ptr, x)

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

# --- a string
# sig: x_ptr=*fp32, mode=i32
@triton.jit
def kernel(x_ptr, mode):
    if mode == "relu":
#      ^~~~~~~~~~~~~~ error: a text cannot be compared with i32
#   note: text is known at compile time only: the other side must be a `tl.constexpr`
        tl.store(x_ptr, 0.0)

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

# --- a function of the language without `tl.`
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    store(x_ptr, 1.0)
#   ^~~~~ error: `store` is not defined
#   note: write `tl.store(…)`

# --- the stride of a pointer
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr + x_ptr.stride(0), 1.0)
#                          ^~~~~~ error: a value of type *f32 has no attribute `stride`
#   note: a kernel gets the address of a tensor: pass its extents and strides as parameters

# --- max of two values
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.store(x_ptr + tl.arange(0, 16), tl.max(x, 0.0))
#                                                ^~~ error: `axis` must be a constant integer, got float
#   note: the larger of two values is `tl.maximum(a, b)`

# --- a block size that was divided with `/`
# sig: x_ptr=*fp32, N=128
@triton.jit
def kernel(x_ptr, N: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, N / 2), 1.0)
#                                 ^~~~~ error: `end` of `arange` must be a constant integer, got float
#   note: `64.0` is a float: divide with `//`, or convert it with `int(…)`

# --- a block size that was computed in the kernel
# sig: x_ptr=*fp32, BLOCK=32
@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    half = BLOCK // 2
    tl.store(x_ptr + tl.arange(0, half), 1.0)
#                                 ^~~~ error: `end` of `arange` must be a constant integer, got i32
#   note: what is assigned to a name is a value of run time: annotate a new name, `half: tl.constexpr = BLOCK // 2`

# --- a shape that was computed in the kernel
# sig: x_ptr=*fp32, BLOCK=32
@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    half = BLOCK // 2
    tl.store(x_ptr + tl.arange(0, 16), tl.zeros((half, ), tl.float32))
#                                               ^~~~~~~~ error: an extent of a shape must be a constant integer, got i32
#   note: what is assigned to a name is a value of run time: annotate a new name, `half: tl.constexpr = BLOCK // 2`

# --- a type by the name that signatures have
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr).to(tl.fp16))
#                                        ^~~~ error: `tl` has no `fp16`
#   note: write `tl.float16`

# --- infinity as numpy has it
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, tl.inf)
#                      ^~~ error: `tl` has no `inf`
#   note: write `float("inf")`

# --- the type of a pointer in place of that of its elements
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16)) * 2
    tl.store(x_ptr + tl.arange(0, 16), x.to(x_ptr.dtype))
#                                      ^~~~~~~~~~~~~~~~~ error: cannot cast f32 to *f32
#   note: the type of what a pointer points to is `p.dtype.element_ty`
