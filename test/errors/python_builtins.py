# python_builtins.py: Python's own functions in a kernel.
import triton
import triton.language as tl

# --- `int` of a run-time value
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, int(tl.load(p)))
#                   ^~~~~~~~~~ error: `int` converts only values known at compile time
#   note: convert a run-time value with `.to(tl.int32)`

# --- `float` of a run-time value
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, float(tl.load(p)))
#                     ^~~~~~~~~~ error: `float` converts only values known at compile time
#   note: convert a run-time value with `.to(tl.float32)`

# --- `float` of a word that is no number
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, float("infinte"))
#               ^~~~~~~~~~~~~~~~ error: `float` cannot read 'infinte'

# --- `int` of a word
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, int("four"))
#               ^~~~~~~~~~~ error: `int` cannot read 'four'

# --- `len` of a scalar
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, len(n))
#                   ^ error: `len` counts the items of a tuple, got i32
#   note: the extents of a block are `x.shape`

# --- `len` of a number
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, len(5))
#               ^~~~~~ error: `len` expects a value with a length, not `int`

# --- `len` without an argument
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, len())
#               ^~~~~ error: `len` needs an argument for `value`

# --- `min` of nothing
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, min())
#               ^~~~~ error: `min` of nothing

# --- `max` of a number and a string
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, max(1, "2"))
#               ^~~~~~~~~~~ error: `<` is not supported between `int` and `str`

# --- `min` of a tensor and a string
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, min(n, "2"))
#                      ^~~ error: expected a tensor or a number, got str

# --- `max` of a single tensor
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, max(tl.arange(0, 16)))
#               ^~~~~~~~~~~~~~~~~~~~~ error: `max` of one value
#   note: the largest or smallest element of a block is `tl.max(x, axis)`

# --- `isinstance` with one argument
# sig: n=i32
@triton.jit
def kernel(n):
    if isinstance(n):
#      ^~~~~~~~~~~~~ error: `isinstance` needs an argument for `classes`
        pass

# --- `getattr` of a name that is not there
# sig: n=i32
@triton.jit
def kernel(n):
    t: tl.constexpr = getattr(n, "colour")
#                     ^~~~~~~~~~~~~~~~~~~~ error: a value of type i32 has no attribute `colour`

# --- `abs` of Python
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, abs(tl.load(p)))
#               ^~~ error: the function `abs` of Python cannot be used in a kernel
#   note: write `tl.abs(x)`

# --- `round` of Python
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, round(tl.load(p)))
#               ^~~~~ error: the function `round` of Python cannot be used in a kernel
#   note: write `libdevice.round(x)`, after `from triton.language.extra import libdevice`

# --- `str` of a run-time value
# sig: n=i32
@triton.jit
def kernel(n):
    tl.static_print(str(n))
#                   ^~~ error: the function `str` of Python cannot be used in a kernel
#   note: write an f-string: `f"{x}"`

# --- `bool` of a run-time value
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    if bool(n):
#      ^~~~ error: the function `bool` of Python cannot be used in a kernel
#   note: write `x != 0`
        tl.store(p, 1)

# --- `zip`
@triton.jit
def kernel():
    for a, b in zip((1, 2), (3, 4)):
#               ^~~ error: the function `zip` of Python cannot be used in a kernel
#   note: loop over `tl.static_range(n)`, and index both tuples
        pass

# --- `print` without a text
# sig: n=i32
@triton.jit
def kernel(n):
    print(n)
#         ^ error: `print` starts with a text, got i32
#   note: write `print("x", x)`

# --- `list` of a tensor
@triton.jit
def kernel():
    xs = list(tl.arange(0, 16))
#        ^~~~~~~~~~~~~~~~~~~~~~ error: `i32[16]` cannot be looped over
