"""matmul against float64: odd sizes, transposed operands, bias, each activation, each precision of fp32."""
import math
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, Expression, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(3)
ACTIVATIONS = {
    None: lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.where(x >= 0, x, 0.01 * x),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))),
}


def test(M, N, K, dtype, transposed, has_bias, activation, precision, tolerance):
    a = random_array(rng, (K, M) if transposed else (M, K), dtype)
    b = random_array(rng, (N, K) if transposed else (K, N), dtype)
    bias, c = random_array(rng, N, dtype), empty_array((M, N + 3), dtype)
    a_strides, b_strides = ((1, M), (1, K)) if transposed else ((K, 1), (N, 1))
    args = {"a_ptr": a.argument, "b_ptr": b.argument,
            "bias_ptr": bias.argument if has_bias else None, "c_ptr": c.argument, "M": M, "N": N, "K": K,
            "a_stride_m": a_strides[0], "a_stride_k": a_strides[1], "b_stride_k": b_strides[0], "b_stride_n": b_strides[1],
            "c_stride_m": N + 3, "c_stride_n": 1, "BLOCK_M": 32, "BLOCK_N": 16, "BLOCK_K": 32, "GROUP_M": 2,
            "ACTIVATION": Expression(activation) if activation else None, "PRECISION": precision}
    launch(kernel_file("matmul"), "matmul", args, grid=(cdiv(M, 32) * cdiv(N, 16), ))
    product = (a.values.T if transposed else a.values) @ (b.values.T if transposed else b.values)
    expected = ACTIVATIONS[activation](product + (bias.values if has_bias else 0))
    what = f"matmul {M}x{N}x{K} {dtype} transposed={transposed} bias={has_bias} {activation} {precision}"
    checks.close(c.values[:, :N], expected, what, rtol=tolerance, atol=tolerance * max(K, 1)**0.5)
    checks.expect(c.untouched[:, N:].all(), what + ": nothing written past the end of a row")


def test_batch(batch, M, N, K, dtype, a_lies, b_lies, programs, blocks=(64, 32, 32)):
    """Matrices with a step of 16 elements or a multiple between rows, in either order."""
    what = f"batched_matmul {batch}x{M}x{N}x{K} {dtype} {a_lies} {b_lies}"
    a, b, c = random_array(rng, (batch, M, K) if a_lies == "MK" else (batch, K, M), dtype), random_array(rng, (batch, K, N) if b_lies == "KN" else (batch, N, K), dtype), empty_array((batch, M, N), dtype)
    steps = {name: step for array, names in ((a, ("a_stride_b", "a_stride_m")), (b, ("b_stride_b", "b_stride")), (c, ("c_stride_b", "c_stride_m"))) for name, step in zip(names, (array.data.shape[1] * array.data.shape[2], array.data.shape[2]))}
    launch(kernel_file("matmul"), "batched_matmul", {"a_ptr": a.argument, "b_ptr": b.argument, "c_ptr": c.argument, "batch": batch, "M": M, "N": N, "K": K, **steps, "BLOCK_M": blocks[0], "BLOCK_N": blocks[1], "BLOCK_K": blocks[2],
                                                     "GROUP_M": 2, "PRECISION": "ieee", "A_LIES": a_lies, "B_LIES": b_lies}, grid=(programs, ))
    expected = (a.values if a_lies == "MK" else a.values.transpose(0, 2, 1)) @ (b.values if b_lies == "KN" else b.values.transpose(0, 2, 1))
    checks.close(c.values, expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(K, 1)**0.5)


def test_blocks(M, N, K, dtype, b_lies, has_bias, programs):
    """Rows of all matrices are multiples of 16 bytes, and b lies in memory as K x N or N x K."""
    a, b = random_array(rng, (M, K), dtype), random_array(rng, (K, N) if b_lies == "KN" else (N, K), dtype)
    bias, c = random_array(rng, N, dtype), empty_array((M, N), dtype)
    b_strides = (N, 1) if b_lies == "KN" else (1, K)
    args = {"a_ptr": a.argument, "b_ptr": b.argument,
            "bias_ptr": bias.argument if has_bias else None, "c_ptr": c.argument, "M": M, "N": N, "K": K,
            "a_stride_m": K, "a_stride_k": 1, "b_stride_k": b_strides[0], "b_stride_n": b_strides[1], "c_stride_m": N, "c_stride_n": 1,
            "BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 32, "GROUP_M": 2, "ACTIVATION": None, "PRECISION": "ieee", "B_LIES": b_lies}
    launch(kernel_file("matmul"), "matmul", args, grid=(programs, ))
    expected = a.values @ (b.values if b_lies == "KN" else b.values.T) + (bias.values if has_bias else 0)
    checks.close(c.values, expected, f"matmul of blocks {M}x{N}x{K} {dtype} {b_lies} bias={has_bias} programs={programs}",
                 rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(K, 1)**0.5)


for M, N, K in ((70, 48, 80), (33, 16, 16), (1, 16, 128), (0, 16, 16), (130, 80, 16), (64, 32, 0)):
    for dtype in DTYPES:
        for b_lies in ("KN", "NK"):
            for programs in (1, 3, 50):
                checks.run(f"matmul of blocks {M}x{N}x{K} {dtype}", test_blocks, M, N, K, dtype, b_lies, b_lies == "KN", programs)
for M, N, K in ((33, 17, 65), (1, 1, 1), (64, 48, 32), (100, 31, 7), (0, 5, 3), (5, 4, 0)):
    for dtype in DTYPES:
        for transposed in (False, True):
            checks.run(f"matmul {M}x{N}x{K} {dtype}", test, M, N, K, dtype, transposed, transposed, None, "ieee", TOLERANCE[dtype])
for activation in ("relu", "leaky_relu", "silu", "gelu"):
    for dtype in DTYPES:
        checks.run(f"matmul {activation}", test, 40, 24, 50, dtype, False, True, activation, "ieee", TOLERANCE[dtype])
for precision, tolerance in (("tf32", 3e-3), ("tf32x3", 2e-5), ("ieee", 2e-5)):
    checks.run(f"matmul {precision}", test, 40, 24, 50, "fp32", False, False, None, precision, tolerance)
for a_lies, b_lies in (("MK", "KN"), ("MK", "NK"), ("KM", "KN"), ("KM", "NK")):
    for dtype in DTYPES:
        checks.run(f"batched_matmul {a_lies} {b_lies} {dtype}", test_batch, 3, 80, 48, 112, dtype, a_lies, b_lies, 4)
checks.run("batched_matmul of odd sizes", test_batch, 2, 33, 21, 50, "fp16", "MK", "KN", 3)
checks.run("batched_matmul of nothing", test_batch, 0, 16, 16, 16, "fp16", "MK", "KN", 1)
checks.exit()
