# types.py: casts, dtypes and values of the wrong type.
import triton
import triton.language as tl

# --- a cast to something that is not a type
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).to(32))

# --- a cast to a type in quotes
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).to("float33"))

# --- a cast to Python's float
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).to(float))

# --- a bitcast between widths
# sig: p=*fp32, q=*i16
@triton.jit
def kernel(p, q):
    tl.store(q, tl.load(p).to(tl.int16, bitcast=True))

# --- a rounding mode that does not exist
# sig: p=*fp32, q=*fp16
@triton.jit
def kernel(p, q):
    tl.store(q, tl.load(p).to(tl.float16, fp_downcast_rounding="up"))

# --- a rounding mode for a cast that does not narrow
# sig: p=*fp16, q=*fp32
@triton.jit
def kernel(p, q):
    tl.store(q, tl.load(p).to(tl.float32, fp_downcast_rounding="rtz"))

# --- a pointer cast to a narrow integer
# sig: p=*fp32, q=*i32
@triton.jit
def kernel(p, q):
    tl.store(q, p.to(tl.int32))

# --- a pointer cast to a float
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, p.to(tl.float32))

# --- a float cast to a pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(tl.load(p).to(tl.pointer_type(tl.float32)), 1.0)

# --- a cast without a type
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.cast(tl.load(p)))

# --- a cast of a string
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.cast("one", tl.float32))

# --- a cast to void
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).to(tl.void))

# --- `exp` of an integer
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, tl.exp(tl.load(p)))

# --- `exp` of half precision
# sig: p=*fp16
@triton.jit
def kernel(p):
    tl.store(p, tl.exp(tl.load(p)))

# --- `sqrt_rn` of double precision
# sig: p=*fp64
@triton.jit
def kernel(p):
    tl.store(p, tl.sqrt_rn(tl.load(p)))

# --- `umulhi` of floats
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.umulhi(tl.load(p), tl.load(p)))

# --- `umulhi` of narrow integers
# sig: p=*i16
@triton.jit
def kernel(p):
    tl.store(p, tl.umulhi(tl.load(p), tl.load(p)))

# --- `fma` of strings
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.fma(tl.load(p), "two", 1.0))

# --- the `abs` of a pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(tl.abs(p), 1.0)

# --- `sqrt` of a pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.sqrt(p))

# --- the `log` of a tuple
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.log((1.0, 2.0)))

# --- `clamp` of integers
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, tl.clamp(tl.load(p), 0, 10))

# --- the `maximum` of pointers
# sig: p=*fp32, q=*fp32
@triton.jit
def kernel(p, q):
    tl.store(tl.maximum(p, q), 1.0)

# --- a wrong `propagate_nan`
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.load(p)
    tl.store(p, tl.maximum(x, x, propagate_nan="all"))

# --- `where` between a pointer and a number
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(tl.where(x > 3, p + x, 0.5), 1.0)

# --- `where` with a condition of another shape
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, tl.where(tl.arange(0, 32) > 3, x, 0))

# --- `where` without a last argument
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, tl.where(x > 3, x))

# --- an integer condition for `where`
# sig: p=*fp32
@triton.jit
def kernel(p):
    a = tl.full((64,), 0, tl.uint32)
    b = tl.full((64,), 1, tl.float32)
    tl.store(p + tl.arange(0, 64), tl.where(a, b, b))

# --- `device_assert` of a float
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.device_assert("no", "message")

# --- `multiple_of` with a float
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.multiple_of(tl.arange(0, 16), 1.5)
    tl.store(p + x, 1.0)

# --- `multiple_of` with too many values
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.multiple_of(tl.arange(0, 16), [8, 8])
    tl.store(p + x, 1.0)

# --- `max_contiguous` of zero
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.max_contiguous(tl.arange(0, 16), 0)
    tl.store(p + x, 1.0)

# --- `assume` of what is false
# sig: p=*fp32, N=4
@triton.jit
def kernel(p, N: tl.constexpr):
    tl.assume(N > 4)

# --- `cdiv` of floats
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.cdiv(tl.load(p), 2))

# --- `full` with a value that does not fit
# sig: p=*u8
@triton.jit
def kernel(p):
    tl.store(p + tl.arange(0, 16), tl.full((16,), 300, tl.uint8))

# --- `full` of integers with a fraction
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p + tl.arange(0, 16), tl.full((16,), 0.5, tl.int32))

# --- `zeros` without a type
# sig: p=*fp32
@triton.jit
def kernel(p):
    acc = tl.zeros((16, 16))

# --- `zeros` with a type in quotes
# sig: p=*fp32
@triton.jit
def kernel(p):
    acc = tl.zeros((16, 16), "fp99")

# --- a type of a host library
import torch
# sig: p=*fp32
@triton.jit
def kernel(p):
    acc = tl.zeros((16, 16), torch.float32)

# --- an attribute that a type does not have
# sig: p=*fp32
@triton.jit
def kernel(p):
    size: tl.constexpr = p.dtype.element_ty.bits

# --- the element type of what is not a pointer
# sig: n=i32
@triton.jit
def kernel(n):
    t: tl.constexpr = n.dtype.element_ty
