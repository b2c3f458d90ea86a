"""sort, topk, bitonic_merge and histogram against numpy."""
from builtin_test import FLOATS, INTEGERS, NUMBERS, Checks, Module, NereidError, HEADER, make, np, random, run_kernel, tl

checks = Checks()
rng = np.random.default_rng(15)
M, N = 4, 16
WIDER = {"int8": "int32", "int16": "int32", "uint8": "int32", "uint16": "int32", "fp16": "fp32", "bf16": "fp32"}


def order(expression, x, columns, output):
    out = make(output, np.zeros((M, columns)))
    text = f"def kernel(a_ptr, r_ptr):\n    rows = tl.arange(0, {M})[:, None]\n"
    text += f"    a = tl.load(a_ptr + rows * {N} + tl.arange(0, {N})[None, :])\n    r = {expression}\n"
    text += f"    tl.static_assert(r.dtype == {tl(output)})\n    tl.store(r_ptr + rows * {columns} + tl.arange(0, {columns})[None, :], r)\n"
    run_kernel(text, [x, out])
    return out.values


def test_sort(dtype):
    x = random(rng, dtype, (M, N))
    ascending = np.sort(x.values, axis=1)
    checks.equal(order("tl.sort(a)", x, N, dtype), ascending, f"sort {dtype}")
    checks.equal(order("tl.sort(a, dim=1, descending=True)", x, N, dtype), ascending[:, ::-1], f"sort descending {dtype}")
    bitonic = make(dtype, np.concatenate([ascending[:, ::2], ascending[:, 1::2][:, ::-1]], axis=1))
    checks.equal(order("tl.bitonic_merge(a)", bitonic, N, dtype), ascending, f"bitonic_merge {dtype}")
    checks.equal(order("tl.bitonic_merge(a, descending=True)", bitonic, N, dtype), ascending[:, ::-1], f"bitonic_merge descending {dtype}")
    checks.equal(order("tl.standard._bitonic_merge(a, 4, 0, 4)", bitonic, N, dtype), ascending, f"_bitonic_merge {dtype}")
    for k in (1, 4):
        checks.equal(order(f"tl.topk(a, {k})", x, k, WIDER.get(dtype, dtype)), ascending[:, ::-1][:, :k].astype(ascending.dtype), f"topk {k} {dtype}")
    checks.equal(order("tl.topk(a, 4, descending=False)", x, 4, WIDER.get(dtype, dtype)), ascending[:, :4], f"topk ascending {dtype}")
    checks.equal(order(f"tl.topk(a, {N})", x, N, dtype), ascending[:, ::-1], f"topk of all {dtype}")


for dtype in NUMBERS:
    checks.run(f"sort {dtype}", test_sort, dtype)


def test_long_rows(dtype, rows, columns, k, is_descending, warps):
    """Rows that several warps hold, with equal elements; of floats also NaN, which counts as the largest."""
    values = random(rng, dtype, (rows, columns)).values.copy()
    values[:, ::7] = values[:, 1:2]
    if dtype in ("fp32", "fp64"):
        values[0, columns // 3] = np.nan
    x, out = make(dtype, values), make(WIDER.get(dtype, dtype) if k < columns else dtype, np.zeros((rows, k)))
    text = f"""def kernel(a_ptr, r_ptr):
    rows = tl.arange(0, {rows})[:, None]
    a = tl.load(a_ptr + rows * {columns} + tl.arange(0, {columns})[None, :])
    tl.store(r_ptr + rows * {k} + tl.arange(0, {k})[None, :], tl.topk(a, {k}, descending={is_descending}))
"""
    run_kernel(text, [x, out], num_warps=warps)
    ascending = np.sort(x.values, axis=1)
    expected = (ascending[:, ::-1] if is_descending else ascending)[:, :k]
    checks.equal(out.values, expected, f"topk {k} of {rows}x{columns} {dtype}, {warps} warps, descending {is_descending}")


for dtype in ("fp32", "fp64", "int32", "uint64", "int16", "bf16"):
    for rows, columns, k, is_descending, warps in ((1, 1024, 8, True, 4), (1, 1024, 1, True, 8), (2, 512, 64, False, 4), (4, 128, 2, True, 1),
                                                   (16, 32, 16, False, 2), (1, 256, 128, True, 8), (8, 64, 1, False, 4)):
        checks.run(f"topk {dtype} {rows}x{columns} {k}", test_long_rows, dtype, rows, columns, k, is_descending, warps)


def test_sort_fp8(dtype):
    x = random(rng, dtype, (M, N), -1.5, 1.5)
    checks.equal(order("tl.sort(a)", x, N, dtype), np.sort(x.values, axis=1), f"sort {dtype}")
    checks.equal(order("tl.topk(a, 2)", x, 2, "fp32"), np.sort(x.values, axis=1)[:, ::-1][:, :2], f"topk {dtype}")


for dtype in ("fp8e4nv", "fp8e5", "fp8e4b15"):
    checks.run(f"sort {dtype}", test_sort_fp8, dtype)


def test_wrong(expression, message):
    x = random(rng, "fp32", (M, N))
    try:
        order(expression, x, N, "fp32")
    except NereidError as error:
        checks.expect(message in str(error), f"{expression}: expected `{message}`, got: {error}")
    else:
        checks.expect(False, f"{expression} was accepted")


for expression, message in (("tl.sort(a, dim=0)", "last dimension"), ("tl.topk(a, 3)", "power of two"), ("tl.topk(a, 32)", "power of two")):
    checks.run(expression, test_wrong, expression, message)


def test_histogram(dtype, masked):
    bins, block, n = 16, 128, 101
    x = make(dtype, rng.integers(0, bins, n))
    out = make("int32", np.zeros(bins))
    text = f"def kernel(a_ptr, r_ptr, n):\n    o = tl.arange(0, {block})\n    a = tl.load(a_ptr + o, mask=o < n, other=0)\n"
    text += f"    r = tl.histogram(a, {bins}{', mask=o < n' if masked else ''})\n    tl.static_assert(r.dtype == tl.int32)\n    tl.store(r_ptr + tl.arange(0, {bins}), r)\n"
    run_kernel(text, [x, out, n])
    expected = np.bincount(x.bits.astype(np.int64), minlength=bins)
    if not masked:
        expected[0] += block - n  # the lanes outside read 0
    checks.equal(out.bits, expected, f"histogram {dtype} masked={masked}")


for dtype in INTEGERS:
    for masked in (False, True):
        checks.run(f"histogram {dtype}", test_histogram, dtype, masked)
checks.exit()
