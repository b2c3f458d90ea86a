# control_flow.py: branches and returns.
import triton
import triton.language as tl

# --- a block as a condition
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    if x > 3:
        tl.store(p, 1)

# --- a block as the condition of a while loop
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    while x > 3:
        x -= 1

# --- a block as the condition of a conditional expression
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    y = x if x > 3 else 0

# --- branches that give different types
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
        y = tl.zeros((16,), tl.float32)
    else:
        y = tl.zeros((16,), tl.int32)
    tl.store(p + tl.arange(0, 16), y)

# --- branches that give different shapes
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
        y = tl.zeros((16,), tl.float32)
    else:
        y = tl.zeros((32,), tl.float32)
    tl.store(p, tl.sum(y))

# --- a branch that changes the type of a variable
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    y = 1.0
    if n > 0:
        y = tl.arange(0, 16)
    tl.store(p, y)

# --- a branch that gives an integer, and one that gives a float
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
        y = 1
    else:
        y = 2.0
    tl.store(p, y)

# --- None on one path
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    bias = None
    if n > 0:
        bias = tl.load(p)
    if bias is not None:
        tl.store(p, bias)

# --- tuples of different lengths
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
        y = (1.0, 2.0)
    else:
        y = (1.0, 2.0, 3.0)
    tl.store(p, y[0])

# --- the sides of a conditional expression have different types
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    y = tl.load(p) if n > 0 else tl.arange(0, 16)
    tl.store(p, y)

# --- returns of different shapes
@triton.jit
def pick(n):
    if n == 0:
        return tl.arange(0, 4)
    else:
        return tl.arange(0, 8)

# sig: n=i32
@triton.jit
def kernel(n):
    pick(n)

# --- returns of different types
@triton.jit
def pick(n):
    if n == 0:
        return 1.0
    return n

# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, pick(n))

# --- one path returns a value, the other none
@triton.jit
def pick(n):
    if n == 0:
        return 1.0

# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, pick(n))

# --- the result of a function that returns nothing
@triton.jit
def nothing(p):
    tl.store(p, 1.0)

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, nothing(p))

# --- returns of different shapes, chosen at compile time
# accepted
@triton.jit
def pick(N: tl.constexpr):
    if N == 0:
        return tl.arange(0, 4)
    else:
        return tl.arange(0, 8)

# sig: N=1
@triton.jit
def kernel(N: tl.constexpr):
    a = pick(N) + tl.arange(0, 8)

# --- the first of two returns counts
# accepted
@triton.jit
def two_returns():
    return tl.arange(0, 4)
    return tl.arange(0, 8)

@triton.jit
def kernel():
    a = two_returns() + tl.arange(0, 4)

# --- a mistake in a branch that is not taken
# accepted
# sig: p=*fp32, USE=False
@triton.jit
def kernel(p, USE: tl.constexpr):
    if USE:
        tl.store(p, no_such_name)
        raise ValueError("never")

# --- a return in a loop
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n):
        if tl.load(p + i) == 0:
            return
        tl.store(p + i, 1)

# --- a return in a while loop
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    while n > 0:
        return
    tl.store(p, 1)

# --- a kernel that returns a value
# sig: p=*fp32
@triton.jit
def kernel(p):
    return tl.load(p)

# --- a condition that is a string
# sig: p=*i32, MODE="on"
@triton.jit
def kernel(p, MODE: tl.constexpr):
    if MODE == 1 + "x":
        tl.store(p, 1)

# --- a condition that is a pointer
# sig: p=*i32
@triton.jit
def kernel(p):
    if p:
        tl.store(p, 1)

# --- a condition from a host library
import torch
# sig: p=*i32
@triton.jit
def kernel(p):
    if torch.cuda.is_available():
        tl.store(p, 1)

# --- a loop that never ends
# sig: p=*i32
@triton.jit
def kernel(p):
    while True:
        tl.atomic_add(p, 1)

# --- `while … else`
# sig: n=i32
@triton.jit
def kernel(n):
    while n > 0:
        n -= 1
    else:
        pass

# --- an unpacking with too many names
@triton.jit
def pair():
    return 1, 2

@triton.jit
def kernel():
    a, b, c = pair()

# --- an unpacking with too few names
@triton.jit
def kernel():
    a, b = 1, 2, 3

# --- an unpacking of a number
# sig: n=i32
@triton.jit
def kernel(n):
    a, b = n

# --- an assertion that is false at compile time
# sig: BLOCK=64
@triton.jit
def kernel(BLOCK: tl.constexpr):
    assert BLOCK <= 32, "the block is too large"

# --- an assertion with a block as its message
# sig: n=i32
@triton.jit
def kernel(n):
    assert n > 0, n
