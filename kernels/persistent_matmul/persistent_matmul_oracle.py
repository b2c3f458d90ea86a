"""persistent_matmul against float64, on sizes that are no multiples of the blocks."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(8)


def test(M, N, K, dtype, programs):
    a, b, c = random_array(rng, (M, K), dtype), random_array(rng, (N, K), dtype), empty_array((M, N), dtype)
    launch(kernel_file("persistent_matmul"), "persistent_matmul",
           {"a_ptr": a.argument, "b_ptr": b.argument, "c_ptr": c.argument, "M": M, "N": N, "K": K, "BLOCK_M": 32, "BLOCK_N": 16,
            "BLOCK_K": 32, "GROUP_M": 2, "PRECISION": "ieee"}, grid=(programs, ))
    checks.close(c.values, a.values @ b.values.T, f"persistent_matmul {M}x{N}x{K} {dtype} programs={programs}", rtol=TOLERANCE[dtype],
                 atol=TOLERANCE[dtype] * K**0.5)


for dtype in DTYPES:
    for M, N, K in ((70, 40, 72), (33, 8, 16), (1, 16, 128), (0, 8, 16)):
        for programs in (1, 4, 50):
            checks.run(f"persistent_matmul {M}x{N}x{K} {dtype}", test, M, N, K, dtype, programs)
checks.exit()
