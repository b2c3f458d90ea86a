"""interpolate: nearest places and bilinear interpolation, larger and smaller, with and without aligned corners, and the gradients, against float64: odd sizes, one row, nothing."""
import math
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(65)
FILE = kernel_file("interpolate")


def scale_of(size, out_size, align):
    return ((size - 1) / (out_size - 1) if out_size > 1 else 0.0) if align else size / max(out_size, 1)


def matrix(size, out_size, kind, align):
    """[out_size, size]: what each place of the result takes of each place."""
    scale, result = np.float32(scale_of(size, out_size, align)), np.zeros((out_size, size))
    for i in range(out_size):
        if kind == "bilinear":
            at = np.float32(i) * scale if align else max((np.float32(i) + np.float32(0.5)) * scale - np.float32(0.5), np.float32(0))
        else:
            at = np.floor((np.float32(i) + np.float32(0.5 if kind == "nearest-exact" else 0)) * scale)
        first = min(int(at), size - 1)
        share = float(at) - first if kind == "bilinear" else 0.0
        result[i, first] += 1 - share
        result[i, min(first + 1, size - 1)] += share
    return result


def blocks(planes, size):
    """The grid."""
    return cdiv(planes, 2) * cdiv(size[0], 4) * cdiv(size[1], 4),


def test(planes, size, out_size, kind, align, dtype):
    what = f"interpolate {planes}x{size} to {out_size} {kind} align={align} {dtype}"
    x, out = random_array(rng, (planes, *size), dtype), empty_array((planes, *out_size), dtype)
    scales = [scale_of(size[a], out_size[a], align) for a in range(2)]
    given = {"scale_h": scales[0], "scale_w": scales[1], "KIND": kind, "ALIGN": align, "BLOCK_P": 2, "BLOCK_H": 4, "BLOCK_W": 4}
    launch(FILE, "interpolate", {"x_ptr": x.argument, "out_ptr": out.argument, "planes": planes, "height": size[0], "width": size[1], "out_height": out_size[0], "out_width": out_size[1]} | given, grid=blocks(planes, out_size))
    rows, columns = (matrix(size[a], out_size[a], kind, align) for a in range(2))
    checks.close(out.values, np.einsum("yh,xw,phw->pyx", rows, columns, x.values), what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    grad, grad_x = random_array(rng, out.data.shape, dtype), empty_array(x.data.shape, dtype)
    readers = [out_size[a] if scales[a] == 0 else math.ceil((2 if kind == "bilinear" else 1) / scales[a]) + 2 for a in range(2)]
    launch(FILE, "interpolate_backward", {"grad_ptr": grad.argument, "out_ptr": grad_x.argument, "planes": planes, "height": size[0], "width": size[1], "grad_height": out_size[0], "grad_width": out_size[1],
                                          "readers_h": readers[0], "readers_w": readers[1]} | given, grid=blocks(planes, size))
    checks.close(grad_x.values, np.einsum("yh,xw,pyx->phw", rows, columns, grad.values), what + ": gradient", rtol=TOLERANCE[dtype], atol=8 * TOLERANCE[dtype])


KINDS = (("nearest", False), ("nearest-exact", False), ("bilinear", False), ("bilinear", True))
for kind, align in KINDS:
    for dtype in DTYPES:
        checks.run(f"interpolate {kind} {dtype}", test, 2, (5, 7), (10, 14), kind, align, dtype)
    for size, out_size in (((5, 7), (13, 9)), ((9, 12), (4, 5)), ((1, 6), (5, 6)), ((6, 6), (1, 3)), ((4, 5), (31, 1)), ((1, 1), (3, 3)), ((7, 7), (7, 7))):
        checks.run(f"interpolate {kind} {size} {out_size}", test, 1, size, out_size, kind, align, "fp32")
    checks.run(f"interpolate {kind} of nothing", test, 0, (3, 3), (5, 5), kind, align, "fp32")
checks.exit()
