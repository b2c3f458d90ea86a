"""nms against a loop over boxes in float64: few and many, all alike, none alike, empty boxes, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Array, Checks, cdiv, kernel_file, launch, np, power_of_two

checks = Checks()
rng = np.random.default_rng(66)
FILE = kernel_file("nms")


def share(a, b):
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(width, 0) * max(height, 0)
    together = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
    return shared / together if together else 0.0


def selected(boxes, order, threshold):
    kept = []
    for i in order:
        if all(share(boxes[i], boxes[j]) <= threshold for j in kept):
            kept.append(i)
    return kept


def test(n, spread, dtype, threshold=0.4, index_type=np.int32):
    what = f"nms {n} boxes over {spread} {dtype} at {threshold}"
    corners, sizes = rng.uniform(0, max(spread, 1e-9), (n, 2)), rng.uniform(0.5, 4, (n, 2))
    boxes = Array(np.round(8 * np.concatenate([corners, corners + sizes], axis=1)) / 8, dtype)  # quarters: no share lies at the threshold by rounding
    order = rng.permutation(n).astype(index_type)
    n_words = cdiv(n, 32)
    words, keep, number = np.full((n, n_words), 99, np.int32), np.full(n, -7, np.int64), np.full(1, -7, np.int32)
    launch(FILE, "overlaps", {"boxes_ptr": boxes.argument, "order_ptr": order, "words_ptr": words, "n": n, "n_words": n_words, "threshold": threshold, "BLOCK": 16}, grid=(cdiv(n, 16), n_words))
    launch(FILE, "select", {"words_ptr": words, "order_ptr": order, "keep_ptr": keep, "number_ptr": number, "n": n, "n_words": n_words, "BLOCK_W": power_of_two(n_words)}, grid=(1, ))
    expected = selected(boxes.values, order, threshold)
    checks.equal(number, np.array([len(expected)], np.int32), what + ": number")
    checks.equal(keep[:len(expected)], np.array(expected, np.int64), what)
    checks.expect((keep[len(expected):] == -7).all(), what + ": nothing behind")


for dtype in DTYPES:
    checks.run(f"nms {dtype}", test, 90, 12, dtype)
for n, spread in ((1, 1), (32, 5), (33, 5), (200, 8), (40, 1000), (70, 0)):
    checks.run(f"nms {n} {spread}", test, n, spread, "fp32", index_type=np.int64)
checks.run("nms at 0", test, 50, 10, "fp32", 0.0)
checks.run("nms of nothing", test, 0, 1, "fp32")
checks.exit()
