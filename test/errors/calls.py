# calls.py: calls with the wrong arguments, and calls of what cannot be called.
import triton
import triton.language as tl

# --- a keyword that `load` does not have
# sig: p=*fp32, BLOCK=64
@triton.jit
def kernel(p, BLOCK: tl.constexpr):
    tl.load(p + tl.arange(0, BLOCK), msk=None)
#                                    ^~~~~~~~ error: `load` has no parameter `msk`
#   note: did you mean `mask`?

# --- a keyword that resembles nothing
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p, prefetch=True)
#              ^~~~~~~~~~~~~ error: `load` has no parameter `prefetch`
#   note: `load(pointer, mask=None, other=None, boundary_check=(), padding_option="", cache_modifier="", eviction_policy="", volatile=False)` is the signature

# --- `store` without a value
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p)
#   ^~~~~~~~~~~ error: `store` needs the argument `value`
#   note: `store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy="")` is the signature

# --- `program_id` without an axis
@triton.jit
def kernel():
    tl.program_id()
#   ^~~~~~~~~~~~~~~ error: `program_id` needs the argument `axis`
#   note: `program_id(axis)` is the signature

# --- one argument too many for a builtin
@triton.jit
def kernel():
    tl.program_id(0, 1)
#                    ^ error: too many arguments for `program_id`
#   note: `program_id(axis)` is the signature

# --- an argument by position and by name
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p, None, mask=None)
#                    ^~~~~~~~~ error: `load` got `mask` twice

# --- a jit function with too few arguments
@triton.jit
def scale(x, factor):
    return x * factor

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, scale(tl.load(p)))
#               ^~~~~~~~~~~~~~~~~ error: `scale` needs a value for `factor`

# --- a jit function with too many arguments
@triton.jit
def scale(x, factor):
    return x * factor

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, scale(tl.load(p), 2.0, 3.0))
#                                      ^~~ error: too many arguments for `scale`, which takes 2

# --- a jit function with an unknown keyword
@triton.jit
def scale(x, factor):
    return x * factor

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, scale(tl.load(p), facto=2.0))
#                                 ^~~~~~~~~ error: `scale` has no parameter `facto`
#   note: did you mean `factor`?

# --- a jit function with one argument twice
@triton.jit
def scale(x, factor):
    return x * factor

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, scale(tl.load(p), 2.0, factor=2.0))
#                                      ^~~~~~~~~~ error: `scale` got two values for `factor`

# --- a run-time value for a constexpr parameter
@triton.jit
def make(n: tl.constexpr):
    return tl.arange(0, n)
#                       ^ error: `end` of `arange` must be a constant integer, got i32
#   note: make a tile of a fixed length, `tl.arange(0, BLOCK)` with `BLOCK: tl.constexpr`, and mask what is too much: `mask=offsets < n`

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p + make(n), 1)
#                ^~~~~~~ note: in the call of `make`

# --- a constant that became a tensor, for a constexpr parameter
@triton.jit
def make(n: tl.constexpr):
    return tl.arange(0, n)
#                       ^ error: `end` of `arange` must be a constant integer, got i32
#   note: what is assigned to a name is a value of run time: annotate a new name, `half: tl.constexpr = BLOCK // 2`

# sig: p=*i32
@triton.jit
def kernel(p):
    n = 16
    tl.store(p + make(n), 1)
#                ^~~~~~~ note: in the call of `make`

# --- a plain Python function
def twice(x):
    return x * 2

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, twice(tl.load(p)))
#               ^~~~~~~~~~~~~~~~~ error: `twice` is a plain Python function, which a kernel cannot call
#   note: decorate it with `@triton.jit`, or with `@triton.constexpr_function` if it runs at compile time

# --- a call of a number
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, n(1))
#               ^~~~ error: a value of type i32 cannot be called

# --- a call of a tensor
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.load(p)
    tl.store(p, x())
#               ^~~ error: a value of type f32 cannot be called

# --- a call of a type
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.float32(1.0))
#               ^~~~~~~~~~~~~~~ error: the type f32 cannot be called
#   note: convert with `x.to(tl.float32)`, or `tl.cast`

# --- a call of a module
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.math(1.0))
#               ^~~~~~~~~~~~ error: a value of type module cannot be called

# --- a call of None
# sig: p=*fp32, f=None
@triton.jit
def kernel(p, f):
    tl.store(p, f(1.0))
#               ^~~~~~ error: a value of type None cannot be called

# --- the unpacking of a mapping
@triton.jit
def scale(x, factor):
    return x * factor

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, scale(tl.load(p), **{"factor": 2.0}))
#                                 ^~~~~~~~~~~~~~~~~ error: `**` in a call is not supported in a kernel

# --- the unpacking of a tensor
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.device_print("x", *x)
#                        ^~ error: only a tuple can be unpacked with `*`, not i32[16]

# --- a mistake inside a function that is called
@triton.jit
def inner():
    xyz
#   ^~~ error: `xyz` is not defined

@triton.jit
def kernel():
    # the note shows this call
    inner()
#   ^~~~~~~ note: in the call of `inner`

# --- a mistake two calls deep
@triton.jit
def inner(x):
    return tl.dot(x, x)
#          ^~~~~~~~~~~~ error: `dot` needs two tensors of one rank, 2 or more, got f32 and f32

@triton.jit
def middle(x):
    return inner(x) + 1
#          ^~~~~~~~ note: in the call of `inner`

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, middle(tl.load(p)))
#               ^~~~~~~~~~~~~~~~~~ note: in the call of `middle`

# --- a function that calls itself without an end
@triton.jit
def forever(x):
    return forever(x + 1)
#          ^~~~~~~~~~~~~~ error: calls are nested more than 200 deep
#   note: recursion needs an end that is known at compile time
#          ^~~~~~~~~~~~~~ note: in the call of `forever`

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, forever(tl.load(p)))
#               ^~~~~~~~~~~~~~~~~~~ note: in the call of `forever`

# --- two functions that call each other
@triton.jit
def ping(x):
    return pong(x)
#          ^~~~~~~ error: calls are nested more than 200 deep
#   note: recursion needs an end that is known at compile time
#          ^~~~~~~ note: in the call of `pong`

@triton.jit
def pong(x):
    return ping(x)
#          ^~~~~~~ note: in the call of `ping`

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, ping(tl.load(p)))
#               ^~~~~~~~~~~~~~~~ note: in the call of `ping`

# --- a result that must be used
@triton.must_use_result("a cube is worth keeping")
@triton.jit
def cube(x):
    return x * x * x

@triton.jit
def kernel():
    a = tl.full((64, 64), 0.0, tl.float32)
    cube(a)
#   ^~~~~~~ error: the result of cube is not being used. a cube is worth keeping

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
#                   ^~~~~~~~~~ error: `add_one` is noinline, but its argument `x` is a block: i32[16]
#   note: a function that is not inlined takes scalars only

# --- a lambda in a constant
square = lambda x: x * x

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, square(tl.load(p)))
#               ^~~~~~~~~~~~~~~~~~ error: `<lambda>` is a plain Python function, which a kernel cannot call
#   note: decorate it with `@triton.jit`, or with `@triton.constexpr_function` if it runs at compile time

# --- a function without parentheses
# sig: p=*fp32
@triton.jit
def kernel(p):
    pid = tl.program_id
    tl.store(p + pid, 1.0)
#            ^~~~~~~ error: expected a tensor or a number, got function
#   note: a function has to be called: write `f(…)`

# --- a method of a tensor with an unknown keyword
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.zeros((16, 16), tl.float32)
    tl.store(p, x.sum(axes=0))
#                     ^~~~~~ error: `sum` has no parameter `axes`
#   note: did you mean `axis`?

# --- a method of a tensor with too many arguments
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.zeros((16,), tl.float32)
    tl.store(p + tl.arange(0, 16), x.exp(1))
#                                        ^ error: too many arguments for `exp`
#   note: `exp(x)` is the signature

# --- a constexpr function that needs a run-time value
@triton.constexpr_function
def half(n):
    return n // 2
#          ^~~~~~ error: `//` is not defined for i32 and int
#   note: this code runs at compile time, but i32 is known only at run time

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, half(n))
#               ^~~~~~~ note: in the call of `half`

# --- a constexpr function that fails
@triton.constexpr_function
def pick(n):
    sizes = [16, 32]
    return sizes[n]
#          ^~~~~~~~ error: list index 5 is out of range: it has 2 items

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, pick(5))
#               ^~~~~~~ note: in the call of `pick`

# --- a constexpr function that raises
@triton.constexpr_function
def pick(n):
    if n > 4:
        raise ValueError("n is too large")
#       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: n is too large
    return n

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, pick(5))
#               ^~~~~~~ note: in the call of `pick`

# --- a constexpr function without an end
# at any place
@triton.constexpr_function
def spin(n):
    while True:
#   ^~~~~~~~~~~ error: compile-time evaluation takes more than 5000000 steps
#   note: is there an endless loop, one that unrolls very often, or a very large value?
        n += 1
    return n

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, spin(5))
#               ^~~~~~~ note: in the call of `spin`

# --- a jit method without its class
class Tools:
    @triton.jit
    def twice(x):
        return x * 2

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, twice(tl.load(p)))
#               ^~~~~ error: `twice` is not defined
