"""gather, scatter and scatter that adds against numpy: axes first, in the middle and last, repeated numbers, numbers outside, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DEVICE, DTYPES, TOLERANCE, Checks, Typed, cdiv, empty_array, kernel_file, launch, launch_once, np, random_array
import nereid_test

checks = Checks()
rng = np.random.default_rng(63)
FILE = kernel_file("gather")


def update(kernel, arguments, grid):
    """A kernel that updates out: the checker gets a copy of it."""
    if DEVICE.startswith("interp"):
        out = arguments["out_ptr"]
        copy = Typed(out.array.copy(), out.dtype) if isinstance(out, Typed) else out.copy()
        nereid_test.launch(FILE, kernel, arguments | {"out_ptr": copy}, check=True, grid=grid)
    launch_once(FILE, kernel, arguments, grid=grid)


def numbers(outer, length, picked, inner, dtype, repeated=True):
    if repeated:
        index = rng.integers(0, max(length, 1), (outer, picked, inner)).astype(dtype)
    else:
        index = rng.permuted(np.tile(np.arange(length)[None, :, None], (outer, 1, inner)), axis=1)[:, :picked].astype(dtype)
    if index.size > 3:
        index.reshape(-1)[1], index.reshape(-1)[3] = length, -1
    return index, (index >= 0) & (index < length)


def test_gather(outer, length, picked, inner, dtype, index_type):
    what = f"gather {picked} of {outer}x{length}x{inner} {dtype} {index_type}"
    index, inside = numbers(outer, length, picked, inner, index_type)
    x, out = random_array(rng, (outer, length, inner), dtype), empty_array((outer, picked, inner), dtype)
    launch(FILE, "gather", {"x_ptr": x.argument, "index_ptr": index, "out_ptr": out.argument, "n": index.size, "length": length, "picked": picked, "inner": inner, "BLOCK": 32}, grid=(cdiv(index.size, 32), ))
    expected = np.where(inside, np.take_along_axis(x.values, np.where(inside, index, 0).astype(np.int64), axis=1), 0) if length else np.zeros(index.shape)
    checks.equal(out.values, expected, what)


def test_scatter(outer, length, picked, inner, dtype):
    what = f"scatter {picked} to {outer}x{length}x{inner} {dtype}"
    index, inside = numbers(outer, length, picked, inner, "int64", repeated=False)
    x, out = random_array(rng, index.shape, dtype), random_array(rng, (outer, length, inner), dtype)
    expected = out.values
    for place in np.argwhere(inside):
        expected[place[0], index[tuple(place)], place[2]] = x.values[tuple(place)]
    update("scatter", {"x_ptr": x.argument, "index_ptr": index, "out_ptr": out.argument, "n": index.size, "length": length, "picked": picked, "inner": inner, "BLOCK": 32}, (cdiv(index.size, 32), ))
    checks.equal(out.values, expected, what)


def test_add(outer, length, picked, inner, dtype, index_type="int64"):
    what = f"scatter_add {picked} to {outer}x{length}x{inner} {dtype} {index_type}"
    index, inside = numbers(outer, length, picked, inner, index_type)
    x, out, n, outside = random_array(rng, index.shape, dtype), random_array(rng, (outer, length, inner), dtype), index.size, outer * length * inner
    expected, any_order = out.values, empty_array(out.data.shape, dtype)
    any_order.data[...] = out.data
    for place in np.argwhere(inside):
        expected[place[0], index[tuple(place)], place[2]] += x.values[tuple(place)]
    update("scatter_add", {"x_ptr": x.argument, "index_ptr": index, "out_ptr": any_order.argument, "n": n, "length": length, "picked": picked, "inner": inner, "BLOCK": 32}, (cdiv(n, 32), ))
    checks.close(any_order.values, expected, what + ": by atomics", rtol=4 * TOLERANCE[dtype], atol=32 * TOLERANCE[dtype])
    targets = np.full(n, -7, np.int32)
    launch(FILE, "scatter_targets", {"index_ptr": index, "out_ptr": targets, "n": n, "length": length, "picked": picked, "inner": inner, "outside": outside, "BLOCK": 32}, grid=(cdiv(n, 32), ))
    flat = (np.arange(outer)[:, None, None] * length + index) * inner + np.arange(inner)
    checks.equal(targets, np.where(inside, flat, outside).reshape(-1).astype(np.int32), what + ": targets")
    order = np.argsort(targets, kind="stable").astype(np.int32)
    update("add_sorted", {"x_ptr": x.argument, "sorted_ptr": targets[order], "from_ptr": order, "out_ptr": out.argument, "n": n, "outside": outside, "BLOCK": 16}, (cdiv(n, 16), ))
    checks.close(out.values, expected, what, rtol=TOLERANCE[dtype], atol=4 * TOLERANCE[dtype])


SHAPES = ((1, 7, 20, 1), (3, 9, 5, 1), (2, 5, 4, 3), (1, 6, 3, 10), (1, 1, 50, 1), (2, 3, 0, 4), (0, 3, 2, 4))
for dtype in DTYPES:
    for shape in SHAPES:
        checks.run(f"gather {shape} {dtype}", test_gather, *shape, dtype, "int32")
        checks.run(f"scatter_add {shape} {dtype}", test_add, *shape, dtype)
        if shape[2] <= shape[1]:
            checks.run(f"scatter {shape} {dtype}", test_scatter, *shape, dtype)
checks.run("gather, wide numbers", test_gather, 2, 40, 33, 3, "fp32", "int64")
checks.run("scatter_add, narrow numbers", test_add, 2, 40, 33, 3, "fp32", "int32")
checks.exit()
