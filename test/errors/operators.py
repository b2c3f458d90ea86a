# operators.py: operators on values that they do not work on.
import triton
import triton.language as tl

# --- a number and a string
@triton.jit
def kernel():
    0 + "a"

# --- a shift of a float constant
@triton.jit
def kernel():
    1.0 << 1

# --- `not` of a tuple
@triton.jit
def kernel():
    not (0, 0)

# --- a shift of a float tensor
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p) << 1)

# --- a bitwise and of floats
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.load(p)
    tl.store(p, x & x)

# --- the floor division of floats
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p) // 2.0)

# --- the division of a signed by an unsigned integer
# sig: p=*i32, q=*u32
@triton.jit
def kernel(p, q):
    tl.store(p, tl.load(p) // tl.load(q))

# --- the remainder of a signed and an unsigned integer
# sig: p=*i32, q=*u32
@triton.jit
def kernel(p, q):
    tl.store(p, tl.load(p) % tl.load(q))

# --- `**` on tensors
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p) ** 2)

# --- `@` on tensors
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float16)
    c = a @ a

# --- unary plus
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, +tl.load(p))

# --- the complement of a float
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, ~tl.load(p))

# --- the negation of a pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(-p, 0.0)

# --- `not` of an integer block
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, not x)

# --- `and` of integers
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.store(p + x, 1, mask=x and n)

# --- the sum of two pointers
# sig: p=*fp32, q=*fp32
@triton.jit
def kernel(p, q):
    tl.store(p + q, 0.0)

# --- the difference of two pointers
# sig: p=*fp32, q=*fp32, out=*i64
@triton.jit
def kernel(p, q, out):
    tl.store(out, p - q)

# --- a pointer times two
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p * 2, 0.0)

# --- a pointer plus a float
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p + 1.5, 0.0)

# --- a number minus a pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(1 - p, 0.0)

# --- a pointer compared with a number
# sig: p=*fp32
@triton.jit
def kernel(p):
    if p < 3:
        tl.store(p, 0.0)

# --- a negative number meets an unsigned tensor
# sig: p=*u32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p) + -1)

# --- a number that does not fit the tensor
# sig: p=*i8
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p) + 1000)

# --- two kinds of fp8
# sig: p=*fp8e5, q=*fp8e4nv, out=*fp32
@triton.jit
def kernel(p, q, out):
    tl.store(out, tl.load(p) + tl.load(q).to(tl.float8e4b8, bitcast=True))

# --- a chained comparison
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.store(p + x, 1, mask=0 <= x < n)

# --- `in` on tensors
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    if n in (1, 2, 3):
        tl.store(p, 1)

# --- `not in` on tensors
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    if n not in (1, 2, 3):
        tl.store(p, 1)

# --- a division by zero at compile time
# sig: p=*i32, N=0
@triton.jit
def kernel(p, N: tl.constexpr):
    tl.store(p, 16 // N)

# --- a remainder by zero at compile time
# sig: p=*i32, N=0
@triton.jit
def kernel(p, N: tl.constexpr):
    tl.store(p, 16 % N)

# --- a negative shift at compile time
# sig: p=*i32, N=-1
@triton.jit
def kernel(p, N: tl.constexpr):
    tl.store(p, 16 << N)

# --- a string plus a tensor
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, "a" + tl.load(p))

# --- None plus a number
# sig: p=*fp32, bias=None
@triton.jit
def kernel(p, bias):
    tl.store(p, tl.load(p) + bias)

# --- None as an operand of constants
# sig: p=*fp32, bias=None
@triton.jit
def kernel(p, bias):
    tl.store(p, 1 + bias)

# --- a tuple plus a tensor
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, (1.0, 2.0) + tl.load(p))

# --- a type plus a number
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.float32 + 1)

# --- a function as an operand
@triton.jit
def one():
    return 1.0

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p) + one)

# --- blocks of different lengths
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16) + tl.arange(0, 32)
    tl.store(p, x)

# --- blocks that do not broadcast in the second dimension
# sig: p=*i32
@triton.jit
def kernel(p):
    a = tl.zeros((16, 32), tl.int32)
    b = tl.zeros((16, 64), tl.int32)
    tl.store(p, tl.sum(a + b))

# --- a comparison of a tensor with a string
# sig: p=*fp32, MODE="relu"
@triton.jit
def kernel(p, MODE: tl.constexpr):
    if tl.load(p) == MODE:
        tl.store(p, 0.0)

# --- an augmented assignment with a wrong operand
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.load(p)
    x <<= 1
    tl.store(p, x)

# --- an integer of more than 64 bits
# sig: p=*i64
@triton.jit
def kernel(p):
    tl.store(p, 36893488147419103232)
