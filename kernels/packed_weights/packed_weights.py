"""Weights [K, N] of four bits in the words of AWQ and GPTQ checkpoints, dequantized: w[k, n] = (q[k, n] - zero[g, n]) * scale[g, n], where g is the
group of row k. A word of 32 bits has eight codes.

    awq     words lie along N: int32 [K, N / 8]; the columns of a word are in the bits 0, 16, 4, 20, 8, 24, 12, 28; zeros: int32 [groups, N / 8], the same
    gptq    words lie along K: int32 [K * BITS / 32, N], rows in ascending bits; zeros: int32 [groups, N * BITS / 32] in ascending bits, one too small
            in checkpoints of version 1 (ZERO_OFFSET 1), as they are in version 2 (0); with an order of activations g is groups[k], else k // group_size
"""
import triton
import triton.language as tl


@triton.jit
def awq_bits(columns):
    """Where a column has its code in a word: even columns in the low half, odd ones in the high half."""
    return columns % 8 // 2 * 4 + columns % 2 * 16


@triton.jit
def dequantize_awq(q_ptr, zeros_ptr, scale_ptr, out_ptr, K, N, group_size, BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr, CACHE: tl.constexpr = ""):
    """All contiguous; scale: [groups, N]. Grid: (blocks of N, blocks of K)."""
    k = tl.program_id(1) * BLOCK_K + tl.arange(0, BLOCK_K)[:, None]
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    inside = (k < K) & (n < N)
    group = (k // group_size).to(tl.int64)
    bits = awq_bits(n)
    q = (tl.load(q_ptr + k.to(tl.int64) * (N // 8) + n // 8, mask=inside, other=0) >> bits) & 15
    zero = (tl.load(zeros_ptr + group * (N // 8) + n // 8, mask=inside, other=0) >> bits) & 15
    scale = tl.load(scale_ptr + group * N + n, mask=inside, other=0.0).to(tl.float32)
    result = (q - zero).to(tl.float32) * scale
    tl.store(out_ptr + k.to(tl.int64) * N + n, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def dequantize_gptq(q_ptr, zeros_ptr, scale_ptr, groups_ptr, out_ptr, K, N, group_size, BITS: tl.constexpr, ZERO_OFFSET: tl.constexpr,
                    BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr, CACHE: tl.constexpr = ""):
    """All contiguous; scale: [groups, N]; BITS is 2, 4 or 8; groups is int32 [K] or None. Grid: (blocks of N, blocks of K)."""
    PER_WORD: tl.constexpr = 32 // BITS
    MASK: tl.constexpr = 2**BITS - 1
    k = tl.program_id(1) * BLOCK_K + tl.arange(0, BLOCK_K)[:, None]
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    inside = (k < K) & (n < N)
    if groups_ptr is None:
        group = (k // group_size).to(tl.int64)
    else:
        group = tl.load(groups_ptr + k, mask=k < K, other=0).to(tl.int64)
    q = (tl.load(q_ptr + (k // PER_WORD).to(tl.int64) * N + n, mask=inside, other=0) >> (k % PER_WORD * BITS)) & MASK
    zero = (tl.load(zeros_ptr + group * (N // PER_WORD) + n // PER_WORD, mask=inside, other=0) >> (n % PER_WORD * BITS)) & MASK
    scale = tl.load(scale_ptr + group * N + n, mask=inside, other=0.0).to(tl.float32)
    result = (q - (zero + ZERO_OFFSET)).to(tl.float32) * scale
    tl.store(out_ptr + k.to(tl.int64) * N + n, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)
