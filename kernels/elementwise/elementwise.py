"""Functions of every element: out[i] = FUNCTION(x[i], …) for one to three inputs of any length. Narrow floats are computed in
fp32. FUNCTION is one of the jit functions below, or your own."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def relu(x):
    return tl.maximum(x, 0.0)


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def gelu(x):
    return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))


@triton.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def gelu_tanh(x):
    """The approximation of gelu that many models use: 0.5 * (1 + tanh(y)) is sigmoid(2 * y)."""
    return x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))


@triton.jit
def sigmoid(x):
    return tl.sigmoid(x)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def exp(x):
    return tl.exp(x)


@triton.jit
def log(x):
    return tl.log(x)


@triton.jit
def sqrt(x):
    return tl.sqrt(x)


@triton.jit
def rsqrt(x):
    return tl.rsqrt(x)


@triton.jit
def sin(x):
    return tl.sin(x)


@triton.jit
def cos(x):
    return tl.cos(x)


@triton.jit
def asin(x):
    return libdevice.asin(x)


@triton.jit
def absolute(x):
    return tl.abs(x)


@triton.jit
def negate(x):
    return -x


@triton.jit
def square(x):
    return x * x


@triton.jit
def add(x, y):
    return x + y


@triton.jit
def subtract(x, y):
    return x - y


@triton.jit
def multiply(x, y):
    return x * y


@triton.jit
def divide(x, y):
    return x / y


@triton.jit
def maximum(x, y):
    return tl.maximum(x, y)


@triton.jit
def minimum(x, y):
    return tl.minimum(x, y)


@triton.jit
def fma(x, y, z):
    return tl.fma(x, y, z)


@triton.jit
def load_wide(pointers, mask):
    """Narrow floats as fp32, all other types as they are."""
    x = tl.load(pointers, mask=mask)
    if x.dtype.is_floating() and x.dtype.primitive_bitwidth < 32:
        x = x.to(tl.float32)
    return x


@triton.jit
def unary(x_ptr, out_ptr, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    result = FUNCTION(load_wide(x_ptr + offsets, inside))
    tl.store(out_ptr + offsets, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def binary(x_ptr, y_ptr, out_ptr, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    result = FUNCTION(load_wide(x_ptr + offsets, inside), load_wide(y_ptr + offsets, inside))
    tl.store(out_ptr + offsets, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def ternary(x_ptr, y_ptr, z_ptr, out_ptr, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    result = FUNCTION(load_wide(x_ptr + offsets, inside), load_wide(y_ptr + offsets, inside), load_wide(z_ptr + offsets, inside))
    tl.store(out_ptr + offsets, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)
