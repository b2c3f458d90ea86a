"""Products of runs of rows, one for each expert, with weights of four bits that are decoded in the kernel: rows ends[g - 1] … ends[g] - 1 of c are those of a times the weights of expert g. Two forms of weights:

    int4     w[k, n] = (q[k, n] - zero[k // GROUP_SIZE, n]) * scale[…]      q: uint8 [experts, K / 2, N], scale and zero [experts, K / GROUP_SIZE, N]; zero None: 8
    MXFP4    w[n, k] = fp4[n, k] * 2^(scale[n, k // 32] - 127)              q: uint8 [experts, N, K / 2], scale uint8 [experts, N, K / 32], as gpt-oss stores them

The bytes of a group of int4 hold its first half in their low bits and its second half in their high bits, as in quantized_matmul; those of MXFP4 two neighbours along K, the first in its low bits, as in microscaling. K is a multiple of
GROUP_SIZE, or of 32. a and c are contiguous, ends is int32; a fixed number of programs walks over the tiles of all experts, of which BLOCK_E is at least the number."""
import triton
import triton.language as tl


@triton.jit
def tiles_of_experts(ends_ptr, n_experts, tiles_n, BLOCK_M: tl.constexpr, BLOCK_E: tl.constexpr):
    """For each expert: its first row, where its rows end, and the tiles of all up to it."""
    expert = tl.arange(0, BLOCK_E)
    ends = tl.load(ends_ptr + expert, mask=expert < n_experts, other=0)
    firsts = tl.load(ends_ptr + expert - 1, mask=(expert > 0) & (expert < n_experts), other=0)
    tiles = tl.where(expert < n_experts, (ends - firsts + BLOCK_M - 1) // BLOCK_M * tiles_n, 0)
    return firsts, ends, tl.cumsum(tiles, axis=0), tiles


@triton.jit
def picked(values, expert, BLOCK_E: tl.constexpr):
    return tl.sum(tl.where(tl.arange(0, BLOCK_E) == expert, values, 0), axis=0)


@triton.jit
def place_of_tile(tile, firsts, ends, tile_ends, tiles, tiles_n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_E: tl.constexpr):
    """The expert of a tile, its rows and where those of the expert end, and its columns."""
    expert = tl.sum((tile_ends <= tile).to(tl.int32), axis=0)
    inside = tile - picked(tile_ends, expert, BLOCK_E) + picked(tiles, expert, BLOCK_E)
    rows = picked(firsts, expert, BLOCK_E) + inside // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)
    return expert, rows[:, None], picked(ends, expert, BLOCK_E), inside % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)


@triton.jit
def int4_values(q, zero, scale, TYPE: tl.constexpr):
    """(q - zero) * scale of numbers below 16; zero None: 8. What four bits hold is exact in any type, and so is its product with a scale of the same type but for one rounding."""
    if zero is None:
        values = q.to(TYPE) - 8.0
        if scale.dtype == TYPE:
            return values * scale
        else:
            return (values.to(tl.float32) * scale.to(tl.float32)).to(TYPE)
    else:
        return ((q.to(TYPE).to(tl.float32) - zero.to(tl.float32)) * scale.to(tl.float32)).to(TYPE)


@triton.jit
def load_group(table_ptr, group, last, N, columns):
    """A row of a table of groups, none from `last` on. A loop takes it a group early: nothing waits for memory then."""
    return tl.load(table_ptr + tl.cast(group, tl.int64) * N + columns, mask=(columns < N) & (group < last), other=0.0)


@triton.jit
def ragged_int4_gemm(a_ptr, q_ptr, scale_ptr, zero_ptr, c_ptr, ends_ptr, n_experts, N, K, GROUP_SIZE: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_E: tl.constexpr,
                     PRECISION: tl.constexpr = None):
    """Takes a group of rows of w at a time. Grid: any number of programs."""
    HALF: tl.constexpr = GROUP_SIZE // 2
    tiles_n = tl.cdiv(N, BLOCK_N)
    firsts, ends, tile_ends, tiles = tiles_of_experts(ends_ptr, n_experts, tiles_n, BLOCK_M, BLOCK_E)
    for tile in tl.range(tl.program_id(0), tl.sum(tiles, axis=0), tl.num_programs(0)):
        expert, rows, end, columns = place_of_tile(tile, firsts, ends, tile_ends, tiles, tiles_n, BLOCK_M, BLOCK_N, BLOCK_E)
        columns = columns[None, :]
        k = tl.arange(0, HALF)
        a_rows = a_ptr + rows.to(tl.int64) * K + k[None, :]
        q_rows = q_ptr + expert.to(tl.int64) * (K // 2) * N + columns
        groups = K // GROUP_SIZE
        scales = scale_ptr + expert.to(tl.int64) * groups * N
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        scale = load_group(scales, 0, groups, N, columns)
        zero = None
        if zero_ptr is not None:
            zeros = zero_ptr + expert.to(tl.int64) * groups * N
            zero = load_group(zeros, 0, groups, N, columns)
        for group in range(0, groups):
            low_a = tl.load(a_rows + group * GROUP_SIZE, mask=rows < end, other=0.0)
            high_a = tl.load(a_rows + group * GROUP_SIZE + HALF, mask=rows < end, other=0.0)
            q = tl.load(q_rows + (group * HALF + k).to(tl.int64)[:, None] * N, mask=columns < N, other=0)
            later_scale = load_group(scales, group + 1, groups, N, columns)
            later_zero = None
            if zero_ptr is not None:
                later_zero = load_group(zeros, group + 1, groups, N, columns)
            total = tl.dot(low_a, int4_values(q & 15, zero, scale, low_a.dtype), total, input_precision=PRECISION)
            total = tl.dot(high_a, int4_values(q >> 4, zero, scale, low_a.dtype), total, input_precision=PRECISION)
            scale = later_scale
            zero = later_zero
        tl.store(c_ptr + rows.to(tl.int64) * N + columns, total.to(c_ptr.dtype.element_ty), mask=(rows < end) & (columns < N))


@triton.jit
def fp4_values(code):
    """Of codes in the low four bits: exponent and mantissa stand where a float has them, with a smaller bias. Codes of 16 bits become bf16, which is done two at a time; others fp32."""
    if code.dtype == tl.uint16:
        bits = ((code & 7) << 6) | ((code & 8) << 12)
        return bits.to(tl.bfloat16, bitcast=True) * 8.507059173023462e37  # 2^126
    else:
        bits = ((code & 7) << 22) | ((code & 8) << 28)
        return bits.to(tl.float32, bitcast=True) * 8.507059173023462e37


@triton.jit
def power_of_two(code):
    """2^(code - 127) for codes 0 … 254, exactly; NaN for 255."""
    bits = tl.where(code == 0, 0x00400000, tl.where(code == 255, 0x7FC00000, code << 23))
    return bits.to(tl.float32, bitcast=True)


@triton.jit
def load_exponents(scale_rows, column_inside, block, K, BLOCK_K: tl.constexpr):
    """The exponents of a block of K, none past the end. A loop takes them a block early: nothing waits for memory then."""
    group = block * (BLOCK_K // 32) + tl.arange(0, BLOCK_K // 32)[None, :]
    return tl.load(scale_rows + group, mask=column_inside & (group < K // 32), other=0)


@triton.jit
def ragged_mxfp4_gemm(a_ptr, q_ptr, scale_ptr, bias_ptr, c_ptr, ends_ptr, n_experts, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_E: tl.constexpr,
                      EVEN_K: tl.constexpr = False, PRECISION: tl.constexpr = None):
    """bias is [experts, N] or None; EVEN_K: K is a multiple of BLOCK_K. Weights become the type of a, which must hold them. Grid: any number of programs."""
    # bf16 holds an element, every power of two, and their product.
    CODE: tl.constexpr = tl.uint16 if a_ptr.dtype.element_ty == tl.bfloat16 else tl.int32
    tiles_n = tl.cdiv(N, BLOCK_N)
    firsts, ends, tile_ends, tiles = tiles_of_experts(ends_ptr, n_experts, tiles_n, BLOCK_M, BLOCK_E)
    for tile in tl.range(tl.program_id(0), tl.sum(tiles, axis=0), tl.num_programs(0)):
        expert, rows, end, columns = place_of_tile(tile, firsts, ends, tile_ends, tiles, tiles_n, BLOCK_M, BLOCK_N, BLOCK_E)
        weights = expert.to(tl.int64) * N + columns
        q_rows = q_ptr + weights[:, None] * (K // 2)
        scale_rows = scale_ptr + weights[:, None] * (K // 32)
        a_rows = a_ptr + rows.to(tl.int64) * K
        column_inside = (columns < N)[:, None]
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        exponents = load_exponents(scale_rows, column_inside, 0, K, BLOCK_K)
        for block in range(0, tl.cdiv(K, BLOCK_K)):
            k = block * BLOCK_K + tl.arange(0, BLOCK_K)[None, :]
            byte = block * (BLOCK_K // 2) + tl.arange(0, BLOCK_K // 2)[None, :]
            a_inside = rows < end
            q_inside = column_inside
            if not EVEN_K:
                a_inside = a_inside & (k < K)
                q_inside = q_inside & (byte < K // 2)
            a = tl.load(a_rows + k, mask=a_inside, other=0.0)
            q = tl.load(q_rows + byte, mask=q_inside, other=0).to(CODE)
            later = load_exponents(scale_rows, column_inside, block + 1, K, BLOCK_K)
            scale = power_of_two(exponents.to(tl.int32))
            values = fp4_values(tl.reshape(tl.join(q, q >> 4), (BLOCK_N, BLOCK_K // 32, 32)))
            w = values * scale.to(values.dtype)[:, :, None]
            total = tl.dot(a, tl.trans(tl.reshape(w, (BLOCK_N, BLOCK_K)).to(a.dtype)), total, input_precision=PRECISION)
            exponents = later
        if bias_ptr is not None:
            total += tl.load(bias_ptr + weights, mask=columns < N, other=0.0).to(tl.float32)[None, :]
        tl.store(c_ptr + rows.to(tl.int64) * N + columns[None, :], total.to(c_ptr.dtype.element_ty), mask=(rows < end) & (columns < N)[None, :])
