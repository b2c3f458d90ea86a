"""conv2d and its gradients against loops over the weight's places in float64: strides, padding, dilation, groups, channels first and last, odd sizes, one axis, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(51)
FILE = kernel_file("conv2d")


def convolved(x, weight, bias, step, pad, dilation, groups):
    out_channels, inner, kernel_h, kernel_w = weight.shape
    x = np.pad(x, ((0, 0), (0, 0), (pad[0], pad[0]), (pad[1], pad[1])))
    sizes = [(x.shape[2 + i] - dilation[i] * (weight.shape[2 + i] - 1) - 1) // step[i] + 1 for i in range(2)]
    out = np.zeros((x.shape[0], out_channels, *sizes)) + bias[:, None, None]
    for group in range(groups):
        own, mine = slice(group * out_channels // groups, (group + 1) * out_channels // groups), slice(group * inner, (group + 1) * inner)
        for i in range(kernel_h):
            for j in range(kernel_w):
                part = x[:, mine, i * dilation[0]:, j * dilation[1]:][:, :, :(sizes[0] - 1) * step[0] + 1:step[0], :(sizes[1] - 1) * step[1] + 1:step[1]]
                out[:, own] += np.einsum("nchw,oc->nohw", part, weight[own, :, i, j])
    return out


def gradients(x, weight, grad, step, pad, dilation, groups):
    """Of x and of the weight: each place of the weight by itself."""
    out_channels, inner, kernel_h, kernel_w = weight.shape
    x = np.pad(x, ((0, 0), (0, 0), (pad[0], pad[0]), (pad[1], pad[1])))
    grad_x, grad_weight, sizes = np.zeros(x.shape), np.zeros(weight.shape), grad.shape[2:]
    for group in range(groups):
        own, mine = slice(group * out_channels // groups, (group + 1) * out_channels // groups), slice(group * inner, (group + 1) * inner)
        for i in range(kernel_h):
            for j in range(kernel_w):
                taken = (slice(None), mine, slice(i * dilation[0], i * dilation[0] + (sizes[0] - 1) * step[0] + 1, step[0]), slice(j * dilation[1], j * dilation[1] + (sizes[1] - 1) * step[1] + 1, step[1]))
                grad_x[taken] += np.einsum("nohw,oc->nchw", grad[:, own], weight[own, :, i, j])
                grad_weight[own, :, i, j] += np.einsum("nohw,nchw->oc", grad[:, own], x[taken])
    return grad_x[:, :, pad[0]:x.shape[2] - pad[0], pad[1]:x.shape[3] - pad[1]], grad_weight


def steps(name, shape, last):
    """Strides of [n, c, h, w], in memory so or with the channels last."""
    n, c, h, w = shape
    return dict(zip((f"{name}_stride_{axis}" for axis in ("n", "c", "h", "w")), (h * w * c, 1, w * c, c) if last else (c * h * w, h * w, w, 1)))


def test(n, channels, size, out_channels, kernel, dtype, step=(1, 1), pad=(0, 0), dilation=(1, 1), groups=1, last=False, block_k=16):
    what = f"conv2d {n}x{channels}x{size} to {out_channels}, {kernel} {dtype} step={step} pad={pad} dilation={dilation} groups={groups} last={last}"
    x_shape, w_shape = (n, channels, *size), (out_channels, channels // groups, *kernel)
    out_size = [(size[i] + 2 * pad[i] - dilation[i] * (kernel[i] - 1) - 1) // step[i] + 1 for i in range(2)]
    out_shape = (n, out_channels, *out_size)

    def lies(shape):
        return (shape[0], shape[2], shape[3], shape[1]) if last else shape

    x, weight, bias, out = random_array(rng, lies(x_shape), dtype), random_array(rng, w_shape, dtype), random_array(rng, out_channels, dtype), empty_array(lies(out_shape), dtype)
    names = {f"weight_stride_{axis}": s for axis, s in zip("ochw", (w_shape[1] * kernel[0] * kernel[1], kernel[0] * kernel[1], kernel[1], 1))}
    launch(FILE, "conv2d", {"x_ptr": x.argument, "weight_ptr": weight.argument, "bias_ptr": bias.argument, "out_ptr": out.argument, **steps("x", x_shape, last), **names, **steps("out", out_shape, last),
                            "batch": n, "height": size[0], "width": size[1], "out_height": out_size[0], "out_width": out_size[1], "per_group_in": channels // groups,
                            "per_group_out": out_channels // groups, "step_h": step[0], "step_w": step[1], "pad_h": pad[0], "pad_w": pad[1], "dilation_h": dilation[0],
                            "dilation_w": dilation[1], "KERNEL_H": kernel[0], "KERNEL_W": kernel[1], "BLOCK_M": 32, "BLOCK_N": 16, "BLOCK_K": block_k, "PRECISION": "ieee",
                            "WHOLE": channels > 0 and channels // groups % block_k == 0},
           grid=(cdiv(n * out_size[0] * out_size[1], 32), cdiv(out_channels // groups, 16), groups))
    values = [array.values.transpose(0, 3, 1, 2) if last else array.values for array in (x, out)]
    checks.close(values[1], convolved(values[0], weight.values, bias.values, step, pad, dilation, groups), what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * (w_shape[1] * kernel[0] * kernel[1])**0.5)
    grad = random_array(rng, lies(out_shape), dtype)
    settings = {"batch": n, "height": size[0], "width": size[1], "grad_height": out_size[0], "grad_width": out_size[1], "per_group_in": channels // groups, "per_group_out": out_channels // groups,
                "step_h": step[0], "step_w": step[1], "pad_h": pad[0], "pad_w": pad[1], "dilation_h": dilation[0], "dilation_w": dilation[1], "KERNEL_H": kernel[0], "KERNEL_W": kernel[1], "BLOCK_M": 32,
                "BLOCK_N": 16, "BLOCK_K": block_k, "PRECISION": "ieee"}
    grad_x, places, shares = empty_array(lies(x_shape), dtype), n * out_size[0] * out_size[1], 3
    launch(FILE, "conv2d_input_gradient", {"grad_ptr": grad.argument, "weight_ptr": weight.argument, "out_ptr": grad_x.argument, **steps("grad", out_shape, last), **names, **steps("out", x_shape, last), "WHOLE": out_channels // groups % block_k == 0} | settings,
           grid=(cdiv(n * size[0] * size[1], 32), cdiv(channels // groups, 16), groups))
    grad_weight, depth = np.full((shares, *w_shape), 1e9, np.float32), w_shape[1] * kernel[0] * kernel[1]
    launch(FILE, "conv2d_weight_gradient", {"grad_ptr": grad.argument, "x_ptr": x.argument, "out_ptr": grad_weight, **steps("grad", out_shape, last), **steps("x", x_shape, last), "groups": groups,
                                            "chunk": cdiv(cdiv(places, shares), block_k) * block_k, "WHOLE": channels > 0 and channels // groups % 16 == 0, "CHANNELS_LAST": last} | settings, grid=(cdiv(out_channels // groups, 32), cdiv(depth, 16), shares * groups))
    grad_bias = empty_array(out_channels, dtype)
    launch(FILE, "conv2d_bias_gradient", {"grad_ptr": grad.argument, "out_ptr": grad_bias.argument, **steps("grad", out_shape, last), "batch": n, "grad_height": out_size[0], "grad_width": out_size[1],
                                          "BLOCK": 32}, grid=(out_channels, ))
    found, wide = grad_x.values.transpose(0, 3, 1, 2) if last else grad_x.values, grad.values.transpose(0, 3, 1, 2) if last else grad.values
    expected = gradients(values[0], weight.values, wide, step, pad, dilation, groups)
    checks.close(found, expected[0], what + ": gradient of x", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * (depth * out_channels)**0.5)
    if last:  # [outer, rows, columns, inner] in memory
        grad_weight = grad_weight.reshape(shares, w_shape[0], *kernel, w_shape[1]).transpose(0, 1, 4, 2, 3)
    checks.close(grad_weight.astype(np.float64).sum(axis=0), expected[1], what + ": gradient of the weight", rtol=1e-4, atol=1e-4)
    checks.close(grad_bias.values, wide.sum(axis=(0, 2, 3)), what + ": gradient of the bias", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(places, 1)**0.5)


def test_blocks(n, channels, size, out_channels, kernel, dtype, pad=(0, 0), dilation=(1, 1), shares=1, places=(1, 8, 8), columns=64, depth=16, bias=True, programs=3):
    """Channels last, by descriptors. TMA takes whole pieces of 16 bytes, and hints are of multiples of 16 elements: other numbers of channels run without it."""
    what = f"conv2d of blocks {n}x{channels}x{size} to {out_channels}, {kernel} {dtype} pad={pad} dilation={dilation} places={places} columns={columns} depth={depth}"
    out_size = [size[i] + 2 * pad[i] - dilation[i] * (kernel[i] - 1) for i in range(2)]
    x_shape, out_shape, w_shape = (n, channels, *size), (n, out_channels, *out_size), (out_channels, *kernel, channels)
    x, weight, added, out = random_array(rng, (n, *size, channels), dtype), random_array(rng, w_shape, dtype), random_array(rng, out_channels, dtype), empty_array((n, *out_size, out_channels), dtype)
    grad, grad_x, grad_weight = random_array(rng, (n, *out_size, out_channels), dtype), empty_array((n, *size, channels), dtype), np.full((shares, *w_shape), 1e9, np.float32)

    def last(name, shape):
        return {key: step for key, step in steps(name, shape, True).items() if not key.endswith("_c")}

    common = {"batch": n, "pad_h": pad[0], "pad_w": pad[1], "dilation_h": dilation[0], "dilation_w": dilation[1], "KERNEL_H": kernel[0], "KERNEL_W": kernel[1], "BLOCK_P": places[0], "BLOCK_H": places[1],
              "BLOCK_W": places[2], "BLOCK_N": columns, "PRECISION": "ieee"}
    launch(FILE, "conv2d_of_blocks", {"x_ptr": x.argument, "weight_ptr": weight.argument, "bias_ptr": added.argument if bias else None, "out_ptr": out.argument, **last("x", x_shape), **last("out", out_shape),
                                      "height": size[0], "width": size[1], "out_height": out_size[0], "out_width": out_size[1], "channels_in": channels, "channels_out": out_channels, "BACKWARD": False,
                                      "BLOCK_K": depth} | common, grid=(programs, ))
    launch(FILE, "conv2d_of_blocks", {"x_ptr": grad.argument, "weight_ptr": weight.argument, "bias_ptr": None, "out_ptr": grad_x.argument, **last("x", out_shape), **last("out", x_shape), "height": out_size[0],
                                      "width": out_size[1], "out_height": size[0], "out_width": size[1], "channels_in": out_channels, "channels_out": channels, "BACKWARD": True, "BLOCK_K": depth} | common,
           grid=(programs, ))
    launch(FILE, "conv2d_weight_gradient_of_blocks", {"grad_ptr": grad.argument, "x_ptr": x.argument, "out_ptr": grad_weight, **last("grad", out_shape), **last("x", x_shape), "height": size[0], "width": size[1],
                                                      "grad_height": out_size[0], "grad_width": out_size[1], "channels_in": channels, "channels_out": out_channels, "shares": shares, "BLOCK_M": 64} | common,
           grid=(programs, ))
    values = [array.values.transpose(0, 3, 1, 2) for array in (x, weight, grad, out, grad_x)]
    expected = convolved(values[0], values[1], added.values if bias else np.zeros(out_channels), (1, 1), pad, dilation, 1)
    expected_x, expected_weight = gradients(values[0], values[1], values[2], (1, 1), pad, dilation, 1)
    inner = kernel[0] * kernel[1]
    checks.close(values[3], expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(channels * inner, 1)**0.5)
    checks.close(values[4], expected_x, what + ": gradient of x", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(out_channels * inner, 1)**0.5)
    checks.close(grad_weight.astype(np.float64).sum(axis=0).transpose(0, 3, 1, 2), expected_weight, what + ": gradient of the weight", rtol=1e-4, atol=1e-4)


for dtype in DTYPES:
    checks.run(f"conv2d of blocks {dtype}", test_blocks, 2, 16, (9, 11), 32, (3, 3), dtype, (1, 1), shares=2)
checks.run("conv2d of blocks, dilated", test_blocks, 3, 32, (12, 10), 16, (3, 2), "fp16", (2, 0), (2, 3), 3, (2, 4, 8), 128, 64)
checks.run("conv2d of blocks of odd channels", test_blocks, 1, 5, (6, 4), 7, (2, 3), "bf16", (1, 2), shares=4, bias=False)
checks.run("conv2d of blocks of one place", test_blocks, 70, 48, (1, 3), 64, (1, 1), "bf16", places=(64, 1, 1), depth=32)
checks.run("conv2d of blocks of no pictures", test_blocks, 0, 16, (4, 4), 16, (3, 3), "fp16", (1, 1))
for dtype in DTYPES:
    checks.run(f"conv2d {dtype}", test, 2, 5, (9, 11), 20, (3, 3), dtype, pad=(1, 1))
checks.run("conv2d with steps", test, 1, 3, (12, 10), 4, (3, 2), "fp32", (2, 3), (1, 0))
checks.run("conv2d, dilated", test, 1, 3, (12, 10), 4, (3, 3), "fp32", (1, 1), (2, 2), (2, 1))
checks.run("conv2d of groups", test, 2, 6, (5, 7), 9, (3, 3), "fp32", (1, 1), (1, 1), (1, 1), 3)
checks.run("conv2d by channel", test, 1, 4, (6, 6), 4, (3, 3), "fp32", groups=4)
checks.run("conv2d, channels last", test, 2, 20, (5, 7), 18, (3, 3), "fp16", (2, 1), (1, 1), last=True)
checks.run("conv2d, blocks within a place of the weight", test, 2, 32, (5, 7), 48, (3, 2), "fp16", (1, 1), (1, 0), last=True)
checks.run("conv2d of groups, blocks within a place of the weight", test, 1, 64, (5, 4), 32, (2, 3), "fp32", (2, 1), (1, 1), (1, 2), 2, block_k=32)
checks.run("conv2d of one place", test, 2, 17, (4, 4), 5, (1, 1), "fp32")
checks.run("conv2d along one axis", test, 2, 3, (1, 40), 6, (1, 5), "fp32", (1, 2), (0, 2))
checks.run("conv2d of no pictures", test, 0, 3, (5, 5), 4, (3, 3), "fp32")
checks.run("conv2d without channels", test, 1, 0, (5, 5), 4, (3, 3), "fp32")
checks.exit()
