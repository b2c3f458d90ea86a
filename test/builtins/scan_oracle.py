"""Running sums, products and combinations of the user against numpy, in both directions and along each axis."""
from builtin_test import EPSILON, FLOATS, NUMBERS, Checks, make, np, random, run_kernel, tl

checks = Checks()
rng = np.random.default_rng(14)
M, N = 8, 16
SUM_TYPE = {"int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32", "bf16": "fp32", "int1": "uint32"}
COMBINE = """
@triton.jit
def largest(x, y):
    return tl.maximum(x, y)


@triton.jit
def recurrence(factor1, value1, factor2, value2):
    return factor1 * factor2, factor2 * value1 + value2

"""


def scan(expression, inputs, output, before=COMBINE, shape=(M, N)):
    out = make(output, np.zeros(shape))
    names = "ab"[:len(inputs)]
    text = f"def kernel({', '.join(name + '_ptr' for name in names)}, r_ptr):\n"
    text += f"    p = tl.arange(0, {shape[0]})[:, None] * {shape[1]} + tl.arange(0, {shape[1]})[None, :]\n"
    text += "".join(f"    {name} = tl.load({name}_ptr + p)\n" for name in names)
    text += f"    {expression}\n    tl.static_assert(r.dtype == {tl(output)})\n    tl.store(r_ptr + p, r)\n"
    run_kernel(text, list(inputs) + [out], before=before)
    return out.values


def running(function, values, axis, reverse):
    if reverse:
        values = np.flip(values, axis)
    result = function(values, axis=axis)
    return np.flip(result, axis) if reverse else result


def test_cumulative(dtype, axis, reverse):
    x = random(rng, dtype, (M, N)) if dtype == "int1" else make(dtype, rng.integers(0, 5, (M, N)))
    result = SUM_TYPE.get(dtype, dtype)
    expected = running(np.cumsum, x.values.astype(np.float64), axis, reverse)
    checks.equal(scan(f"r = tl.cumsum(a, {axis}, reverse={reverse})", [x], result).astype(np.float64), expected, f"cumsum {dtype} axis={axis} reverse={reverse}")
    if dtype == "int1":
        return
    ones = make(dtype, rng.choice([1, 1, 1, 2], (M, N)))
    result = {"bf16": "fp32"}.get(dtype, dtype)
    with np.errstate(over="ignore"):
        product = running(np.cumprod, ones.values.astype(np.float64), axis, reverse)
    wrapped = product.astype(np.int64).astype(ones.values.dtype) if dtype not in FLOATS else product
    checks.equal(scan(f"r = a.cumprod({axis}, reverse={reverse})", [ones], result), wrapped, f"cumprod {dtype} axis={axis} reverse={reverse}")


for dtype in ["int1"] + NUMBERS:
    for axis in (0, 1):
        for reverse in (False, True):
            checks.run(f"cumulative {dtype}", test_cumulative, dtype, axis, reverse)


def test_cumsum_options(dtype):
    x = random(rng, dtype, (M, N))
    checks.close(scan("r = tl.cumsum(a, axis=1, dtype=tl.float64)", [x], "fp64"), np.cumsum(x.values, axis=1), f"cumsum {dtype} in fp64", rtol=1e-13, atol=1e-13)
    result = SUM_TYPE.get(dtype, dtype)
    checks.close(scan("r = tl.cumsum(a)", [x], result), np.cumsum(x.values, axis=0), f"cumsum {dtype} of fractions", rtol=0, atol=128 * M * EPSILON[result])


for dtype in FLOATS:
    checks.run(f"cumsum {dtype}", test_cumsum_options, dtype)


def test_user_scan(dtype, axis, reverse):
    x = random(rng, dtype, (M, N))
    if dtype == "bf16":
        return  # tl.maximum of bf16 is fp32, which the scan refuses
    expected = running(np.maximum.accumulate, x.values, axis, reverse)
    checks.equal(scan(f"r = tl.associative_scan(a, {axis}, largest, reverse={reverse})", [x], dtype), expected, f"associative_scan {dtype} axis={axis} reverse={reverse}")


for dtype in NUMBERS:
    for axis in (0, 1):
        for reverse in (False, True):
            checks.run(f"associative_scan {dtype}", test_user_scan, dtype, axis, reverse)


def test_recurrence():
    factor, value = random(rng, "fp32", (M, N), 0.5, 1), random(rng, "fp32", (M, N))
    expected = np.zeros((M, N))
    state = np.zeros(M)
    for step in range(N):
        state = factor.values[:, step] * state + value.values[:, step]
        expected[:, step] = state
    actual = scan("_, r = tl.associative_scan((a, b), 1, recurrence)", [factor, value], "fp32")
    checks.close(actual, expected, "associative_scan of two tensors: a linear recurrence", rtol=1e-5, atol=1e-5)


checks.run("recurrence", test_recurrence)


def test_large(shape, axis, reverse):
    """Lanes and warps lie along both axes: a sum of integers is exact, and a recurrence depends on the order."""
    x = make("int32", rng.integers(-1000, 1000, shape))
    expected = running(np.cumsum, x.values.astype(np.int64), axis, reverse)
    checks.equal(scan(f"r = tl.cumsum(a, {axis}, reverse={reverse})", [x], "int32", shape=shape), expected, f"cumsum {shape} axis={axis} reverse={reverse}")
    factor, value = random(rng, "fp32", shape, 0.5, 1), random(rng, "fp32", shape)
    factors, values = (np.moveaxis(np.flip(each.values, axis) if reverse else each.values, axis, 0) for each in (factor, value))
    states = np.zeros(factors.shape)
    for step in range(len(states)):
        states[step] = factors[step] * (states[step - 1] if step else 0) + values[step]
    states = np.moveaxis(states, 0, axis)
    actual = scan(f"_, r = tl.associative_scan((a, b), {axis}, recurrence, reverse={reverse})", [factor, value], "fp32", shape=shape)
    checks.close(actual, np.flip(states, axis) if reverse else states, f"recurrence {shape} axis={axis} reverse={reverse}", rtol=1e-4, atol=1e-5)


for shape in ((256, 32), (64, 16), (128, 4), (32, 128), (16, 8)):
    for axis in (0, 1):
        for reverse in (False, True):
            checks.run(f"large {shape}", test_large, shape, axis, reverse)
checks.exit()
