"""stream_k_matmul against float64: fewer tiles than programs and more, whole waves, tiles cut once and many times, more programs than steps, odd sizes, strides, weights that lie either way, descriptors, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(64)
FILE = kernel_file("stream_k_matmul")


def test(M, N, K, dtype, programs, order=None, transposed=False, waves=0, over=1, runs=None):
    what = f"stream_k_matmul {M}x{N}x{K} {dtype} programs={programs} {order} transposed={transposed} waves={waves}"
    pad = 16 if order else 1
    k_stride, n_stride = (cdiv(K, pad) * pad + pad, cdiv(N, pad) * pad + pad)
    a, c = random_array(rng, (M, k_stride), dtype), empty_array((M, N + over), dtype)
    b = random_array(rng, (N, k_stride) if transposed else (K, n_stride), dtype)
    values = b.values[:, :K].T if transposed else b.values[:, :N]
    runs = runs or programs
    partial = np.full((runs, 2, 32, 32), 1e9, np.float32)
    sizes = {"c_ptr": c.argument, "partial_ptr": partial, "M": M, "N": N, "K": K, "c_stride_m": N + over, "waves": waves, "runs": runs, "BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 16, "GROUP_M": 2}
    operands = {"a_ptr": a.argument, "b_ptr": b.argument, "a_stride_m": k_stride, "a_stride_k": 1, "b_stride_k": 1 if transposed else n_stride, "b_stride_n": k_stride if transposed else 1,
                "partial_rows": runs * 64, "PRECISION": "ieee", "B_LIES": order}
    launch(FILE, "stream_k_matmul", sizes | operands, grid=(programs, ))
    launch(FILE, "stream_k_join", sizes | {"programs": programs, "ROWS": 8}, grid=(runs, 4))
    checks.close(c.values[:, :N], a.values[:, :K] @ values, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(K, 1)**0.5)
    checks.expect(c.untouched[:, N:].all(), what + ": nothing written past the end of a row")


for dtype in DTYPES:
    checks.run(f"stream_k_matmul {dtype}", test, 70, 100, 90, dtype, 7)
for programs in (1, 2, 3, 5, 12, 40):
    checks.run(f"stream_k_matmul by {programs}", test, 65, 60, 130, "fp32", programs, transposed=programs % 2 == 1)
for order in ("KN", "NK"):
    checks.run(f"stream_k_matmul {order}", test, 40, 70, 150, "fp16", 5, order, order == "NK")
for M, N, K, programs in ((1, 1, 1, 4), (32, 32, 16, 2), (0, 5, 7, 3), (5, 0, 7, 3), (20, 20, 400, 9), (40, 20, 0, 3)):
    checks.run(f"stream_k_matmul {M}x{N}x{K}", test, M, N, K, "fp32", programs)
for order, waves in (("KN", 0), ("NK", 1)):
    checks.run(f"stream_k_matmul of whole pieces {order}", test, 96, 64, 150, "bf16", 4, order, order == "NK", waves, 0)
for waves in (1, 2):
    checks.run(f"stream_k_matmul behind {waves} waves", test, 100, 90, 70, "fp32", 5, waves=waves)
for runs in (1, 3):
    checks.run(f"stream_k_matmul in {runs} runs", test, 100, 90, 70, "fp32", 5, waves=1, runs=runs)
checks.run("stream_k_matmul of whole waves alone", test, 64, 64, 70, "fp32", 2, waves=2)
checks.exit()
