# calls.py: calls with the wrong arguments, and calls of what cannot be called.
import triton
import triton.language as tl

# --- a keyword that `load` does not have
# sig: p=*fp32, BLOCK=64
@triton.jit
def kernel(p, BLOCK: tl.constexpr):
    tl.load(p + tl.arange(0, BLOCK), msk=None)

# --- a keyword that resembles nothing
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p, prefetch=True)

# --- `store` without a value
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p)

# --- `program_id` without an axis
@triton.jit
def kernel():
    tl.program_id()

# --- one argument too many for a builtin
@triton.jit
def kernel():
    tl.program_id(0, 1)

# --- an argument by position and by name
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p, None, mask=None)

# --- a jit function with too few arguments
@triton.jit
def scale(x, factor):
    return x * factor

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, scale(tl.load(p)))

# --- a jit function with too many arguments
@triton.jit
def scale(x, factor):
    return x * factor

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, scale(tl.load(p), 2.0, 3.0))

# --- a jit function with an unknown keyword
@triton.jit
def scale(x, factor):
    return x * factor

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, scale(tl.load(p), facto=2.0))

# --- a jit function with one argument twice
@triton.jit
def scale(x, factor):
    return x * factor

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, scale(tl.load(p), 2.0, factor=2.0))

# --- a run-time value for a constexpr parameter
@triton.jit
def make(n: tl.constexpr):
    return tl.arange(0, n)

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p + make(n), 1)

# --- a constant that became a tensor, for a constexpr parameter
@triton.jit
def make(n: tl.constexpr):
    return tl.arange(0, n)

# sig: p=*i32
@triton.jit
def kernel(p):
    n = 16
    tl.store(p + make(n), 1)

# --- a plain Python function
def twice(x):
    return x * 2

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, twice(tl.load(p)))

# --- a call of a number
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, n(1))

# --- a call of a tensor
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.load(p)
    tl.store(p, x())

# --- a call of a type
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.float32(1.0))

# --- a call of a module
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.math(1.0))

# --- a call of None
# sig: p=*fp32, f=None
@triton.jit
def kernel(p, f):
    tl.store(p, f(1.0))

# --- the unpacking of a mapping
@triton.jit
def scale(x, factor):
    return x * factor

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, scale(tl.load(p), **{"factor": 2.0}))

# --- the unpacking of a tensor
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.device_print("x", *x)

# --- a mistake inside a function that is called
@triton.jit
def inner():
    xyz

@triton.jit
def kernel():
    # the note shows this call
    inner()

# --- a mistake two calls deep
@triton.jit
def inner(x):
    return tl.dot(x, x)

@triton.jit
def middle(x):
    return inner(x) + 1

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, middle(tl.load(p)))

# --- a function that calls itself without an end
@triton.jit
def forever(x):
    return forever(x + 1)

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, forever(tl.load(p)))

# --- two functions that call each other
@triton.jit
def ping(x):
    return pong(x)

@triton.jit
def pong(x):
    return ping(x)

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, ping(tl.load(p)))

# --- a result that must be used
@triton.must_use_result("a cube is worth keeping")
@triton.jit
def cube(x):
    return x * x * x

@triton.jit
def kernel():
    a = tl.full((64, 64), 0.0, tl.float32)
    cube(a)

# --- a result that must be used, and is
# accepted
@triton.must_use_result("a cube is worth keeping")
@triton.jit
def cube(x):
    return x * x * x

@triton.jit
def kernel():
    a = tl.full((64, 64), 0.0, tl.float32)
    a = cube(a)

# --- a block for a function that is not inlined
@triton.jit(noinline=True)
def add_one(x):
    return x + 1

# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, add_one(x))

# --- a lambda in a constant
square = lambda x: x * x

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, square(tl.load(p)))

# --- a function without parentheses
# sig: p=*fp32
@triton.jit
def kernel(p):
    pid = tl.program_id
    tl.store(p + pid, 1.0)

# --- a method of a tensor with an unknown keyword
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.zeros((16, 16), tl.float32)
    tl.store(p, x.sum(axes=0))

# --- a method of a tensor with too many arguments
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.zeros((16,), tl.float32)
    tl.store(p + tl.arange(0, 16), x.exp(1))

# --- a constexpr function that needs a run-time value
@triton.constexpr_function
def half(n):
    return n // 2

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, half(n))

# --- a constexpr function that fails
@triton.constexpr_function
def pick(n):
    sizes = [16, 32]
    return sizes[n]

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, pick(5))

# --- a constexpr function that raises
@triton.constexpr_function
def pick(n):
    if n > 4:
        raise ValueError("n is too large")
    return n

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, pick(5))

# --- a constexpr function without an end
@triton.constexpr_function
def spin(n):
    while True:
        n += 1
    return n

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, spin(5))

# --- a jit method without its class
class Tools:
    @triton.jit
    def twice(x):
        return x * 2

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, twice(tl.load(p)))
