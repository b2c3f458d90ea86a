# python_builtins.py: Python's own functions in a kernel.
import triton
import triton.language as tl

# --- `int` of a run-time value
# sig: p=*fp32
@triton.jit
def kernel(p):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, int(tl.load(p)))
#                   ^~~~~~~~~~ error: `int` converts only values known at compile time
#   note: convert a run-time value with `.to(tl.int32)`

# --- `float` of a run-time value
# sig: p=*i32
@triton.jit
def kernel(p):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, float(tl.load(p)))
#                     ^~~~~~~~~~ error: `float` converts only values known at compile time
#   note: convert a run-time value with `.to(tl.float32)`

# --- `float` of a word that is no number
# sig: p=*fp32
@triton.jit
def kernel(p):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, float("infinte"))
#               ^~~~~~~~~~~~~~~~ error: `float` cannot read 'infinte'

# --- `int` of a word
# sig: p=*fp32
@triton.jit
def kernel(p):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, int("four"))
#               ^~~~~~~~~~~ error: `int` cannot read 'four'

# --- `len` of a scalar
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, len(n))
#               ^~~~~~ error: `i32` cannot be looped over

# --- `len` of a number
# sig: p=*i32
@triton.jit
def kernel(p):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, len(5))
#               ^~~~~~ error: `int` cannot be looped over

# --- `len` without an argument
# sig: p=*i32
@triton.jit
def kernel(p):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, len())
#               ^~~~~ error: `len` needs an argument for `value`

# --- `min` of nothing
# sig: p=*i32
@triton.jit
def kernel(p):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, min())
#               ^~~~~ error: `min` of nothing

# --- `max` of a number and a string
# sig: p=*i32
@triton.jit
def kernel(p):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, max(1, "2"))
#               ^~~~~~~~~~~ error: `<` is not supported between `int` and `str`

# --- `min` of a tensor and a string
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, min(n, "2"))
#                      ^~~ error: expected a tensor or a number, got str

# --- `max` of a single tensor
# sig: p=*i32
@triton.jit
def kernel(p):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, max(tl.arange(0, 16)))
#               ^~~~~~~~~~~~~~~~~~~~~ error: `value` is i32[16] but the pointer is a single pointer
#   note: add an offset of that shape to the pointer

# --- `isinstance` with one argument
# sig: n=i32
@triton.jit
def kernel(n):
#   ^~~~~~ note: in the call of `kernel`
    if isinstance(n):
#      ^~~~~~~~~~~~~ error: `isinstance` needs an argument for `classes`
        pass

# --- `getattr` of a name that is not there
# sig: n=i32
@triton.jit
def kernel(n):
#   ^~~~~~ note: in the call of `kernel`
    t: tl.constexpr = getattr(n, "colour")
#                     ^~~~~~~~~~~~~~~~~~~~ error: a value of type i32 has no attribute `colour`

# --- `abs` of Python
# sig: p=*fp32
@triton.jit
def kernel(p):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, abs(tl.load(p)))
#                   ^~~~~~~~~~ error: `abs` works on values that are known at compile time, not on `f32`

# --- `round` of Python
# sig: p=*fp32
@triton.jit
def kernel(p):
#   ^~~~~~ note: in the call of `kernel`
    tl.store(p, round(tl.load(p)))
#                     ^~~~~~~~~~ error: `round` works on values that are known at compile time, not on `f32`

# --- `str` of a run-time value
# sig: n=i32
@triton.jit
def kernel(n):
#   ^~~~~~ note: in the call of `kernel`
    tl.static_print(str(n))
#                       ^ error: `str` works on values that are known at compile time, not on `i32`

# --- `bool` of a run-time value
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
#   ^~~~~~ note: in the call of `kernel`
    if bool(n):
#           ^ error: `bool` works on values that are known at compile time, not on `i32`
        tl.store(p, 1)

# --- `zip`
@triton.jit
def kernel():
#   ^~~~~~ note: in the call of `kernel`
    for a, b in zip((1, 2), (3, 4)):
#               ^~~~~~~~~~~~~~~~~~~ error: cannot loop over a value of type list
#   note: a kernel loops over `range(…)`, `tl.range(…)`, `tl.static_range(…)` or a tuple
        pass

# --- `print` without a text
# sig: n=i32
@triton.jit
def kernel(n):
#   ^~~~~~ note: in the call of `kernel`
    print(n)
#         ^ error: `prefix` must be a string, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- `list` of a tensor
@triton.jit
def kernel():
#   ^~~~~~ note: in the call of `kernel`
    xs = list(tl.arange(0, 16))
#        ^~~~~~~~~~~~~~~~~~~~~~ error: `i32[16]` cannot be looped over
