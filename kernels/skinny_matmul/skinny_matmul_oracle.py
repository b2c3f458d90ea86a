"""skinny_matmul against float64: 1 to 64 rows, splits of the depth, weights that lie either way, bias and activations, odd sizes, strides, no depth; and twice the same bits."""
import math
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, Expression, cdiv, empty_array, kernel_file, launch, launch_once, np, random_array

checks = Checks()
rng = np.random.default_rng(63)
FILE = kernel_file("skinny_matmul")
ACTIVATIONS = {None: lambda x: x, "relu": lambda x: np.maximum(x, 0), "silu": lambda x: x / (1 + np.exp(-x)), "gelu": lambda x: x * (1 + np.vectorize(math.erf)(x / 2**0.5)) / 2}


def test(M, N, K, dtype, splits=1, transposed=False, bias=False, activation=None, blocks=(16, 32, 32)):
    what = f"skinny_matmul {M}x{N}x{K} {dtype} splits={splits} transposed={transposed} bias={bias} {activation} {blocks}"
    block_m, block_n, block_k = blocks
    a, c = random_array(rng, (M, K + 2), dtype), empty_array((M, N + 1), dtype)
    b = random_array(rng, (N, K + 1) if transposed else (K, N + 1), dtype)
    values = b.values[:, :K].T if transposed else b.values[:, :N]
    offset = random_array(rng, (N, ), dtype) if bias else None
    tiles_n, tiles_m = cdiv(N, block_n), cdiv(M, block_m)
    partial = np.full((splits, tiles_m * tiles_n, block_m, block_n), 1e9, np.float32) if splits > 1 else None
    counter = np.zeros(tiles_m * tiles_n, np.int32) if splits > 1 else None
    arguments = {"a_ptr": a.argument, "b_ptr": b.argument, "bias_ptr": offset.argument if bias else None, "c_ptr": c.argument, "partial_ptr": partial, "counter_ptr": counter, "M": M, "N": N, "K": K,
                 "a_stride_m": K + 2, "a_stride_k": 1, "b_stride_k": 1 if transposed else N + 1, "b_stride_n": K + 1 if transposed else 1, "c_stride_m": N + 1,
                 "depth": cdiv(cdiv(K, block_k), splits) * block_k, "BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k, "SPLITS": splits,
                 "ACTIVATION": Expression(activation) if activation else None, "PRECISION": "ieee"}
    launch(FILE, "skinny_matmul", arguments, grid=(tiles_n, splits, tiles_m))
    expected = ACTIVATIONS[activation](a.values[:, :K] @ values + (offset.values if bias else 0))
    checks.close(c.values[:, :N], expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(K, 1)**0.5)
    checks.expect(c.untouched[:, N].all(), what + ": nothing written past the end of a row")
    if splits > 1:
        checks.equal(counter, 0 * counter, what + ": the counters are as they were")
        again = c.data.copy()
        launch_once(FILE, "skinny_matmul", arguments, grid=(tiles_n, splits, tiles_m))
        checks.equal(c.data, again, what + ": the same bits again")


for dtype in DTYPES:
    for splits in (1, 3):
        checks.run(f"skinny_matmul {dtype} {splits}", test, 5, 70, 200, dtype, splits, splits == 3, True)
for activation in ACTIVATIONS:
    for splits in (1, 2):
        checks.run(f"skinny_matmul {activation} {splits}", test, 3, 40, 100, "fp32", splits, activation=activation)
for M in (1, 16, 17, 64):
    checks.run(f"skinny_matmul of {M} rows", test, M, 50, 130, "fp32", 4, blocks=(32 if M > 16 else 16, 16, 16))
for M, N, K in ((1, 1, 1), (2, 33, 0), (0, 5, 7), (4, 0, 7)):
    checks.run(f"skinny_matmul {M}x{N}x{K}", test, M, N, K, "fp32")
checks.run("skinny_matmul with more splits than depth", test, 2, 20, 40, "fp32", 5)
counters = np.full(300, 7, np.int32)
launch(FILE, "clear", {"counter_ptr": counters, "n": 299, "BLOCK": 256}, grid=(2, ))
checks.equal(counters, np.array([0] * 299 + [7], np.int32), "clear")
checks.exit()
