# block_pointers.py: tl.make_block_ptr, tl.advance, boundary_check.
import triton
import triton.language as tl

# --- lists of different lengths
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n, n), (n, 1), (0,), (16, 16), (1, 0))
#                                            ^~~~ error: `offsets` has 1 entries but `block_shape` has 2

# --- an order that is no permutation
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n, n), (n, 1), (0, 0), (16, 16), (1, 1))
#       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `order` must be a permutation of 0 to 1

# --- a block shape at run time
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n, n), (n, 1), (0, 0), (n, 16), (1, 0))
#                                                    ^~~~~~~ error: an extent of a shape must be a constant integer, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- a block shape that is not a power of two
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n, n), (n, 1), (0, 0), (24, 16), (1, 0))
#                                                    ^~~~~~~~ error: shape element 0 must be a power of 2
#   note: it is 24
#   note: round up with `triton.next_power_of_2` and mask what is too much
#   note: or allow every extent, which Triton does not: `any_extent=True` of a launch, no `--strict-triton`

# --- a base that is not a pointer
# sig: p=fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
#                         ^ error: `base` must be a single pointer, got f32

# --- a base that is a block of pointers
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p + tl.arange(0, 16), (n,), (1,), (0,), (16,), (0,))
#                         ^~~~~~~~~~~~~~~~~~~~ error: `base` must be a single pointer, got *f32[16]

# --- a shape of floats
# sig: p=*fp32, n=fp32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
#       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `shape` must be integers, got f32

# --- no order
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,))
#       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `make_block_ptr` needs the argument `order`
#   note: `make_block_ptr(base, shape, strides, offsets, block_shape, order)` is the signature

# --- a mask on a block pointer
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.load(b, mask=tl.arange(0, 16) < n)
#              ^~~~~~~~~~~~~~~~~~~~~~~~~ error: a load through a block pointer takes no `mask` and no `other`
#   note: use `boundary_check` and `padding_option`

# --- a boundary check of a dimension that is not there
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.load(b, boundary_check=(1,))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `boundary_check` names dimension 1, but the block has 1 dimensions

# --- a boundary check of one dimension twice
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
    tl.load(b, boundary_check=(0, 0))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `boundary_check` names dimension 0 twice

# --- a padding that does not exist
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.load(b, boundary_check=(0,), padding_option="one")
#                                   ^~~~~~~~~~~~~~~~~~~~ error: `padding_option` must be one of `zero`, `nan`, got `one`

# --- padding with NaN of integers
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.load(b, boundary_check=(0,), padding_option="nan")
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `padding_option` `nan` needs a floating-point block, got i32[16]

# --- an advance with too many offsets
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    b = tl.advance(b, (16, 0))
#                     ^~~~~~~ error: `offsets` has 2 entries but the block has 1 dimensions

# --- an advance of an ordinary pointer
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.advance(p, (16,))
#                  ^ error: `advance` moves a block pointer, got *f32
#   note: make one with `tl.make_block_ptr`

# --- arithmetic on a block pointer
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    b = b + 16
#       ^~~~~~ error: `+` is not defined for block pointer and int

# --- a stored value of another shape
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.store(b, tl.zeros((32,), tl.float32))
#               ^~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `value` is f32[32] but the block pointer's block is f32[16]

# --- another block pointer in the loop
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    for i in range(n):
        b = tl.make_block_ptr(p, (n,), (1,), (0,), (32,), (0,))
#       ^ error: `b` is block pointer to f32[16] before the loop, but becomes block pointer to f32[32] in it
#   note: a variable keeps its type through a loop: cast the new value, or start with that type

# --- an atomic on a block pointer
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.atomic_add(b, 1.0)
#                 ^ error: expected a tensor or a number, got block pointer
