"""topk_rows and topk_rows_by_count against a stable sort: largest and smallest, equal elements, NaN and infinities, strides, k of one and of all columns."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Array, Checks, empty_array, kernel_file, launch, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(34)
FILE = kernel_file("topk")


def test(rows, columns, k, dtype, largest=True, block=32, special=False):
    what = f"topk {k} of {rows}x{columns} {dtype} largest={largest}"
    x = random_array(rng, (rows, columns + 3), dtype)
    if rows > 1:
        x = Array(np.where(np.arange(rows)[:, None] == 1, np.round(x.values * 2), x.values), dtype)  # many equal ones
    if special:
        x.data[0, :3] = Array(np.array([np.nan, np.inf, -np.inf]), dtype).data
    values, places = empty_array((rows, k), dtype), np.full((rows, k), -1, np.int64)
    launch(FILE, "topk_rows", {"x_ptr": x.argument, "values_ptr": values.argument, "columns_ptr": places, "x_row_stride": columns + 3, "n_columns": columns, "k": k,
                               "K": power_of_two(k), "BLOCK": max(block, power_of_two(k)), "LARGEST": largest}, grid=(rows, ))
    counted, counted_places = empty_array((rows, k), dtype), np.full((rows, k), -1, np.int64)
    launch(FILE, "topk_rows_by_count", {"x_ptr": x.argument, "values_ptr": counted.argument, "columns_ptr": counted_places, "x_row_stride": columns + 3, "n_columns": columns, "k": k,
                                        "K": power_of_two(k), "BLOCK": power_of_two(columns), "LARGEST": largest}, grid=(rows, ))
    wide = x.values[:, :columns] * (-1 if largest else 1)
    order = np.argsort(np.where(np.isnan(wide), -np.inf if largest else np.inf, wide), axis=1, kind="stable")
    if special and largest:  # NaN comes before infinity
        order[0] = np.concatenate([[0], order[0][order[0] != 0]])
    expected = order[:, :k]
    checks.equal(places, expected, what + ": columns")
    checks.equal(values.values, np.take_along_axis(x.values, expected, axis=1), what + ": values")
    checks.equal(counted_places, expected, what + ": columns by counting")
    checks.equal(counted.values, values.values, what + ": values by counting")


for dtype in DTYPES:
    for rows, columns, k in ((3, 100, 5), (2, 64, 1), (2, 33, 16), (1, 7, 7), (2, 200, 30)):
        for largest in (True, False):
            checks.run(f"topk {k} of {rows}x{columns} {dtype}", test, rows, columns, k, dtype, largest)
    checks.run(f"topk of NaN and infinities {dtype}", test, 2, 50, 4, dtype, True, 32, True)
checks.run("topk in one block", test, 3, 60, 8, "fp32", True, 64)
checks.run("topk of no rows", test, 0, 20, 3, "fp32")
checks.exit()
