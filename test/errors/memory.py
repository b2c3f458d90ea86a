# memory.py: loads and stores.
import triton
import triton.language as tl

# --- a load from an integer
# sig: p=i64
@triton.jit
def kernel(p):
    tl.load(p)
#           ^ error: `load` needs a pointer, got i64
#   note: offsets are added to a pointer, which comes from a parameter: `tl.load(p + offsets)`

# --- a load from a float
# sig: x=fp32
@triton.jit
def kernel(x):
    tl.load(x)
#           ^ error: `load` needs a pointer, got f32

# --- a load from None
# sig: p=None
@triton.jit
def kernel(p):
    tl.load(p)
#           ^ error: `load` needs a pointer, got None

# --- a load from a tuple
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load((p, p))
#           ^~~~~~ error: `load` needs a pointer, got tuple

# --- a store to an integer
# sig: p=i64
@triton.jit
def kernel(p):
    tl.store(p, 1.0)
#            ^ error: `store` needs a pointer, got i64
#   note: offsets are added to a pointer, which comes from a parameter: `tl.store(p + offsets, value)`

# --- a block mask for a scalar pointer
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.load(p, mask=x < n)
#              ^~~~~~~~~~ error: `mask` is i1[16] but the pointer is a single pointer
#   note: add an offset of that shape to the pointer

# --- a block value for a scalar pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.zeros((16,), tl.float32))
#               ^~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `value` is f32[16] but the pointer is a single pointer
#   note: add an offset of that shape to the pointer

# --- a mask of another shape
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    y = tl.arange(0, 32)
    tl.load(p + x, mask=y < n)
#                  ^~~~~~~~~~ error: `mask` is i1[32] but the pointer is *f32[16]
#   note: both need the same shape

# --- an integer mask
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.load(p + x, mask=x)
#                  ^~~~~~ error: `mask` must be boolean, got i32[16]
#   note: compare: `offsets < n`; offsets themselves are added to the pointer: `p + offsets`

# --- a value in place of the mask
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.load(p + x, 0.0)
#                  ^~~ error: `mask` must be boolean, got f32
#   note: compare: `mask != 0`

# --- `other` without a mask
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.load(p + x, other=0.0)
#                  ^~~~~~~~~ error: `other` needs a `mask`: without one every element is loaded

# --- `other` of another shape
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.load(p + x, mask=x < n, other=tl.zeros((32,), tl.float32))
#                              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `other` is f32[32] but the pointer is *f32[16]
#   note: both need the same shape

# --- `other` in quotes
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.load(p + x, mask=x < n, other="zero")
#                              ^~~~~~~~~~~~ error: expected a tensor or a number, got str

# --- a stored value of another shape
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, tl.zeros((32,), tl.float32))
#                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `value` is f32[32] but the pointer is *f32[16]
#   note: both need the same shape

# --- a stored value with more dimensions
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, tl.zeros((16, 16), tl.float32))
#            ^~~~~ error: the pointer has shape [16] but the value and mask make [16, 16]

# --- a stored mask of another shape
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.store(p + x, 1.0, mask=tl.arange(0, 8) < n)
#                        ^~~~~~~~~~~~~~~~~~~~~~~~ error: `mask` is i1[8] but the pointer is *f32[16]
#   note: both need the same shape

# --- a store of None
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, None)
#               ^~~~ error: expected a tensor or a number, got None
#   note: `None` is not a value at run time; was an argument left out?

# --- a store of a tuple
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, (1.0, 2.0))
#               ^~~~~~~~~~ error: expected a tensor or a number, got tuple
#   note: a tuple has no arithmetic; work on its items

# --- a store of a type
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.float32)
#               ^~~~~~~~~~ error: expected a tensor or a number, got dtype

# --- a store of a function
@triton.jit
def one():
    return 1.0

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, one)
#               ^~~ error: expected a tensor or a number, got function
#   note: a function has to be called: write `f(…)`

# --- a store through a pointer that is only read
# sig: p=*fp32
@triton.jit
def kernel(p: tl.const):
    tl.store(p, 1.0)
#            ^ error: cannot store to a constant pointer
#   note: the parameter is annotated `tl.const`

# --- a cache modifier that does not exist
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p, cache_modifier=".cc")
#              ^~~~~~~~~~~~~~~~~~~~ error: `cache_modifier` of a load must be one of `.ca`, `.cg`, `.cs`, `.cv`, got `.cc`

# --- a cache modifier of stores on a load
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p, cache_modifier=".wb")
#              ^~~~~~~~~~~~~~~~~~~~ error: `cache_modifier` of a load must be one of `.ca`, `.cg`, `.cs`, `.cv`, got `.wb`

# --- a cache modifier of loads on a store
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, 1.0, cache_modifier=".ca")
#                    ^~~~~~~~~~~~~~~~~~~~ error: `cache_modifier` of a store must be one of `.wb`, `.cg`, `.cs`, `.wt`, got `.ca`

# --- an eviction policy that does not exist
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p, eviction_policy="evict_later")
#              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `eviction_policy` must be one of `evict_first`, `evict_last`, `evict_normal`, got `evict_later`

# --- a cache modifier that is not text
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p, cache_modifier=1)
#              ^~~~~~~~~~~~~~~~ error: `cache_modifier` of a load must be a string, got int

# --- `volatile` at run time
# sig: p=*fp32, v=i32
@triton.jit
def kernel(p, v):
    tl.load(p, volatile=v)
#              ^~~~~~~~~~ error: `volatile` must be a constant `True` or `False`, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- `boundary_check` on an ordinary pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p + tl.arange(0, 16), boundary_check=(0,))
#                                 ^~~~~~~~~~~~~~~~~~~ error: `boundary_check` needs a block pointer; the extents of a plain pointer are not known
#   note: use `mask`, or make the pointer with `tl.make_block_ptr`

# --- `padding_option` on an ordinary pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p + tl.arange(0, 16), padding_option="zero")
#                                 ^~~~~~~~~~~~~~~~~~~~~ error: `padding_option` needs a block pointer
#   note: use `other`

# --- a pointer to a pointer is no float
# sig: p=*fp32
@triton.jit
def kernel(p):
    q = tl.load(p)
    tl.load(q + tl.arange(0, 16))
#           ^~~~~~~~~~~~~~~~~~~~ error: `load` needs a pointer, got f32[16]

# --- a value read from memory as a pointer, without a cast
# sig: table=*i64
@triton.jit
def kernel(table):
    base = tl.load(table)
    tl.store(base + tl.arange(0, 16), 1.0)
#            ^~~~~~~~~~~~~~~~~~~~~~~ error: `store` needs a pointer, got i64[16]
#   note: offsets are added to a pointer, which comes from a parameter: `tl.store(p + offsets, value)`

# --- a block of pointers that is not a pointer of blocks
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    y = tl.arange(0, 32)
    tl.load(p + x + y)
#           ^~~~~~~~~ error: shapes [16] and [32] do not broadcast: dimension 0 has extents 16 and 32
