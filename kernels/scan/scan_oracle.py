"""scan, scan_places, scan_segments and scan_steps against float64 and exact integers: rows of one tile and of many, tails, strides, windows shorter and longer than the tiles, both directions, types, infinities and NaN, no elements."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Array, Checks, cdiv, empty_array, kernel_file, launch, launch_once, np, random_array

checks = Checks()
rng = np.random.default_rng(61)
FILE = kernel_file("scan")
ACCUMULATE = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def run(kernel, arguments, rows, columns, words, block, window):
    """With the checker, and with what one launch leaves for the next. A line for each of four warps, in large tiles for two."""
    programs = rows * cdiv(columns, block)
    state = np.zeros(2 + words * programs, np.int64)
    settings = {"state_ptr": state, "n_columns": columns, "BLOCK": block, "LINES": 2 if block > 512 else 4, "WINDOW": window}
    launch(FILE, kernel, arguments | settings | {"RESTORE": True}, grid=(programs, ))
    checks.equal(state, 0 * state, f"{kernel} {rows}x{columns}: the state is as it was")


def accumulated(x, kind, reverse):
    x = x[:, ::-1] if reverse else x
    x = ACCUMULATE[kind].accumulate(x, axis=1)
    return x[:, ::-1] if reverse else x


def test(rows, columns, kind, dtype, reverse=False, block=128, window=4):
    what = f"scan {rows}x{columns} {kind} {dtype} reverse={reverse} block={block} window={window}"
    x, out = random_array(rng, (rows, columns + 3), dtype), empty_array((rows, columns + 1), dtype)
    run("scan", {"x_ptr": x.argument, "out_ptr": out.argument, "x_row_stride": columns + 3, "out_row_stride": columns + 1, "KIND": kind, "REVERSE": reverse}, rows, columns, 1, block, window)
    atol = {"sum": TOLERANCE[dtype] * columns**0.5, "prod": 6e-8 if dtype == "fp16" else 1e-37}.get(kind, 0)  # products become as small as the type has them
    checks.close(out.values[:, :columns], accumulated(x.values[:, :columns], kind, reverse), what, rtol=TOLERANCE[dtype], atol=atol)
    checks.expect(out.untouched[:, columns].all(), what + ": nothing written past the end of a row")


def test_integers(rows, columns, kind, dtype, to, reverse=False):
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min // 8, limits.max // 8, (rows, columns), dtype)
    out = np.full((rows, columns), 77, to)
    run("scan", {"x_ptr": x, "out_ptr": out, "x_row_stride": columns, "out_row_stride": columns, "KIND": kind, "REVERSE": reverse}, rows, columns, 2, 128, 8)
    checks.equal(out, accumulated(x.astype(np.int64), kind, reverse).astype(to), f"scan of {dtype.__name__} {kind} to {to.__name__}")


def test_extremes(kind):
    """An infinity stays, and so does a NaN, across tiles."""
    x = Array(rng.standard_normal((3, 200)), "fp32")
    x.data[0, 70], x.data[1, 40], x.data[2, 150] = np.inf, -np.inf, np.nan
    out = empty_array((3, 200), "fp32")
    run("scan", {"x_ptr": x.argument, "out_ptr": out.argument, "x_row_stride": 200, "out_row_stride": 200, "KIND": kind}, 3, 200, 1, 128, 4)
    checks.close(out.values, accumulated(x.values, kind, False), f"scan {kind} of inf and NaN", rtol=2e-5, atol=2e-4)


def places_so_far(x, kind):
    """The last place of the largest or smallest element so far; a NaN is both."""
    places = np.zeros(x.shape, np.int64)
    for row, values in enumerate(x):
        best = 0
        for t, value in enumerate(values):
            held = values[best]
            if np.isnan(value) or (not np.isnan(held) and (value >= held if kind == "max" else value <= held)):
                best = t
            places[row, t] = best
    return places


def test_places(rows, columns, kind, dtype, block=128, window=4):
    what = f"scan_places {rows}x{columns} {kind} {dtype}"
    if dtype in DTYPES:
        x, out = random_array(rng, (rows, columns), dtype), empty_array((rows, columns), dtype)
        x.data[:, ::3] = Array(rng.integers(-2, 3, x.data[:, ::3].shape), dtype).data  # equal ones
        if columns > 300:
            x.data[0, [250, 300]], x.data[-1, :200] = Array([np.nan], dtype).data, Array([-np.inf if kind == "max" else np.inf], dtype).data
        given, written, values = x.argument, out.argument, x.values
    else:
        given = values = rng.integers(-50, 50, (rows, columns)).astype(dtype)
        written = out = np.zeros((rows, columns), dtype)
    places = np.full((rows, columns), -7, np.int64)
    run("scan_places", {"x_ptr": given, "out_ptr": written, "places_ptr": places, "x_row_stride": columns, "out_row_stride": columns, "KIND": kind}, rows, columns, 2, block, window)
    expected = places_so_far(values, kind)
    checks.equal(places, expected, what)
    checks.equal(out.values if dtype in DTYPES else out, np.take_along_axis(values, expected, axis=1), what + ": values")


def test_segments(rows, columns, share, dtype, heads_type=np.int8, block=128, window=4):
    what = f"scan_segments {rows}x{columns} {share} {dtype} {heads_type.__name__}"
    x, out = random_array(rng, (rows, columns), dtype), empty_array((rows, columns), dtype)
    heads = (rng.random((rows, columns + 2)) < share).astype(heads_type) * heads_type(3 if heads_type != np.bool_ else 1)
    if columns > 50:
        x.data[:, 40], heads[:, 41] = Array([np.inf], dtype).data, 1  # an infinity does not leave its segment
    run("scan_segments", {"x_ptr": x.argument, "heads_ptr": heads, "out_ptr": out.argument, "x_row_stride": columns, "heads_row_stride": columns + 2, "out_row_stride": columns}, rows, columns, 1, block,
        window)
    expected = x.values
    for t in range(1, columns):
        expected[:, t] += np.where(heads[:, t] != 0, 0, expected[:, t - 1])
    checks.close(out.values, expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * columns**0.5)


def test_steps(rows, columns, dtype, with_initial, block=128, window=4):
    what = f"scan_steps {rows}x{columns} {dtype} initial={with_initial}"
    a, b = Array(rng.uniform(-1, 1, (rows, columns)), dtype), random_array(rng, (rows, columns + 1), dtype)
    a.data[:, ::13] = Array(1.0, dtype).data
    h, initial = empty_array((rows, columns), dtype), random_array(rng, (rows, ), dtype) if with_initial else None
    run("scan_steps", {"a_ptr": a.argument, "b_ptr": b.argument, "initial_ptr": initial.argument if with_initial else None, "h_ptr": h.argument, "a_row_stride": columns, "b_row_stride": columns + 1,
                       "h_row_stride": columns}, rows, columns, 2, block, window)
    state, expected = initial.values if with_initial else np.zeros(rows), np.zeros((rows, columns))
    for t in range(columns):
        state = a.values[:, t] * state + b.values[:, t]
        expected[:, t] = state
    checks.close(h.values, expected, what, rtol=TOLERANCE[dtype], atol=4 * TOLERANCE[dtype])


def test_without_restoring():
    """Behind `clear`, whatever the memory held."""
    x, out, state = np.ones(500, np.float32), np.zeros(500, np.float32), np.full(2 + 4, -1, np.int64)
    launch(FILE, "clear", {"state_ptr": state, "n": 6, "BLOCK": 16}, grid=(1, ))
    checks.equal(state, np.zeros(6, np.int64), "clear")
    launch_once(FILE, "scan", {"x_ptr": x, "out_ptr": out, "state_ptr": state, "x_row_stride": 500, "out_row_stride": 500, "n_columns": 500, "KIND": "sum", "BLOCK": 128, "LINES": 1, "WINDOW": 8}, grid=(4, ))
    checks.equal(out, np.arange(1, 501, dtype=np.float32), "scan of ones")


for dtype in DTYPES:
    for kind in ACCUMULATE:
        checks.run(f"scan {kind} {dtype}", test, 3, 700, kind, dtype)
    checks.run(f"scan_segments {dtype}", test_segments, 3, 700, 0.005, dtype)
    for with_initial in (False, True):
        checks.run(f"scan_steps {dtype} {with_initial}", test_steps, 3, 700, dtype, with_initial)
for rows, columns, block, window in ((1, 1, 128, 4), (5, 128, 128, 4), (2, 129, 128, 2), (1, 5000, 128, 8), (1, 2000, 256, 64), (40, 33, 128, 4), (2, 3000, 1024, 4)):
    for reverse in (False, True):
        checks.run(f"scan {rows}x{columns} {reverse}", test, rows, columns, "sum", "fp32", reverse, block, window)
    checks.run(f"scan_segments {rows}x{columns}", test_segments, rows, columns, 0.002, "fp32", np.int32, block, window)
    checks.run(f"scan_steps {rows}x{columns}", test_steps, rows, columns, "fp32", True, block, window)
for share in (0.0, 1.0):
    checks.run(f"scan_segments {share}", test_segments, 1, 300, share, "fp32", np.bool_)
for kind in ACCUMULATE:
    checks.run(f"scan of int32 {kind}", test_integers, 2, 400, kind, np.int32, np.int64)
    checks.run(f"scan of int64 {kind}", test_integers, 2, 400, kind, np.int64, np.int64, True)
    checks.run(f"scan of extremes {kind}", test_extremes, kind)
for kind in ("max", "min"):
    for dtype in (*DTYPES, "int32", "int8"):
        checks.run(f"scan_places {kind} {dtype}", test_places, 3, 700, kind, dtype)
    for rows, columns, block in ((1, 1, 128), (2, 3000, 256), (0, 5, 128), (3, 0, 128)):
        checks.run(f"scan_places {kind} {rows}x{columns}", test_places, rows, columns, kind, "fp32", block)
checks.run("scan of uint8", test_integers, 2, 400, "sum", np.uint8, np.int32)
for rows, columns in ((0, 40), (3, 0)):
    checks.run(f"scan of nothing {rows}x{columns}", test, rows, columns, "sum", "fp32")
checks.run("scan without restoring", test_without_restoring)
checks.exit()
