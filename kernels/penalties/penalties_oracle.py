"""count_tokens and apply_penalties against numpy: odd sizes, padding, each penalty alone and all, no rows, no tokens."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, launch_once, np, random_array

checks = Checks()
rng = np.random.default_rng(43)
FILE = kernel_file("penalties")


def counted(tokens, columns):
    counts = np.zeros((len(tokens), columns), np.int32)
    arguments = {"tokens_ptr": tokens, "counts_ptr": counts, "tokens_row_stride": tokens.shape[1], "n_tokens": tokens.shape[1], "n_columns": columns, "BLOCK": 16}
    launch_once(FILE, "count_tokens", arguments, grid=(cdiv(tokens.shape[1], 16), len(tokens)))
    expected = np.array([np.bincount(row[(row >= 0) & (row < columns)], minlength=columns) for row in tokens]).reshape(len(tokens), columns)
    checks.equal(counts, expected, f"count_tokens {tokens.shape} of {columns}")
    return counts


def test(rows, columns, n_tokens, dtype, names, with_prompt=True):
    what = f"apply_penalties {rows}x{columns} {dtype} {names}"
    prompt, output = (counted(rng.integers(-1, columns + 2, (rows, n)), columns) for n in (n_tokens, 2 * n_tokens))
    logits, out = random_array(rng, (rows, columns + 3), dtype, 2), empty_array((rows, columns + 1), dtype)
    given = {f"{name}_ptr": rng.uniform(1.1, 2, rows).astype(np.float32) if name in names else None for name in ("repetition", "frequency", "presence")}
    launch(FILE, "apply_penalties", {"logits_ptr": logits.argument, "prompt_counts_ptr": prompt if with_prompt else None, "output_counts_ptr": output, **given,
                                     "out_ptr": out.argument, "logits_row_stride": columns + 3, "out_row_stride": columns + 1, "n_columns": columns, "BLOCK": 32},
           grid=(cdiv(columns, 32), rows))
    x = logits.values[:, :columns]
    if "repetition" in names:
        factor = given["repetition_ptr"][:, None].astype(np.float64)
        x = np.where((output > 0) | ((prompt > 0) & with_prompt), np.where(x > 0, x / factor, x * factor), x)
    for name, amount in (("frequency", output), ("presence", output > 0)):
        x = x - given[f"{name}_ptr"][:, None] * amount if name in names else x
    checks.close(out.values[:, :columns], x, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    checks.expect(out.untouched[:, columns:].all(), what + ": nothing written past the end of a row")


EVERYTHING = ("repetition", "frequency", "presence")
for dtype in DTYPES:
    for names in ((), *((name, ) for name in EVERYTHING), EVERYTHING):
        checks.run(f"penalties {names} {dtype}", test, 3, 100, 20, dtype, names)
checks.run("penalties without a prompt", test, 2, 33, 7, "fp32", EVERYTHING, False)
checks.run("penalties of no rows", test, 0, 33, 7, "fp32", EVERYTHING)
checks.run("penalties without tokens", test, 2, 1, 0, "fp32", EVERYTHING)
checks.exit()
