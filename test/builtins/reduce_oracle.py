"""Reductions against numpy: every type, axis and option, types of the results, ties, and combine functions of the user."""
from builtin_test import EPSILON, FLOATS, FP8, INTEGERS, NUMBERS, Checks, expect_error, make, np, random, run_kernel, tl

checks = Checks()
rng = np.random.default_rng(13)
M, N = 8, 16
SUM_TYPE = {"int1": "uint32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}
EXTREMUM_TYPE = {"fp8e4nv": "fp32", "fp8e5": "fp32", "fp8e4b15": "fp32", "int1": "int32", "int8": "int32", "int16": "int32", "uint8": "int32", "uint16": "int32", "fp16": "fp32", "bf16": "fp32"}
INDEXED_TYPE = {"bf16": "fp32"}


def reduce_matrix(expression, x, axis, outputs, keep_dims=False, before=""):
    """r (or r0, r1) of an M x N tensor `a`; axis None gives one element."""
    shape = {0: (N, ), 1: (M, ), None: (1, )}[axis]
    results = [make(dtype, np.zeros(shape)) for dtype in outputs]
    names = ["r"] if len(outputs) == 1 else ["r0", "r1"]
    index = "0" if axis is None else f"tl.arange(0, {shape[0]})"
    lines = [f"def kernel(a_ptr, {', '.join(name + '_out' for name in names)}):",
             f"a = tl.load(a_ptr + tl.arange(0, {M})[:, None] * {N} + tl.arange(0, {N})[None, :])"]
    lines += expression.split("\n")
    kept = {0: f"1, {N}", 1: f"{M}, 1", None: "1, 1"}[axis]
    for name, dtype in zip(names, outputs):
        lines.append(f'tl.static_assert({name}.dtype == {tl(dtype)}, "the result should be {dtype}")')
        if keep_dims:
            lines.append(f"tl.static_assert({name}.shape[0] == {kept.split(', ')[0]})")
            lines.append(f"tl.static_assert({name}.shape[1] == {kept.split(', ')[1]})")
            lines.append(f"{name} = tl.reshape({name}, [{shape[0]}])")
        if axis is None and keep_dims:
            index = "tl.arange(0, 1)"
        lines.append(f"tl.store({name}_out + {index}, {name})")
    run_kernel("\n    ".join(lines) + "\n", [x] + results, before=before)
    values = [result.values for result in results]
    return values[0] if len(values) == 1 else values


def test_sum(dtype, axis, keep_dims):
    x = make(dtype, rng.integers(0 if dtype.startswith("u") else -9, 9, (M, N))) if dtype != "int1" else random(rng, dtype, (M, N))
    actual = reduce_matrix(f"r = tl.sum(a, axis={axis}, keep_dims={keep_dims})", x, axis, [SUM_TYPE.get(dtype, dtype)], keep_dims)
    expected = np.atleast_1d(x.values.astype(np.float64).sum(axis=axis))
    if dtype.startswith("u"):
        checks.equal(actual.astype(np.float64), expected, f"sum {dtype} axis={axis} keep_dims={keep_dims}")
    else:  # small whole numbers: exact in every type
        checks.equal(actual.astype(np.float64), expected, f"sum {dtype} axis={axis} keep_dims={keep_dims}")


for dtype in ["int1"] + NUMBERS:
    for axis in (0, 1, None):
        for keep_dims in (False, True):
            checks.run(f"sum {dtype}", test_sum, dtype, axis, keep_dims)


def test_sum_of_fractions(dtype):
    x = random(rng, dtype, (M, N))
    checks.close(reduce_matrix("r = a.sum(1)", x, 1, [dtype]), x.values.sum(axis=1), f"sum of fractions {dtype}", rtol=0, atol=64 * N * EPSILON[dtype])
    checks.close(reduce_matrix("r = tl.sum(a, 1, dtype=tl.float64)", x, 1, ["fp64"]), x.values.sum(axis=1), f"sum {dtype} in fp64", rtol=1e-14)


for dtype in FLOATS:
    checks.run(f"sum of fractions {dtype}", test_sum_of_fractions, dtype)


def test_long_sum(dtype, count, kind):
    # Term by term, sums of ones in these types would stop at 256 and 2048.
    x, result = make(dtype, np.ones(count)), make(dtype, np.zeros(1))
    body = {"row": "tl.sum(a, 0)", "columns": f"tl.max(tl.sum(tl.reshape(a, [{count // 4}, 4]), 0), 0) * 4"}[kind]
    run_kernel(f"def kernel(a_ptr, r_out):\n    a = tl.load(a_ptr + tl.arange(0, {count}))\n    tl.store(r_out, {body})\n", [x, result])
    checks.equal(result.values, [count], f"sum of {count} ones in {dtype}, {kind}")


for dtype, count in (("bf16", 1024), ("fp16", 4096)):
    for kind in ("row", "columns"):
        checks.run(f"long sum {dtype}", test_long_sum, dtype, count, kind)


def test_extremum(name, dtype, axis, keep_dims):
    x = random(rng, dtype, (M, N))
    if dtype in FLOATS and axis == 1:
        x.bits[:, 3] = make(dtype, [np.nan]).bits[0]  # is ignored
    function = {"max": np.fmax, "min": np.fmin}[name] if dtype in FLOATS else {"max": np.maximum, "min": np.minimum}[name]
    values = x.values.astype(np.int32) if dtype == "int1" else x.values
    actual = reduce_matrix(f"r = tl.{name}(a, axis={axis}, keep_dims={keep_dims})", x, axis, [EXTREMUM_TYPE.get(dtype, dtype)], keep_dims)
    checks.equal(actual, np.atleast_1d(function.reduce(values.ravel() if axis is None else values, axis=0 if axis is None else axis)).astype(actual.dtype),
                 f"{name} {dtype} axis={axis} keep_dims={keep_dims}")


for name in ("max", "min"):
    for dtype in ["int1"] + NUMBERS + FP8:
        for axis in (0, 1, None):
            for keep_dims in (False, True):
                checks.run(f"{name} {dtype}", test_extremum, name, dtype, axis, keep_dims)


def test_indices(name, dtype, axis):
    x = make(dtype, rng.integers(0, 5, (M, N)))  # many ties
    position = {"max": np.argmax, "min": np.argmin}[name](x.values, axis=axis)
    value = {"max": np.max, "min": np.min}[name](x.values, axis=axis)
    types = [INDEXED_TYPE.get(dtype, dtype), "int32"]
    first, index = reduce_matrix(f"r0, r1 = tl.{name}(a, {axis}, return_indices=True)", x, axis, types)
    checks.equal(first, value, f"{name} with indices {dtype} axis={axis}: value")
    checks.equal(index, position, f"{name} with indices {dtype} axis={axis}: the first index of equal values")
    checks.equal(reduce_matrix(f"r = tl.arg{name}(a, {axis})", x, axis, ["int32"]), position, f"arg{name} {dtype} axis={axis}")
    checks.equal(reduce_matrix(f"r = a.arg{name}({axis}, keep_dims=True)", x, axis, ["int32"], True), position, f"arg{name} {dtype} axis={axis} keep_dims")
    loose = reduce_matrix(f"r = tl.arg{name}(a, {axis}, tie_break_left=False)", x, axis, ["int32"])
    picked = np.take_along_axis(x.values, np.expand_dims(loose.astype(np.int64), axis), axis).squeeze(axis)
    checks.equal(picked, value, f"arg{name} {dtype} axis={axis} with any tie")


for name in ("max", "min"):
    for dtype in NUMBERS + ["fp8e4nv", "fp8e5"]:  # fp8e4b15 ends at 2
        for axis in (0, 1):
            checks.run(f"{name} indices {dtype}", test_indices, name, dtype, axis)


def test_bitwise(dtype, axis):
    x = random(rng, dtype, (M, N))
    values = x.bits.ravel() if axis is None else x.bits
    along = 0 if axis is None else axis
    checks.equal(reduce_matrix(f"r = tl.xor_sum(a, axis={axis})", x, axis, [dtype]), np.atleast_1d(np.bitwise_xor.reduce(values, axis=along)), f"xor_sum {dtype} axis={axis}")
    checks.equal(reduce_matrix(f"r = tl.reduce_or(a, axis={axis})", x, axis, [dtype]), np.atleast_1d(np.bitwise_or.reduce(values, axis=along)), f"reduce_or {dtype} axis={axis}")


for dtype in ["int1"] + INTEGERS:
    for axis in (0, 1, None):
        checks.run(f"bitwise {dtype}", test_bitwise, dtype, axis)
checks.run("xor_sum fp32", expect_error, checks, "xor_sum fp32", "r = a + tl.xor_sum(a)", [make("fp32", np.ones(53))], "fp32", "integers")

COMBINE = """
@triton.jit
def product(x, y):
    return x * y


@triton.jit
def mean_and_variance(mean1, square1, count1, mean2, square2, count2):
    count = count1 + count2
    delta = mean2 - mean1
    return mean1 + delta * (count2 / count), square1 + square2 + delta * delta * (count1 * count2 / count), count

@triton.jit
def two_steps(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2

"""


def test_user_functions(dtype):
    x = make(dtype, rng.choice([1, 2, 1, 1], (M, N)))
    checks.equal(reduce_matrix("r = tl.reduce(a, 0, product)", x, 0, [dtype], before=COMBINE), x.values.prod(axis=0).astype(x.values.dtype), f"reduce {dtype}")
    checks.equal(reduce_matrix("r = a.reduce(0, product, keep_dims=True)", x, 0, [dtype], True, before=COMBINE), x.values.prod(axis=0).astype(x.values.dtype), f"reduce member {dtype}")


for dtype in NUMBERS:
    checks.run(f"reduce {dtype}", test_user_functions, dtype)


def test_welford():
    x = random(rng, "fp32", (M, N))
    body = "mean, square, count = tl.reduce((a, tl.zeros_like(a), tl.full(a.shape, 1.0, tl.float32)), 1, mean_and_variance)\nr0 = mean\nr1 = square / count"
    mean, variance = reduce_matrix(body, x, 1, ["fp32", "fp32"], before=COMBINE)
    checks.close(mean, x.values.mean(axis=1), "reduce of three tensors: mean", rtol=1e-5, atol=1e-6)
    checks.close(variance, x.values.var(axis=1), "reduce of three tensors: variance", rtol=1e-5)


checks.run("reduce of three tensors", test_welford)


def test_order(rows, columns, axis):
    """A function whose sides cannot be swapped: elements are combined in the order of the axis, however threads hold them."""
    a, b = (make("fp32", values) for values in (rng.uniform(0.9, 1.1, (rows, columns)), rng.standard_normal((rows, columns))))
    out = make("fp32", np.zeros(columns if axis == 0 else rows))
    text = f"def kernel(a_ptr, b_ptr, out_ptr):\n    p = tl.arange(0, {rows})[:, None] * {columns} + tl.arange(0, {columns})[None, :]\n"
    text += f"    a, b = tl.reduce((tl.load(a_ptr + p), tl.load(b_ptr + p)), {axis}, two_steps)\n    tl.store(out_ptr + tl.arange(0, {len(out.values)}), b)\n"
    run_kernel(text, [a, b, out], before=COMBINE)
    state = np.zeros(len(out.values))
    for factor, summand in zip(*(np.moveaxis(each.values.astype(np.float64), axis, 0) for each in (a, b))):
        state = factor * state + summand
    checks.close(out.values, state, f"reduce in order {rows}x{columns} axis {axis}", rtol=1e-4, atol=1e-3)


for rows, columns in ((4, 1024), (64, 32), (1, 256)):
    for axis in (0, 1):
        checks.run(f"reduce in order {rows}x{columns} axis {axis}", test_order, rows, columns, axis)


def test_softmax(dtype, dim, keep=", keep_dims=True"):
    x = random(rng, dtype, (M, N))
    out = make(dtype, np.zeros((M, N)))
    text = f"def kernel(a_ptr, r_ptr):\n    p = tl.arange(0, {M})[:, None] * {N} + tl.arange(0, {N})[None, :]\n"
    text += f"    tl.store(r_ptr + p, tl.softmax(tl.load(a_ptr + p), {dim}{keep}))\n"
    run_kernel(text, [x, out])
    axis = 0 if dim == "None" else int(dim)
    exponential = np.exp(x.values - x.values.max(axis=axis, keepdims=True))
    checks.close(out.values, exponential / exponential.sum(axis=axis, keepdims=True), f"softmax {dtype} dim={dim}", rtol=32 * EPSILON[dtype], atol=1e-12)


for dtype in ("fp32", "fp64"):
    for dim in ("None", "0", "1"):
        checks.run(f"softmax {dtype}", test_softmax, dtype, dim)
        checks.run(f"softmax {dtype}, as Triton 3.9 writes it", test_softmax, dtype, dim, "")
checks.run("sum axis", expect_error, checks, "sum axis=2", "r = a + tl.sum(a, 2)", [make("fp32", np.ones(53))], "fp32", "axis")
checks.run("sum scalar", expect_error, checks, "sum of a scalar", "r = a + tl.sum(n, 0)", [make("int32", np.ones(53))], "int32", "needs a block")
checks.exit()
