"""radix_sort against numpy's stable sort: integers and floats of all widths, negative keys, equal keys, zeros of both signs, NaN of both signs, few bits, both directions, one program and many; rows of a matrix."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import Checks, cdiv, kernel_file, launch, np

checks = Checks()
rng = np.random.default_rng(35)
FILE = kernel_file("radix_sort")


def radix_sort(keys, bits, descending, programs, block=32):
    """(keys in order, where they came from), with passes over the lowest `bits`."""
    n, places = keys.size, None
    chunk = max(cdiv(cdiv(n, programs), block) * block, block)
    width = 8 * keys.itemsize
    for shift in range(0, bits, 4):
        counts = np.full((programs, 16), -1, np.int32)
        out_keys, out_places = np.zeros_like(keys), np.full(n, -1, np.int32)
        settings = {"n": n, "chunk": chunk, "shift": shift, "TOP": shift == width - 4, "DESCENDING": descending, "BLOCK": block}
        launch(FILE, "radix_count", {"keys_ptr": keys, "counts_ptr": counts} | settings, grid=(programs, ))
        launch(FILE, "radix_scatter", {"keys_ptr": keys, "places_ptr": places, "counts_ptr": counts, "out_keys_ptr": out_keys, "out_places_ptr": out_places,
                                       "BLOCK_P": 2} | settings, grid=(programs, ))
        keys, places = out_keys, out_places
    return keys, places


def stable_order(keys, descending):
    """Of the last axis: numpy's, in which NaN is the largest, and its mirror image."""
    if not descending:
        return np.argsort(keys, kind="stable")
    return keys.shape[-1] - 1 - np.argsort(keys[..., ::-1], kind="stable")[..., ::-1]


def test(n, dtype, low, high, bits, descending=False, programs=3):
    what = f"radix_sort {n} {dtype} {low}…{high} {bits} bits descending={descending}"
    is_float = dtype.startswith("float")
    keys = (rng.standard_normal(n) * high).astype(dtype) if is_float else rng.integers(low, high, n, dtype=dtype)
    if is_float and n > 12:
        keys[1:12] = np.inf, -np.inf, keys[0], np.nan, 0.0, -0.0, -np.nan, 0.0, np.nan, -0.0, -np.inf
    actual, places = radix_sort(keys, bits, descending, programs)
    order = stable_order(keys, descending)
    checks.equal(places, order, what + ": places")
    checks.equal(actual, keys[order], what + ": keys")


def test_rows(rows, columns, dtype, descending=False):
    what = f"sort of {rows} rows of {columns} {dtype} descending={descending}"
    keys = rng.integers(-9, 9, (rows, columns)).astype(dtype)
    places = radix_sort(keys.reshape(-1), 8 * keys.itemsize, descending, 3)[1]
    row = np.full(keys.size, -1, np.int32)
    launch(FILE, "rows_of_places", {"places_ptr": places, "out_ptr": row, "n": keys.size, "columns": columns, "BLOCK": 32}, grid=(cdiv(keys.size, 32), ))
    checks.equal(row, places // columns, what + ": rows")
    order = radix_sort(row, 8, False, 3)[1]
    values, found = np.zeros_like(keys), np.full(keys.shape, -1, np.int64)
    launch(FILE, "take_rows_in_order", {"keys_ptr": keys, "places_ptr": places, "order_ptr": order, "values_ptr": values, "columns_ptr": found, "n": keys.size, "columns": columns, "BLOCK": 32},
           grid=(cdiv(keys.size, 32), ))
    expected = stable_order(keys, descending)
    checks.equal(found, expected, what + ": columns")
    checks.equal(values, np.take_along_axis(keys, expected, axis=1), what)


for dtype in ("int32", "int64", "float32"):
    for descending in (False, True):
        checks.run(f"sort of rows {dtype}", test_rows, 7, 30, dtype, descending)
checks.run("sort of one row", test_rows, 1, 40, "int32")
for descending in (False, True):
    for n in (200, 1, 64):
        checks.run(f"radix_sort {n} int32", test, n, "int32", -2**30, 2**30, 32, descending)
        checks.run(f"radix_sort {n} fp32", test, n, "float32", 0, 100, 32, descending)
    for dtype in ("float16", "float64"):
        checks.run(f"radix_sort {dtype}", test, 200, dtype, 0, 100, 8 * np.dtype(dtype).itemsize, descending)
    for dtype in ("int8", "int16", "uint8", "uint16", "uint32", "uint64"):
        information = np.iinfo(dtype)
        checks.run(f"radix_sort {dtype}", test, 200, dtype, information.min, information.max, information.bits, descending)
    checks.run("radix_sort int64", test, 100, "int64", -2**60, 2**60, 64, descending)
    checks.run("radix_sort of few bits", test, 300, "int64", 0, 50, 8, descending)
    checks.run("radix_sort in one program", test, 100, "int32", 0, 10, 4, descending, 1)
checks.run("radix_sort of nothing", test, 0, "int32", 0, 10, 4)
checks.exit()
