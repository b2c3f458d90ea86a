"""c = a @ b^T of fp8 matrices, a [M, K] and b [N, K], with a scale for every SCALE_M rows (SCALE_N rows of b) and DEPTH of K: 1x128 of activations and 128x128 of weights is what DeepSeek-V3 stores.

    c[m, n] = sum over blocks j of K of  a_scale[m // SCALE_M, j] * b_scale[n // SCALE_N, j] * sum over k in the block of a[m, k] * b[n, k]

The product of a block runs on tensor cores, whose sums of fp8 keep few bits; they are scaled and added up in fp32, block by block. Elements are fp8e4nv or fp8e5, or uint8 with the bits of fp8e4nv. Scales are fp32."""
import triton
import triton.language as tl


@triton.jit
def as_fp8(x):
    if x.dtype == tl.uint8:
        return x.to(tl.float8e4nv, bitcast=True)
    else:
        return x


@triton.jit
def load_scales(scale_ptr, first, EXTENT, BLOCK: tl.constexpr, row_stride, SCALE: tl.constexpr):
    """Scales of BLOCK rows from `first` on: one number where all of them share it."""
    if SCALE % BLOCK == 0:
        return tl.load(scale_ptr + (tl.minimum(first, EXTENT - 1) // SCALE).to(tl.int64) * row_stride)
    else:
        rows = first + tl.arange(0, BLOCK)
        return tl.load(scale_ptr + (rows // SCALE).to(tl.int64) * row_stride, mask=rows < EXTENT, other=0.0)


@triton.jit
def load_row_scales(scales, scale_ptr, block, first, EXTENT, BLOCK: tl.constexpr, row_stride, SCALE: tl.constexpr, BY_DESCRIPTOR: tl.constexpr):
    """The same for rows of a; a descriptor has a row of numbers for each block of depth."""
    if BY_DESCRIPTOR:
        return tl.reshape(scales.load([block, first]), (BLOCK, ))
    else:
        return load_scales(scale_ptr, first, EXTENT, BLOCK, row_stride, SCALE)


@triton.jit
def scaled(product, a_scale, b_scale, ONE_A: tl.constexpr, ONE_B: tl.constexpr):
    if ONE_A and ONE_B:
        return product * (a_scale * b_scale)
    elif ONE_B:
        return product * (a_scale * b_scale)[:, None]
    elif ONE_A:
        return product * (a_scale * b_scale)[None, :]
    else:
        return product * a_scale[:, None] * b_scale[None, :]


@triton.jit
def load_rows(source, stride, first, block, extent, K, BLOCK: tl.constexpr, DEPTH: tl.constexpr, BY_DESCRIPTOR: tl.constexpr):
    """A block of rows and depth: `source` is a descriptor, or a pointer to rows. Zeros past the ends."""
    if BY_DESCRIPTOR:
        return as_fp8(source.load([first, block * DEPTH]))
    else:
        rows = first + tl.arange(0, BLOCK)
        k = block * DEPTH + tl.arange(0, DEPTH)
        return as_fp8(tl.load(source + rows.to(tl.int64)[:, None] * stride + k[None, :], mask=(rows < extent)[:, None] & (k < K)[None, :], other=0.0))


@triton.jit
def store_tile(c_ptr, c_rows, total, row, column, M, N, c_stride_m, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, STORE_BLOCKS: tl.constexpr):
    if STORE_BLOCKS:
        c_rows.store([row, column], total.to(c_ptr.dtype.element_ty))
        return
    rows = row + tl.arange(0, BLOCK_M)
    columns = column + tl.arange(0, BLOCK_N)
    tl.store(c_ptr + rows.to(tl.int64)[:, None] * c_stride_m + columns[None, :], total.to(c_ptr.dtype.element_ty), mask=(rows < M)[:, None] & (columns < N)[None, :])


@triton.jit
def fp8_matmul(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, M, N, K, a_stride_m, b_stride_n, c_stride_m, a_scale_stride_m, a_scale_stride_k, b_scale_stride_n, b_scale_stride_k, n_blocks,  #
               SCALE_M: tl.constexpr, SCALE_N: tl.constexpr, DEPTH: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr, HALVES: tl.constexpr = 1,
               BY_DESCRIPTOR: tl.constexpr = False, STORE_BLOCKS: tl.constexpr = False, SCALES_BY_DESCRIPTOR: tl.constexpr = False):
    """Rows of all matrices are contiguous. Any number of programs walks over the tiles of c, which have HALVES (1 or 2) blocks of BLOCK_M rows: two share what is read of b, and the product of one is in
    registers beside the sums of both. BY_DESCRIPTOR: TMA brings the blocks; rows are multiples of 16 bytes then. STORE_BLOCKS: the same for c, of one share. SCALES_BY_DESCRIPTOR: the same for scales of each row of a,
    which lie beside each other (a_scale_stride_m is 1). n_blocks is K / DEPTH, rounded up. Grid: (programs, shares of the depth): a share writes its sum behind the one before it, c [shares, M, N] and fp32 if there are several."""
    share = tl.program_id(1)
    each = tl.cdiv(n_blocks, tl.num_programs(1))
    c_rows = c_ptr
    if STORE_BLOCKS:
        c_rows = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[c_stride_m, 1], block_shape=[BLOCK_M, BLOCK_N])
    else:
        c_ptr += share.to(tl.int64) * M * c_stride_m
    ONE_A: tl.constexpr = SCALE_M % BLOCK_M == 0
    ONE_B: tl.constexpr = SCALE_N % BLOCK_N == 0
    tiles_m = tl.cdiv(M, BLOCK_M * HALVES)
    tiles_n = tl.cdiv(N, BLOCK_N)
    a_rows = a_ptr
    b_rows = b_ptr
    scales = a_scale_ptr
    if BY_DESCRIPTOR:
        a_rows = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[a_stride_m, 1], block_shape=[BLOCK_M, DEPTH])
        b_rows = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[b_stride_n, 1], block_shape=[BLOCK_N, DEPTH])
    if SCALES_BY_DESCRIPTOR:
        scales = tl.make_tensor_descriptor(a_scale_ptr, shape=[n_blocks, M], strides=[a_scale_stride_k, 1], block_shape=[1, BLOCK_M])
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        tile_m, tile_n = tl.swizzle2d(0, tile, tiles_m, tiles_n, GROUP_M)
        row = tile_m * (BLOCK_M * HALVES)
        column = tile_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        if HALVES == 2:
            second = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for block in range(share * each, tl.minimum(n_blocks, (share + 1) * each)):
            a_scales = a_scale_ptr + block * a_scale_stride_k
            a_scale = load_row_scales(scales, a_scales, block, row, M, BLOCK_M, a_scale_stride_m, SCALE_M, SCALES_BY_DESCRIPTOR)
            if HALVES == 2:
                second_scale = load_row_scales(scales, a_scales, block, row + BLOCK_M, M, BLOCK_M, a_scale_stride_m, SCALE_M, SCALES_BY_DESCRIPTOR)
            b_scale = load_scales(b_scale_ptr + block * b_scale_stride_k, column, N, BLOCK_N, b_scale_stride_n, SCALE_N)
            a = load_rows(a_rows, a_stride_m, row, block, M, K, BLOCK_M, DEPTH, BY_DESCRIPTOR)
            b = load_rows(b_rows, b_stride_n, column, block, N, K, BLOCK_N, DEPTH, BY_DESCRIPTOR)
            total += scaled(tl.dot(a, tl.trans(b)), a_scale, b_scale, ONE_A, ONE_B)
            if HALVES == 2:
                a = load_rows(a_rows, a_stride_m, row + BLOCK_M, block, M, K, BLOCK_M, DEPTH, BY_DESCRIPTOR)
                second += scaled(tl.dot(a, tl.trans(b)), second_scale, b_scale, ONE_A, ONE_B)
        store_tile(c_ptr, c_rows, total, row, column, M, N, c_stride_m, BLOCK_M, BLOCK_N, STORE_BLOCKS)
        if HALVES == 2:
            store_tile(c_ptr, c_rows, second, row + BLOCK_M, column, M, N, c_stride_m, BLOCK_M, BLOCK_N, STORE_BLOCKS)
