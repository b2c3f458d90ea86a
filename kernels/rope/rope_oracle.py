"""rope against complex multiplication in float64: both pairings, later positions, strides, back again, in place."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, empty_array, kernel_file, launch, launch_once, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(16)


def tables(positions, half):
    angle = np.arange(positions)[:, None] * 10000.0**(-np.arange(half) / half)
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def reference(x, cos, sin, interleaved, inverse):
    half = x.shape[3] // 2
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    turned = (a + 1j * b) * (cos + (-1j if inverse else 1j) * sin.astype(np.float64))[None, :, None, :]
    result = np.empty_like(x)
    if interleaved:
        result[..., 0::2], result[..., 1::2] = turned.real, turned.imag
    else:
        result[..., :half], result[..., half:] = turned.real, turned.imag
    return result


def run(x, out, cos, sin, shape, strides, first_position, interleaved, inverse, launch=launch):
    batch, length, heads, dim = shape
    names = [f"{side}_stride_{axis}" for side in ("x", "out") for axis in "bsh"]
    launch(kernel_file("rope"), "rope",
           {"x_ptr": x.argument, "cos_ptr": cos, "sin_ptr": sin, "out_ptr": out.argument, **dict(zip(names, strides)),
            "heads": heads, "half": dim // 2, "first_position": first_position, "INTERLEAVED": interleaved, "INVERSE": inverse,
            "BLOCK_HEADS": 2, "BLOCK_HALF": power_of_two(dim // 2)}, grid=(length, batch))


def test(batch, length, heads, dim, dtype, interleaved, inverse, first_position):
    what = f"rope {batch}x{length}x{heads}x{dim} {dtype} interleaved={interleaved} inverse={inverse} first={first_position}"
    cos, sin = tables(length + first_position, dim // 2)
    x = random_array(rng, (batch, length, heads, dim + 2), dtype)  # two unused elements after each head
    out = empty_array((batch, heads, length, dim), dtype)
    strides = (length * heads * (dim + 2), heads * (dim + 2), dim + 2, heads * length * dim, dim, length * dim)
    run(x, out, cos, sin, (batch, length, heads, dim), strides, first_position, interleaved, inverse)
    expected = reference(x.values[..., :dim], cos[first_position:], sin[first_position:], interleaved, inverse)
    checks.close(out.values.swapaxes(1, 2), expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def test_in_place():
    """The input must be untouched for the second launch of the harness, so this one launches by itself."""
    cos, sin = tables(5, 8)
    x = random_array(rng, (2, 5, 3, 16), "fp32")
    before = x.values
    run(x, x, cos, sin, x.data.shape, (240, 48, 16) * 2, 0, False, False, launch_once)
    checks.close(x.values, reference(before, cos, sin, False, False), "rope in place", rtol=1e-4, atol=1e-5)


for interleaved in (False, True):
    for inverse in (False, True):
        for dtype in DTYPES:
            for batch, length, heads, dim, first_position in ((2, 5, 3, 16, 0), (1, 7, 1, 6, 11), (1, 3, 5, 100, 2), (1, 0, 2, 8, 0)):
                checks.run(f"rope {length}x{heads}x{dim} {dtype}", test, batch, length, heads, dim, dtype, interleaved, inverse, first_position)
checks.run("rope in place", test_in_place)
checks.exit()
