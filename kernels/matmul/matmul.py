"""c = activation(a @ b + bias) for strided matrices of any size, with tiles visited in groups of rows to share the cache."""
import triton
import triton.language as tl


@triton.jit
def relu(x):
    return tl.maximum(x, 0.0)


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def gelu(x):
    return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))


@triton.jit
def finish(total, bias_ptr, columns, N, ACTIVATION: tl.constexpr):
    if bias_ptr is not None:
        total += tl.load(bias_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
    if ACTIVATION is not None:
        total = ACTIVATION(total)
    return total


@triton.jit
def matmul_of_blocks(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, a_stride_m, b_stride, c_stride_m, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, ACTIVATION: tl.constexpr,
                     PRECISION: tl.constexpr, B_LIES: tl.constexpr):
    """A fixed number of programs walks over the tiles; blocks are described, for TMA."""
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[a_stride_m, 1], block_shape=[BLOCK_M, BLOCK_K])
    if B_LIES == "KN":
        b = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[b_stride, 1], block_shape=[BLOCK_K, BLOCK_N])
    else:
        b = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[b_stride, 1], block_shape=[BLOCK_N, BLOCK_K])
    c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[c_stride_m, 1], block_shape=[BLOCK_M, BLOCK_N])
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        tile_m, tile_n = tl.swizzle2d(0, tile, tiles_m, tiles_n, GROUP_M)
        row = tile_m * BLOCK_M
        column = tile_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, BLOCK_K):
            if B_LIES == "KN":
                b_tile = b.load([k, column])
            else:
                b_tile = b.load([column, k]).T
            total = tl.dot(a.load([row, k]), b_tile, total, input_precision=PRECISION)
        total = finish(total, bias_ptr, column + tl.arange(0, BLOCK_N)[None, :], N, ACTIVATION)
        c.store([row, column], total.to(c_ptr.dtype.element_ty))


@triton.jit
def matmul(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, a_stride_m, a_stride_k, b_stride_k, b_stride_n, c_stride_m, c_stride_n,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
           ACTIVATION: tl.constexpr = None, PRECISION: tl.constexpr = None, B_LIES: tl.constexpr = None):
    """One program a tile of c. bias has N elements, or is None; ACTIVATION is a jit function of a tile, or None.

    With B_LIES "KN" or "NK" (the order of b in memory, its last axis contiguous) the rows of all matrices are multiples of
    16 bytes and those of a and c contiguous; then any number of programs does."""
    if B_LIES is not None:
        b_stride = b_stride_k if B_LIES == "KN" else b_stride_n
        matmul_of_blocks(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, a_stride_m, b_stride, c_stride_m, BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M,
                         ACTIVATION, PRECISION, B_LIES)
        return
    tile_m, tile_n = tl.swizzle2d(0, tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    a = a_ptr + rows.to(tl.int64) * a_stride_m
    b = b_ptr + columns.to(tl.int64) * b_stride_n
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a_k = k.to(tl.int64)[None, :]
        b_k = k.to(tl.int64)[:, None]
        a_tile = tl.load(a + a_k * a_stride_k, mask=(rows < M) & (a_k < K), other=0.0)
        b_tile = tl.load(b + b_k * b_stride_k, mask=(b_k < K) & (columns < N), other=0.0)
        total = tl.dot(a_tile, b_tile, total, input_precision=PRECISION)

    total = finish(total, bias_ptr, columns, N, ACTIVATION)
    c = c_ptr + rows.to(tl.int64) * c_stride_m + columns.to(tl.int64) * c_stride_n
    tl.store(c, total.to(c_ptr.dtype.element_ty), mask=(rows < M) & (columns < N))


@triton.jit
def batched_matmul(a_ptr, b_ptr, c_ptr, batch, M, N, K, a_stride_b, a_stride_m, b_stride_b, b_stride, c_stride_b, c_stride_m, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                   GROUP_M: tl.constexpr, PRECISION: tl.constexpr, A_LIES: tl.constexpr, B_LIES: tl.constexpr):
    """c = a @ b for each of a batch of matrices, by blocks as above: A_LIES "MK" or "KM" and B_LIES "KN" or "NK" are the orders of their last two axes in memory, the last one contiguous, and a_stride_m and b_stride the steps of
    the other; all steps are multiples of 16 bytes. Tiles of one matrix come one after the other. Grid: any number of programs."""
    if A_LIES == "MK":
        a = tl.make_tensor_descriptor(a_ptr, shape=[batch, M, K], strides=[a_stride_b, a_stride_m, 1], block_shape=[1, BLOCK_M, BLOCK_K])
    else:
        a = tl.make_tensor_descriptor(a_ptr, shape=[batch, K, M], strides=[a_stride_b, a_stride_m, 1], block_shape=[1, BLOCK_K, BLOCK_M])
    if B_LIES == "KN":
        b = tl.make_tensor_descriptor(b_ptr, shape=[batch, K, N], strides=[b_stride_b, b_stride, 1], block_shape=[1, BLOCK_K, BLOCK_N])
    else:
        b = tl.make_tensor_descriptor(b_ptr, shape=[batch, N, K], strides=[b_stride_b, b_stride, 1], block_shape=[1, BLOCK_N, BLOCK_K])
    c = tl.make_tensor_descriptor(c_ptr, shape=[batch, M, N], strides=[c_stride_b, c_stride_m, 1], block_shape=[1, BLOCK_M, BLOCK_N])
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), batch * tiles_m * tiles_n, tl.num_programs(0)):
        matrix = tile // (tiles_m * tiles_n)
        tile_m, tile_n = tl.swizzle2d(0, tile % (tiles_m * tiles_n), tiles_m, tiles_n, GROUP_M)
        row = tile_m * BLOCK_M
        column = tile_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, BLOCK_K):
            if A_LIES == "MK":
                a_tile = a.load([matrix, row, k]).reshape(BLOCK_M, BLOCK_K)
            else:
                a_tile = a.load([matrix, k, row]).reshape(BLOCK_K, BLOCK_M).T
            if B_LIES == "KN":
                b_tile = b.load([matrix, k, column]).reshape(BLOCK_K, BLOCK_N)
            else:
                b_tile = b.load([matrix, column, k]).reshape(BLOCK_N, BLOCK_K).T
            total = tl.dot(a_tile, b_tile, total, input_precision=PRECISION)
        c.store([matrix, row, column], total.to(c_ptr.dtype.element_ty).reshape(1, BLOCK_M, BLOCK_N))
