# dtypes.py: casts, dtypes and values of the wrong type.
import triton
import triton.language as tl

# --- a cast to something that is not a type
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).to(32))
#                             ^~ error: `dtype` must be a type such as `tl.float32`, got int

# --- a cast to a type in quotes
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).to("float33"))
#                             ^~~~~~~~~ error: `dtype` must be a type such as `tl.float32`, got str

# --- a cast to Python's float
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).to(float))
#                             ^~~~~ error: `dtype` must be a type such as `tl.float32`, got type

# --- a bitcast between widths
# sig: p=*fp32, q=*i16
@triton.jit
def kernel(p, q):
    tl.store(q, tl.load(p).to(tl.int16, bitcast=True))
#               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: cannot bitcast f32 (32 bits) to i16 (16 bits)

# --- a rounding mode that does not exist
# sig: p=*fp32, q=*fp16
@triton.jit
def kernel(p, q):
    tl.store(q, tl.load(p).to(tl.float16, fp_downcast_rounding="up"))
#               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `fp_downcast_rounding` must be `rtne` or `rtz`, got `up`

# --- a rounding mode for a cast that does not narrow
# sig: p=*fp16, q=*fp32
@triton.jit
def kernel(p, q):
    tl.store(q, tl.load(p).to(tl.float32, fp_downcast_rounding="rtz"))
#               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `fp_downcast_rounding` is for casts to a narrower floating-point type, but this one is from f16 to f32

# --- a pointer cast to a narrow integer
# sig: p=*fp32, q=*i32
@triton.jit
def kernel(p, q):
    tl.store(q, p.to(tl.int32))
#               ^~~~~~~~~~~~~~ error: a pointer has 64 bits and cannot be cast to i32
#   note: cast it to `tl.int64` first

# --- a pointer cast to a float
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, p.to(tl.float32))
#               ^~~~~~~~~~~~~~~~ error: cannot cast *f32 to f32

# --- a float cast to a pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(tl.load(p).to(tl.pointer_type(tl.float32)), 1.0)
#            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: cannot cast f32 to *f32
#   note: the type of what a pointer points to is `p.dtype.element_ty`

# --- a cast without a type
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.cast(tl.load(p)))
#               ^~~~~~~~~~~~~~~~~~~ error: `cast` needs the argument `dtype`
#   note: `cast(input, dtype, fp_downcast_rounding=None, bitcast=False)` is the signature

# --- a cast of a string
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.cast("one", tl.float32))
#                       ^~~~~ error: expected a tensor or a number, got str

# --- a cast to void
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).to(tl.void))
#               ^~~~~~~~~~~~~~~~~~~~~~ error: cannot cast f32 to void

# --- `exp` of an integer
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, tl.exp(tl.load(p)))
#                      ^~~~~~~~~~ error: `exp` needs f32 or f64, got i32
#   note: convert it first: `.to(tl.float32)`

# --- `exp` of half precision
# sig: p=*fp16
@triton.jit
def kernel(p):
    tl.store(p, tl.exp(tl.load(p)))
#                      ^~~~~~~~~~ error: `exp` needs f32 or f64, got f16
#   note: convert it first: `.to(tl.float32)`

# --- `sqrt_rn` of double precision
# sig: p=*fp64
@triton.jit
def kernel(p):
    tl.store(p, tl.sqrt_rn(tl.load(p)))
#                          ^~~~~~~~~~ error: `sqrt_rn` needs f32, got f64
#   note: convert it first: `.to(tl.float32)`

# --- `umulhi` of floats
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.umulhi(tl.load(p), tl.load(p)))
#                         ^~~~~~~~~~ error: `umulhi` needs integers of 32 or 64 bits, got f32

# --- `umulhi` of narrow integers
# sig: p=*i16
@triton.jit
def kernel(p):
    tl.store(p, tl.umulhi(tl.load(p), tl.load(p)))
#                         ^~~~~~~~~~ error: `umulhi` needs integers of 32 or 64 bits, got i16
#   note: convert it first: `.to(tl.uint32)`

# --- `fma` of strings
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.fma(tl.load(p), "two", 1.0))
#                                  ^~~~~ error: expected a tensor or a number, got str

# --- the `abs` of a pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(tl.abs(p), 1.0)
#                   ^ error: `abs` needs a number, got *f32

# --- `sqrt` of a pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.sqrt(p))
#                       ^ error: `sqrt` needs f32 or f64, got *f32

# --- the `log` of a tuple
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.log((1.0, 2.0)))
#                      ^~~~~~~~~~ error: expected a tensor or a number, got tuple
#   note: a tuple has no arithmetic; work on its items

# --- `clamp` of integers
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, tl.clamp(tl.load(p), 0, 10))
#                        ^~~~~~~~~~ error: `clamp` needs floating point operands, got i32
#   note: for integers, write `tl.minimum(tl.maximum(x, min), max)`

# --- the `maximum` of pointers
# sig: p=*fp32, q=*fp32
@triton.jit
def kernel(p, q):
    tl.store(tl.maximum(p, q), 1.0)
#                       ^ error: `maximum` needs numbers, got *f32

# --- a wrong `propagate_nan`
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.load(p)
    tl.store(p, tl.maximum(x, x, propagate_nan="all"))
#                                ^~~~~~~~~~~~~~~~~~~ error: `propagate_nan` must be `tl.PropagateNan.NONE` or `tl.PropagateNan.ALL`, got 'all'

# --- `where` between a pointer and a number
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(tl.where(x > 3, p + x, 0.5), 1.0)
#            ^~~~~~~~~~~~~~~~~~~~~~~~~~~ error: operands of types *f32 and f32 do not go together
#   note: an offset is an integer

# --- `where` with a condition of another shape
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, tl.where(tl.arange(0, 32) > 3, x, 0))
#                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: shapes [32] and [16] do not broadcast: dimension 0 has extents 32 and 16

# --- `where` without a last argument
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, tl.where(x > 3, x))
#                   ^~~~~~~~~~~~~~~~~~ error: `where` needs the argument `y`
#   note: `where(condition, x, y)` is the signature

# --- an integer condition for `where`
# accepted
# sig: p=*fp32
@triton.jit
def kernel(p):
    a = tl.full((64,), 0, tl.uint32)
    b = tl.full((64,), 1, tl.float32)
    tl.store(p + tl.arange(0, 64), tl.where(a, b, b))
#                                  ^~~~~~~~~~~~~~~~~ warning: the condition of `where` has type u32, not a boolean; compare it with `!= 0`

# --- `device_assert` of a string
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.device_assert("no", "message")
#                    ^~~~ error: expected a tensor or a number, got str

# --- `multiple_of` with a float
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.multiple_of(tl.arange(0, 16), 1.5)
#       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `values` must be a constant integer, got float
    tl.store(p + x, 1.0)

# --- `multiple_of` with too many values
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.multiple_of(tl.arange(0, 16), [8, 8])
#                                        ^~~~~~ error: `multiple_of` needs one value for each of 1 dimensions, got 2
    tl.store(p + x, 1.0)

# --- `max_contiguous` of zero
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.max_contiguous(tl.arange(0, 16), 0)
#                                           ^ error: `values` must be at least 1, got 0
    tl.store(p + x, 1.0)

# --- `assume` of what is false
# sig: p=*fp32, N=4
@triton.jit
def kernel(p, N: tl.constexpr):
    tl.assume(N > 4)
#             ^~~~~ error: `assume` is given a condition that is false at compile time

# --- `cdiv` of floats
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.cdiv(tl.load(p), 2))
#                       ^~~~~~~~~~ error: `cdiv` needs integers, got f32
#   note: for floats, write `tl.ceil(x / y)`

# --- `full` with a value that does not fit
# sig: p=*u8
@triton.jit
def kernel(p):
    tl.store(p + tl.arange(0, 16), tl.full((16,), 300, tl.uint8))
#                                  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `300` does not fit u8, which holds 0 to 255

# --- `full` with more bits than the type has; 0xffffffff would be -1
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p + tl.arange(0, 16), tl.full((16,), 0x1ffffffff, tl.int32))
#                                  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `8589934591` does not fit i32, which holds -2147483648 to 2147483647

# --- `full` of integers with a fraction
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p + tl.arange(0, 16), tl.full((16,), 0.5, tl.int32))
#                                  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `0.5` is not an integer, but its type is i32
#   note: use an integer, or a floating-point type

# --- `zeros` without a type
# sig: p=*fp32
@triton.jit
def kernel(p):
    acc = tl.zeros((16, 16))
#         ^~~~~~~~~~~~~~~~~~ error: `zeros` needs the argument `dtype`
#   note: `zeros(shape, dtype)` is the signature

# --- `zeros` with a type in quotes
# sig: p=*fp32
@triton.jit
def kernel(p):
    acc = tl.zeros((16, 16), "fp99")
#                            ^~~~~~ error: `dtype` must be a type such as `tl.float32`, got str

# --- a type of a host library
import torch
# sig: p=*fp32
@triton.jit
def kernel(p):
    acc = tl.zeros((16, 16), torch.float32)
#                            ^~~~~~~~~~~~~ error: `dtype` must be a type such as `tl.float32`, got unknown value `torch.float32`
#   note: write `tl.float32`

# --- an attribute that a type does not have
# sig: p=*fp32
@triton.jit
def kernel(p):
    size: tl.constexpr = p.dtype.element_ty.bits
#                                           ^~~~ error: the type f32 has no attribute `bits`

# --- the element type of what is not a pointer
# sig: n=i32
@triton.jit
def kernel(n):
    t: tl.constexpr = n.dtype.element_ty
#                             ^~~~~~~~~~ error: the type i32 has no attribute `element_ty`
#   note: only a pointer or a block has an element type
