"""Rows for the operators on arrays: elements by number or mask, pictures, random numbers, weights with outliers."""
import numpy as np
from nereid import ops
from ops_case import Case, changed

rng = np.random.default_rng(5)


def arrays(*shapes):
    return tuple(rng.standard_normal(shape).astype(np.float32) for shape in shapes)


def added(x, axis, index, source):
    out = x.copy()
    for place in np.ndindex(*index.shape):
        target = list(place)
        target[axis] = index[place]
        out[tuple(target)] += source[place]
    return out


def put(x, axis, index, source):
    out = x.copy()
    np.put_along_axis(out, index, source, axis)
    return out


def indexing_cases():
    x, source = arrays((3, 5, 4), (3, 6, 4))
    index = rng.integers(0, 5, (3, 6, 4))
    yield Case("gather", (x, 1, index), lambda x, axis, index: np.take_along_axis(x, index, axis), (0, ), tolerance=0)
    yield Case("gather", (x[0], -1, index[0, :5].astype(np.int32)), lambda x, axis, index: np.take_along_axis(x, index, axis) if index.max() < 4 else np.where(
        index < 4, np.take_along_axis(x, np.minimum(index, 3), axis), 0), (0, ), tolerance=0)
    yield Case("scatter_add", (x, 1, index, source), added, (0, 3))
    yield Case("scatter_add", (x, 1, index, source, False), lambda x, dim, index, source, _: added(x, dim, index, source), (0, 3))
    yield Case("scatter_add", (x[0, 0], 0, index[:, 0, 0] % 4, source[0, 0, :3]), added, (0, 3))
    once = rng.permuted(np.tile(np.arange(5)[None, :, None], (3, 1, 4)), axis=1)[:, :2]
    yield Case("scatter", (x, 1, once, source[:, :2]), put, (0, 3), tolerance=0)
    few = index[:2, :, 1:4]  # shorter than x along the other axes, and than what is put there
    yield Case("gather", (x, 1, few), lambda x, axis, index: np.take_along_axis(x[:2, :, :3], index, axis), (0, ), tolerance=0)
    yield Case("gather", (x, 1, index[:2]), lambda x, axis, index: np.take_along_axis(x[:2], index, axis), (0, ), tolerance=0)
    yield Case("scatter_add", (x, 1, few, source), added, (0, 3))
    yield Case("scatter_add", (x, -1, few[:, :5] % 4, source, False), lambda x, axis, index, source, _: added(x, axis, index, source), (0, 3))
    yield Case("scatter", (x, 1, once[:, :, :3], source), lambda x, axis, index, source: np.concatenate([put(x[:, :, :3], axis, index, source[:, :2, :3]), x[:, :, 3:]], axis=2), (0, 3), tolerance=0)
    mask = rng.random((3, 5, 4)) < 0.4
    yield Case("masked_select", (x, mask), lambda x, mask: x[mask], (0, ), tolerance=0)
    yield Case("masked_select", (rng.integers(0, 100, 9000), rng.random(9000) < 0.7), lambda x, mask: x[mask], tolerance=0)
    yield Case("nonzero", (mask, ), lambda mask: np.argwhere(mask), tolerance=0)
    yield Case("nonzero", (rng.integers(0, 2, 40), ), lambda x: np.argwhere(x), tolerance=0)
    numbers = rng.integers(-30, 30, (40, 20))
    yield Case("unique", (numbers, True, True), lambda x, *_: (
        (found := np.unique(x, return_inverse=True, return_counts=True))[0], found[1].reshape(x.shape), found[2]), tolerance=0)
    yield Case("unique", (numbers.astype(np.float32) / 8, ), np.unique, tolerance=0)


def windows(x, kernel, stride, padding, fill):
    """[batch, channels, out height, out width, window] of padded pictures."""
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), axis=(2, 3))[:, :, ::stride, ::stride]
    return view.reshape(*view.shape[:4], -1)


def resized(x, rows, columns):
    """By a matrix along each axis."""
    return np.einsum("yh,xw,nchw->ncyx", rows, columns, x)


def linear_matrix(size, out_size, align=False):
    at = np.arange(out_size) * ((size - 1) / (out_size - 1)) if align else np.clip((np.arange(out_size) + 0.5) * (size / out_size) - 0.5, 0, size - 1)
    return np.maximum(1 - abs(at[:, None] - np.arange(size)), 0)


def kept(boxes, scores, threshold):
    result = []
    for i in np.argsort(-scores):
        shared = [np.prod(np.clip(np.minimum(boxes[i, 2:], boxes[j, 2:]) - np.maximum(boxes[i, :2], boxes[j, :2]), 0, None)) for j in result]
        together = [np.prod(boxes[i, 2:] - boxes[i, :2]) + np.prod(boxes[j, 2:] - boxes[j, :2]) - part for j, part in zip(result, shared)]
        if all(part <= threshold * whole for part, whole in zip(shared, together)):
            result.append(i)
    return np.array(result, np.int64)


def sort_cases():
    apart = rng.permuted(np.tile(np.arange(12) / 4, (3, 4, 1)), axis=2).astype(np.float32)  # a small step changes no order
    for descending, axis in ((False, -1), (True, -1), (False, 1)):
        x = np.moveaxis(apart, 2, axis)
        yield Case("sort", (x, descending, axis), lambda x, descending, axis: (np.take_along_axis(x, order := np.argsort(-x if descending else x, axis=axis, kind="stable"), axis), order), (0, ), tolerance=0)
    special = np.array([[3, 1, -0.0, np.inf, 0, -3], [2, 0, -0.0, 5, 0, -np.inf]], np.float32)  # torch's opcheck takes no NaN: the kernel's own test has them
    for x in (special, special.astype(np.float16), rng.integers(0, 256, (3, 50)).astype(np.uint8), rng.integers(-128, 128, (3, 50)).astype(np.int8), rng.integers(-999, 999, 70).astype(np.int16)):
        yield Case("sort", (x, ), lambda x: (np.sort(x, kind="stable"), np.argsort(x, kind="stable")), tolerance=0)
        yield Case("argsort", (x, True), lambda x, _: x.shape[-1] - 1 - np.argsort(x[..., ::-1], kind="stable")[..., ::-1], tolerance=0)
    yield Case("argsort", (rng.integers(-5, 5, (70, 40)), False, 0), lambda x, _, axis: np.argsort(x, axis=axis, kind="stable"), tolerance=0)


def picture_cases():
    apart = rng.permuted(np.arange(2 * 3 * 7 * 6) / 8).reshape(2, 3, 7, 6).astype(np.float32)  # a small step changes no choice
    yield Case("max_pool2d", (apart, 2), lambda x, _: windows(x, 2, 2, 0, 0).max(axis=-1), (0, ), tolerance=0)
    yield Case("max_pool2d", (apart, 3, 2, 1), lambda x, *_: windows(x, 3, 2, 1, -np.inf).max(axis=-1), (0, ), tolerance=0)
    yield Case("max_pool2d", (apart[:, :, :6], 3, 2, 0, 1, True, True), lambda x, *_: (
        (view := windows(np.pad(x, ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=-np.inf), 3, 2, 0, 0)).max(axis=-1),
        (place := view.argmax(axis=-1)) // 3 * 6 + place % 3 + (2 * np.arange(3))[:, None] * 6 + 2 * np.arange(3)), tolerance=0)
    yield Case("avg_pool2d", (apart, 2), lambda x, _: windows(x, 2, 2, 0, 0).mean(axis=-1), (0, ))
    yield Case("avg_pool2d", (apart, 3, 1, 1, False, False), lambda x, *_: windows(x, 3, 1, 1, 0).sum(axis=-1) / windows(np.ones(x.shape), 3, 1, 1, 0).sum(axis=-1), (0, ))
    yield Case("avg_pool2d", (apart, 3, 2, 1, False, True, 5), lambda x, *_: windows(x, 3, 2, 1, 0).sum(axis=-1) / 5, (0, ))
    x, line = arrays((2, 3, 5, 4), (2, 3, 6))
    yield Case("interpolate", (x, None, 2), lambda x, *_: x.repeat(2, axis=2).repeat(2, axis=3), (0, ), tolerance=0)
    yield Case("interpolate", (x, (7, 9), None, "bilinear"), lambda x, *_: resized(x, linear_matrix(5, 7), linear_matrix(4, 9)), (0, ))
    yield Case("interpolate", (x, (3, 8), None, "bilinear", True), lambda x, *_: resized(x, linear_matrix(5, 3, True), linear_matrix(4, 8, True)), (0, ))
    yield Case("interpolate", (line, None, 1.5, "linear"), lambda x, *_: x @ linear_matrix(6, 9).T, (0, ))
    yield Case("interpolate", (line, 3, None, "nearest-exact"), lambda x, *_: x[:, :, 1::2], (0, ), tolerance=0)
    corners, sizes = rng.integers(0, 30, (60, 2)), rng.integers(3, 12, (60, 2))
    boxes = np.concatenate([corners, corners + sizes], axis=1).astype(np.float32)
    yield Case("nms", (boxes, *arrays((60, )), 0.3), kept, tolerance=0)


def drawn(name, check):
    """Calls a function that fills an array, and asks what is true of the numbers: as many as are expected."""

    def call(x, *args):
        x = x.copy() if hasattr(x, "copy") else x.clone()
        getattr(ops, name)(x, *args)
        return np.float64(check(np.asarray(x)))

    return call


def random_cases():
    x, numbers = np.zeros(8000, np.float32), np.zeros(3000, np.int32)
    yield Case("uniform_", (x, 3, -1.0, 3.0), lambda *_: 1.0, tolerance=0.03, call=drawn("uniform_", np.mean))
    yield Case("uniform_", (x, 3, -1.0, 3.0), lambda *_: True, call=drawn("uniform_", lambda x: x.min() >= -1 and x.max() < 3))
    yield Case("normal_", (x, 3, 2.0, 0.5), lambda *_: 0.5, tolerance=0.02, call=drawn("normal_", np.std))
    yield Case("exponential_", (x, 3, 2.0), lambda *_: 0.5, tolerance=0.03, call=drawn("exponential_", np.mean))
    yield Case("bernoulli_", (numbers.astype(bool), 3, 0.3), lambda *_: 0.3, tolerance=0.03, call=drawn("bernoulli_", np.mean))
    yield Case("randint_", (numbers, 3, -4, 5), lambda *_: True, call=drawn("randint_", lambda x: np.array_equal(np.unique(x), np.arange(-4, 5))))
    for count in (3000, 70000):
        yield Case("randperm_", (np.zeros(count, np.int64), 3), lambda x, _: np.arange(x.size), tolerance=0, call=lambda x, seed: np.sort(changed(ops.randperm_, (0, ))(x, seed)[0]))


def codes_of(codes, bits):
    """SqueezeLLM's words: each 32 codes along k are one number of 32 * bits bits."""
    words = np.zeros((codes.shape[0] // 32 * bits, codes.shape[1]), np.uint64)
    for k in range(codes.shape[0]):
        for bit in range(bits):
            place = k * bits + bit
            words[place // 32] |= (codes[k].astype(np.uint64) >> np.uint64(bit) & np.uint64(1)) << np.uint64(place % 32)
    return words.astype(np.uint32).view(np.int32)


def outlier_cases():
    for bits in (3, 4):
        codes, (table, a) = rng.integers(0, 2**bits, (64, 20)), arrays((20, 2**bits), (5, 64))
        q, exact = codes_of(codes, bits), table[np.arange(20), codes]
        yield Case("squeezellm_dequantize", (q, table), lambda *_, w=exact: w, tolerance=0)
        yield Case("squeezellm_matmul", (a, q, table), lambda a, *_, w=exact: a @ w)
        sparse = np.where(rng.random((20, 64)) < 0.05, 1 + rng.random((20, 64)), 0).astype(np.float32)
        csr = np.append(0, np.cumsum((sparse != 0).sum(axis=1))).astype(np.int32), np.nonzero(sparse)[1].astype(np.int32), sparse[sparse != 0]
        yield Case("squeezellm_matmul", (a, q, table, *csr), lambda a, *_, w=exact, sparse=sparse: a @ (w + sparse.T))
    # Multiples of a scale: nothing is lost to rounding.
    a, w = rng.integers(-100, 101, (6, 40)).astype(np.float32) / 32, rng.integers(-127, 128, (40, 9)).astype(np.int8)
    a[:, 0], a[2, 7], a[4, 31] = 127 / 32, 20.3, -35.7
    yield Case("int8_mixed_matmul", (a, w, *arrays((9, ))), lambda a, w, scale: a @ (w * scale), tolerance=1e-4)
    yield Case("int8_mixed_matmul", (np.where(abs(a) > 6, 0, a), w, *arrays((9, )), 0.0), lambda a, w, scale, _: a @ (w * scale), tolerance=1e-4)


def pointwise_cases():
    x, y, z = arrays((3, 7), (3, 7), (7, ))
    numbers = rng.integers(-9, 9, (3, 7))
    yield Case("pointwise", ("cos", x), lambda _, x: np.cos(x))
    yield Case("pointwise", ("isnan", np.where(x > 0, x, np.float32(np.nan))), lambda _, x: np.isnan(x), tolerance=0)
    yield Case("pointwise", ("add", x, z), lambda _, x, z: x + z)
    yield Case("pointwise", ("subtract", 1.5, x), lambda _, a, x: a - x)
    yield Case("pointwise", ("floor_divide", numbers, 4), lambda _, x, y: x // y, tolerance=0)
    yield Case("pointwise", ("clamp", x, -0.5, 0.25), lambda _, x, low, high: np.clip(x, low, high))
    yield Case("pointwise", ("where", x > 0, y, 0.0), lambda _, mask, y, other: np.where(mask, y, other), tolerance=0)
    cube, = arrays((3, 4, 5))
    yield Case("reduce", (cube, "sum", (0, 2)), lambda x, *_: x.sum(axis=(0, 2)), (0, ))
    yield Case("reduce", (cube, "mean", 1, True), lambda x, *_: x.mean(axis=1, keepdims=True), (0, ))
    yield Case("reduce", (arrays((70000, ))[0], "sum"), lambda x, _: x.sum(), tolerance=1e-3)
    yield Case("reduce", (cube, "prod", -1), lambda x, *_: x.prod(axis=-1))
    yield Case("reduce", (numbers, "sum", 0), lambda x, *_: x.sum(axis=0), tolerance=0)
    yield Case("reduce", (cube, "argmin", 1), lambda x, *_: x.argmin(axis=1), tolerance=0)
    yield Case("reduce", (numbers, "max"), lambda x, _: x.max(), tolerance=0)
    for kind in ("any", "all"):
        yield Case("reduce", (numbers * (numbers > 6), kind, 0), lambda x, kind, _: getattr(np, kind)(x, axis=0), tolerance=0)
    yield Case("var_mean", (cube, 1), lambda x, _: (x.var(axis=1, ddof=1), x.mean(axis=1)))
    yield Case("cumprod", (cube, 1), lambda x, _: x.cumprod(axis=1))
    yield Case("cumprod", (numbers, 0), lambda x, _: x.cumprod(axis=0, dtype=np.int64), tolerance=0)


def softmax_attention(q, k, v, causal=False, scale=None, added=0.0):
    score = q @ k.swapaxes(-1, -2) * (q.shape[-1]**-0.5 if scale is None else scale) + added
    if causal:
        score = np.where(np.arange(k.shape[2]) <= np.arange(q.shape[2])[:, None] + k.shape[2] - q.shape[2], score, -np.inf)
    weight = np.exp(score - score.max(axis=-1, keepdims=True))
    return weight / weight.sum(axis=-1, keepdims=True) @ v


def picture_attention(q, k, v, table_h, table_w, q_size, k_size, scale=None):
    """Pair by pair."""
    added = np.zeros((*q.shape[:3], k.shape[2]))
    for i in range(q.shape[2]):
        for j in range(k.shape[2]):
            (y, x), (row, column) = divmod(i, q_size[1]), divmod(j, k_size[1])
            added[:, :, i, j] = q[:, :, i] @ (table_h[y - row + k_size[0] - 1] + table_w[x - column + k_size[1] - 1])
    return softmax_attention(q, k, v, False, scale, added)


def attention_cases():
    for causal in (False, True):
        yield Case("unfused_attention", (*arrays((1, 2, 5, 12), (1, 2, 9, 12), (1, 2, 9, 12)), causal), softmax_attention, (0, 1, 2))
    # Small numbers: the products with the tables are torch's and numpy's own, whose last bits differ.
    pictures, tables = ([x / 4 for x in arrays(*shapes)] for shapes in (((1, 2, 12, 16), ) * 3, ((5, 16), (7, 16))))
    yield Case("decomposed_attention", (*pictures, *tables, (3, 4), (3, 4)), picture_attention, (0, 1, 2, 3, 4), tolerance=5e-5)
    yield Case("decomposed_attention", (*pictures, *tables, (3, 4), (3, 4), 0.1), picture_attention, tolerance=5e-5)


def nearest_of_simplex(x):
    """By halving: the threshold at which a row sums to 1."""
    low, high = x.max(axis=-1, keepdims=True) - 1, x.max(axis=-1, keepdims=True)
    for _ in range(60):
        middle = (low + high) / 2
        is_low = np.maximum(x - middle, 0).sum(axis=-1, keepdims=True) > 1
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return np.maximum(x - low, 0)


def simplex_cases():
    x, weight, bias = arrays((2, 3, 17), (17, ), (17, ))
    yield Case("log_softmax", (x, ), lambda x: x - np.log(np.exp(x).sum(axis=-1, keepdims=True)), (0, ))
    apart = rng.permuted(np.tile(np.arange(9) / 5, (4, 1)), axis=1).astype(np.float32) + np.float32(0.03)  # no small step changes what counts
    yield Case("sparsemax", (apart, ), nearest_of_simplex, (0, ))
    yield Case("sparsemax", arrays((2, 9000)), nearest_of_simplex)
    alpha = np.array([0.7], np.float32)
    yield Case("dyt", (x, alpha, weight, bias), lambda x, alpha, weight, bias: weight * np.tanh(alpha * x) + bias, (0, 1, 2, 3))
    yield Case("dyt", (x, alpha, weight), lambda x, alpha, weight: weight * np.tanh(alpha * x), (0, 1, 2))
    yield Case("bmm", (*arrays((3, 5, 7)), arrays((3, 6, 7))[0].swapaxes(1, 2)), np.matmul, (0, 1))


def copy_cases():
    x, flat, wide, turned = arrays((3, 70, 40), (5, 9), (2, 3, 4, 5), (4, 3, 5, 2))
    yield Case("transpose", (x, ), lambda x: x.swapaxes(1, 2), (0, ), tolerance=0)
    yield Case("transpose", (flat, ), lambda x: x.T, (0, ), tolerance=0)
    write = changed(ops.copy_, (0, ))
    yield Case("copy_", (np.zeros((2, 3, 4, 5), np.float32), turned.transpose(3, 1, 0, 2)), lambda out, x: (x, ), tolerance=0, call=write)
    yield Case("copy_", (np.zeros((2, 3, 4, 5), np.float16), wide), lambda out, x: (x, ), tolerance=1e-3, call=write)
    yield Case("copy_", (np.zeros((1, 1), np.float32), flat[:1, :1]), lambda out, x: (x, ), tolerance=0, call=write)


def array_cases():
    return [*copy_cases(), *indexing_cases(), *sort_cases(), *picture_cases(), *random_cases(), *outlier_cases(), *pointwise_cases(), *attention_cases(), *simplex_cases()]
