"""Attention of fp8 queries, keys and values, forward, without the matrix of scores in memory. Both products run on fp8 tensor cores: weights of keys become fp8e4nv too, 256 times as large, so that small ones keep their bits.

q is [batch, heads, length_q, DIM], k [batch, heads / group, length_k, DIM], with contiguous rows; v has the shape of k, and lies so or transposed, with the keys next to each other (V_LIES "SD" or "DS"): fp8 tensor cores of Hopper read it
transposed. fp8e4nv or fp8e5, or uint8 with the bits of fp8e4nv. Scales, fp32 [batch, heads / group] or None for 1, are what a head of q, k and v is multiplied with. With CAUSAL, query i sees the keys up to i + length_k - length_q; a
query that sees no key gives 0."""
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)
LN_2 = tl.constexpr(0.6931471805599453)
MANY = tl.constexpr(2**31 - 1)
ENLARGED = tl.constexpr(8.0)  # log2 of 256, which is below 448, the largest number of fp8e4nv


@triton.jit
def as_fp8(x):
    if x.dtype == tl.uint8:
        return x.to(tl.float8e4nv, bitcast=True)
    else:
        return x


@triton.jit
def scale_of(scale_ptr, at):
    if scale_ptr is None:
        return 1.0
    else:
        return tl.load(scale_ptr + at)


@triton.jit
def source_of(ptr, batch, head, stride_b, stride_h, stride, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr, BY_DESCRIPTOR: tl.constexpr):
    """What load_block reads: a descriptor of all heads, whose blocks are [BLOCK_R, BLOCK_C], or the address of one head. Nobody counts batches and heads: they are inside."""
    if BY_DESCRIPTOR:
        return tl.make_tensor_descriptor(ptr, [MANY, MANY, rows, columns], [stride_b, stride_h, stride, 1], [1, 1, BLOCK_R, BLOCK_C])
    else:
        return ptr + batch.to(tl.int64) * stride_b + head.to(tl.int64) * stride_h


@triton.jit
def load_block(source, batch, head, row, column, stride, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr, MASKED: tl.constexpr, BY_DESCRIPTOR: tl.constexpr):
    """Zeros past the ends."""
    if BY_DESCRIPTOR:
        return as_fp8(source.load([batch, head, row, column]).reshape(BLOCK_R, BLOCK_C))
    else:
        i = (row + tl.arange(0, BLOCK_R))[:, None]
        j = (column + tl.arange(0, BLOCK_C))[None, :]
        if MASKED:
            return as_fp8(tl.load(source + i.to(tl.int64) * stride + j, mask=(i < rows) & (j < columns), other=0.0))
        else:
            return as_fp8(tl.load(source + i.to(tl.int64) * stride + j))


@triton.jit
def seen_keys(first_row, length_q, length_k, BLOCK_M: tl.constexpr, CAUSAL: tl.constexpr):
    """How many keys all queries of a block see, and how many any of them."""
    if CAUSAL:
        first = first_row + (length_k - length_q)
        return tl.minimum(length_k, tl.maximum(first + 1, 0)), tl.minimum(length_k, tl.maximum(first + BLOCK_M, 0))
    else:
        return length_k, length_k


@triton.jit
def attend(total, weight, largest, q, k, v, batch, head, first, last, rows, length_q, length_k, scale2, k_stride, v_stride, DIM: tl.constexpr, BLOCK_N: tl.constexpr, V_LIES: tl.constexpr,
           MASKED: tl.constexpr, CAUSAL: tl.constexpr, BY_DESCRIPTOR: tl.constexpr):
    """Adds the keys first … last - 1: `largest` score so far, sum of `weight`s and weighted `total` relative to it. scale2 is positive."""
    for start in range(first, last, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        keys = load_block(k, batch, head, start, 0, k_stride, length_k, DIM, BLOCK_N, DIM, MASKED, BY_DESCRIPTOR)
        score = tl.dot(q, tl.trans(keys)) * scale2
        if MASKED:
            seen = columns[None, :] < length_k
            if CAUSAL:
                seen = seen & (columns[None, :] <= rows[:, None] + (length_k - length_q))
            score = tl.where(seen, score, -float("inf"))
        now = tl.maximum(largest, tl.max(score, axis=1))
        reference = tl.where(now == -float("inf"), 0.0, now)  # a row that has seen no key yet
        p = tl.exp2(score - (reference - ENLARGED)[:, None])
        shrink = tl.exp2(largest - reference)
        weight = weight * shrink + tl.sum(p, axis=1)
        if V_LIES == "SD":
            values = load_block(v, batch, head, start, 0, v_stride, length_k, DIM, BLOCK_N, DIM, MASKED, BY_DESCRIPTOR)
        else:
            values = tl.trans(load_block(v, batch, head, 0, start, v_stride, DIM, length_k, DIM, BLOCK_N, MASKED, BY_DESCRIPTOR))
        total = tl.dot(p.to(tl.float8e4nv), values.to(tl.float8e4nv), total * shrink[:, None])
        largest = now
    return total, weight, largest


@triton.jit
def fp8_attention(q_ptr, k_ptr, v_ptr, q_scale_ptr, k_scale_ptr, v_scale_ptr, out_ptr, lse_ptr, scale, q_stride_b, q_stride_h, q_stride_s, k_stride_b, k_stride_h, k_stride_s, v_stride_b, v_stride_h, v_stride,
                  out_stride_b, out_stride_h, out_stride_s, heads, group, length_q, length_k, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, V_LIES: tl.constexpr = "SD",
                  BY_DESCRIPTOR: tl.constexpr = False):
    """Grid: (blocks of BLOCK_M queries, batch * heads). scale is positive; v_stride is that of a row, of DIM or of keys. lse is fp32 [batch, heads, length_q], natural logarithms. BY_DESCRIPTOR: keys and values come by TMA; their rows
    start at multiples of 16 bytes then."""
    block = tl.program_id(0)
    if CAUSAL:
        block = tl.num_programs(0) - 1 - block  # the last queries see the most keys: they come first
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    head_k = head // group
    at = batch * (heads // group) + head_k
    scale2 = scale * LOG2_E * scale_of(q_scale_ptr, at) * scale_of(k_scale_ptr, at)
    first_row = block * BLOCK_M
    rows = first_row + tl.arange(0, BLOCK_M)
    row_inside = (rows < length_q)[:, None]
    d = tl.arange(0, DIM)[None, :]
    q_ptr += batch.to(tl.int64) * q_stride_b + head.to(tl.int64) * q_stride_h
    q = as_fp8(tl.load(q_ptr + rows.to(tl.int64)[:, None] * q_stride_s + d, mask=row_inside, other=0.0))
    k = source_of(k_ptr, batch, head_k, k_stride_b, k_stride_h, k_stride_s, length_k, DIM, BLOCK_N, DIM, BY_DESCRIPTOR)
    if V_LIES == "SD":
        v = source_of(v_ptr, batch, head_k, v_stride_b, v_stride_h, v_stride, length_k, DIM, BLOCK_N, DIM, BY_DESCRIPTOR)
    else:
        v = source_of(v_ptr, batch, head_k, v_stride_b, v_stride_h, v_stride, DIM, length_k, DIM, BLOCK_N, BY_DESCRIPTOR)
    total = tl.zeros((BLOCK_M, DIM), tl.float32)
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)

    # Blocks of keys that every row sees need no mask; those on the diagonal and at the end do.
    full, last = seen_keys(first_row, length_q, length_k, BLOCK_M, CAUSAL)
    full = full // BLOCK_N * BLOCK_N
    total, weight, largest = attend(total, weight, largest, q, k, v, batch, head_k, 0, full, rows, length_q, length_k, scale2, k_stride_s, v_stride, DIM, BLOCK_N, V_LIES, False, CAUSAL, BY_DESCRIPTOR)
    total, weight, largest = attend(total, weight, largest, q, k, v, batch, head_k, full, last, rows, length_q, length_k, scale2, k_stride_s, v_stride, DIM, BLOCK_N, V_LIES, True, CAUSAL, BY_DESCRIPTOR)

    none = weight == 0.0
    result = total * (scale_of(v_scale_ptr, at) / tl.where(none, 1.0, weight))[:, None]
    out_ptr += batch.to(tl.int64) * out_stride_b + head.to(tl.int64) * out_stride_h
    tl.store(out_ptr + rows.to(tl.int64)[:, None] * out_stride_s + d, result.to(out_ptr.dtype.element_ty), mask=row_inside)
    lse = tl.where(none, -float("inf"), (largest + tl.log2(weight) - ENLARGED) * LN_2)
    tl.store(lse_ptr + tl.program_id(1).to(tl.int64) * length_q + rows, lse, mask=rows < length_q)
