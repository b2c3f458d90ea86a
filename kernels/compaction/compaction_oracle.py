"""compaction: elements by a mask, places of them, and unique with inverse and counts, against numpy: types, chunks, nothing kept, all kept, nothing at all."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(62)
FILE = kernel_file("compaction")


def grid_of(n, programs, block):
    return (programs if n else 0, ), max(block, cdiv(cdiv(n, programs), block) * block)


def test_compact(n, share, dtype, mask_type, programs=3, block=16):
    what = f"compact {n} with {share} kept, {dtype} by {mask_type}"
    x, mask = random_array(rng, n, dtype), (rng.random(n) < share).astype(mask_type)
    grid, chunk = grid_of(n, programs, block)
    counts, number, places, out = np.full(programs, 99, np.int32), np.zeros(1, np.int32), np.full(n, -7, np.int64), empty_array(n, dtype)
    launch(FILE, "count_kept", {"x_ptr": mask, "counts_ptr": counts, "n": n, "chunk": chunk, "KIND": "mask", "BLOCK": block}, grid=grid)
    launch(FILE, "compact", {"x_ptr": x.argument, "mask_ptr": mask, "counts_ptr": counts, "out_ptr": out.argument, "places_ptr": places, "number_ptr": number, "n": n, "chunk": chunk, "BLOCK": block,
                             "BLOCK_P": 2}, grid=grid)
    kept = np.flatnonzero(mask)
    checks.equal(number, np.array([kept.size], np.int32), what + ": number")
    checks.equal(out.values[:kept.size], x.values[kept], what)
    checks.equal(places[:kept.size], kept, what + ": places")
    checks.expect(out.untouched[kept.size:].all() and (places[kept.size:] == -7).all(), what + ": nothing behind")
    alone = np.full(n, -7, np.int32)
    launch(FILE, "compact", {"x_ptr": None, "mask_ptr": mask, "counts_ptr": counts, "out_ptr": None, "places_ptr": alone, "number_ptr": number, "n": n, "chunk": chunk, "BLOCK": block, "BLOCK_P": 2}, grid=grid)
    checks.equal(alone[:kept.size], kept, what + ": places alone")


def test_unique(n, values, dtype, programs=3, block=16):
    what = f"unique of {n} {dtype} with {values} values"
    x = rng.integers(-values, values, n).astype(dtype)
    order = np.argsort(x, kind="stable").astype(np.int32)
    grid, chunk = grid_of(n, programs, block)
    counts, number = np.full(programs, 99, np.int32), np.zeros(1, np.int32)
    found, inverse, starts, often = np.full(n, 99, dtype), np.full(n, -7, np.int64), np.full(n, -7, np.int32), np.full(n, -7, np.int64)
    launch(FILE, "count_kept", {"x_ptr": x[order], "counts_ptr": counts, "n": n, "chunk": chunk, "KIND": "firsts", "BLOCK": block}, grid=grid)
    launch(FILE, "unique_of_sorted", {"sorted_ptr": x[order], "from_ptr": order, "counts_ptr": counts, "values_ptr": found, "inverse_ptr": inverse, "starts_ptr": starts, "number_ptr": number, "n": n,
                                      "chunk": chunk, "BLOCK": block, "BLOCK_P": 2}, grid=grid)
    launch(FILE, "run_lengths", {"starts_ptr": starts, "number_ptr": number, "counts_ptr": often, "n": n, "BLOCK": 32}, grid=(cdiv(n, 32), ))
    expected, back, times = np.unique(x, return_inverse=True, return_counts=True)
    checks.equal(number, np.array([expected.size], np.int32), what + ": number")
    checks.equal(found[:expected.size], expected, what)
    checks.equal(inverse, back.reshape(-1).astype(np.int64), what + ": inverse")
    checks.equal(often, np.append(times, [0] * (n - expected.size)).astype(np.int64), what + ": counts")


for n in (100, 1, 48, 17, 0):
    for share in (0.3, 0.0, 1.0):
        checks.run(f"compact {n} {share}", test_compact, n, share, "fp32", "bool")
    for dtype in ("int32", "int64", "float32"):
        for values in (1, 5, 1000):
            checks.run(f"unique {n} {values} {dtype}", test_unique, n, values, dtype)
for dtype in DTYPES:
    for mask_type in ("bool", "int8", "int32", "float32"):
        checks.run(f"compact {dtype} {mask_type}", test_compact, 77, 0.5, dtype, mask_type, 5, 8)
checks.exit()
