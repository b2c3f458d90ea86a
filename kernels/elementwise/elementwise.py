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
def atan(x):
    return libdevice.atan(x)


@triton.jit
def exp2(x):
    return tl.exp2(x)


@triton.jit
def log2(x):
    return tl.log2(x)


@triton.jit
def erf(x):
    return tl.erf(x)


@triton.jit
def reciprocal(x):
    return 1 / x


@triton.jit
def floor(x):
    return tl.floor(x)


@triton.jit
def ceil(x):
    return tl.ceil(x)


@triton.jit
def isnan(x):
    return x != x


@triton.jit
def isinf(x):
    return tl.abs(x) == float("inf")


@triton.jit
def isfinite(x):
    return tl.abs(x) < float("inf")


@triton.jit
def logical_not(x):
    return x == 0


@triton.jit
def bitwise_not(x):
    return ~x


@triton.jit
def relu_squared(x):
    return tl.where(x > 0, x * x, 0.0)


@triton.jit
def elu(x):
    return tl.where(x > 0, x, tl.exp(tl.minimum(x, 0.0)) - 1)


@triton.jit
def softplus(x):
    return tl.maximum(x, 0.0) + tl.log(1 + tl.exp(-tl.abs(x)))


@triton.jit
def log_sigmoid(x):
    return tl.minimum(x, 0.0) - tl.log(1 + tl.exp(-tl.abs(x)))


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
def power(x, y):
    return libdevice.pow(x, y)


@triton.jit
def equal(x, y):
    return x == y


@triton.jit
def not_equal(x, y):
    return x != y


@triton.jit
def less(x, y):
    return x < y


@triton.jit
def less_equal(x, y):
    return x <= y


@triton.jit
def greater(x, y):
    return x > y


@triton.jit
def greater_equal(x, y):
    return x >= y


@triton.jit
def logical_and(x, y):
    return (x != 0) & (y != 0)


@triton.jit
def logical_or(x, y):
    return (x != 0) | (y != 0)


@triton.jit
def logical_xor(x, y):
    return (x != 0) ^ (y != 0)


@triton.jit
def bitwise_and(x, y):
    return x & y


@triton.jit
def bitwise_or(x, y):
    return x | y


@triton.jit
def bitwise_xor(x, y):
    return x ^ y


@triton.jit
def left_shift(x, y):
    return x << y


@triton.jit
def right_shift(x, y):
    return x >> y


@triton.jit
def floor_divide(x, y):
    """The quotient rounded down, also of integers: `//` itself rounds these towards 0."""
    if x.dtype.is_floating():
        return tl.floor(tl.div_rn(x, y))
    else:
        return x // y - tl.where((x % y != 0) & ((x < 0) != (y < 0)), 1, 0)


@triton.jit
def remainder(x, y):
    """What floor_divide leaves: it has the sign of y."""
    if x.dtype.is_floating():
        return x - tl.floor(tl.div_rn(x, y)) * y
    else:
        left = x % y
        return left + tl.where((left != 0) & ((left < 0) != (y < 0)), y, 0)


@triton.jit
def fma(x, y, z):
    return tl.fma(x, y, z)


@triton.jit
def where(x, y, z):
    return tl.where(x != 0, y, z)


@triton.jit
def clamp(x, y, z):
    """x, but at least y and at most z."""
    return tl.minimum(tl.maximum(x, y), z)


@triton.jit
def lerp(x, y, z):
    """From x to y by the share z."""
    return x + z * (y - x)


@triton.jit
def addcmul(x, y, z):
    return x + y * z


@triton.jit
def addcdiv(x, y, z):
    return x + y / z


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
def binary(x_ptr, y_ptr, out_ptr, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr, CACHE: tl.constexpr = "", X_STEP: tl.constexpr = 1, Y_STEP: tl.constexpr = 1):
    """A step of 0: that operand is one number."""
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    result = FUNCTION(load_wide(x_ptr + offsets * X_STEP, inside), load_wide(y_ptr + offsets * Y_STEP, inside))
    tl.store(out_ptr + offsets, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def ternary(x_ptr, y_ptr, z_ptr, out_ptr, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr, CACHE: tl.constexpr = "", X_STEP: tl.constexpr = 1, Y_STEP: tl.constexpr = 1,
            Z_STEP: tl.constexpr = 1):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    result = FUNCTION(load_wide(x_ptr + offsets * X_STEP, inside), load_wide(y_ptr + offsets * Y_STEP, inside), load_wide(z_ptr + offsets * Z_STEP, inside))
    tl.store(out_ptr + offsets, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)
