"""matmul against float64: odd sizes, transposed operands, each activation, each precision of fp32."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import TOLERANCE, Checks, Expression, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(3)
ACTIVATIONS = {
    None: lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.where(x >= 0, x, 0.01 * x),
    "silu": lambda x: x / (1 + np.exp(-x)),
}


def test(M, N, K, dtype, transposed, activation, precision, tolerance):
    a = random_array(rng, (K, M) if transposed else (M, K), dtype)
    b = random_array(rng, (N, K) if transposed else (K, N), dtype)
    c = empty_array((M, N), dtype)
    a_strides, b_strides = ((1, M), (1, K)) if transposed else ((K, 1), (N, 1))
    args = {"a_ptr": a.argument, "b_ptr": b.argument, "c_ptr": c.argument, "M": M, "N": N, "K": K,
            "a_stride_m": a_strides[0], "a_stride_k": a_strides[1], "b_stride_k": b_strides[0], "b_stride_n": b_strides[1],
            "c_stride_m": N, "c_stride_n": 1, "BLOCK_M": 32, "BLOCK_N": 16, "BLOCK_K": 32, "GROUP_M": 2,
            "ACTIVATION": Expression(activation) if activation else None, "PRECISION": precision}
    launch(kernel_file("matmul"), "matmul", args, grid=(-(-M // 32) * -(-N // 16), ))
    expected = ACTIVATIONS[activation]((a.values.T if transposed else a.values) @ (b.values.T if transposed else b.values))
    checks.close(c.values, expected, f"matmul {M}x{N}x{K} {dtype} transposed={transposed} {activation} {precision}",
                 rtol=tolerance, atol=tolerance * K**0.5)


for M, N, K in ((33, 17, 65), (1, 1, 1), (64, 48, 32), (100, 31, 7)):
    for dtype in ("fp32", "fp16", "bf16"):
        for transposed in (False, True):
            checks.run(f"matmul {M}x{N}x{K} {dtype}", test, M, N, K, dtype, transposed, None, "ieee", TOLERANCE[dtype])
for activation in ("relu", "leaky_relu", "silu"):
    checks.run(f"matmul {activation}", test, 40, 24, 50, "fp32", False, activation, "ieee", TOLERANCE["fp32"])
for precision, tolerance in (("tf32", 3e-3), ("tf32x3", 2e-5), ("ieee", 2e-5)):
    checks.run(f"matmul {precision}", test, 40, 24, 50, "fp32", False, None, precision, tolerance)
checks.exit()
