# reductions.py: reductions, scans, sorts and histograms.
import triton
import triton.language as tl

@triton.jit
def add(a, b):
    return a + b

# --- an axis that is out of range
@triton.jit
def kernel():
    tl.sum(tl.arange(0, 16), axis=1)
#                            ^~~~~~ error: invalid axis 1: `axis` must be in -1 to 0

# --- a negative axis that is out of range
@triton.jit
def kernel():
    tl.max(tl.zeros((16, 16), tl.float32), axis=-3)
#                                          ^~~~~~~ error: invalid axis -3: `axis` must be in -2 to 1

# --- the sum of a scalar
# sig: x=fp32
@triton.jit
def kernel(x):
    tl.sum(x, axis=0)
#          ^ error: `sum` needs a block, got a scalar of type f32

# --- the sum of pointers
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.sum(p + tl.arange(0, 16), axis=0)
#          ^~~~~~~~~~~~~~~~~~~~ error: `sum` needs numbers, got *f32

# --- the sum of a tuple
@triton.jit
def kernel():
    tl.sum((1, 2, 3))
#          ^~~~~~~~~ error: expected a tensor or a number, got tuple
#   note: a tuple has no arithmetic; work on its items

# --- `argmax` without an axis
@triton.jit
def kernel():
    tl.argmax(tl.arange(0, 16))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `argmax` needs the argument `axis`
#   note: `argmax(input, axis, tie_break_left=True, keep_dims=False)` is the signature

# --- `xor_sum` of floats
@triton.jit
def kernel():
    tl.xor_sum(tl.zeros((16,), tl.float32), axis=0)
#              ^~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `xor_sum` needs integers, got f32

# --- a type of the sum that is none
@triton.jit
def kernel():
    tl.sum(tl.arange(0, 16), dtype=64)
#                            ^~~~~~~~ error: `dtype` must be a type such as `tl.float32`, got int

# --- a combine function that is no function
@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, 5)
#                                  ^ error: the combine function must be a `@triton.jit` function, got int

# --- a combine function of plain Python
def plain(a, b):
    return a + b

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, plain)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `plain` is a plain Python function, which a kernel cannot call
#   note: decorate it with `@triton.jit`, or with `@triton.constexpr_function` if it runs at compile time

# --- a combine function with too few parameters
@triton.jit
def one(a):
    return a

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, one)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: too many arguments for `one`, which takes 1

# --- a combine function with too many parameters
@triton.jit
def three(a, b, c):
    return a

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, three)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `three` needs a value for `c`

# --- a combine function that returns nothing
@triton.jit
def silent(a, b):
    c = a + b

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, silent)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: the combine function returns 0 values for 1 tensor

# --- a combine function that returns another type
@triton.jit
def widen(a, b):
    return (a + b).to(tl.float32)

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, widen)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: the combine function returns f32 for elements of type i32
#   note: convert the result, or the tensor before the reduction

# --- a combine function that returns too many values
@triton.jit
def pair(a, b):
    return a, b

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, pair)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: the combine function returns 2 values for 1 tensor

# --- a combine function that calls an unknown name
@triton.jit
def wrong(a, b):
    return plus(a, b)
#          ^~~~ error: `plus` is not defined

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, wrong)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ note: in the call of `wrong`

# --- a reduction of tensors of different shapes
@triton.jit
def kernel():
    tl.reduce((tl.arange(0, 16), tl.arange(0, 32)), 0, add)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `reduce` needs tensors of one shape, got i32[16] and i32[32]

# --- a reduction without a combine function
@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `reduce` needs the argument `combine_fn`
#   note: `reduce(input, axis, combine_fn, keep_dims=False)` is the signature

# --- a misspelt keyword of a reduction
@triton.jit
def kernel():
    tl.sum(tl.zeros((16, 16), tl.float32), axis=0, keepdims=True)
#                                                  ^~~~~~~~~~~~~ error: `sum` has no parameter `keepdims`
#   note: did you mean `keep_dims`?

# --- a scan along an axis that is out of range
@triton.jit
def kernel():
    tl.cumsum(tl.arange(0, 16), axis=1)
#                               ^~~~~~ error: invalid axis 1: `axis` must be in -1 to 0

# --- a scan of a scalar
# sig: x=fp32
@triton.jit
def kernel(x):
    tl.cumsum(x)
#   ^~~~~~~~~~~~ error: `cumsum` needs a block, got a scalar of type f32

# --- a scan with a combine function that returns another type
@triton.jit
def widen(a, b):
    return (a + b).to(tl.float32)

@triton.jit
def kernel():
    tl.associative_scan(tl.arange(0, 16), 0, widen)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: the combine function returns f32 for elements of type i32
#   note: convert the result, or the tensor before the reduction

# --- a sort along the first of two dimensions
@triton.jit
def kernel():
    tl.sort(tl.zeros((16, 16), tl.float32), 0)
#                                           ^ error: `sort` works along the last dimension (1), got `dim` 0
#   note: bring it to the end with `tl.permute`

# --- a sort of a scalar
# sig: x=fp32
@triton.jit
def kernel(x):
    tl.sort(x)
#           ^ error: `sort` needs a block, got a scalar of type f32

# --- `topk` of more than there are
@triton.jit
def kernel():
    tl.topk(tl.arange(0, 16), 32)
#                             ^~ error: `k` must be a power of two between 1 and 16, got 32

# --- `topk` of three
@triton.jit
def kernel():
    tl.topk(tl.arange(0, 16), 3)
#                             ^ error: `k` must be a power of two between 1 and 16, got 3

# --- a histogram of floats
@triton.jit
def kernel():
    tl.histogram(tl.zeros((16,), tl.float32), 16)
#                ^~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `histogram` needs integers, got f32
#   note: convert it first: `.to(tl.int32)`

# --- a histogram of a matrix
@triton.jit
def kernel():
    tl.histogram(tl.zeros((16, 16), tl.int32), 16)
#                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `histogram` needs a block of one dimension, got i32[16, 16]

# --- a histogram with a number of bins that is not a power of two
@triton.jit
def kernel():
    tl.histogram(tl.arange(0, 16), 10)
#                                  ^~ error: shape element 0 must be a power of 2
#   note: it is 10
#   note: round up with `triton.next_power_of_2` and mask what is too much
#   note: or allow every extent, which Triton does not: `any_extent=True` of a launch, no `--strict-triton`

# --- a softmax of integers
@triton.jit
def kernel():
    tl.softmax(tl.arange(0, 16))
#              ^~~~~~~~~~~~~~~~ error: `softmax` needs floating point elements, got i32
#   note: convert it first: `.to(tl.float32)`

# --- `map_elementwise` of a function that returns a block
@triton.jit
def wide(x):
    return tl.arange(0, 4)

@triton.jit
def kernel():
    tl.map_elementwise(wide, tl.arange(0, 16))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: the mapped function must return scalars, got i32[4]

# --- indices without an axis
@triton.jit
def kernel():
    v, i = tl.max(tl.zeros((4, 4), tl.float32), return_indices=True)
#          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `max` needs an `axis` to return indices
