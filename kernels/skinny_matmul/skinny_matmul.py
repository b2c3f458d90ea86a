"""c = activation(a @ b + bias) where a has few rows, 1 to 64, as in decoding: the weights b are read once, and their depth is split among programs so that every multiprocessor reads. One launch does it: each program
writes a partial product, and the one that ends last among those of a tile adds them up, in the order of their depths. So the result is the same on every run."""
import triton
import triton.language as tl


@triton.jit
def relu(x):
    return tl.maximum(x, 0.0)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def gelu(x):
    return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))


@triton.jit
def store_tile(c_ptr, bias_ptr, total, rows, columns, M, N, c_stride_m, ACTIVATION: tl.constexpr):
    if bias_ptr is not None:
        total += tl.load(bias_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
    if ACTIVATION is not None:
        total = ACTIVATION(total)
    tl.store(c_ptr + rows.to(tl.int64) * c_stride_m + columns, total.to(c_ptr.dtype.element_ty), mask=(rows < M) & (columns < N))


@triton.jit
def skinny_matmul(a_ptr, b_ptr, bias_ptr, c_ptr, partial_ptr, counter_ptr, M, N, K, a_stride_m, a_stride_k, b_stride_k, b_stride_n, c_stride_m, depth, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr, SPLITS: tl.constexpr, ACTIVATION: tl.constexpr = None, PRECISION: tl.constexpr = None):
    """Rows of c are contiguous; depth is a multiple of BLOCK_K, and SPLITS of them make K. partial is fp32 [SPLITS, tiles, BLOCK_M, BLOCK_N], counter int32 [tiles], zeros before and after the launch; both None
    with one split. bias has N elements or is None, ACTIVATION is a jit function of a tile or None. Grid: (blocks of N, SPLITS, blocks of M)."""
    split = tl.program_id(1)
    rows = tl.program_id(2) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    a = a_ptr + rows.to(tl.int64) * a_stride_m
    b = b_ptr + columns.to(tl.int64) * b_stride_n
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(split * depth, min(K, split * depth + depth), BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a_k = k.to(tl.int64)[None, :]
        b_k = k.to(tl.int64)[:, None]
        a_tile = tl.load(a + a_k * a_stride_k, mask=(rows < M) & (a_k < K), other=0.0)
        b_tile = tl.load(b + b_k * b_stride_k, mask=(b_k < K) & (columns < N), other=0.0)
        total = tl.dot(a_tile, b_tile, total, input_precision=PRECISION)
    if SPLITS == 1:
        store_tile(c_ptr, bias_ptr, total, rows, columns, M, N, c_stride_m, ACTIVATION)
    else:
        tiles = tl.num_programs(0) * tl.num_programs(2)
        tile = tl.program_id(2) * tl.num_programs(0) + tl.program_id(0)
        inside = tl.arange(0, BLOCK_M)[:, None] * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
        tl.store(partial_ptr + (split * tiles + tile).to(tl.int64) * (BLOCK_M * BLOCK_N) + inside, total)
        tl.debug_barrier()
        if tl.atomic_add(counter_ptr + tile, 1, sem="acq_rel") == SPLITS - 1:
            total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            for each in range(0, SPLITS):
                total += tl.load(partial_ptr + (each * tiles + tile).to(tl.int64) * (BLOCK_M * BLOCK_N) + inside, cache_modifier=".cg")
            store_tile(c_ptr, bias_ptr, total, rows, columns, M, N, c_stride_m, ACTIVATION)
            tl.store(counter_ptr + tile, 0)


@triton.jit
def clear(counter_ptr, n, BLOCK: tl.constexpr):
    """Zeros. Grid: (blocks)."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(counter_ptr + i, tl.zeros((BLOCK, ), tl.int32), mask=i < n)
