"""What a linear layer and its cross entropy need in order to go over the rows in chunks, so that there are never all logits: the logits of a chunk become
losses and, in the same place, gradients, and the gradient of the weight is added up over the chunks. `matmul` makes the logits of a chunk and the
gradient of its rows."""
import triton
import triton.language as tl


@triton.jit
def capped(x, SOFTCAP: tl.constexpr):
    return SOFTCAP * (2 * tl.sigmoid(x * (2 / SOFTCAP)) - 1)


@triton.jit
def loss_and_gradient(logits_ptr, target_ptr, scale_ptr, loss_ptr, logits_row_stride, n_columns, ignore_index, BLOCK: tl.constexpr,
                      SMOOTHING: tl.constexpr = 0.0, Z_LOSS: tl.constexpr = 0.0, SOFTCAP: tl.constexpr = 0.0):
    """loss[i] is the cross entropy of row i times scale[0], and the logits are replaced by its gradient. One program a row, which is read twice and
    written once; other words as in cross_entropy."""
    row = tl.program_id(0)
    logits_ptr += row.to(tl.int64) * logits_row_stride
    columns = tl.arange(0, BLOCK)
    target = tl.load(target_ptr + row)
    chosen = tl.load(logits_ptr + target, mask=(target >= 0) & (target < n_columns), other=float("nan")).to(tl.float32)
    tl.debug_barrier()  # the place is written below, maybe by another thread
    largest = tl.full((), -float("inf"), tl.float32)
    total = tl.zeros((), tl.float32)
    everything = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(logits_ptr + first + columns, mask=inside, other=-float("inf")).to(tl.float32)
        if SOFTCAP > 0:
            x = tl.where(inside, capped(x, SOFTCAP), -float("inf"))
        now = tl.maximum(largest, tl.max(x, axis=0))
        reference = tl.where(now == -float("inf"), 0.0, now)
        total = total * tl.exp(largest - reference) + tl.sum(tl.exp(x - reference), axis=0)
        largest = now
        if SMOOTHING > 0:
            everything += tl.where(inside, x, 0.0)
    lse = largest + tl.log(total)
    if SOFTCAP > 0:
        chosen = capped(chosen, SOFTCAP)
    if SMOOTHING > 0:
        chosen = (1 - SMOOTHING) * chosen + SMOOTHING * (tl.sum(everything, axis=0) / n_columns)
    loss = lse - chosen
    if Z_LOSS > 0:
        loss += Z_LOSS * lse * lse
    factor = tl.load(scale_ptr)
    tl.store(loss_ptr + row, tl.where(target == ignore_index, 0.0, loss * factor))

    factor = tl.where((target >= 0) & (target < n_columns), factor, float("nan"))
    factor = tl.where(target == ignore_index, 0.0, factor)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(logits_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        if SOFTCAP > 0:
            x = capped(x, SOFTCAP)
        share = tl.exp(x - lse)
        if Z_LOSS > 0:
            share *= 1 + 2 * Z_LOSS * lse
        wanted = tl.where(first + columns == target, 1.0, 0.0)
        if SMOOTHING > 0:
            wanted = (1 - SMOOTHING) * wanted + SMOOTHING / n_columns
        grad = (share - wanted) * factor
        if SOFTCAP > 0:
            grad *= 1 - (x / SOFTCAP) * (x / SOFTCAP)
        grad = tl.where(factor == 0.0, 0.0, grad)
        tl.store(logits_ptr + first + columns, grad.to(logits_ptr.dtype.element_ty), mask=inside)


@triton.jit
def add_transposed_product(a_ptr, b_ptr, c_ptr, M, N, K, a_stride_k, b_stride_k, c_stride_m, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                           BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr = 8, PRECISION: tl.constexpr = None):
    """c += a^T @ b: a is [K, M], b [K, N], c [M, N], rows contiguous. One program a tile of c, in groups of GROUP_M rows of tiles."""
    tile_m, tile_n = tl.swizzle2d(0, tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = (first + tl.arange(0, BLOCK_K))[:, None]
        a = tl.load(a_ptr + k.to(tl.int64) * a_stride_k + rows[None, :], mask=(k < K) & (rows < M)[None, :], other=0.0)
        b = tl.load(b_ptr + k.to(tl.int64) * b_stride_k + columns[None, :], mask=(k < K) & (columns < N)[None, :], other=0.0)
        total = tl.dot(tl.trans(a), b, total, input_precision=PRECISION)
    c = c_ptr + rows.to(tl.int64)[:, None] * c_stride_m + columns[None, :]
    is_tile = (rows < M)[:, None] & (columns < N)[None, :]
    total += tl.load(c, mask=is_tile, other=0.0).to(tl.float32)
    tl.store(c, total.to(c_ptr.dtype.element_ty), mask=is_tile)


@triton.jit
def add_transposed_blocks(a_ptr, b_ptr, c_ptr, M, N, K, a_stride_k, b_stride_k, c_stride_m, ADD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                          GROUP_M: tl.constexpr = 8, PRECISION: tl.constexpr = None):
    """c = a^T @ b, or with ADD c += that, where rows of a and b are multiples of 16 bytes: TMA brings their blocks. Any number of programs."""
    a = tl.make_tensor_descriptor(a_ptr, shape=[K, M], strides=[a_stride_k, 1], block_shape=[BLOCK_K, BLOCK_M])
    b = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[b_stride_k, 1], block_shape=[BLOCK_K, BLOCK_N])
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        tile_m, tile_n = tl.swizzle2d(0, tile, tiles_m, tiles_n, GROUP_M)
        row = tile_m * BLOCK_M
        column = tile_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, BLOCK_K):
            total = tl.dot(a.load([k, row]).T, b.load([k, column]), total, input_precision=PRECISION)
        rows = row + tl.arange(0, BLOCK_M)[:, None]
        columns = column + tl.arange(0, BLOCK_N)[None, :]
        inside = (rows < M) & (columns < N)
        c = c_ptr + rows.to(tl.int64) * c_stride_m + columns
        if ADD:
            total += tl.load(c, mask=inside, other=0.0).to(tl.float32)
        tl.store(c, total.to(c_ptr.dtype.element_ty), mask=inside)
