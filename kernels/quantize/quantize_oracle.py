"""quantize: scales and values of int8 and fp8 by matrix, row, group and block against float64; decoding bit by bit from the formats' definition."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, Typed, cdiv, empty_array, kernel_file, launch, np, random_array
from nereid_test import fp8_from_float, fp8_table

checks = Checks()
rng = np.random.default_rng(23)
FILE = kernel_file("quantize")
LARGEST = {"int8": 127.0, "fp8e4nv": 448.0, "fp8e5": 57344.0}


class Narrow:
    """A matrix of a narrow type."""

    def __init__(self, shape, kind):
        self.kind, self.data = kind, np.full(shape, 99, np.int8 if kind == "int8" else np.uint8)

    @property
    def argument(self):
        return self.data if self.kind == "int8" else Typed(self.data, self.kind)

    @property
    def values(self):
        return self.data.astype(np.float64) if self.kind == "int8" else fp8_table(self.kind)[self.data]


def expect_nearest(q, quotient, what):
    """Rounded to nearest; where x / scale is next to the middle of two values, to either."""
    def rounded(x):
        return np.clip(np.rint(x), -127, 127) if q.kind == "int8" else fp8_table(q.kind)[fp8_from_float(x, q.kind)]

    low, high = rounded(quotient * (1 - 1e-6)), rounded(quotient * (1 + 1e-6))
    checks.expect(((q.values == low) | (q.values == high)).all(), f"{what}: values to nearest")


def largest_by(x, rows, columns):
    """The largest |x| of each block, and by element."""
    down, across = cdiv(x.shape[0], rows), cdiv(x.shape[1], columns)
    blocks = np.array([[np.abs(x[i * rows:(i + 1) * rows, j * columns:(j + 1) * columns]).max() for j in range(across)] for i in range(down)])
    return blocks, blocks.repeat(rows, axis=0)[:x.shape[0]].repeat(columns, axis=1)[:, :x.shape[1]]


def divided(x, scale):
    return np.where(scale == 0, 0, x / np.where(scale == 0, 1, scale))


def test_rows(rows, columns, kind, dtype):
    what = f"quantize_rows {rows}x{columns} {kind} {dtype}"
    x, q, scale = random_array(rng, (rows, columns + 3), dtype, 5), Narrow((rows, columns), kind), np.full(rows, 1e9, np.float32)
    if rows > 1:
        x.data[1] = 0
    given = {"x_ptr": x.argument, "q_ptr": q.argument, "scale_ptr": scale, "x_row_stride": columns + 3, "q_row_stride": columns, "n_columns": columns, "LARGEST": LARGEST[kind]}
    launch(FILE, "quantize_rows", {**given, "BLOCK": 32}, grid=(rows, ))
    values = x.values[:, :columns]
    checks.close(scale, np.abs(values).max(axis=1, initial=0) / LARGEST[kind], what + ": scale", rtol=1e-6)
    expect_nearest(q, divided(values, scale[:, None].astype(np.float64)), what)
    again, scale_again = Narrow((rows, columns), kind), np.full(rows, 1e9, np.float32)
    launch(FILE, "quantize_short_rows", {**given, "q_ptr": again.argument, "scale_ptr": scale_again, "n_rows": rows, "ROWS": 2, "BLOCK": 128}, grid=(cdiv(rows, 2), ))
    checks.equal(again.data, q.data, what + ": the same where rows are read once")
    checks.equal(scale_again, scale, what + ": the same scales where rows are read once")


def test_blocks(rows, columns, block_m, block_n, kind, dtype):
    what = f"quantize_blocks {rows}x{columns} by {block_m}x{block_n} {kind} {dtype}"
    x, q = random_array(rng, (rows, columns + 3), dtype, 5), Narrow((rows, columns), kind)
    scale = np.full((cdiv(rows, block_m), cdiv(columns, block_n)), 1e9, np.float32)
    launch(FILE, "quantize_blocks", {"x_ptr": x.argument, "q_ptr": q.argument, "scale_ptr": scale, "x_row_stride": columns + 3, "q_row_stride": columns,
                                     "n_rows": rows, "n_columns": columns, "LARGEST": LARGEST[kind], "BLOCK_M": block_m, "BLOCK_N": block_n},
           grid=(scale.shape[1], scale.shape[0]))
    values = x.values[:, :columns]
    checks.close(scale, largest_by(values, block_m, block_n)[0] / LARGEST[kind], what + ": scale", rtol=1e-6)
    wide = scale.astype(np.float64).repeat(block_m, axis=0)[:rows].repeat(block_n, axis=1)[:, :columns]
    expect_nearest(q, divided(values, wide), what)

    again, out = Narrow((rows, columns), kind), empty_array((rows, columns + 1), dtype)
    sizes = {"n_rows": rows, "n_columns": columns, "scale_row_stride": scale.shape[1], "scale_rows": block_m, "scale_columns": block_n, "BLOCK_M": 8, "BLOCK_N": 16}
    grid = (cdiv(columns, 16), cdiv(rows, 8))
    launch(FILE, "quantize_by", {"x_ptr": x.argument, "scale_ptr": scale, "q_ptr": again.argument, "x_row_stride": columns + 3, "q_row_stride": columns,
                                 "LARGEST": LARGEST[kind]} | sizes, grid=grid)
    checks.equal(again.data, q.data, what + ": the same with known scales")
    launch(FILE, "quantize_by", {"x_ptr": x.argument, "scale_ptr": scale, "q_ptr": again.argument, "x_row_stride": columns + 3, "q_row_stride": columns,
                                 "LARGEST": LARGEST[kind], "HAS_ONE": True} | sizes | {"scale_rows": rows, "scale_columns": columns}, grid=grid)
    expect_nearest(again, divided(values, np.full(values.shape, scale[0, 0].astype(np.float64))), what + ": with one scale")
    launch(FILE, "dequantize_by", {"q_ptr": q.argument, "scale_ptr": scale, "out_ptr": out.argument, "q_row_stride": columns, "out_row_stride": columns + 1} | sizes,
           grid=grid)
    checks.close(out.values[:, :columns], q.values * wide, what + ": dequantized", rtol=TOLERANCE[dtype])
    checks.expect(out.untouched[:, columns:].all(), what + ": nothing written past the end of a row")


def test_decoding(kind):
    """Every code of a format, as its definition has it."""
    q, out = Narrow((16, 16), kind), np.full((16, 16), 1e9, np.float32)
    q.data[:] = np.arange(256).reshape(16, 16).astype(q.data.dtype)
    launch(FILE, "dequantize_by", {"q_ptr": q.argument, "scale_ptr": np.ones((1, 1), np.float32), "out_ptr": out, "q_row_stride": 16, "out_row_stride": 16, "n_rows": 16,
                                   "n_columns": 16, "scale_row_stride": 1, "scale_rows": 16, "scale_columns": 16, "BLOCK_M": 16, "BLOCK_N": 16}, grid=(1, 1))
    checks.equal(out, q.values.astype(np.float32), f"dequantize_by: all codes of {kind}")


def test_whole(n, dtype):
    x, partial, scale = random_array(rng, n, dtype, 7), np.full(3, 1e9, np.float32), np.full(1, 1e9, np.float32)
    launch(FILE, "largest_magnitude", {"x_ptr": x.argument, "out_ptr": partial, "n": n, "divisor": 1.0, "BLOCK": 16}, grid=(3, ))
    launch(FILE, "largest_magnitude", {"x_ptr": partial, "out_ptr": scale, "n": 3, "divisor": 448.0, "BLOCK": 16}, grid=(1, ))
    checks.close(scale, [np.abs(x.values).max(initial=0) / 448], f"largest_magnitude {n} {dtype}", rtol=1e-6)


for kind in LARGEST:
    for dtype in DTYPES:
        for shape in ((5, 100), (3, 32), (1, 1)):
            checks.run(f"quantize_rows {shape} {kind} {dtype}", test_rows, *shape, kind, dtype)
        for shape in ((20, 50, 16, 32), (16, 16, 16, 16), (5, 40, 1, 8), (7, 9, 128, 128)):
            checks.run(f"quantize_blocks {shape} {kind} {dtype}", test_blocks, *shape, kind, dtype)
    checks.run(f"decoding of {kind}", test_decoding, kind)
for dtype in DTYPES:
    for n in (100, 1, 16, 0):
        checks.run(f"largest_magnitude {n} {dtype}", test_whole, n, dtype)
checks.run("quantize_rows of no rows", test_rows, 0, 20, "int8", "fp32")
checks.run("quantize_rows of no columns", test_rows, 2, 0, "int8", "fp32")
checks.exit()
