"""c = a @ w where the weights w are stored as int8 or int4 and dequantized in the kernel. Each column of w has a scale for every
GROUP_SIZE rows, and K is a multiple of GROUP_SIZE:

    int8    w[k, n] = q[k, n] * scale[k // GROUP_SIZE, n]                      q: int8 [K, N]
    int4    w[k, n] = (q[k, n] - zero[k // GROUP_SIZE, n]) * scale[…]          q: 0 … 15, two in a byte: uint8 [K / 2, N]

The bytes of a group of int4 hold its first half in their low bits and its second half in their high bits: byte r of group g
is row g * GROUP_SIZE + r and row g * GROUP_SIZE + GROUP_SIZE / 2 + r. So both halves of a row of a are read in one run.
zero is fp32, or None for 8."""
import triton
import triton.language as tl


@triton.jit
def store_tile(c_ptr, total, rows, columns, M, N, c_stride_m):
    c_ptr += tl.program_id(1).to(tl.int64) * M * c_stride_m
    tl.store(c_ptr + rows.to(tl.int64) * c_stride_m + columns, total.to(c_ptr.dtype.element_ty), mask=(rows < M) & (columns < N))


@triton.jit
def load_group(table_ptr, group, last, N, columns):
    """A row of a table of groups, none from `last` on. A loop takes it a group early: nothing waits for memory then."""
    return tl.load(table_ptr + tl.cast(group, tl.int64) * N + columns, mask=(columns < N) & (group < last), other=0.0)


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
def int8_values(q, scale, TYPE: tl.constexpr):
    """q * scale. Eight bits are exact in any type, and so is their product with a scale of the same type but for one rounding."""
    if scale.dtype == TYPE:
        return q.to(TYPE) * scale
    else:
        return (q.to(tl.float32) * scale.to(tl.float32)).to(TYPE)


@triton.jit
def int8_weight_matmul(a_ptr, q_ptr, scale_ptr, c_ptr, M, N, K, a_stride_m, q_stride_k, c_stride_m, GROUP_SIZE: tl.constexpr,
                       BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """BLOCK_K divides GROUP_SIZE. Grid: (tiles of c, shares of the depth): a share writes its sum behind the one before it, c [shares, M, N] and fp32 if there are several."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    rows = tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    a_rows = a_ptr + rows.to(tl.int64) * a_stride_m
    k = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    each = tl.cdiv(K // BLOCK_K, tl.num_programs(1)) * BLOCK_K
    last = tl.minimum(K, (tl.program_id(1) + 1) * each)
    groups = tl.cdiv(last, GROUP_SIZE)
    scale = load_group(scale_ptr, tl.program_id(1) * each // GROUP_SIZE, groups, N, columns)
    for first in range(tl.program_id(1) * each, last, BLOCK_K):
        a = tl.load(a_rows + first + k[None, :], mask=rows < M, other=0.0)
        q = tl.load(q_ptr + (first + k).to(tl.int64)[:, None] * q_stride_k + columns, mask=columns < N, other=0)
        later = load_group(scale_ptr, (first + BLOCK_K) // GROUP_SIZE, groups, N, columns)
        total = tl.dot(a, int8_values(q, scale, a.dtype), total, input_precision=PRECISION)
        scale = later
    store_tile(c_ptr, total, rows, columns, M, N, c_stride_m)


@triton.jit
def int4_weight_matmul(a_ptr, q_ptr, scale_ptr, zero_ptr, c_ptr, M, N, K, a_stride_m, q_stride_k, c_stride_m, GROUP_SIZE: tl.constexpr,
                       BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, PRECISION: tl.constexpr = None):
    """A program takes a group of rows of w at a time. Grid: (tiles of c, shares of the depth), as above."""
    HALF: tl.constexpr = GROUP_SIZE // 2
    tiles_n = tl.cdiv(N, BLOCK_N)
    rows = tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    a_rows = a_ptr + rows.to(tl.int64) * a_stride_m
    k = tl.arange(0, HALF)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    each = tl.cdiv(K // GROUP_SIZE, tl.num_programs(1))
    last = tl.minimum(K // GROUP_SIZE, (tl.program_id(1) + 1) * each)
    scale = load_group(scale_ptr, tl.program_id(1) * each, last, N, columns)
    zero = None
    if zero_ptr is not None:
        zero = load_group(zero_ptr, tl.program_id(1) * each, last, N, columns)
    for group in range(tl.program_id(1) * each, last):
        low_a = tl.load(a_rows + group * GROUP_SIZE + k[None, :], mask=rows < M, other=0.0)
        high_a = tl.load(a_rows + group * GROUP_SIZE + HALF + k[None, :], mask=rows < M, other=0.0)
        q = tl.load(q_ptr + (group * HALF + k).to(tl.int64)[:, None] * q_stride_k + columns, mask=columns < N, other=0)
        later_scale = load_group(scale_ptr, group + 1, last, N, columns)
        later_zero = None
        if zero_ptr is not None:
            later_zero = load_group(zero_ptr, group + 1, last, N, columns)
        total = tl.dot(low_a, int4_values(q & 15, zero, scale, low_a.dtype), total, input_precision=PRECISION)
        total = tl.dot(high_a, int4_values(q >> 4, zero, scale, low_a.dtype), total, input_precision=PRECISION)
        scale = later_scale
        zero = later_zero
    store_tile(c_ptr, total, rows, columns, M, N, c_stride_m)


@triton.jit
def int4_weight_vector(a_ptr, q_ptr, scale_ptr, zero_ptr, c_ptr, N, K, q_stride_k, GROUP_SIZE: tl.constexpr, ROWS: tl.constexpr, BLOCK_N: tl.constexpr):
    """One row of a, where tensor cores would have nothing to do. Four bits become a float without a conversion: put into its fraction they make 16 + q, and what is too much goes with the zeros. ROWS of bytes at a time, which divides GROUP_SIZE / 2.
    Grid: (blocks of N, shares of the depth), as above."""
    HALF: tl.constexpr = GROUP_SIZE // 2
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    inside = columns < N
    row = tl.arange(0, ROWS)[:, None]
    total = tl.zeros((ROWS, BLOCK_N), tl.float32)
    each = tl.cdiv(K // GROUP_SIZE, tl.num_programs(1))
    for group in range(tl.program_id(1) * each, tl.minimum(K // GROUP_SIZE, (tl.program_id(1) + 1) * each)):
        sums = tl.zeros((ROWS, BLOCK_N), tl.float32)
        sum_a = tl.zeros((ROWS, 1), tl.float32)
        for first in tl.static_range(0, HALF, ROWS):
            k = first + row
            q = tl.load(q_ptr + (group * HALF + k).to(tl.int64) * q_stride_k + columns, mask=inside, other=0).to(tl.int32)
            low_a = tl.load(a_ptr + group * GROUP_SIZE + k).to(tl.float32)
            high_a = tl.load(a_ptr + group * GROUP_SIZE + HALF + k).to(tl.float32)
            sums += (((q & 15) << 19) | 0x41800000).to(tl.float32, bitcast=True) * low_a
            sums += (((q & 240) << 15) | 0x41800000).to(tl.float32, bitcast=True) * high_a
            sum_a += low_a + high_a
        in_table = group.to(tl.int64) * N + columns
        scale = tl.load(scale_ptr + in_table, mask=inside, other=0.0).to(tl.float32)
        if zero_ptr is None:
            zero = 8.0
        else:
            zero = tl.load(zero_ptr + in_table, mask=inside, other=0.0)
        total += scale * (sums - (zero + 16.0) * sum_a)
    tl.store(c_ptr + tl.program_id(1).to(tl.int64) * N + columns, tl.sum(total, axis=0, keep_dims=True).to(c_ptr.dtype.element_ty), mask=inside)


@triton.jit
def int8_weight_dequantize(q_ptr, scale_ptr, out_ptr, N, K, q_stride_k, GROUP_SIZE: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr):
    """The weights, contiguous [K, N]; BLOCK_K divides GROUP_SIZE. Grid: (blocks of N, blocks of K)."""
    k = tl.program_id(1) * BLOCK_K + tl.arange(0, BLOCK_K)[:, None]
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    inside = (k < K) & (columns < N)
    scale = tl.load(scale_ptr + (tl.program_id(1) * BLOCK_K // GROUP_SIZE).to(tl.int64) * N + columns, mask=columns < N, other=0.0).to(tl.float32)
    q = tl.load(q_ptr + k.to(tl.int64) * q_stride_k + columns, mask=inside, other=0)
    tl.store(out_ptr + k.to(tl.int64) * N + columns, (q.to(tl.float32) * scale).to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def int4_weight_dequantize(q_ptr, scale_ptr, zero_ptr, out_ptr, N, K, q_stride_k, GROUP_SIZE: tl.constexpr, BLOCK_N: tl.constexpr):
    """The weights, contiguous [K, N]. Grid: (blocks of N, groups)."""
    HALF: tl.constexpr = GROUP_SIZE // 2
    group = tl.program_id(1).to(tl.int64)
    k = tl.arange(0, HALF)[:, None]
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    inside = columns < N
    q = tl.load(q_ptr + (group * HALF + k) * q_stride_k + columns, mask=inside, other=0)
    scale = tl.load(scale_ptr + group * N + columns, mask=inside, other=0.0).to(tl.float32)
    if zero_ptr is None:
        zero = 8.0
    else:
        zero = tl.load(zero_ptr + group * N + columns, mask=inside, other=0.0).to(tl.float32)
    out = out_ptr + (group * GROUP_SIZE + k) * N + columns
    tl.store(out, (((q & 15).to(tl.float32) - zero) * scale).to(out_ptr.dtype.element_ty), mask=inside)
    tl.store(out + HALF * N, (((q >> 4).to(tl.float32) - zero) * scale).to(out_ptr.dtype.element_ty), mask=inside)
