"""ragged_int4_gemm and ragged_mxfp4_gemm against float64 on decoded weights: experts without rows, all rows of one, odd sizes, all codes and scales, zero points, a bias, few programs and many, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, empty_array, kernel_file, launch, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(67)
FILE = kernel_file("quantized_grouped_gemm")
FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def compare(c, a, w, bias, ends, dtype, what):
    expected, rough = np.zeros(c.values.shape), np.zeros(c.values.shape)
    for expert, (start, end) in enumerate(zip([0, *ends], ends)):
        expected[start:end] = a[start:end] @ w[expert] + bias[expert]
        rough[start:end] = abs(a[start:end]) @ abs(w[expert])
    # Weights are rounded to the type of a.
    error = abs(c.values - expected) - TOLERANCE[dtype] * (abs(expected) + rough + 1e-3)
    checks.expect(error.size == 0 or error.max() <= 0, f"{what}: {error.max() if error.size else 0} too much")


def test_int4(lengths, N, K, group, dtype, programs, with_zero=True):
    what = f"ragged_int4_gemm {lengths} {N}x{K} group={group} {dtype} programs={programs}"
    ends, experts = np.cumsum(lengths).astype(np.int32), len(lengths)
    rows = int(ends[-1]) if experts else 0
    a, c = random_array(rng, (rows, K), dtype), empty_array((rows, N), dtype)
    q = rng.integers(0, 256, (experts, K // 2, N), np.uint8)
    scale, zero = random_array(rng, (experts, K // group, N), dtype), rng.integers(0, 16, (experts, K // group, N)).astype(np.float32)
    launch(FILE, "ragged_int4_gemm", {"a_ptr": a.argument, "q_ptr": q, "scale_ptr": scale.argument, "zero_ptr": zero if with_zero else None, "c_ptr": c.argument, "ends_ptr": ends, "n_experts": experts,
                                      "N": N, "K": K, "GROUP_SIZE": group, "BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_E": power_of_two(experts), "PRECISION": "ieee"}, grid=(programs, ))
    bytes = q.reshape(experts, K // group, group // 2, N)
    codes = np.concatenate([bytes & 15, bytes >> 4], axis=2).astype(np.float64)
    w = ((codes - (zero if with_zero else np.full_like(zero, 8))[:, :, None]) * scale.values[:, :, None]).reshape(experts, K, N)
    compare(c, a.values, w, np.zeros((experts, N)), ends, dtype, what)


def test_mxfp4(lengths, N, K, dtype, programs, with_bias=False, block_k=64):
    what = f"ragged_mxfp4_gemm {lengths} {N}x{K} {dtype} programs={programs}"
    ends, experts = np.cumsum(lengths).astype(np.int32), len(lengths)
    rows = int(ends[-1]) if experts else 0
    a, c, bias = random_array(rng, (rows, K), dtype), empty_array((rows, N), dtype), random_array(rng, (experts, N), dtype)
    q, scale = rng.integers(0, 256, (experts, N, K // 2), np.uint8), rng.integers(122, 130, (experts, N, K // 32)).astype(np.uint8)
    launch(FILE, "ragged_mxfp4_gemm", {"a_ptr": a.argument, "q_ptr": q, "scale_ptr": scale, "bias_ptr": bias.argument if with_bias else None, "c_ptr": c.argument, "ends_ptr": ends, "n_experts": experts,
                                       "N": N, "K": K, "BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": block_k, "BLOCK_E": power_of_two(experts), "EVEN_K": K % block_k == 0, "PRECISION": "ieee"},
           grid=(programs, ))
    codes = np.stack([q & 15, q >> 4], axis=-1).reshape(experts, N, K)
    w = FP4[codes] * np.ldexp(1.0, scale.astype(int) - 127).repeat(32, axis=2)
    compare(c, a.values, w.swapaxes(1, 2), bias.values if with_bias else np.zeros((experts, N)), ends, dtype, what)


def test_codes():
    """A row of a that picks one element of K gives the weight itself, exactly, for every code and every scale that a float holds."""
    q = np.arange(256, dtype=np.uint8).reshape(1, 1, 256).repeat(255, axis=1)
    scale = np.arange(255, dtype=np.uint8).reshape(1, 255, 1).repeat(16, axis=2)
    a, c, ends = np.eye(512, dtype=np.float32), np.zeros((512, 255), np.float32), np.array([512], np.int32)
    launch(FILE, "ragged_mxfp4_gemm", {"a_ptr": a, "q_ptr": q, "scale_ptr": scale, "bias_ptr": None, "c_ptr": c, "ends_ptr": ends, "n_experts": 1, "N": 255, "K": 512, "BLOCK_M": 64, "BLOCK_N": 64,
                                       "BLOCK_K": 128, "BLOCK_E": 1, "EVEN_K": True, "PRECISION": "ieee"}, grid=(32, ))
    codes = np.stack([q & 15, q >> 4], axis=-1).reshape(255, 512)
    with np.errstate(over="ignore"):
        expected = (FP4[codes] * np.ldexp(1.0, np.arange(255) - 127)[:, None]).astype(np.float32)
    is_finite = np.isfinite(expected).all(axis=1)
    checks.equal(c.T[is_finite], expected[is_finite], "fp4 codes and scales")
    checks.expect(is_finite.sum() >= 252, "all scales but the last few hold all codes")


for dtype in DTYPES:
    checks.run(f"ragged_int4_gemm {dtype}", test_int4, (5, 0, 37, 1, 0), 50, 96, 32, dtype, 4)
    checks.run(f"ragged_mxfp4_gemm {dtype}", test_mxfp4, (5, 0, 37, 1, 0), 50, 96, dtype, 4, True)
for programs in (1, 40):
    checks.run(f"ragged_int4_gemm by {programs}", test_int4, (0, 20, 3), 33, 64, 64, "fp32", programs, False)
    checks.run(f"ragged_mxfp4_gemm by {programs}", test_mxfp4, (0, 20, 3), 33, 128, "fp32", programs)
checks.run("ragged_int4_gemm of one expert", test_int4, (17, ), 16, 32, 32, "fp32", 2)
checks.run("ragged_mxfp4_gemm of one expert", test_mxfp4, (17, ), 16, 32, "fp32", 2, False, 32)
for lengths in ((0, 0, 0), (1, ) * 9):
    checks.run(f"ragged_int4_gemm {lengths}", test_int4, lengths, 20, 64, 32, "fp32", 3)
    checks.run(f"ragged_mxfp4_gemm {lengths}", test_mxfp4, lengths, 20, 32, "fp32", 3)
checks.run("fp4 codes", test_codes)
checks.exit()
