# python_builtins.py: Python's own functions in a kernel.
import triton
import triton.language as tl

# --- `int` of a run-time value
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, int(tl.load(p)))

# --- `float` of a run-time value
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, float(tl.load(p)))

# --- `float` of a word that is no number
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, float("infinte"))

# --- `int` of a word
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, int("four"))

# --- `len` of a scalar
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, len(n))

# --- `len` of a number
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, len(5))

# --- `len` without an argument
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, len())

# --- `min` of nothing
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, min())

# --- `max` of a number and a string
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, max(1, "2"))

# --- `min` of a tensor and a string
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, min(n, "2"))

# --- `max` of a single tensor
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, max(tl.arange(0, 16)))

# --- `isinstance` with one argument
# sig: n=i32
@triton.jit
def kernel(n):
    if isinstance(n):
        pass

# --- `getattr` of a name that is not there
# sig: n=i32
@triton.jit
def kernel(n):
    t: tl.constexpr = getattr(n, "colour")

# --- `abs` of Python
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, abs(tl.load(p)))

# --- `round` of Python
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, round(tl.load(p)))

# --- `str` of a run-time value
# sig: n=i32
@triton.jit
def kernel(n):
    tl.static_print(str(n))

# --- `bool` of a run-time value
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    if bool(n):
        tl.store(p, 1)

# --- `zip`
@triton.jit
def kernel():
    for a, b in zip((1, 2), (3, 4)):
        pass

# --- `print` without a text
# sig: n=i32
@triton.jit
def kernel(n):
    print(n)

# --- `list` of a tensor
@triton.jit
def kernel():
    xs = list(tl.arange(0, 16))
