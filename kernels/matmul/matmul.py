"""c = activation(a @ b) for strided matrices of any size, with tiles visited in groups of rows to share the cache."""
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
def tile_of_program(index, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    """Column-major order inside groups of GROUP_M rows of tiles; the last group may be lower."""
    per_group = GROUP_M * tiles_n
    first_m = (index // per_group) * GROUP_M
    rows = min(tiles_m - first_m, GROUP_M)
    inside = index % per_group
    return first_m + inside % rows, inside // rows


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, a_stride_m, a_stride_k, b_stride_k, b_stride_n, c_stride_m, c_stride_n,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
           ACTIVATION: tl.constexpr = None, PRECISION: tl.constexpr = None):
    tile_m, tile_n = tile_of_program(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    steps = tl.arange(0, BLOCK_K)
    # Rows and columns beyond the edge wrap around: they are computed and not stored, which saves their masks.
    a = a_ptr + (rows % M).to(tl.int64)[:, None] * a_stride_m + steps[None, :] * a_stride_k
    b = b_ptr + steps[:, None] * b_stride_k + (columns % N).to(tl.int64)[None, :] * b_stride_n

    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        inside = first + steps < K
        a_tile = tl.load(a, mask=inside[None, :], other=0.0)
        b_tile = tl.load(b, mask=inside[:, None], other=0.0)
        total = tl.dot(a_tile, b_tile, total, input_precision=PRECISION)
        a += BLOCK_K * a_stride_k
        b += BLOCK_K * b_stride_k

    if ACTIVATION is not None:
        total = ACTIVATION(total)
    c = c_ptr + rows.to(tl.int64)[:, None] * c_stride_m + columns.to(tl.int64)[None, :] * c_stride_n
    tl.store(c, total.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (columns[None, :] < N))
