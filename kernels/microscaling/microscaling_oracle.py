"""microscaling against the definition of MX v1.0 in numpy, bit by bit: all codes of each type decoded, values in all sizes encoded, ties, zeros, what is too small, infinities."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Array, Checks, cdiv, empty_array, kernel_file, launch, np
from nereid_test import fp8_from_float, fp8_table

checks = Checks()
rng = np.random.default_rng(52)
FILE = kernel_file("microscaling")
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
TABLES = {"e2m1": np.concatenate([E2M1, -E2M1]), "e4m3": fp8_table("fp8e4nv"), "e5m2": fp8_table("fp8e5")}
EMAX = {"e2m1": 2, "e4m3": 8, "e5m2": 15}


def codes_of(x, kind):
    """The nearest codes, ties to the even one, saturating."""
    if kind != "e2m1":
        return fp8_from_float(x, {"e4m3": "fp8e4nv", "e5m2": "fp8e5"}[kind]) | np.where(np.signbit(x) & (x == 0), 0x80, 0).astype(np.uint8)
    apart = abs(abs(x)[..., None] - E2M1)
    nearest = apart == apart.min(axis=-1, keepdims=True)
    code = np.where(nearest.sum(axis=-1) == 2, np.where(nearest, np.arange(8) % 2 * 8 + np.arange(8), 99).min(axis=-1) % 8, nearest.argmax(axis=-1))
    return (code + 8 * np.signbit(x)).astype(np.uint8)


def quantized(x, kind):
    """(codes, scales) of groups [n, 32]"""
    largest = abs(x).max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.where(largest < 2.0**-126, -127, np.frexp(largest)[1] - 1)
    scale = np.where(np.isfinite(largest), np.clip(exponent - EMAX[kind], -127, 127), 128).astype(int)
    scaled = np.where(np.isfinite(largest)[:, None], np.where(np.isfinite(x), x, 0) * 2.0**-np.minimum(scale, 127)[:, None], 0)
    return codes_of(np.clip(scaled, -np.nanmax(TABLES[kind][np.isfinite(TABLES[kind])]), np.nanmax(TABLES[kind][np.isfinite(TABLES[kind])])), kind), (scale + 127).astype(np.uint8)


def packed(codes, kind):
    return codes[:, ::2] | codes[:, 1::2] << 4 if kind == "e2m1" else codes


def test_quantize(values, kind, dtype, what):
    x = Array(values, dtype)
    n = len(values)
    q, scale = np.full((n, 16 if kind == "e2m1" else 32), 99, np.uint8), np.full(n, 99, np.uint8)
    launch(FILE, "microscaling_quantize", {"x_ptr": x.argument, "q_ptr": q, "scale_ptr": scale, "n_groups": n, "KIND": kind, "BLOCK": 4}, grid=(cdiv(n, 4), ))
    codes, scales = quantized(x.values, kind)
    checks.equal(scale, scales, f"microscaling_quantize {kind} {dtype} {what}: scales")
    checks.equal(q, packed(codes, kind), f"microscaling_quantize {kind} {dtype} {what}: codes")


def test_dequantize(kind, dtype):
    codes = (np.arange(256).reshape(-1, 32) if kind != "e2m1" else np.arange(32).reshape(1, 32) % 16).astype(np.uint8)
    scale = (127 + np.arange(len(codes)) - 4).astype(np.uint8)
    scale[-1] = 255 if kind == "e4m3" else scale[-1]
    out = empty_array(codes.shape, dtype)
    launch(FILE, "microscaling_dequantize", {"q_ptr": packed(codes, kind), "scale_ptr": scale, "out_ptr": out.argument, "n_groups": len(codes), "KIND": kind, "BLOCK": 2},
           grid=(cdiv(len(codes), 2), ))
    with np.errstate(over="ignore", invalid="ignore"):
        expected = Array(TABLES[kind][codes] * np.where(scale == 255, np.nan, 2.0**(scale.astype(float) - 127))[:, None], dtype).values
    checks.equal(out.values, expected, f"microscaling_dequantize {kind} {dtype}")


for kind in TABLES:
    for dtype in DTYPES:
        checks.run(f"microscaling_dequantize {kind} {dtype}", test_dequantize, kind, dtype)
        checks.run(f"microscaling_quantize {kind} {dtype}", test_quantize, rng.standard_normal((7, 32)) * 10.0**rng.integers(-3, 3, (7, 1)), kind, dtype, "random")
    halves = np.arange(-32, 32).reshape(2, 32) / 4
    checks.run(f"microscaling_quantize {kind}, ties", test_quantize, halves, kind, "fp32", "ties")
    tiny = np.concatenate([np.zeros((1, 32)), rng.standard_normal((1, 32)) * 1e-39, rng.standard_normal((1, 32)) * 1e37, np.full((1, 32), -0.0)])
    checks.run(f"microscaling_quantize {kind}, extremes", test_quantize, tiny, kind, "fp32", "extremes")
    infinite = rng.standard_normal((2, 32))
    infinite[0, 3], infinite[1, 5] = np.inf, np.nan
    checks.run(f"microscaling_quantize {kind}, infinite", test_quantize, infinite, kind, "fp32", "infinite")
    checks.run(f"microscaling_quantize {kind} of nothing", test_quantize, np.zeros((0, 32)), kind, "fp32", "nothing")
checks.exit()
