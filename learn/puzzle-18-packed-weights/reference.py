"""One weight after the other."""
import triton
import triton.language as tl


@triton.jit
def packed_product(x_ptr, packed_ptr, scale_ptr, out_ptr, N, K, BLOCK_N: tl.constexpr, BLOCK_P: tl.constexpr):
    for n in range(tl.program_id(0), N, tl.num_programs(0)):
        total = tl.load(scale_ptr + n) * 0.0
        for k in range(K):
            byte = tl.load(packed_ptr + n * (K // 2) + k // 2).to(tl.int32)
            weight = (byte // (1 + 15 * (k % 2))) % 16 - 8
            total += weight.to(tl.float64) * tl.load(x_ptr + k)
        tl.store(out_ptr + n, total * tl.load(scale_ptr + n))
