"""embedding: rows taken and rows added against float64: repeated numbers, numbers outside, one that is skipped, strides, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DEVICE, DTYPES, TOLERANCE, Checks, Typed, cdiv, empty_array, kernel_file, launch, launch_once, np, random_array
import nereid_test

checks = Checks()
rng = np.random.default_rng(36)
FILE = kernel_file("embedding")


def test_gather(n, rows, columns, dtype, index_type):
    what = f"gather_rows {n} of {rows}x{columns} {dtype} {index_type}"
    table, index, out = random_array(rng, (rows, columns + 3), dtype), rng.integers(0, rows, n).astype(index_type), empty_array((n, columns), dtype)
    if n > 3:
        index[1], index[2] = rows, -1
    launch(FILE, "gather_rows", {"table_ptr": table.argument, "index_ptr": index, "out_ptr": out.argument, "table_row_stride": columns + 3, "n_table": rows,
                                 "n_columns": columns, "BLOCK": 32}, grid=(n, cdiv(columns, 32)))
    is_row = (index >= 0) & (index < rows)
    checks.equal(out.values, np.where(is_row[:, None], table.values[np.where(is_row, index, 0), :columns], 0), what)


def test_add(n, rows, columns, dtype, skipped=-100):
    what = f"add_rows {n} to {rows}x{columns} {dtype} without {skipped}"
    x, table, index = random_array(rng, (n, columns + 1), dtype), random_array(rng, (rows, columns + 2), dtype), rng.integers(0, rows, n)
    if n > 3:
        index[1], index[2] = rows, -1
    expected = table.values
    for i in np.flatnonzero((index >= 0) & (index < rows) & (index != skipped)):
        expected[index[i], :columns] += x.values[i, :columns]
    clean = np.full(n, -7, np.int32)
    launch(FILE, "clean_index", {"index_ptr": index, "out_ptr": clean, "n": n, "n_table": rows, "skipped": skipped, "BLOCK": 16}, grid=(cdiv(n, 16), ))
    checks.equal(clean, np.where((index >= 0) & (index < rows) & (index != skipped), index, rows), what + ": clean_index")
    places = np.argsort(clean, kind="stable").astype(np.int32)
    arguments = {"x_ptr": x.argument, "sorted_ptr": clean[places], "places_ptr": places, "table_ptr": table.argument, "x_row_stride": columns + 1,
                 "table_row_stride": columns + 2, "n": n, "n_table": rows, "n_columns": columns, "BLOCK": 32}
    grid = (n, cdiv(columns, 32))
    if DEVICE == "interp":  # the table is updated: the checker gets a copy
        copy = Typed(table.data.copy(), "bf16") if dtype == "bf16" else table.data.copy()
        nereid_test.launch(FILE, "add_rows", arguments | {"table_ptr": copy}, check=True, grid=grid)
    launch_once(FILE, "add_rows", arguments, grid=grid)
    checks.close(table.values, expected, what, rtol=TOLERANCE[dtype], atol=2 * TOLERANCE[dtype])


for dtype in DTYPES:
    for n, rows, columns in ((20, 7, 40), (1, 1, 1), (9, 30, 32), (0, 5, 8)):
        for index_type in ("int32", "int64"):
            checks.run(f"gather_rows {n} {dtype}", test_gather, n, rows, columns, dtype, index_type)
        checks.run(f"add_rows {n} {dtype}", test_add, n, rows, columns, dtype)
    checks.run(f"add_rows skipped {dtype}", test_add, 30, 4, 20, dtype, 2)
checks.exit()
