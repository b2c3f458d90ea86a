# control_flow.py: branches and returns.
import triton
import triton.language as tl

# --- a block as a condition
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    if x > 3:
#      ^~~~~ error: a condition must be a single boolean, got i1[16]
#   note: give loads and stores a `mask=`, choose elementwise with `tl.where`, or reduce it with `tl.max`
        tl.store(p, 1)

# --- a block as the condition of a while loop
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    while x > 3:
#         ^~~~~ error: a condition must be a single boolean, got i1[16]
#   note: give loads and stores a `mask=`, choose elementwise with `tl.where`, or reduce it with `tl.max`
        x -= 1

# --- a block as the condition of a conditional expression
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    y = x if x > 3 else 0
#            ^~~~~ error: a condition must be a single boolean, got i1[16]
#   note: give loads and stores a `mask=`, choose elementwise with `tl.where`, or reduce it with `tl.max`

# --- branches that give different types
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
        y = tl.zeros((16,), tl.float32)
    else:
        y = tl.zeros((16,), tl.int32)
#       ^ error: mismatched type for y: it is f32[16] if the condition holds, but i32[16] otherwise
#   note: both branches must give `y` the same type
    tl.store(p + tl.arange(0, 16), y)

# --- branches that give different shapes
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
        y = tl.zeros((16,), tl.float32)
    else:
        y = tl.zeros((32,), tl.float32)
#       ^ error: mismatched type for y: it is f32[16] if the condition holds, but f32[32] otherwise
#   note: both branches must give `y` the same type
    tl.store(p, tl.sum(y))

# --- a branch that changes the type of a variable
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    y = 1.0
    if n > 0:
        y = tl.arange(0, 16)
#       ^ error: mismatched type for y: it is i32[16] if the condition holds, but f32 otherwise
#   note: both branches must give `y` the same type
    tl.store(p, y)

# --- a branch that gives an integer, and one that gives a float
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
        y = 1
    else:
        y = 2.0
#       ^ error: mismatched type for y: it is i32 if the condition holds, but f32 otherwise
#   note: both branches must give `y` the same type
    tl.store(p, y)

# --- None on one path
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    bias = None
    if n > 0:
#      ^~~~~ note: it is f32 if this condition holds, but None otherwise
        bias = tl.load(p)
    if bias is not None:
#      ^~~~ error: `bias` may have no value here
        tl.store(p, bias)

# --- None on one path, which nobody reads
# accepted
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    bias = None
    if n > 0:
        bias = tl.load(p)
        tl.store(p, bias + 1.0)
    bias = 2.0
    tl.store(p + 1, bias)

# --- tuples of different lengths
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
        y = (1.0, 2.0)
    else:
        y = (1.0, 2.0, 3.0)
#       ^ error: mismatched type for y: it is tuple(f32, f32) if the condition holds, but tuple(f32, f32, f32) otherwise
#   note: both branches must give `y` the same type
    tl.store(p, y[0])

# --- the sides of a conditional expression have different types
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    y = tl.load(p) if n > 0 else tl.arange(0, 16)
#                     ^~~~~ error: ternary expression with dynamic condition has inconsistent types f32 and i32[16]
    tl.store(p, y)

# --- returns of different shapes
@triton.jit
def pick(n):
    if n == 0:
        return tl.arange(0, 4)
    else:
        return tl.arange(0, 8)
#       ^~~~~~~~~~~~~~~~~~~~~~ error: inconsistent return types: i32[4] on one path and i32[8] on another
#   note: every `return` of a function must give the same type

# sig: n=i32
@triton.jit
def kernel(n):
    pick(n)
#   ^~~~~~~ note: in the call of `pick`

# --- returns of different types
@triton.jit
def pick(n):
    if n == 0:
        return 1.0
    return n
#   ^~~~~~~~ error: inconsistent return types: f32 on one path and i32 on another
#   note: every `return` of a function must give the same type

# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, pick(n))
#               ^~~~~~~ note: in the call of `pick`

# --- one path returns a value, the other none: undefined there, as in Triton
# accepted
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
#               ^~~~~~~~~~ error: expected a tensor or a number, got None
#   note: `None` is not a value at run time; was an argument left out?

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
#          ^~~~~~~~~~~~~~~~~~~ error: cannot have `return` statements inside `while` or `for` statements in triton
#   note: store the result in a variable and return it after the loop
            return
        tl.store(p + i, 1)

# --- a return in a while loop
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    while n > 0:
        return
#       ^~~~~~ error: cannot have `return` statements inside `while` or `for` statements in triton
#   note: store the result in a variable and return it after the loop
    tl.store(p, 1)

# --- a kernel that returns a value
# sig: p=*fp32
@triton.jit
def kernel(p):
    return tl.load(p)
#   ^~~~~~~~~~~~~~~~~ error: a kernel must not return a value, but `kernel` returns f32
#   note: store it in memory that the caller passes: `tl.store(out_ptr + offsets, …)`

# --- a condition that is a string
# sig: p=*i32, MODE="on"
@triton.jit
def kernel(p, MODE: tl.constexpr):
    if MODE == 1 + "x":
#              ^~~~~~~ error: `+` is not defined for int and str
        tl.store(p, 1)

# --- a condition that is a pointer
# accepted
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
    if torch.cuda.device_count() > 1:
#      ^~~~~~~~~~~~~~~~~~~~~~~~~ error: `torch.cuda.device_count` cannot be called in a kernel
#   note: only functions of the language and `@triton.jit` functions can
        tl.store(p, 1)

# --- a loop that never ends
# sig: p=*i32
@triton.jit
def kernel(p):
    while True:
#         ^~~~ error: this loop never ends: its condition is always true
#   note: write what it waits for: `while i < n:`
        tl.atomic_add(p, 1)

# --- `while … else`
# sig: n=i32
@triton.jit
def kernel(n):
    while n > 0:
#   ^~~~~~~~~~~~ error: `while … else` is not supported in a kernel
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
#   ^~~~~~~ error: cannot unpack 2 values into 3 names

# --- an unpacking with too few names: Triton drops the other values
# accepted
# sig: p=*i32
@triton.jit
def kernel(p):
    a, b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
#   ^~~~ warning: unpacks 3 values into 2 names: the others are dropped
    tl.store(p, a + b)

# --- an unpacking of a number
# sig: n=i32
@triton.jit
def kernel(n):
    a, b = n
#   ^~~~ error: cannot unpack a value of type i32 into 2 names

# --- an assertion that is false at compile time: Triton asserts at run time, in debug mode
# accepted
# sig: BLOCK=64
@triton.jit
def kernel(BLOCK: tl.constexpr):
    assert BLOCK <= 32, "the block is too large"
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ warning: this assertion is false: the block is too large

# --- an assertion with a run-time message
# sig: n=i32
@triton.jit
def kernel(n):
    assert n > 0, n
#                 ^ error: `msg` must be a string, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

