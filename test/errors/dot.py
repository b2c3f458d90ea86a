# dot.py: tl.dot and tl.dot_scaled.
import triton
import triton.language as tl

# --- inner extents that differ
@triton.jit
def kernel():
    a = tl.zeros((16, 32), tl.float16)
    b = tl.zeros((16, 32), tl.float16)
    tl.dot(a, b)

# --- operands of different types
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float16)
    b = tl.zeros((16, 16), tl.float32)
    tl.dot(a, b)

# --- operands of one dimension
@triton.jit
def kernel():
    a = tl.zeros((16,), tl.float16)
    tl.dot(a, a)

# --- scalar operands
# sig: x=fp32
@triton.jit
def kernel(x):
    tl.dot(x, x)

# --- operands of different rank
@triton.jit
def kernel():
    a = tl.zeros((4, 16, 16), tl.float16)
    b = tl.zeros((16, 16), tl.float16)
    tl.dot(a, b)

# --- batches that differ
@triton.jit
def kernel():
    a = tl.zeros((4, 16, 16), tl.float16)
    b = tl.zeros((2, 16, 16), tl.float16)
    tl.dot(a, b)

# --- an inner extent that is too small for 16 bits
@triton.jit
def kernel():
    a = tl.zeros((8, 8), tl.float16)
    tl.dot(a, a)

# --- an inner extent that is too small for 8 bits
@triton.jit
def kernel():
    a = tl.zeros((8, 8), tl.int8)
    tl.dot(a, a)

# --- an inner extent that is too small for fp8
@triton.jit
def kernel():
    a = tl.zeros((8, 8), tl.float8e5)
    tl.dot(a, a)

# --- 32-bit integers
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.int32)
    tl.dot(a, a)

# --- booleans
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.int1)
    tl.dot(a, a)

# --- an accumulator of another shape
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, tl.zeros((16, 32), tl.float32))

# --- an accumulator of another type
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, tl.zeros((16, 16), tl.int32))

# --- a precision that does not exist
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, input_precision="fp32")

# --- two ways to say the precision
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, input_precision="ieee", allow_tf32=True)

# --- a result type that the operands do not have
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.int8)
    tl.dot(a, a, out_dtype=tl.float32)

# --- a result of bfloat16
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.bfloat16)
    tl.dot(a, a, out_dtype=tl.bfloat16)

# --- too many imprecise accumulations
@triton.jit
def kernel():
    a = tl.zeros((64, 64), tl.float8e5)
    tl.dot(a, a, max_num_imprecise_acc=128)

# --- an fp8 type of another vendor, e5b16
@triton.jit
def kernel():
    a = tl.zeros((64, 64), tl.float8e5b16)
    tl.dot(a, a)

# --- an fp8 type of another vendor, e4b8
@triton.jit
def kernel():
    a = tl.zeros((64, 64), tl.float8e4b8)
    tl.dot(a, a)

# --- a misspelt keyword
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, input_precison="ieee")

# --- a pointer as an operand
# sig: p=*fp16
@triton.jit
def kernel(p):
    r = tl.arange(0, 16)
    q = p + r[:, None] * 16 + r[None, :]
    tl.dot(q, q)

# --- a scale of another shape
@triton.jit
def kernel():
    a = tl.full((32, 64), 0, tl.uint8)
    b = tl.full((64, 32), 0, tl.uint8)
    wrong = tl.full((32, 4), 0, tl.uint8)
    scale = tl.full((32, 2), 0, tl.uint8)
    acc = tl.full((32, 32), 0.0, tl.float32)
    tl.dot_scaled(a, wrong, "e5m2", b, scale, "e5m2", acc, False, True, True, tl.float32)

# --- a format that does not exist
@triton.jit
def kernel():
    a = tl.full((32, 64), 0, tl.uint8)
    b = tl.full((64, 32), 0, tl.uint8)
    scale = tl.full((32, 2), 0, tl.uint8)
    tl.dot_scaled(a, scale, "e3m4", b, scale, "e5m2")

# --- a format that the element type does not have
@triton.jit
def kernel():
    a = tl.full((32, 64), 0, tl.float32)
    b = tl.full((64, 32), 0, tl.uint8)
    scale = tl.full((32, 2), 0, tl.uint8)
    tl.dot_scaled(a, scale, "e5m2", b, scale, "e5m2")

# --- a scaled product without a format
@triton.jit
def kernel():
    a = tl.full((32, 64), 0, tl.uint8)
    b = tl.full((64, 32), 0, tl.uint8)
    scale = tl.full((32, 2), 0, tl.uint8)
    tl.dot_scaled(a, scale, b, scale)

# --- the accumulator changes its type in the loop
# sig: n=i32
@triton.jit
def kernel(n):
    a = tl.zeros((16, 16), tl.float16)
    acc = tl.zeros((16, 16), tl.float16)
    for k in range(n):
        acc += tl.dot(a, a)
