"""Many matrix products of different sizes in one launch: c[g] = a[g] @ b[g]. A fixed number of programs walks over the tiles of
all groups, so that small products fill the machine."""
import triton
import triton.language as tl


@triton.jit
def multiply_tile(a_ptr, b_ptr, c_ptr, tile_m, tile_n, M, N, K, lda, ldb, ldc, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr, PRECISION: tl.constexpr):
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    a = a_ptr + rows.to(tl.int64) * lda
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a_k = k[None, :]
        b_k = k.to(tl.int64)[:, None]
        a_tile = tl.load(a + a_k, mask=(rows < M) & (a_k < K), other=0.0)
        b_tile = tl.load(b_ptr + b_k * ldb + columns, mask=(b_k < K) & (columns < N), other=0.0)
        total = tl.dot(a_tile, b_tile, total, input_precision=PRECISION)
    c = c_ptr + rows.to(tl.int64) * ldc + columns
    tl.store(c, total.to(c_ptr.dtype.element_ty), mask=(rows < M) & (columns < N))


@triton.jit
def grouped_gemm(a_addresses, b_addresses, c_addresses, sizes_ptr, leading_ptr, n_groups, ELEMENT: tl.constexpr,
                 BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """Addresses and sizes of all groups stand in memory. addresses: int64, one a group. sizes: (M, N, K)
    and leading: (lda, ldb, ldc) as int32, row by row of the groups. ELEMENT is the type of all matrices."""
    tile = tl.program_id(0)
    first_tile = 0  # of the group, in the numbering of all tiles
    for group in range(n_groups):
        M = tl.load(sizes_ptr + group * 3)
        N = tl.load(sizes_ptr + group * 3 + 1)
        K = tl.load(sizes_ptr + group * 3 + 2)
        tiles_n = tl.cdiv(N, BLOCK_N)
        end_tile = first_tile + tl.cdiv(M, BLOCK_M) * tiles_n
        if tile < end_tile:
            lda = tl.load(leading_ptr + group * 3)
            ldb = tl.load(leading_ptr + group * 3 + 1)
            ldc = tl.load(leading_ptr + group * 3 + 2)
            a = tl.load(a_addresses + group).to(tl.pointer_type(ELEMENT))
            b = tl.load(b_addresses + group).to(tl.pointer_type(ELEMENT))
            c = tl.load(c_addresses + group).to(tl.pointer_type(ELEMENT))
            while tile < end_tile:
                inside = tile - first_tile
                multiply_tile(a, b, c, inside // tiles_n, inside % tiles_n, M, N, K, lda, ldb, ldc, BLOCK_M, BLOCK_N, BLOCK_K,
                              PRECISION)
                tile += tl.num_programs(0)
        first_tile = end_tile


@triton.jit
def ragged_gemm(a_ptr, b_ptr, c_ptr, ends_ptr, n_groups, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                PRECISION: tl.constexpr = None):
    """The same for groups that are runs of rows of one matrix, as tokens sorted by expert are: rows ends[g - 1] … ends[g] - 1
    of c are those of a times b[g]. a: [rows, K], b: [n_groups, K, N], c: [rows, N], all contiguous; ends: int32."""
    tile = tl.program_id(0)
    tiles_n = tl.cdiv(N, BLOCK_N)
    first_tile = 0
    first_row = 0
    for group in range(n_groups):
        end_row = tl.load(ends_ptr + group)
        end_tile = first_tile + tl.cdiv(end_row - first_row, BLOCK_M) * tiles_n
        start = first_row.to(tl.int64)
        while tile < end_tile:
            inside = tile - first_tile
            multiply_tile(a_ptr + start * K, b_ptr + group.to(tl.int64) * K * N, c_ptr + start * N, inside // tiles_n, inside % tiles_n,
                          end_row - first_row, N, K, K, N, N, BLOCK_M, BLOCK_N, BLOCK_K, PRECISION)
            tile += tl.num_programs(0)
        first_tile = end_tile
        first_row = end_row


@triton.jit
def ragged_tiles(ends_ptr, tiles_ptr, n_groups, BLOCK_M: tl.constexpr, BLOCK_G: tl.constexpr):
    """Which rows a tile of ragged_gemm_of_blocks has: tiles, int32 [1 + tiles, 4], has their number in its first row and (group, first row, end of the group's rows) in each of the others. Grid: the groups, of which BLOCK_G is at
    least the number."""
    group = tl.program_id(0)
    groups = tl.arange(0, BLOCK_G)
    ends = tl.load(ends_ptr + groups, mask=groups < n_groups, other=0)
    firsts = tl.load(ends_ptr + groups - 1, mask=(groups > 0) & (groups < n_groups), other=0)
    counts = (ends - firsts + BLOCK_M - 1) // BLOCK_M
    before = tl.sum(tl.where(groups < group, counts, 0), axis=0)
    first = tl.sum(tl.where(groups == group, firsts, 0), axis=0)
    end = tl.sum(tl.where(groups == group, ends, 0), axis=0)
    if group == n_groups - 1:
        tl.store(tiles_ptr, tl.sum(tl.where(groups < n_groups, counts, 0), axis=0))
    for tile in range(tl.cdiv(end - first, BLOCK_M)):
        at = tiles_ptr + (1 + before + tile) * 4
        tl.store(at, group)
        tl.store(at + 1, first + tile * BLOCK_M)
        tl.store(at + 2, end)


@triton.jit
def ragged_gemm_of_blocks(a_ptr, b_ptr, c_ptr, tiles_ptr, rows, n_groups, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """ragged_gemm with tiles from ragged_tiles, whose blocks TMA brings: rows are multiples of 16 bytes, `rows` is their number. Grid: any number of programs."""
    a = tl.make_tensor_descriptor(a_ptr, shape=[rows, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, shape=[n_groups, K, N], strides=[K * N, N, 1], block_shape=[1, BLOCK_K, BLOCK_N])
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tl.load(tiles_ptr) * tiles_n, tl.num_programs(0)):
        at = tiles_ptr + (1 + tile // tiles_n) * 4
        group = tl.load(at)
        row = tl.load(at + 1)
        end = tl.load(at + 2)
        column = tile % tiles_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, BLOCK_K):
            total = tl.dot(a.load([row, k]), b.load([group, k, column]).reshape(BLOCK_K, BLOCK_N), total, input_precision=PRECISION)
        c_rows = row + tl.arange(0, BLOCK_M)[:, None]
        columns = column + tl.arange(0, BLOCK_N)[None, :]
        tl.store(c_ptr + c_rows.to(tl.int64) * N + columns, total.to(c_ptr.dtype.element_ty), mask=(c_rows < end) & (columns < N))
