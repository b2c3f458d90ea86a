"""Matrix products against float64: every operand type, precision and accumulator, batches, and microscaled formats."""
from nereid_test import IS_CUDA
from builtin_test import Checks, Data, fp8_table, make, np, random, run_kernel, tl

checks = Checks()
rng = np.random.default_rng(22)
M, N, K = 16, 32, 64


def multiply(expression, inputs, shape, dtype):
    """a is M x K, b is K x N, c (if there) is M x N; of three dimensions with a batch in front."""
    out = make(dtype, np.zeros(shape))
    names = "abcd"[:len(inputs)]
    text = f"def kernel({', '.join(name + '_ptr' for name in names)}, r_ptr):\n"

    def pointers(name, extents):
        terms, stride = [], 1
        for axis in reversed(range(len(extents))):
            index = ", ".join(":" if i == axis else "None" for i in range(len(extents)))
            terms.append(f"tl.arange(0, {extents[axis]})[{index}] * {stride}")
            stride *= extents[axis]
        return f"{name} + " + " + ".join(terms)

    for name, data in zip(names, inputs):
        text += f"    {name} = tl.load({pointers(name + '_ptr', data.bits.shape)})\n"
    text += f"    r = {expression}\n    tl.static_assert(r.dtype == {tl(dtype)})\n    tl.store({pointers('r_ptr', shape)}, r)\n"
    run_kernel(text, inputs + [out])
    return out.values


def test_floats(dtype, options, tolerance, accumulator="fp32", rows=M, columns=N):
    a, b, c = random(rng, dtype, (rows, K)), random(rng, dtype, (K, columns)), random(rng, accumulator, (rows, columns))
    expected = a.values @ b.values
    scale = np.abs(a.values) @ np.abs(b.values)
    for what, expression, inputs, value in (("dot", f"tl.dot(a, b{options})", [a, b], expected),
                                            ("dot with acc", f"tl.dot(a, b, acc=c{options})", [a, b, c], expected + c.values)):
        actual = multiply(expression, inputs, (rows, columns), accumulator)
        checks.expect((np.abs(actual - value) <= tolerance * (scale + 4)).all(), f"{what} {dtype}{options}: error {np.max(np.abs(actual - value) / (scale + 4)):.2e}")


for dtype in ("fp16", "bf16", "fp8e4nv", "fp8e5"):
    checks.run(f"dot {dtype}", test_floats, dtype, "", 1e-6)
for precision, tolerance in (("ieee", 1e-6), ("tf32x3", 1e-6), ("tf32", 1e-3), ("bf16x3", 1e-4), ("bf16x6", 1e-6)):
    checks.run(f"dot fp32 {precision}", test_floats, "fp32", f", input_precision='{precision}'", tolerance)


def test_not_finite(precision):
    """Infinities stay infinities, and only what meets a NaN is one: the parts that an operand is cut into give both."""
    left, right = rng.standard_normal((M, K)), rng.standard_normal((K, N))
    left[3, 5], left[7, 0], right[2, 4] = np.inf, np.nan, -np.inf
    left[9, 1], left[11, 2] = np.array([2**63 - 1, 2**64 - 1], np.uint64).view(np.float64)  # NaN with all bits set, as a GPU computes it
    a, b = make("fp32", left), make("fp32", right)
    actual = multiply(f"tl.dot(a, b, input_precision='{precision}')", [a, b], (M, N), "fp32")
    with np.errstate(invalid="ignore"):
        expected = a.values @ b.values
    special = ~np.isfinite(expected)
    checks.expect(special.sum() == 4 * N + M - 4, "every product of such an operand is looked at")
    checks.expect(np.array_equal(actual[special], expected[special], equal_nan=True), f"{precision}: infinities and NaN")
    checks.expect(np.isfinite(actual[~special]).all(), f"{precision}: numbers")


for precision in ("ieee", "tf32x3", "tf32", "bf16x3", "bf16x6"):
    checks.run(f"dot of infinities, {precision}", test_not_finite, precision)
checks.run("dot fp32", test_floats, "fp32", "", 1e-3 if IS_CUDA else 1e-6)
checks.run("dot allow_tf32", test_floats, "fp32", ", allow_tf32=False", 1e-6)
checks.run("dot fp64", test_floats, "fp64", "", 1e-14, "fp64")
checks.run("dot to fp16", test_floats, "fp16", ", out_dtype=tl.float16", 2e-3, "fp16")
for rows, columns in ((1, 32), (2, 16), (4, 4), (8, 8), (8, 64), (32, 2), (16, 1)):  # fewer than tensor cores multiply at once
    for dtype in ("fp16", "bf16", "fp8e4nv"):
        checks.run(f"dot {dtype}, {rows} rows and {columns} columns", test_floats, dtype, "", 1e-6, "fp32", rows, columns)
    checks.run(f"dot to fp16, {rows} rows and {columns} columns", test_floats, "fp16", ", out_dtype=tl.float16", 2e-3, "fp16", rows, columns)
    checks.run(f"dot fp32 tf32x3, {rows} rows and {columns} columns", test_floats, "fp32", ", input_precision='tf32x3'", 1e-6, "fp32", rows, columns)
checks.run("dot imprecise", test_floats, "fp8e4nv", ", max_num_imprecise_acc=32", 1e-3)


def test_products_of_products(dtype, size):
    """Products of what others give, under masks that are true or false for whole parts: what one computes from its sums is not what another does."""
    a, b, c = (make(dtype, rng.standard_normal((size, size)) / size**0.5) for _ in range(3))
    out, triangle = [make("fp32", np.zeros((size, size))) for _ in range(3)], np.tril(np.ones((size, size)))
    text = f"""def kernel(a_ptr, b_ptr, c_ptr, r_ptr, s_ptr, t_ptr):
    i, j = tl.arange(0, {size})[:, None], tl.arange(0, {size})[None, :]
    a, b, c = tl.load(a_ptr + i * {size} + j), tl.load(b_ptr + i * {size} + j), tl.load(c_ptr + i * {size} + j)
    x = tl.where(i >= j, tl.dot(a, tl.trans(b)), 0).to(a.dtype)
    y = tl.dot(x, c).to(a.dtype)
    z = tl.where(i > j, tl.dot(b, c), 0).to(a.dtype)
    u = tl.dot(y, z)
    v = tl.dot(u.to(a.dtype), a)
    tl.store(r_ptr + i * {size} + j, tl.dot(y, b))
    tl.store(s_ptr + i * {size} + j, u)
    tl.store(t_ptr + i * {size} + j, v)
"""
    run_kernel(text, [a, b, c, *out])
    a, b, c = a.values, b.values, c.values
    x, z = triangle * (a @ b.T), (triangle - np.eye(size)) * (b @ c)
    y = x @ c
    for what, actual, value in zip("rst", out, (y @ b, y @ z, y @ z @ a)):
        error = np.abs(actual.values - value).max() / np.abs(value).max()
        checks.expect(error < 0.02, f"product of products {what} {dtype} {size}: error {error:.3f}")


for dtype, size in (("bf16", 64), ("fp16", 64), ("bf16", 128), ("fp16", 32)):
    checks.run(f"products of products {dtype} {size}", test_products_of_products, dtype, size)


def test_tf32_is_rounded():
    """tf32 drops the lower bits, 1 + 2^-13 counts as 1: where a kernel asks for it, which is not the default on a processor."""
    a, b = make("fp32", np.full((M, K), 1 + 2.0**-13)), make("fp32", np.ones((K, N)))
    for asked in ("input_precision='tf32'", "allow_tf32=True"):
        checks.equal(multiply(f"tl.dot(a, b, {asked})", [a, b], (M, N), "fp32"), np.full((M, N), float(K)), f"dot with {asked} rounds to tf32")
    for asked in (", input_precision='ieee'", ) if IS_CUDA else ("", ", input_precision='ieee'"):
        checks.close(multiply(f"tl.dot(a, b{asked})", [a, b], (M, N), "fp32"), np.full((M, N), K * (1 + 2.0**-13)), f"dot{asked} does not", rtol=1e-6)


checks.run("tf32", test_tf32_is_rounded)


def test_integers(left, right, rows=M):
    a, b = random(rng, left, (rows, K)), random(rng, right, (K, N))
    expected = (a.values.astype(np.int64) @ b.values.astype(np.int64)).astype(np.int32)
    checks.equal(multiply("tl.dot(a, b, out_dtype=tl.int32)", [a, b], (rows, N), "int32"), expected, f"dot {left} {right}, {rows} rows")


for dtype in ("int8", "uint8"):
    for rows in (1, 8, M):
        checks.run(f"dot {dtype}, {rows} rows", test_integers, dtype, dtype, rows)


def test_batch(dtype, rows):
    a, b = random(rng, dtype, (2, rows, K)), random(rng, dtype, (2, K, N))
    checks.close(multiply("tl.dot(a, b, input_precision='ieee')", [a, b], (2, rows, N), "fp32"), a.values @ b.values, f"dot of a batch {dtype}, {rows} rows", rtol=1e-5, atol=1e-4)


for dtype in ("fp16", "fp32"):
    for rows in (4, M):
        checks.run(f"batch {dtype}, {rows} rows", test_batch, dtype, rows)


def test_many_operands():
    """Four tiles of 64 KiB, each along its own axis, for wgmma: more than fits into shared memory at the same time."""
    a, b = random(rng, "fp32", (128, 128)), random(rng, "fp32", (128, 128))
    expected = a.values @ b.values - b.values @ a.values
    scale = np.abs(a.values) @ np.abs(b.values) + np.abs(b.values) @ np.abs(a.values)
    actual = multiply("tl.dot(a, b) - tl.dot(b, a)", [a, b], (128, 128), "fp32")
    checks.expect((np.abs(actual - expected) <= 2**-9 * scale).all(), f"many operands: error {np.max(np.abs(actual - expected) / scale):.2e}")


checks.run("many operands", test_many_operands)


def sparse(dtype, rows, depth):
    """(what is kept, its places as bytes, the whole with zeros): any two of every four."""
    kept = np.sort(rng.permuted(np.tile(np.arange(4), (rows, depth // 4, 1)), axis=-1)[..., :2], axis=-1)
    values = random(rng, dtype, (rows, depth // 2))
    whole = np.zeros((rows, depth // 4, 4))
    np.put_along_axis(whole, kept, values.values.reshape(rows, depth // 4, 2), axis=-1)
    nibbles = kept[..., 0] | kept[..., 1] << 2
    return values, (nibbles[:, ::2] | nibbles[:, 1::2] << 4).astype(np.uint8), whole.reshape(rows, depth)


def test_sparse(dtype, M, N, K, place, tolerance, options=""):
    a, places, whole = sparse(dtype, M, K)
    b, c = random(rng, dtype, (K, N)), random(rng, "fp32", (M, N))
    places = Data(place, places if place == "uint8" else places.view(place))
    scale = np.abs(whole) @ np.abs(b.values) + 4
    for what, expression, expected in (("", f"tl.dot_sparse(a, b, c{options})", 0), (" with acc", f"tl.dot_sparse(a, b, c, d{options})", c.values)):
        actual = multiply(expression, [a, places, b, c], (M, N), "fp32")
        wrong = np.abs(actual - whole @ b.values - expected) > tolerance * scale
        checks.expect(not wrong.any(), f"dot_sparse{what} {dtype} {M}x{N}x{K} {place}{options}: {wrong.sum()} of {wrong.size} differ, first at {np.argwhere(wrong)[:4].tolist()}")


# 16 rows are expanded on every device; 64 go to the sparse tensor cores of those that have them.
for dtype in ("fp16", "bf16", "fp32"):
    for place in ("uint8", "int16"):
        checks.run(f"dot_sparse {dtype}", test_sparse, dtype, M, N, K, place, 1e-6, ", input_precision='ieee'")
for dtype in ("fp16", "bf16"):
    for shape in ((64, 16, 32), (64, 16, 64), (128, 32, 128)):
        for place in ("uint8", "int16"):
            checks.run(f"dot_sparse {dtype}", test_sparse, dtype, *shape, place, 1e-6)

E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
E2M1 = np.concatenate([E2M1, -E2M1])


def operand(kind, rows, columns):
    """(argument, values): a matrix of rows x columns, scaled later along the columns."""
    if kind == "e2m1":
        codes = rng.integers(0, 16, (rows, columns)).astype(np.uint8)
        return Data("uint8", codes[:, ::2] | (codes[:, 1::2] << 4)), E2M1[codes]
    if kind in ("e4m3", "e5m2"):
        name = {"e4m3": "fp8e4nv", "e5m2": "fp8e5"}[kind]
        codes = rng.choice(np.flatnonzero(np.isfinite(fp8_table(name)) & (np.abs(fp8_table(name)) < 50)), (rows, columns)).astype(np.uint8)
        return Data(name, codes), fp8_table(name)[codes]
    data = random(rng, {"bf16": "bf16", "fp16": "fp16"}[kind], (rows, columns))
    return data, data.values


def test_scaled(left, right, with_scales):
    a, a_values = operand(left, M, K)
    b, b_values = operand(right, N, K)  # the transpose is loaded
    a_scale, b_scale = (Data("uint8", rng.integers(124, 131, (rows, K // 32)).astype(np.uint8)) for rows in (M, N))
    factor = lambda scale: np.repeat(2.0**(scale.bits.astype(np.float64) - 127), 32, axis=1)  # noqa: E731
    if with_scales:
        a_values, b_values = a_values * factor(a_scale), b_values * factor(b_scale)
    scales = ("b", "d") if with_scales else ("None", "None")
    expression = f"tl.dot_scaled(a, {scales[0]}, '{left}', tl.trans(c), {scales[1]}, '{right}')"
    actual = multiply(expression, [a, a_scale, b, b_scale], (M, N), "fp32")
    checks.close(actual, a_values @ b_values.T, f"dot_scaled {left} {right} scales={with_scales}", rtol=1e-3, atol=2e-2 * float(np.abs(a_values @ b_values.T).max()) / 16)


for left in ("e4m3", "e5m2", "e2m1", "bf16", "fp16"):
    for right in ("e4m3", "e5m2", "e2m1", "bf16", "fp16"):
        checks.run(f"dot_scaled {left} {right}", test_scaled, left, right, left[0] == "e" and right[0] == "e")
checks.exit()
