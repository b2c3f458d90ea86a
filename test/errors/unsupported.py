# unsupported.py: Python that a kernel cannot contain. Each message says what to write instead where there is something.
import triton
import triton.language as tl

# --- a nested function
@triton.jit
def kernel():
    def inner(x):
        return x
    inner(1)

# --- a lambda
@triton.jit
def kernel():
    f = lambda x: x + 1

# --- a class
@triton.jit
def kernel():
    class Pair:
        pass

# --- try
# sig: p=*i32
@triton.jit
def kernel(p):
    try:
        tl.store(p, 1)
    except ValueError:
        pass

# --- raise
@triton.jit
def kernel():
    raise ValueError("no")

# --- an import
@triton.jit
def kernel():
    import math

# --- a from import
@triton.jit
def kernel():
    from math import pi

# --- global
@triton.jit
def kernel():
    global counter

# --- nonlocal
def make():
    x = 0
    @triton.jit
    def kernel():
        nonlocal x
    return kernel

# --- del
@triton.jit
def kernel():
    x = 1
    del x

# --- a dict
@triton.jit
def kernel():
    d = {"a": 1}

# --- a set
@triton.jit
def kernel():
    s = {1, 2}

# --- a set comprehension
@triton.jit
def kernel():
    s = {x for x in (1, 2)}

# --- a dict comprehension
@triton.jit
def kernel():
    s = {x: x for x in (1, 2)}

# --- a generator expression
@triton.jit
def kernel():
    s = list(x for x in (1, 2))

# --- yield
@triton.jit
def kernel():
    yield 1

# --- await
@triton.jit
async def kernel():
    await something

# --- match
# sig: n=i32
@triton.jit
def kernel(n):
    match n:
        case 0:
            pass

# --- a type alias
@triton.jit
def kernel():
    type Index = int

# --- async for
@triton.jit
async def kernel():
    async for x in y:
        pass

# --- async with
@triton.jit
async def kernel():
    async with y:
        pass

# --- a return inside `with`
# sig: p=*i32
@triton.jit
def kernel(p):
    with tl.scope("a"):
        return
    tl.store(p, 1)

# --- two targets in one assignment
@triton.jit
def kernel():
    a = b = 1

# --- a starred target
@triton.jit
def kernel():
    a, *b = 1, 2, 3

# --- an assignment to an element of a block
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    x[0] = 1

# --- an augmented assignment to an element
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    x[0] += 1

# --- an assignment to an attribute of a block
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    x.name = 1

# --- an assignment through a pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    p[0] = 1.0

# --- an append to a list
@triton.jit
def kernel():
    xs = [1, 2]
    xs.append(3)

# --- keyword parameters of a function
@triton.jit
def helper(x, **options):
    return x

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, helper(1))

# --- a bytes literal
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, b"a")

# --- a complex number
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, 1j)

# --- an ellipsis as a value
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, ...)

# --- a walrus with a block as condition
# sig: p=*i32
@triton.jit
def kernel(p):
    if (x := tl.arange(0, 16)):
        tl.store(p + x, 1)
