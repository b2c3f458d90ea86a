"""pooling: the largest element and the mean of windows, and their gradients, against loops over places in float64: strides, padding, dilation, windows that hang over, NaN, odd sizes, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(64)
FILE = kernel_file("pooling")


def windows(size, out_size, kernel, step, pad, dilation):
    """For each place of the result the rows, or columns, of its window that lie inside, and where the window begins and ends."""
    for i in range(out_size):
        start = i * step - pad
        yield [at for at in range(start, start + kernel * dilation, dilation) if 0 <= at < size], start, min(start + kernel, size + pad)


def sizes(size, out, kernel, step, pad):
    return {"height": size[0], "width": size[1], "out_height": out[0], "out_width": out[1], "step_h": step[0], "step_w": step[1], "pad_h": pad[0], "pad_w": pad[1], "KERNEL_H": kernel[0], "KERNEL_W": kernel[1],
            "BLOCK_P": 2, "BLOCK_H": 2, "BLOCK_W": 8}


def blocks(planes, size):
    """The grid."""
    return cdiv(planes, 2) * cdiv(size[0], 2) * cdiv(size[1], 8),


def backward_sizes(given):
    return {name.replace("out_", "grad_"): value for name, value in given.items()}


def test_max(planes, size, kernel, step, pad, dilation, dtype, more=0, with_nan=False):
    what = f"max_pool2d {planes}x{size} {kernel} step={step} pad={pad} dilation={dilation} {dtype}"
    out_size = [(size[a] + 2 * pad[a] - dilation[a] * (kernel[a] - 1) - 1) // step[a] + 1 + more for a in range(2)]
    x, out = random_array(rng, (planes, *size), dtype), empty_array((planes, *out_size), dtype)
    if with_nan:
        x.data[0, 1, 2] = np.nan
    index = np.full((planes, *out_size), -7, np.int64)
    given = sizes(size, out_size, kernel, step, pad) | {"dilation_h": dilation[0], "dilation_w": dilation[1]}
    launch(FILE, "max_pool2d", {"x_ptr": x.argument, "out_ptr": out.argument, "index_ptr": index, "planes": planes} | given, grid=blocks(planes, out_size))
    expected, places = np.zeros(index.shape), np.zeros(index.shape, np.int64)
    for i, (rows, *_) in enumerate(windows(size[0], out_size[0], kernel[0], step[0], pad[0], dilation[0])):
        for j, (columns, *_) in enumerate(windows(size[1], out_size[1], kernel[1], step[1], pad[1], dilation[1])):
            for plane in range(planes):
                part = x.values[plane][np.ix_(rows, columns)]
                best = part.size - 1 - np.isnan(part)[::-1, ::-1].argmax() if np.isnan(part).any() else part.argmax()  # the last NaN
                expected[plane, i, j] = part.reshape(-1)[best]
                places[plane, i, j] = rows[best // len(columns)] * size[1] + columns[best % len(columns)]
    checks.equal(out.values, expected, what)
    checks.equal(index, places, what + ": places")
    grad, grad_x = random_array(rng, out.data.shape, dtype), empty_array(x.data.shape, dtype)
    launch(FILE, "max_pool2d_backward", {"grad_ptr": grad.argument, "index_ptr": index, "out_ptr": grad_x.argument, "planes": planes} | backward_sizes(given), grid=blocks(planes, size))
    back = np.zeros((planes, size[0] * size[1]))
    for plane in range(planes):
        np.add.at(back[plane], places[plane].reshape(-1), grad.values[plane].reshape(-1))
    checks.close(grad_x.values, back.reshape(x.data.shape), what + ": gradient", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def test_avg(planes, size, kernel, step, pad, dtype, with_padding=True, divisor=0, more=0):
    what = f"avg_pool2d {planes}x{size} {kernel} step={step} pad={pad} {dtype} with_padding={with_padding} divisor={divisor}"
    out_size = [(size[a] + 2 * pad[a] - kernel[a]) // step[a] + 1 + more for a in range(2)]
    x, out = random_array(rng, (planes, *size), dtype), empty_array((planes, *out_size), dtype)
    given = sizes(size, out_size, kernel, step, pad) | {"divisor": divisor, "WITH_PADDING": with_padding}
    launch(FILE, "avg_pool2d", {"x_ptr": x.argument, "out_ptr": out.argument, "planes": planes} | given, grid=blocks(planes, out_size))
    grad, grad_x = random_array(rng, out.data.shape, dtype), empty_array(x.data.shape, dtype)
    launch(FILE, "avg_pool2d_backward", {"grad_ptr": grad.argument, "out_ptr": grad_x.argument, "planes": planes} | backward_sizes(given), grid=blocks(planes, size))
    expected, back = np.zeros(out.data.shape), np.zeros(x.data.shape)
    for i, (rows, top, bottom) in enumerate(windows(size[0], out_size[0], kernel[0], step[0], pad[0], 1)):
        for j, (columns, left, right) in enumerate(windows(size[1], out_size[1], kernel[1], step[1], pad[1], 1)):
            counted = divisor or ((bottom - top) * (right - left) if with_padding else len(rows) * len(columns))
            part = np.ix_(range(planes), rows, columns)
            expected[:, i, j] = x.values[part].sum(axis=(1, 2)) / counted
            back[part] += grad.values[:, i, j][:, None, None] / counted
    checks.close(out.values, expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    checks.close(grad_x.values, back, what + ": gradient", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


for dtype in DTYPES:
    checks.run(f"max_pool2d {dtype}", test_max, 3, (7, 9), (2, 2), (2, 2), (0, 0), (1, 1), dtype)
    checks.run(f"max_pool2d, padded {dtype}", test_max, 2, (8, 5), (3, 3), (2, 1), (1, 1), (1, 1), dtype)
    checks.run(f"avg_pool2d {dtype}", test_avg, 2, (7, 9), (3, 2), (2, 2), (1, 1), dtype)
checks.run("max_pool2d, dilated", test_max, 1, (9, 9), (3, 2), (1, 2), (1, 0), (2, 3), "fp32")
checks.run("max_pool2d that hangs over", test_max, 1, (7, 7), (3, 3), (2, 2), (0, 0), (1, 1), "fp32", 0)
checks.run("max_pool2d that hangs over", test_max, 1, (6, 6), (3, 3), (2, 2), (0, 0), (1, 1), "fp32", 1)
checks.run("max_pool2d with NaN", test_max, 1, (6, 6), (3, 3), (1, 1), (0, 0), (1, 1), "fp32", 0, True)
checks.run("max_pool2d of nothing", test_max, 0, (6, 6), (2, 2), (2, 2), (0, 0), (1, 1), "fp32")
for with_padding in (True, False):
    checks.run("avg_pool2d", test_avg, 1, (6, 6), (3, 3), (2, 2), (1, 1), "fp32", with_padding, 0, 1)
checks.run("avg_pool2d with a divisor", test_avg, 1, (5, 6), (2, 3), (1, 1), (0, 1), "fp32", True, 5)
checks.run("avg_pool2d of nothing", test_avg, 0, (6, 6), (2, 2), (2, 2), (0, 0), "fp32")
checks.exit()
