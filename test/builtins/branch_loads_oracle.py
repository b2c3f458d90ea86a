"""Tiles that a loop loads in two branches, all of them or below a mask, for a product."""
from builtin_test import Checks, make, np, random, run_kernel

checks = Checks()
rng = np.random.default_rng(43)

TEXT = """def kernel(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, FORM: tl.constexpr):
    row, column = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a_ptrs, b_ptrs = a_ptr + row[:, None] * 128 + depth[None, :], b_ptr + depth[:, None] * 128 + column[None, :]
    total = tl.zeros([BM, BN], tl.float32)
    for at in range(0, k, BK):
        left = k - at
        if FORM == 0:  # whole tiles, and the last one
            if at + BK <= k:
                a, b = tl.load(a_ptrs), tl.load(b_ptrs)
            else:
                a = tl.load(a_ptrs, mask=depth[None, :] < left, other=0)
                b = tl.load(b_ptrs, mask=depth[:, None] < left, other=0)
        elif FORM == 1:  # the other way around, where what a branch says of other lanes counts
            if left < BK:
                a = tl.load(a_ptrs, mask=depth[None, :] < left, other=2)
                b = tl.load(b_ptrs, mask=depth[:, None] < left, other=0)
            else:
                a, b = tl.load(a_ptrs), tl.load(b_ptrs)
        else:  # two masks, two values for other lanes
            if at % (2 * BK) == 0:
                a = tl.load(a_ptrs, mask=depth[None, :] < left, other=0)
                b = tl.load(b_ptrs, mask=(depth[:, None] < left) & (column[None, :] >= 3), other=1)
            else:
                a = tl.load(a_ptrs, mask=(depth[None, :] < left) & (row[:, None] >= 2), other=0)
                b = tl.load(b_ptrs, mask=depth[:, None] < left, other=0)
        total = tl.dot(a, b, total)
        a_ptrs += BK
        b_ptrs += BK * 128
    tl.store(c_ptr + row[:, None] * 128 + column[None, :], total, mask=(row < m)[:, None] & (column < n)[None, :])
"""


def expected(a, b, k, block, form):
    total = np.zeros((a.shape[0], b.shape[1]))
    for at in range(0, k, block):
        end = min(k, at + block)
        x, y = a[:, at:end].copy(), b[at:end].copy()
        if form == 2 and at % (2 * block) == 0:
            y[:, :3] = 1
        elif form == 2:
            x[:2] = 0
        total += x @ y
    return total


def test(form, dtype, k, tile):
    m, n = tile[0] + 3, tile[1] + 5
    a, b, c = random(rng, dtype, (2 * tile[0], 128)), random(rng, dtype, (128, 128)), make("fp32", np.full((2 * tile[0], 128), 7))
    run_kernel(TEXT, [a, b, c, m, n, k, *tile, form], grid=(2, 2))
    exact = expected(a.values.astype(np.float64), b.values.astype(np.float64), k, tile[2], form)[:m, :n]
    checks.close(c.values[:m, :n], exact, f"form {form} {dtype} {k} in {tile}", rtol=1e-3, atol=1e-3 * max(1.0, np.abs(exact).max()))


for dtype in ("fp16", "bf16"):
    for form in (0, 1, 2):
        for k, tile in ((0, (64, 64, 32)), (32, (64, 64, 32)), (97, (64, 32, 32)), (128, (64, 64, 64)), (45, (16, 16, 16)), (1, (64, 64, 32))):
            checks.run(f"form {form} {dtype} {k} {tile}", test, form, dtype, k, tile)
checks.exit()
