"""transpose against numpy, bit by bit: every width of elements, tails, strides, batches, nothing at all."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import Checks, cdiv, kernel_file, launch, np

checks = Checks()
rng = np.random.default_rng(11)


def test(batch, rows, columns, padding, dtype, blocks):
    what = f"transpose {batch}x{rows}x{columns} {dtype} blocks={blocks}"
    x = rng.integers(0, 100, (batch, rows, columns + padding)).astype(dtype)
    out = np.full((batch, columns, rows + padding), 101).astype(dtype)
    launch(kernel_file("transpose"), "transpose",
           {"x_ptr": x, "out_ptr": out, "n_rows": rows, "n_columns": columns, "x_batch_stride": x[0].size, "x_row_stride": columns + padding,
            "out_batch_stride": out[0].size, "out_row_stride": rows + padding, "BLOCK_ROWS": blocks[0], "BLOCK_COLUMNS": blocks[1],
            "CACHE": ".cs" if padding else ""}, grid=(cdiv(columns, blocks[1]), cdiv(rows, blocks[0]), batch))
    checks.equal(out[:, :, :rows], x[:, :, :columns].swapaxes(1, 2), what)
    checks.expect((out[:, :, rows:] == 101).all(), what + ": nothing written past the end of a row")


for dtype in ("float32", "float16", "int8", "int64", "float64"):
    for batch, rows, columns, padding in ((1, 64, 64, 0), (2, 33, 70, 3), (3, 1, 5, 1), (1, 100, 1, 0), (2, 0, 5, 1), (2, 5, 0, 1)):
        checks.run(f"transpose {rows}x{columns} {dtype}", test, batch, rows, columns, padding, dtype, (32, 32))
checks.run("transpose wide blocks", test, 2, 100, 200, 1, "float32", (16, 64))
checks.exit()
