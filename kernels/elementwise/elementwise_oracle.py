"""elementwise against float64: every function, every element type, lengths around the block size, nothing at all."""
import math
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Array, Checks, Expression, cdiv, empty_array, kernel_file, launch, np

checks = Checks()
rng = np.random.default_rng(1)
erf = np.vectorize(math.erf, otypes=[np.float64])


def logistic(x):
    return 1 / (1 + np.exp(-x))


FUNCTIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.where(x >= 0, x, 0.01 * x),
    "gelu": lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "tanh": np.tanh,
    "sigmoid": logistic,
    "silu": lambda x: x * logistic(x),
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "cos": np.cos,
    "asin": np.arcsin,
    "absolute": np.abs,
    "negate": lambda x: -x,
    "square": lambda x: x * x,
    "atan": np.arctan,
    "exp2": np.exp2,
    "log2": np.log2,
    "erf": lambda x: erf(x),
    "reciprocal": lambda x: 1 / x,
    "floor": np.floor,
    "ceil": np.ceil,
    "relu_squared": lambda x: np.maximum(x, 0)**2,
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "softplus": lambda x: np.logaddexp(x, 0),
    "log_sigmoid": lambda x: -np.logaddexp(-x, 0),
    "power": lambda x, y: x**y,
    "remainder": lambda x, y: x % y,
    "floor_divide": lambda x, y: x // y,
    "clamp": lambda x, y, z: np.minimum(np.maximum(x, y), z),
    "lerp": lambda x, y, z: x + z * (y - x),
    "addcmul": lambda x, y, z: x + y * z,
    "addcdiv": lambda x, y, z: x + y / z,
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "fma": lambda x, y, z: x * y + z,
}
# Those of bools and bits, which are exact.
QUESTIONS = {
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "logical_not": lambda x: x == 0,
    "equal": lambda x, y: x == y,
    "not_equal": lambda x, y: x != y,
    "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y,
    "greater": lambda x, y: x > y,
    "greater_equal": lambda x, y: x >= y,
    "logical_and": lambda x, y: (x != 0) & (y != 0),
    "logical_or": lambda x, y: (x != 0) | (y != 0),
    "logical_xor": lambda x, y: (x != 0) ^ (y != 0),
}
BITS = {"bitwise_not": lambda x: ~x, "bitwise_and": lambda x, y: x & y, "bitwise_or": lambda x, y: x | y, "bitwise_xor": lambda x, y: x ^ y, "left_shift": lambda x, y: x << y, "right_shift": lambda x, y: x >> y,
        "floor_divide": lambda x, y: x // y, "remainder": lambda x, y: x % y}
POSITIVE, UNIT = ("log", "log2", "sqrt", "rsqrt", "power", "reciprocal", "floor_divide", "remainder", "addcdiv"), ("asin", )
KERNELS = {1: "unary", 2: "binary", 3: "ternary"}


def run(function, inputs, out, n, block, cache):
    kernel = KERNELS[len(inputs)]
    arguments = dict(zip(("x_ptr", "y_ptr", "z_ptr"), inputs), out_ptr=out, n=n, FUNCTION=Expression(function), BLOCK=block, CACHE=cache)
    launch(kernel_file("elementwise"), kernel, arguments, grid=(cdiv(n, block), ))


def test_floats(function, n, dtype):
    reference, what = FUNCTIONS[function], f"{function} n={n} {dtype}"
    inputs = []
    for _ in range(reference.__code__.co_argcount if hasattr(reference, "__code__") else reference.nin):
        values = rng.uniform(0.1, 4, n) if function in POSITIVE else rng.uniform(-1, 1, n) if function in UNIT else rng.standard_normal(n) * 2
        inputs.append(Array(values, dtype))
    out = empty_array(n + 8, dtype)
    run(function, [each.argument for each in inputs], out.argument, n, 128, ".cs" if n % 2 else "")
    checks.close(out.values[:n], reference(*(each.values for each in inputs)), what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * 0.1)
    checks.expect(out.untouched[n:].all(), what + ": nothing written past the end")


def test_integers(function, dtype):
    inputs = [rng.integers(0, 10, 300).astype(dtype) for _ in range(2)]  # no result overflows: the checker reports it
    out = np.zeros(300, dtype)
    run(function, inputs, out, 300, 64, "")
    checks.equal(out, FUNCTIONS[function](*inputs), f"{function} {dtype}")


def count(reference):
    return reference.__code__.co_argcount if hasattr(reference, "__code__") else reference.nin


def test_question(function):
    values = rng.integers(-2, 3, (2, 100)).astype(np.float32)
    values[0, ::7], values[0, ::9], values[0, ::11] = np.nan, np.inf, -np.inf
    inputs, out = values[:count(QUESTIONS[function])], np.full(100, 3, np.int8)
    run(function, list(inputs), out, 100, 64, "")
    checks.equal(out, QUESTIONS[function](*inputs).astype(np.int8), function)


def test_bits(function, dtype):
    x, y = rng.integers(-50, 50, 100), rng.integers(1, 5, 100)
    y = np.where((rng.random(100) < 0.5) & (function in ("floor_divide", "remainder")), -y, y)
    inputs, out = [x.astype(dtype), y.astype(dtype)][:count(BITS[function])], np.zeros(100, dtype)
    run(function, inputs, out, 100, 64, "")
    checks.equal(out, BITS[function](*inputs), f"{function} {dtype}")


def test_steps():
    """Operands of one number."""
    x, y, z = rng.standard_normal((3, 70)).astype(np.float32)
    for steps in ((1, 0), (0, 1)):
        out = np.zeros(70, np.float32)
        launch(kernel_file("elementwise"), "binary", {"x_ptr": x, "y_ptr": y, "out_ptr": out, "n": 70, "FUNCTION": Expression("subtract"), "BLOCK": 64, "X_STEP": steps[0], "Y_STEP": steps[1]}, grid=(2, ))
        checks.equal(out, (x if steps[0] else x[0]) - (y if steps[1] else y[0]), f"subtract with steps {steps}")
    mask, out = rng.random(70) < 0.5, np.zeros(70, np.float32)
    launch(kernel_file("elementwise"), "ternary", {"x_ptr": mask, "y_ptr": y, "z_ptr": z, "out_ptr": out, "n": 70, "FUNCTION": Expression("where"), "BLOCK": 64, "Z_STEP": 0}, grid=(2, ))
    checks.equal(out, np.where(mask, y, z[0]), "where with one number")


def test_outside(function, values, expected):
    """fp64, and values beyond the domain."""
    x, out = np.array(values, np.float64), np.zeros(len(values))
    run(function, [x], out, len(values), 16, "")
    checks.close(out, expected, f"{function} of {values}", rtol=1e-12)


for name in FUNCTIONS:
    for dtype in DTYPES:
        checks.run(f"{name} {dtype}", test_floats, name, 333, dtype)
for name in QUESTIONS:
    checks.run(name, test_question, name)
for name in BITS:
    for dtype in ("int32", "int64"):
        checks.run(f"{name} {dtype}", test_bits, name, dtype)
checks.run("operands of one number", test_steps)
for n in (0, 1, 127, 128, 129, 1000):
    for name in ("gelu", "add", "fma"):
        checks.run(f"{name} n={n}", test_floats, name, n, "fp32")
for name in ("add", "multiply", "maximum", "minimum"):
    for dtype in ("int8", "int16", "int32", "int64", "uint8"):
        checks.run(f"{name} {dtype}", test_integers, name, dtype)
checks.run("asin outside", test_outside, "asin", [1.0, -1.0, 0.0, 1.1], [math.pi / 2, -math.pi / 2, 0, math.nan])
checks.run("relu of fp64", test_outside, "relu", [-1.0, 2.5, math.inf], [0, 2.5, math.inf])
checks.run("log of zero", test_outside, "log", [0.0, 1.0], [-math.inf, 0])
checks.exit()
