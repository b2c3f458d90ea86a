"""moe: routing, order by expert, permutation and weighted return against float64 and a stable sort, with their gradients; experts that nobody
chooses, choices that are left out, no tokens."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(22)
FILE = kernel_file("moe")


def softmax(x):
    p = np.exp(x - x.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def test_route(tokens, n_experts, top_k, renormalize, dtype):
    what = f"moe_route {tokens}x{n_experts} top {top_k} renormalize={renormalize} {dtype}"
    logits = random_array(rng, (tokens, n_experts + 3), dtype, 2)
    if tokens:
        logits.data[0] = logits.data[0, 0]  # all equal: the first experts
    values = logits.values[:, :n_experts]
    weights, experts = np.full((tokens, top_k), 1e9, np.float32), np.full((tokens, top_k), -7, np.int32)
    sizes = {"n_tokens": tokens, "n_experts": n_experts, "TOP_K": top_k, "RENORMALIZE": renormalize, "BLOCK_T": 4, "BLOCK_E": power_of_two(n_experts)}
    launch(FILE, "moe_route", {"logits_ptr": logits.argument, "weights_ptr": weights, "experts_ptr": experts, "logits_row_stride": n_experts + 3,
                               "BLOCK_K": power_of_two(top_k)} | sizes, grid=(cdiv(tokens, 4), ))
    p = softmax(values) if tokens else values
    order = np.argsort(-p, axis=1, kind="stable")[:, :top_k]
    chosen = np.take_along_axis(p, order, axis=1)
    scale = chosen.sum(axis=1, keepdims=True) if renormalize else 1
    checks.close(weights, chosen / scale, what + ": weights", rtol=1e-5)
    checks.close(np.take_along_axis(p, experts.astype(np.int64), axis=1), chosen, what + ": experts", rtol=1e-6)
    checks.expect(all(len(set(row)) == top_k for row in experts), what + ": different experts")

    grad_weights, grad = rng.standard_normal((tokens, top_k)).astype(np.float32), empty_array((tokens, n_experts), dtype)
    launch(FILE, "moe_route_backward", {"grad_weights_ptr": grad_weights, "logits_ptr": logits.argument, "experts_ptr": experts, "grad_logits_ptr": grad.argument,
                                        "logits_row_stride": n_experts + 3} | sizes, grid=(cdiv(tokens, 4), ))
    wide = np.zeros_like(values)
    np.put_along_axis(wide, experts.astype(np.int64), grad_weights.astype(np.float64), axis=1)
    if renormalize:
        is_chosen = np.zeros_like(values)
        np.put_along_axis(is_chosen, experts.astype(np.int64), 1.0, axis=1)
        p = p * is_chosen / (p * is_chosen).sum(axis=1, keepdims=True)
    checks.close(grad.values, p * (wide - (p * wide).sum(axis=1, keepdims=True)), what + ": gradient", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def ordered(experts, n_experts, programs):
    """(positions, ends) by the kernels."""
    n, block = experts.size, 8
    chunk = cdiv(cdiv(n, programs), block) * block
    counts = np.full((programs, n_experts), -1, np.int32)
    positions, ends = np.full(experts.shape, -7, np.int32), np.full(n_experts, -7, np.int32)
    sizes = {"n_choices": n, "n_experts": n_experts, "chunk": chunk, "BLOCK": block, "BLOCK_E": power_of_two(n_experts)}
    launch(FILE, "moe_count", {"experts_ptr": experts, "counts_ptr": counts} | sizes, grid=(programs, ))
    launch(FILE, "moe_positions", {"experts_ptr": experts, "counts_ptr": counts, "positions_ptr": positions, "ends_ptr": ends, "BLOCK_P": 2} | sizes,
           grid=(programs, ))
    return positions, ends


def random_experts(tokens, top_k, n_experts, with_none):
    experts = rng.integers(-1 if with_none else 0, n_experts + with_none, (tokens, top_k)).astype(np.int32)
    experts[experts == n_experts // 2] = 0  # nobody chooses that one
    return experts


def test_order(tokens, top_k, n_experts, programs, with_none=False):
    what = f"moe_positions {tokens}x{top_k} of {n_experts}, {programs} programs"
    experts = random_experts(tokens, top_k, n_experts, with_none)
    positions, ends = ordered(experts, n_experts, programs)
    flat = experts.reshape(-1)
    is_valid = (flat >= 0) & (flat < n_experts)
    order = np.flatnonzero(is_valid)[np.argsort(flat[is_valid], kind="stable")]
    expected = np.full(flat.size, -1)
    expected[order] = np.arange(order.size)
    checks.equal(positions.reshape(-1), expected, what)
    checks.equal(ends, np.cumsum(np.bincount(flat[is_valid], minlength=n_experts)), what + ": ends")


def test_rows(tokens, top_k, columns, dtype, with_none=False):
    what = f"moe rows {tokens}x{columns} top {top_k} {dtype}"
    experts = random_experts(tokens, top_k, 5, with_none)
    positions, ends = ordered(experts, 5, 2)
    rows = int(ends[-1])
    x, permuted = random_array(rng, (tokens, columns + 2), dtype), empty_array((rows, columns), dtype)
    grid = (tokens, cdiv(columns, 16))
    launch(FILE, "moe_permute", {"x_ptr": x.argument, "positions_ptr": positions, "out_ptr": permuted.argument, "x_row_stride": columns + 2,
                                 "n_columns": columns, "TOP_K": top_k, "BLOCK": 16}, grid=grid)
    inside = positions >= 0
    expected = np.zeros((rows, columns))
    for token, k in np.argwhere(inside):
        expected[positions[token, k]] = x.values[token, :columns]
    checks.equal(permuted.values, expected, what + ": permuted")

    y, weights = random_array(rng, (rows, columns + 1), dtype), rng.random((tokens, top_k)).astype(np.float32)
    gathered = np.where(inside[:, :, None], np.concatenate([y.values[:, :columns], np.zeros((1, columns))])[positions], 0)
    for given, factor in ((weights, weights.astype(np.float64)), (None, np.ones((tokens, top_k)))):
        out = empty_array((tokens, columns), dtype)
        launch(FILE, "moe_combine", {"y_ptr": y.argument, "positions_ptr": positions, "weights_ptr": given, "out_ptr": out.argument, "y_row_stride": columns + 1,
                                     "n_columns": columns, "TOP_K": top_k, "BLOCK": 16}, grid=grid)
        checks.close(out.values, (gathered * factor[:, :, None]).sum(axis=1), what + ": combined", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])

    grad_out, grad_y, grad_weights = random_array(rng, (tokens, columns), dtype), empty_array((rows, columns), dtype), np.full((tokens, top_k), 1e9, np.float32)
    launch(FILE, "moe_combine_backward",
           {"grad_out_ptr": grad_out.argument, "y_ptr": y.argument, "positions_ptr": positions, "weights_ptr": weights, "grad_y_ptr": grad_y.argument,
            "grad_weights_ptr": grad_weights, "grad_out_row_stride": columns, "y_row_stride": columns + 1, "n_columns": columns, "TOP_K": top_k, "BLOCK": 16},
           grid=(tokens, ))
    expected = np.zeros((rows, columns))
    for token, k in np.argwhere(inside):
        expected[positions[token, k]] = grad_out.values[token] * weights[token, k]
    checks.close(grad_y.values, expected, what + ": gradient of y", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    checks.close(grad_weights, (gathered * grad_out.values[:, None, :]).sum(axis=2), what + ": gradient of the weights", rtol=1e-4, atol=1e-4)


for dtype in DTYPES:
    for renormalize in (False, True):
        for shape in ((7, 8, 2), (5, 60, 6), (1, 1, 1), (9, 5, 5)):
            checks.run(f"moe_route {shape} {dtype}", test_route, *shape, renormalize, dtype)
    for shape in ((9, 2, 40), (5, 3, 16), (1, 1, 7)):
        checks.run(f"moe rows {shape} {dtype}", test_rows, *shape, dtype)
    checks.run(f"moe rows left out {dtype}", test_rows, 9, 3, 20, dtype, True)
for programs in (1, 3, 5):
    checks.run(f"moe_positions, {programs} programs", test_order, 30, 3, 9, programs)
checks.run("moe_positions left out", test_order, 30, 3, 9, 2, True)
checks.run("moe_route of no tokens", test_route, 0, 8, 2, True, "fp32")
checks.run("moe_positions of no tokens", test_order, 0, 3, 9, 1)
checks.exit()
