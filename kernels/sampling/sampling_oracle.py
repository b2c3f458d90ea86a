"""sampling: the filters against sorting in float64, draws against a Philox written here from its publication, and their shares."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(21)
FILE = kernel_file("sampling")


def uniform(seed, n):
    """What tl.rand draws for the offsets 0 … n - 1."""
    mask = (1 << 32) - 1
    result = np.zeros(n, np.float32)
    for counter in range(n):
        c, k = [counter, 0, 0, 0], [seed & mask, (seed >> 32) & mask]
        for _ in range(10):
            a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
            k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
        signed = c[0] - (1 << 32) if c[0] >> 31 else c[0]
        result[counter] = np.float32(~signed if signed < 0 else signed) * np.float32(4.6566127342e-10)
    return result.astype(np.float64)


def kept(logits, temperature, top_k, top_p, min_p):
    """Which logits of a row are kept; equal ones together."""
    if temperature == 0:
        return logits == logits.max()
    weight = np.exp((logits - logits.max()) / temperature)
    keep = weight >= min_p
    if 0 < top_k < len(logits):
        keep &= logits >= np.sort(logits)[-top_k]
    if top_p < 1:
        order = np.sort(np.unique(logits[keep]))[::-1]
        mass = np.array([weight[keep & (logits >= value)].sum() for value in order])
        keep &= logits >= order[np.argmax(mass >= top_p * mass[-1])]
    return keep


def parameters(rows, names):
    """Arrays of parameters, and all of them by row."""
    every = {"temperature": rng.uniform(0.5, 2, rows), "top_k": rng.integers(1, 12, rows), "top_p": rng.uniform(0.3, 0.95, rows),
             "min_p": rng.uniform(0.01, 0.2, rows)}
    if rows > 2:
        every["temperature"][1], every["top_k"][2] = 0, 0
    given = {name: every[name].astype(np.int32 if name == "top_k" else np.float32) for name in names}
    neutral = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
    by_row = [[given[name][row] if name in given else neutral[name] for name in neutral] for row in range(rows)]
    return {f"{name}_ptr": given.get(name) for name in neutral}, by_row


def test(rows, columns, names, dtype, block=32, by_candidates=True, span=1, alike=False):
    what = f"sampling {rows}x{columns} {'+'.join(names)} {dtype}"
    logits = random_array(rng, (rows, columns + 3), dtype, 2)
    if alike:
        logits.data[:, ::2] = logits.data[:1, :1]
    given, by_row = parameters(rows, names)
    values = logits.values[:, :columns]
    expected = np.full((rows, columns), -np.inf)
    for row in range(rows):
        keep = kept(values[row], *by_row[row])
        expected[row, keep] = values[row, keep] / (by_row[row][0] or 1)
    out = empty_array((rows, columns + 1), dtype)
    given |= {"candidates_ptr": empty_array((rows, 2 * block), dtype).argument if by_candidates else None, "SPAN": span}
    launch(FILE, "filter_logits", {"logits_ptr": logits.argument, **given, "out_ptr": out.argument, "logits_row_stride": columns + 3,
                                   "out_row_stride": columns + 1, "n_columns": columns, "BLOCK": block}, grid=(rows, ))
    checks.close(out.values[:, :columns], expected, what + ": filter", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    checks.expect(out.untouched[:, columns:].all(), what + ": nothing written past the end of a row")
    seeds, tokens = rng.integers(0, 2**40, rows), np.full(rows, -1, np.int64)
    launch(FILE, "sample", {"logits_ptr": logits.argument, **given, "seeds_ptr": seeds, "out_ptr": tokens, "logits_row_stride": columns + 3,
                            "n_columns": columns, "BLOCK": block}, grid=(rows, ))
    for row in range(rows):
        noise = 0 if by_row[row][0] == 0 else -np.log(-np.log(np.maximum(uniform(int(seeds[row]), columns), 1e-300)))
        checks.equal(tokens[row], np.argmax(expected[row] + noise), f"{what}: token of row {row}")


def test_shares():
    """As often as softmax says; a token that is impossible never."""
    rows, weights = 4000, np.array([0.5, 0.3, 0.0, 0.15, 0.05])
    for probabilities in (False, True):
        with np.errstate(divide="ignore"):
            row = weights if probabilities else np.log(weights) + 3
        tokens = np.full(rows, -1, np.int64)
        launch(FILE, "sample", {"logits_ptr": row.astype(np.float32), "temperature_ptr": None, "top_k_ptr": None, "top_p_ptr": None, "min_p_ptr": None, "candidates_ptr": None,
                                "seeds_ptr": np.arange(rows), "out_ptr": tokens, "logits_row_stride": 0, "n_columns": 5, "SPAN": 1, "BLOCK": 8,
                                "PROBABILITIES": probabilities}, grid=(rows, ))
        shares = np.bincount(tokens, minlength=5) / rows
        checks.close(shares, weights, f"sample: shares, probabilities={probabilities}", rtol=0, atol=0.03)
        checks.expect(shares[2] == 0, "sample: nothing impossible")


EVERYTHING = ("temperature", "top_k", "top_p", "min_p")
for dtype in DTYPES:
    for names in ((), ("temperature", ), ("top_k", ), ("top_p", ), ("min_p", ), EVERYTHING):
        checks.run(f"sampling {names} {dtype}", test, 5, 100, names, dtype)
    checks.run(f"sampling of one column {dtype}", test, 2, 1, EVERYTHING, dtype)
checks.run("sampling without candidates", test, 5, 100, EVERYTHING, "fp32", by_candidates=False)
checks.run("sampling in lines", test, 5, 300, EVERYTHING, "fp32", span=4)
checks.run("sampling in lines of a few", test, 4, 70, ("top_k", "top_p"), "bf16", block=16, span=2)
checks.run("sampling of more candidates than there is room for", test, 4, 200, ("top_k", "top_p"), "fp32", block=16, alike=True)
checks.run("sampling in one block", test, 3, 30, EVERYTHING, "fp32", 64)
checks.run("sampling of no rows", test, 0, 30, EVERYTHING, "fp32")
checks.run("shares", test_shares)
checks.exit()
