# reductions.py: reductions, scans, sorts and histograms.
import triton
import triton.language as tl

@triton.jit
def add(a, b):
    return a + b

# --- an axis that is out of range
@triton.jit
def kernel():
    tl.sum(tl.arange(0, 16), axis=1)

# --- a negative axis that is out of range
@triton.jit
def kernel():
    tl.max(tl.zeros((16, 16), tl.float32), axis=-3)

# --- the sum of a scalar
# sig: x=fp32
@triton.jit
def kernel(x):
    tl.sum(x, axis=0)

# --- the sum of pointers
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.sum(p + tl.arange(0, 16), axis=0)

# --- the sum of a tuple
@triton.jit
def kernel():
    tl.sum((1, 2, 3))

# --- `argmax` without an axis
@triton.jit
def kernel():
    tl.argmax(tl.arange(0, 16))

# --- `xor_sum` of floats
@triton.jit
def kernel():
    tl.xor_sum(tl.zeros((16,), tl.float32), axis=0)

# --- a type of the sum that is none
@triton.jit
def kernel():
    tl.sum(tl.arange(0, 16), dtype=64)

# --- a combine function that is no function
@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, 5)

# --- a combine function of plain Python
def plain(a, b):
    return a + b

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, plain)

# --- a combine function with too few parameters
@triton.jit
def one(a):
    return a

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, one)

# --- a combine function with too many parameters
@triton.jit
def three(a, b, c):
    return a

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, three)

# --- a combine function that returns nothing
@triton.jit
def silent(a, b):
    c = a + b

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, silent)

# --- a combine function that returns another type
@triton.jit
def widen(a, b):
    return (a + b).to(tl.float32)

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, widen)

# --- a combine function that returns too many values
@triton.jit
def pair(a, b):
    return a, b

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, pair)

# --- a combine function that calls an unknown name
@triton.jit
def wrong(a, b):
    return plus(a, b)

@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0, wrong)

# --- a reduction of tensors of different shapes
@triton.jit
def kernel():
    tl.reduce((tl.arange(0, 16), tl.arange(0, 32)), 0, add)

# --- a reduction without a combine function
@triton.jit
def kernel():
    tl.reduce(tl.arange(0, 16), 0)

# --- a misspelt keyword of a reduction
@triton.jit
def kernel():
    tl.sum(tl.zeros((16, 16), tl.float32), axis=0, keepdims=True)

# --- a scan along an axis that is out of range
@triton.jit
def kernel():
    tl.cumsum(tl.arange(0, 16), axis=1)

# --- a scan of a scalar
# sig: x=fp32
@triton.jit
def kernel(x):
    tl.cumsum(x)

# --- a scan with a combine function that returns another type
@triton.jit
def widen(a, b):
    return (a + b).to(tl.float32)

@triton.jit
def kernel():
    tl.associative_scan(tl.arange(0, 16), 0, widen)

# --- a sort along the first of two dimensions
@triton.jit
def kernel():
    tl.sort(tl.zeros((16, 16), tl.float32), 0)

# --- a sort of a scalar
# sig: x=fp32
@triton.jit
def kernel(x):
    tl.sort(x)

# --- `topk` of more than there are
@triton.jit
def kernel():
    tl.topk(tl.arange(0, 16), 32)

# --- `topk` of three
@triton.jit
def kernel():
    tl.topk(tl.arange(0, 16), 3)

# --- a histogram of floats
@triton.jit
def kernel():
    tl.histogram(tl.zeros((16,), tl.float32), 16)

# --- a histogram of a matrix
@triton.jit
def kernel():
    tl.histogram(tl.zeros((16, 16), tl.int32), 16)

# --- a histogram with a number of bins that is not a power of two
@triton.jit
def kernel():
    tl.histogram(tl.arange(0, 16), 10)

# --- a softmax of integers
@triton.jit
def kernel():
    tl.softmax(tl.arange(0, 16))

# --- `map_elementwise` of a function that returns a block
@triton.jit
def wide(x):
    return tl.arange(0, 4)

@triton.jit
def kernel():
    tl.map_elementwise(wide, tl.arange(0, 16))

# --- indices without an axis
@triton.jit
def kernel():
    v, i = tl.max(tl.zeros((4, 4), tl.float32), return_indices=True)
