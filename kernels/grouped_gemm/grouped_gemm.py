"""Many matrix products of different sizes in one launch: c[g] = a[g] @ b[g], where the addresses and sizes of all groups
stand in memory. A fixed number of programs walks over the tiles of all groups, so that small products fill the machine."""
import triton
import triton.language as tl


@triton.jit
def multiply_tile(a_ptr, b_ptr, c_ptr, tile_m, tile_n, M, N, K, lda, ldb, ldc, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr, PRECISION: tl.constexpr):
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    steps = tl.arange(0, BLOCK_K)
    row_inside = rows[:, None] < M
    column_inside = columns[None, :] < N
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + steps
        a = tl.load(a_ptr + rows[:, None] * lda + k[None, :], mask=row_inside & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * ldb + columns[None, :], mask=(k[:, None] < K) & column_inside, other=0.0)
        total = tl.dot(a, b, total, input_precision=PRECISION)
    c = c_ptr + rows[:, None] * ldc + columns[None, :]
    tl.store(c, total.to(c_ptr.dtype.element_ty), mask=row_inside & column_inside)


@triton.jit
def grouped_gemm(a_addresses, b_addresses, c_addresses, sizes_ptr, leading_ptr, n_groups, ELEMENT: tl.constexpr,
                 BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """addresses: int64, one a group. sizes: (M, N, K) and leading: (lda, ldb, ldc) as int32, row by row of the groups.
    ELEMENT is the type of all matrices."""
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
