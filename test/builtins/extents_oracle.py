"""Tiles with extents that are no powers of two: every family of ops on them, against numpy. A test gives the tiles that are loaded whole
as a, b, c …, the lines that compute r (or r0, r1 …) of them, and what is expected."""
from builtin_test import Checks, Data, Descriptor, Expression, NereidError, make, np, random, run_kernel, tl  # noqa: F401

checks = Checks()
rng = np.random.default_rng(176)


def places(shape):
    """The offsets of a tile's elements, as an expression of the language."""
    terms, stride = [], 1
    for axis in reversed(range(len(shape))):
        index = ", ".join(":" if each == axis else "None" for each in range(len(shape)))
        terms.append(f"tl.arange(0, {shape[axis]})[{index}] * {stride}")
        stride *= shape[axis]
    return " + ".join(terms)


def test(name, inputs, body, expected, tolerance=0.0, before="", **options):
    """`expected`: arrays, or pairs of a type and an array."""
    expected = expected if isinstance(expected, list) else [expected]
    results = [make(*each) if isinstance(each, tuple) else make("fp32", each) for each in expected]
    given = [each if isinstance(each, Data) else make("fp32", each) for each in inputs]
    names = ["r"] if len(results) == 1 else [f"r{i}" for i in range(len(results))]
    outputs = [make(each.dtype, np.zeros(each.values.shape)) for each in results]
    lines = [f"def kernel({', '.join([f'{n}_ptr' for n in 'abcdef'[:len(given)]] + [f'{n}_out' for n in names])}):"]
    lines += [f"{n} = tl.load({n}_ptr + {places(each.values.shape)})" for n, each in zip("abcdef", given)]
    lines += body.strip("\n").split("\n")
    lines += [f"tl.store({n}_out + {places(each.values.shape) if each.values.shape else '0'}, {n})" for n, each in zip(names, results)]

    def run():
        run_kernel("\n    ".join(lines) + "\n", given + outputs, before=before, **options)
        for each, wanted in zip(outputs, results):
            checks.close(each.values, wanted.values, name, tolerance) if tolerance else checks.equal(each.values, wanted.values, name)

    checks.run(name, run)


def values(*shape):
    return rng.integers(-8, 9, shape).astype(np.float32)


COLUMNS = """@triton.jit
def larger(x, y):
    return tl.where(x > y, x, y)

@triton.jit
def keep_last(x, y):
    return y

@triton.jit
def affine(a0, b0, a1, b1):
    return a0 * a1, b0 * a1 + b1
"""

for extent in (3, 24, 48, 96, 160, 176, 192, 1000):
    a, b = values(extent), values(extent)
    test(f"elementwise {extent}", [a, b], "r = tl.where(a > b, a * 2 + b, -a)", np.where(a > b, a * 2 + b, -a))
    test(f"arange {extent}", [], f"r = tl.arange(5, {5 + extent}) * 3", ("int32", np.arange(5, 5 + extent) * 3))
    test(f"reductions {extent}", [a], "r0 = tl.sum(a, 0)\nr1 = tl.max(a, 0)\nr2 = tl.argmin(a, 0)\nr3 = tl.reduce(a, 0, keep_last)",
         [a.sum(), a.max(), ("int32", a.argmin()), a[-1]], before=COLUMNS)
    test(f"scans {extent}", [a], "r0 = tl.cumsum(a, 0)\nr1 = tl.cumsum(a, 0, reverse=True)\nr2 = tl.associative_scan(a, 0, larger)",
         [a.cumsum(), a[::-1].cumsum()[::-1], np.maximum.accumulate(a)], before=COLUMNS)
    test(f"flip {extent}", [a], "r = tl.flip(a)", a[::-1].copy())
    index = rng.integers(0, extent, 40).astype(np.int32)
    test(f"gather {extent}", [a, make("int32", index)], "r = tl.gather(a, b, 0)", a[index])
    numbers = rng.integers(0, extent, extent).astype(np.int32)
    test(f"histogram {extent}", [make("int32", numbers)], f"r = tl.histogram(a, {extent})", ("int32", np.bincount(numbers, minlength=extent)))

pair_a, pair_b = rng.integers(1, 3, 24).astype(np.int32), rng.integers(-3, 4, 24).astype(np.int32)
scanned, state = [], (1, 0)
for p, q in zip(pair_a, pair_b):
    state = (state[0] * int(p) % 2**32, (state[1] * int(p) + int(q)) % 2**32)
    scanned.append(state)
wrap = np.array(scanned, np.uint32).astype(np.int32)
test("scan of pairs", [make("int32", pair_a), make("int32", pair_b)], "r0, r1 = tl.associative_scan((a, b), 0, affine)",
     [("int32", wrap[:, 0]), ("int32", wrap[:, 1])], before=COLUMNS)
test("reduction of pairs", [make("int32", pair_a), make("int32", pair_b)], "r0, r1 = tl.reduce((a, b), 0, affine)",
     [("int32", wrap[-1, 0]), ("int32", wrap[-1, 1])], before=COLUMNS)

for rows, columns in ((16, 96), (96, 16), (48, 176), (24, 24), (7, 5), (1, 80)):
    a, b = values(rows, columns), values(columns)
    what = f"{rows}x{columns}"
    test(f"broadcast {what}", [a, b], "r = a + b[None, :]", a + b)
    test(f"rows {what}", [a], "r0 = tl.sum(a, 1)\nr1 = tl.max(a, 1)\nr2 = tl.sum(a, 0)\nr3 = tl.argmax(a, 1)\nr4 = tl.sum(a)",
         [a.sum(1), a.max(1), a.sum(0), ("int32", a.argmax(1)), a.sum()])
    test(f"scans {what}", [a], "r0 = tl.cumsum(a, 1)\nr1 = tl.cumsum(a, 0, reverse=True)", [a.cumsum(1), a[::-1].cumsum(0)[::-1]])
    test(f"transposed {what}", [a], "r = tl.trans(a)", a.T.copy())
    test(f"reshaped {what}", [a], f"r = tl.reshape(a, ({rows}, 1, {columns}))", a[:, None, :])
    test(f"flipped {what}", [a], "r = tl.flip(a, 0)", a[::-1].copy())
    test(f"joined {what}", [a], "x = tl.join(a, a + 1)\nr0, r1 = tl.split(x)\nr2 = tl.interleave(a, -a)",
         [a, a + 1, np.stack([a, -a], -1).reshape(rows, -1)])
    index = rng.integers(0, columns, (rows, 8)).astype(np.int32)
    test(f"gather {what}", [a, make("int32", index)], "r = tl.gather(a, b, 1)", np.take_along_axis(a, index, 1))
    test(f"loop {what}", [a], "r = a\nfor i in range(3):\n        if i == 1:\n            r = r * 2 + a\n        else:\n            r = r - 1",
         (a - 1) * 2 + a - 1)
    test(f"while {what}", [a], "r = a\ni = 0\nwhile i < 4:\n        r += a\n        i += tl.program_id(0) + 1", a * 5)

a = values(96)
test("reshape with an uneven axis in front", [a], "r = tl.reshape(a, (6, 16))", a.reshape(6, 16))
a = values(12, 16, 2)
test("reshape of three axes", [a], "r = tl.reshape(a, (3, 128))", a.reshape(3, 128))
for shape, to in (((96,), (2, 48)), ((2, 48), (96,)), ((16, 96), (16, 2, 48)), ((16, 2, 48), (16, 96)), ((4, 24), (96,)), ((8, 3, 2), (24, 2)), ((12, 3), (36,)),
                  ((3, 5), (15,)), ((80, 4), (2, 40, 4)), ((4, 2, 80), (4, 160))):
    a = values(*shape)
    test(f"reshape {shape} to {to}", [a], f"r = tl.reshape(a, {list(to)})", a.reshape(to))
a = values(16, 96)
test("halves of a head", [a], "x, y = tl.split(tl.permute(tl.reshape(a, (16, 2, 48)), (0, 2, 1)))\nr = tl.reshape(tl.permute(tl.join(-y, x), (0, 2, 1)), (16, 96))",
     np.concatenate([-a[:, 48:], a[:, :48]], 1))
a, b = values(32), values(64)
test("cat 32 and 64", [a, b], "r = tl.cat(a, b, can_reorder=False)", np.concatenate([a, b]))
a, b = values(16, 48), values(16, 80)
test("cat of columns", [a, b], "r = tl.cat(a, b, dim=1)", np.concatenate([a, b], 1))
a = values(24, 16)
test("sorted rows", [a], "r0 = tl.sort(a)\nr1 = tl.topk(a, 4)", [np.sort(a), -np.sort(-a)[:, :4]])

for m, n, k in ((16, 96, 32), (64, 176, 64), (32, 32, 96), (128, 48, 176), (96, 16, 16), (64, 64, 80), (48, 24, 40), (192, 160, 16)):
    for dtype in ("fp16", "fp32"):
        a, b, c = make(dtype, values(m, k)), make(dtype, values(k, n)), values(m, n)
        test(f"product {m}x{n}x{k} {dtype}", [a, b, c], 'r = tl.dot(a, b, c, input_precision="ieee")', a.values @ b.values + c, num_warps=4)
a, b = make("int8", rng.integers(-9, 9, (32, 96))), make("int8", rng.integers(-9, 9, (96, 48)))
test("product of bytes", [a, b], "r = tl.dot(a, b)", ("int32", a.values.astype(np.int64) @ b.values.astype(np.int64)))
a = make("fp16", values(48, 48))
test("product with itself", [a], "r = tl.dot(a, a)", a.values @ a.values)
a, b = make("fp16", values(2, 16, 48)), make("fp16", values(2, 48, 32))
test("product of batches", [a, b], "r = tl.dot(a, b)", a.values @ b.values)


def test_blocks(rows, columns, height, width, on_host):
    """Blocks of a described tensor, beyond its ends too."""
    x = random(rng, "fp32", (rows, columns))
    out = make("fp32", np.full((rows, columns), 7.0))
    make_both = "" if on_host else "".join(
        f"    {name} = tl.make_tensor_descriptor({name}, [{rows}, {columns}], [{columns}, 1], [{height}, {width}])\n" for name in "xr")
    text = (f"def kernel(x, r):\n{make_both}    i = tl.program_id(0) * {height}\n    j = tl.program_id(1) * {width}\n"
            "    r.store([i, j], x.load([i, j]) + 1)\n")
    arguments = [Descriptor(each.argument, [height, width]) for each in (x, out)] if on_host else [x, out]
    run_kernel(text, arguments, grid=(-(-rows // height), -(-columns // width)))
    checks.close(out.values, x.values + 1, f"blocks of {height}x{width}, host {on_host}", 1e-6)


for height, width in ((16, 96), (48, 16), (24, 80), (8, 176)):
    for on_host in (False, True):
        checks.run("blocks", test_blocks, 100, 200, height, width, on_host)


def test_attention(rows, keys, block, head):
    q, k, v = (make("fp16", rng.uniform(-1, 1, (n, head))) for n in (rows, keys, keys))
    out = make("fp32", np.zeros((rows, head)))
    text = f"""def kernel(Q, K, V, O):
    K = tl.make_tensor_descriptor(K, [{keys}, {head}], [{head}, 1], [{block}, {head}])
    V = tl.make_tensor_descriptor(V, [{keys}, {head}], [{head}, 1], [{block}, {head}])
    at = tl.arange(0, {rows})[:, None] * {head} + tl.arange(0, {head})[None, :]
    q = tl.load(Q + at)
    most = tl.full(({rows},), -float("inf"), tl.float32)
    total = tl.zeros(({rows},), tl.float32)
    acc = tl.zeros(({rows}, {head}), tl.float32)
    for start in range(0, {keys}, {block}):
        s = tl.dot(q, K.load([start, 0]).T) * 1.4426950408889634
        s = tl.where(start + tl.arange(0, {block})[None, :] < {keys}, s, -float("inf"))
        larger = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - larger[:, None])
        scale = tl.exp2(most - larger)
        total = total * scale + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), V.load([start, 0]), acc * scale[:, None])
        most = larger
    tl.store(O + at, acc / total[:, None])
"""
    run_kernel(text, [q, k, v, out], num_warps=8)
    scores = np.exp(q.values @ k.values.T)
    checks.close(out.values, scores @ v.values / scores.sum(1, keepdims=True), f"attention {rows}x{block}, heads of {head}", 0, 2e-3)


for rows, keys, block, head in ((128, 352, 176, 128), (64, 300, 96, 96), (128, 200, 48, 80), (64, 64, 64, 192)):
    checks.run("attention", test_attention, rows, keys, block, head)


def refused(name, text, message):
    """A kernel that no back end takes, with what to do."""

    def run():
        try:
            run_kernel(text, [make("fp32", np.zeros(4096))])
        except NereidError as error:
            return checks.expect(error.status == 2 and message in str(error), f"{name}: {error}")
        return checks.expect(False, f"{name} was accepted")

    checks.run(name, run)


import os  # noqa: E402

if os.environ.get("NEREID_DEVICE") != "interp":
    refused("mixed reshape", "def kernel(p):\n    x = tl.reshape(tl.arange(0, 96), (32, 3))\n    tl.store(p + x, 1.0)\n", "mixes")
    refused("uneven sort", "def kernel(p):\n    i = tl.arange(0, 96)\n    tl.store(p + i, tl.sort(tl.load(p + i)))\n", "sorted")
checks.exit()
