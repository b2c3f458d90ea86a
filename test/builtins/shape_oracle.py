"""Creation and changes of shape against numpy, for every element type."""
from builtin_test import NUMBERS, Checks, NereidError, make, np, random, run_kernel, tl

checks = Checks()
rng = np.random.default_rng(18)
M, N = 4, 8
TYPES = ["int1"] + NUMBERS + ["fp8e4nv", "fp8e5"]


def pointers(name, shape):
    """Row-major pointers of a shape as an expression."""
    terms, stride = [], 1
    for axis in reversed(range(len(shape))):
        index = "[" + ", ".join(":" if i == axis else "None" for i in range(len(shape))) + "]" if len(shape) > 1 else ""
        terms.append(f"tl.arange(0, {shape[axis]}){index} * {stride}")
        stride *= shape[axis]
    return f"{name} + " + " + ".join(terms) if terms else name


def apply(expression, inputs, output_shape, dtype, names=("r", ), outputs=None, before=""):
    """Evaluates on tensors a, b … in the shapes of the inputs."""
    outputs = outputs or [make(dtype, np.zeros(output_shape)) for _ in names]
    letters = "abcd"[:len(inputs)]
    text = f"def kernel({', '.join([x + '_ptr' for x in letters] + [x + '_out' for x in names])}):\n"
    for letter, data in zip(letters, inputs):
        text += f"    {letter} = tl.load({pointers(letter + '_ptr', data.bits.shape)})\n"
    text += "".join(f"    {line}\n" for line in expression.split("\n"))
    for name in names:
        text += f"    tl.static_assert({name}.dtype == {tl(dtype)})\n    tl.store({pointers(name + '_out', output_shape)}, {name})\n"
    run_kernel(text, list(inputs) + outputs, before=before)
    return outputs[0].values if len(names) == 1 else [each.values for each in outputs]


def test_shapes(dtype):
    x, y = random(rng, dtype, (M, N)), random(rng, dtype, (M, N))
    row, cube = random(rng, dtype, (N, )), random(rng, dtype, (2, 4, 8))
    a, b = x.values, y.values
    for what, expression, inputs, expected in (
        ("reshape", "r = tl.reshape(a, (8, 4))", [x], a.reshape(8, 4)),
        ("reshape member", "r = a.reshape(2, 2, 8)", [x], a.reshape(2, 2, 8)),
        ("reshape list", "r = tl.reshape(a, [32])", [x], a.reshape(32)),
        ("ravel", "r = tl.ravel(a)", [x], a.ravel()),
        ("trans", "r = tl.trans(a)", [x], a.T),
        ("T", "r = a.T", [x], a.T),
        ("trans of three", "r = tl.trans(a, 2, 0, 1)", [cube], cube.values.transpose(2, 0, 1)),
        ("permute", "r = tl.permute(a, (1, 2, 0))", [cube], cube.values.transpose(1, 2, 0)),
        ("permute member", "r = a.permute(0, 2, 1)", [cube], cube.values.transpose(0, 2, 1)),
        ("expand_dims", "r = tl.expand_dims(a, 0)", [row], row.values[None, :]),
        ("expand_dims at the end", "r = a.expand_dims(-1)", [row], row.values[:, None]),
        ("subscript", "r = a[None, :]", [row], row.values[None, :]),
        ("broadcast_to", "r = tl.broadcast_to(a[None, :], (4, 8))", [row], np.broadcast_to(row.values, (4, 8))),
        ("broadcast_to member", "r = a[:, None].broadcast_to(8, 2)", [row], np.broadcast_to(row.values[:, None], (8, 2))),
        ("broadcast", "r, _ = tl.broadcast(a[None, :], b)", [row, x], np.broadcast_to(row.values, (M, N))),
        ("join", "r = tl.join(a, b)", [x, y], np.stack([a, b], axis=-1)),
        ("interleave", "r = tl.interleave(a, b)", [x, y], np.stack([a, b], axis=-1).reshape(M, 2 * N)),
        ("cat", "r = tl.cat(tl.ravel(a), tl.ravel(b), can_reorder=True)", [x, y], np.concatenate([a.ravel(), b.ravel()])),
        ("flip", "r = tl.flip(a, 0)", [x], a[::-1]),
        ("flip last", "r = tl.flip(a)", [x], a[:, ::-1]),
        ("flip member", "r = a.flip(-1)", [x], a[:, ::-1]),
        ("squeeze", "r = tl.squeeze(a[None, :], 0)", [row], row.values),
        ("unsqueeze", "r = tl.unsqueeze(a, 1)", [row], row.values[:, None]),
        ("zeros_like", "r = tl.zeros_like(a)", [x], np.zeros_like(a)),
    ):
        checks.run(f"{what} {dtype}", lambda: checks.equal(apply(expression, inputs, expected.shape, dtype), expected, f"{what} {dtype}"))
    first, second = apply("r0, r1 = tl.split(tl.join(a, b))", [x, y], (M, N), dtype, ("r0", "r1"))
    checks.equal(first, a, f"split {dtype}: first")
    checks.equal(second, b, f"split {dtype}: second")


for dtype in TYPES:
    checks.run(f"shapes {dtype}", test_shapes, dtype)


def test_gather(dtype, index_type):
    x = random(rng, dtype, (M, N))
    for axis, shape in ((0, (M, N)), (1, (M, 16))):
        index = make(index_type, rng.integers(0, x.bits.shape[axis], shape))
        letters = f"r = tl.gather(a, b, {axis})"
        checks.equal(apply(letters, [x, index], shape, dtype), np.take_along_axis(x.values, index.bits.astype(np.int64), axis), f"gather {dtype} by {index_type} axis={axis}")


for dtype in TYPES:
    checks.run(f"gather {dtype}", test_gather, dtype, "int32")
for index_type in ("int8", "int64", "uint8"):
    checks.run(f"gather by {index_type}", test_gather, "fp32", index_type)


def test_creation(dtype):
    checks.equal(apply(f"r = tl.zeros((4, 8), {tl(dtype)})", [], (4, 8), dtype), make(dtype, np.zeros((4, 8))).values, f"zeros {dtype}")
    checks.equal(apply(f"r = tl.full((4, 8), 1, dtype={tl(dtype)})", [], (4, 8), dtype), make(dtype, np.ones((4, 8))).values, f"full {dtype}")
    scalar = make("fp32" if dtype.startswith("fp") or dtype == "bf16" else "int32", np.array([1.0]))
    out = make(dtype, np.zeros(16))
    run_kernel(f"def kernel(a_ptr, r_ptr):\n    tl.store(r_ptr + tl.arange(0, 16), tl.full((16,), tl.load(a_ptr).to({tl(dtype)}), {tl(dtype)}))\n", [scalar, out])
    checks.equal(out.values, make(dtype, np.ones(16)).values, f"full of a run-time scalar {dtype}")


for dtype in TYPES:
    checks.run(f"creation {dtype}", test_creation, dtype)
# The bits of a signed type may be written without a sign.
checks.run("full of bits", lambda: checks.equal(apply("r = tl.full((4, 8), 0x80000001, dtype=tl.int32)", [], (4, 8), "int32"),
                                                np.full((4, 8), -2**31 + 1), "full of bits"))
checks.run("arange", lambda: checks.equal(apply("r = tl.arange(16, 32)", [], (16, ), "int32"), np.arange(16, 32), "arange"))


def test_refused(expression, message):
    try:
        apply(f"r = {expression}", [make("int32", np.zeros((M, N)))], (M, N), "int32")
    except NereidError as error:
        checks.expect(error.status == 2 and message in str(error), f"{expression}: expected `{message}`, got: {error}")
    else:
        checks.expect(False, f"{expression} was accepted")


for expression, message in (("tl.reshape(a, (3, 4))", "elements"), ("tl.reshape(a, (4, 4))", "elements"),
                            ("tl.broadcast_to(a, (8, 8))", "broadcast"), ("tl.flip(a, 5)", "dim"), ("tl.trans(a, 0, 0)", "permut"), ("tl.split(a)", "2")):
    checks.run(expression, test_refused, expression, message)
checks.exit()
