# loops.py: `for` and what it runs over.
import triton
import triton.language as tl

# --- a loop over a tensor
# sig: p=*i32
@triton.jit
def kernel(p):
    for x in tl.arange(0, 16):
        tl.store(p, x)

# --- a loop over a number
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in n:
        tl.store(p + i, 1)

# --- a loop over a string
# sig: p=*i32
@triton.jit
def kernel(p):
    for c in "abc":
        tl.store(p, 1)

# --- a loop over enumerate
# sig: p=*i32
@triton.jit
def kernel(p):
    for i, x in enumerate((1, 2)):
        tl.store(p + i, x)

# --- a float bound
# sig: p=*i32, n=fp32
@triton.jit
def kernel(p, n):
    for i in range(n):
        tl.store(p + i, 1)

# --- a bound that was divided
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n / 16):
        tl.store(p + i, 1)

# --- a block bound
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in range(tl.arange(0, 16)):
        tl.store(p + i, 1)

# --- a pointer bound
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in range(p):
        tl.store(p + i, 1)

# --- a string bound
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in range("16"):
        tl.store(p + i, 1)

# --- a step of zero
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(0, n, 0):
        tl.store(p + i, 1)

# --- a range without arguments
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in range():
        tl.store(p + i, 1)

# --- a range with four arguments
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in range(0, 1, 2, 3):
        tl.store(p + i, 1)

# --- a static range with a run-time bound
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in tl.static_range(n):
        tl.store(p + i, 1)

# --- a static range with a step of zero
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in tl.static_range(0, 4, 0):
        tl.store(p + i, 1)

# --- an unknown option of a range
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in tl.range(n, num_stage=2):
        tl.store(p + i, 1)

# --- an option of a range at run time
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in tl.range(n, num_stages=n):
        tl.store(p + i, 1)

# --- `for … else`
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n):
        tl.store(p + i, 1)
    else:
        tl.store(p, 0)

# --- `break`
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n):
        if tl.load(p + i) == 0:
            break

# --- `continue`
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n):
        if tl.load(p + i) == 0:
            continue
        tl.store(p + i, 1)

# --- a variable that becomes a block in the loop
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    acc = 0
    for i in range(n):
        acc += tl.load(p + tl.arange(0, 16))
    tl.store(p, acc)

# --- a variable that becomes a float in the loop
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    acc = 0
    for i in range(n):
        acc += tl.load(p + i)
    tl.store(p, acc)

# --- a variable that grows in the loop
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    acc = tl.zeros((16,), tl.float16)
    for i in range(n):
        acc = acc + tl.load(p + tl.arange(0, 16))
    tl.store(p + tl.arange(0, 16), acc)

# --- a variable that becomes a pointer in the loop
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    q = n
    for i in range(n):
        q = p + i
    tl.store(q, 1.0)

# --- a variable that changes its type in a while loop
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    while n > 0:
        n = n / 2
    tl.store(p, n)

# --- None that becomes a tensor in the loop
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    last = None
    for i in range(n):
        last = tl.load(p + i)
    tl.store(p, last)

# --- several variables in a loop over a range
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i, j in range(n):
        tl.store(p + i, j)

# --- the variable of the loop is an element
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for p[0] in range(n):
        pass

# --- a constexpr that is assigned in the loop
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n):
        k: tl.constexpr = i
        tl.store(p + k, 1)

# --- the variable of a loop where a constant is needed
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in range(4):
        x = tl.zeros((i,), tl.int32)

# --- a comprehension over a range at run time
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    xs = [i * 2 for i in range(n)]

# --- nested comprehensions
# sig: p=*i32
@triton.jit
def kernel(p):
    xs = [i * j for i in (1, 2) for j in (3, 4)]

# --- a comprehension with a run-time condition
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    xs = [i for i in (1, 2) if n > i]
