"""What a decoder of many sequences does with its weights, in blocks that TMA brings where the GPU has it: the products of SwiGLU with the activation behind them, and products whose depth programs share, added up
where the residual sum and its norm are computed. Weights are [N, K], x is [M, K], all matrices are contiguous."""
import triton
import triton.language as tl


@triton.jit
def gated_rows(x_ptr, w_ptr, out_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """out = silu(x @ gate^T) * (x @ up^T), where w is [2 N, K], gates above. Grid: blocks of M for each block of N."""
    x = tl.make_tensor_descriptor(x_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    w = tl.make_tensor_descriptor(w_ptr, shape=[2 * N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    tiles_m = tl.cdiv(M, BLOCK_M)
    row = tl.program_id(0) % tiles_m * BLOCK_M
    column = tl.program_id(0) // tiles_m * BLOCK_N
    gate = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in tl.range(0, K, BLOCK_K, warp_specialize=True):
        left = x.load([row, k])
        gate = tl.dot(left, w.load([column, k]).T, gate, input_precision=PRECISION)
        up = tl.dot(left, w.load([N + column, k]).T, up, input_precision=PRECISION)
    m = row + tl.arange(0, BLOCK_M)[:, None]
    n = column + tl.arange(0, BLOCK_N)[None, :]
    result = gate * tl.sigmoid(gate) * up
    tl.store(out_ptr + m.to(tl.int64) * N + n, result.to(out_ptr.dtype.element_ty), mask=(m < M) & (n < N))


@triton.jit
def shares_of_rows(x_ptr, w_ptr, sums_ptr, M, N, K, depth, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """sums[s] = x @ w^T over columns s * depth … of both; depth is a multiple of BLOCK_K, sums is fp32 [shares, M, N]. Grid: (blocks of M for each block of N, shares)."""
    x = tl.make_tensor_descriptor(x_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    w = tl.make_tensor_descriptor(w_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    tiles_m = tl.cdiv(M, BLOCK_M)
    row = tl.program_id(0) % tiles_m * BLOCK_M
    column = tl.program_id(0) // tiles_m * BLOCK_N
    share = tl.program_id(1)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in tl.range(share * depth, tl.minimum(K, (share + 1) * depth), BLOCK_K, warp_specialize=True):
        total = tl.dot(x.load([row, k]), w.load([column, k]).T, total, input_precision=PRECISION)
    m = row + tl.arange(0, BLOCK_M)[:, None]
    n = column + tl.arange(0, BLOCK_N)[None, :]
    tl.store(sums_ptr + (share * M + m).to(tl.int64) * N + n, total, mask=(m < M) & (n < N))


@triton.jit
def add_shares_norm(sums_ptr, x_ptr, gain_ptr, h_ptr, N, eps, SHARES: tl.constexpr, BLOCK: tl.constexpr):
    """x += all shares of sums, and h = norm(x) * gain. The sum is rounded to the type of x before the norm. Grid: the rows; BLOCK >= N."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < N
    at = row.to(tl.int64) * N + columns
    total = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    for share in tl.static_range(SHARES):
        total += tl.load(sums_ptr + (share * tl.num_programs(0)).to(tl.int64) * N + at, mask=inside, other=0.0)
    rounded = total.to(x_ptr.dtype.element_ty)
    tl.store(x_ptr + at, rounded, mask=inside)
    total = rounded.to(tl.float32)
    rstd = 1 / tl.sqrt(tl.sum(total * total, axis=0) / N + eps)
    gain = tl.load(gain_ptr + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(h_ptr + at, (total * rstd * gain).to(h_ptr.dtype.element_ty), mask=inside)
