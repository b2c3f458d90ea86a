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
def tile_of_program(index, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    """Column-major order inside groups of GROUP_M rows of tiles; the last group may be lower."""
    per_group = GROUP_M * tiles_n
    first_m = (index // per_group) * GROUP_M
    rows = min(tiles_m - first_m, GROUP_M)
    inside = index % per_group
    return first_m + inside % rows, inside // rows


@triton.jit
def matmul(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, a_stride_m, a_stride_k, b_stride_k, b_stride_n, c_stride_m, c_stride_n,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
           ACTIVATION: tl.constexpr = None, PRECISION: tl.constexpr = None):
    """One program a tile of c. bias has N elements, or is None; ACTIVATION is a jit function of a tile, or None."""
    tile_m, tile_n = tile_of_program(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
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

    if bias_ptr is not None:
        total += tl.load(bias_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
    if ACTIVATION is not None:
        total = ACTIVATION(total)
    c = c_ptr + rows.to(tl.int64) * c_stride_m + columns.to(tl.int64) * c_stride_n
    tl.store(c, total.to(c_ptr.dtype.element_ty), mask=(rows < M) & (columns < N))
