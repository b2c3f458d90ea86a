"""Products whose operands and results are blocks of tensor descriptors, in the shapes that a compiler treats differently."""
import triton
import triton.language as tl


@triton.jit
def one_tile(a, b, c, K, KN: tl.constexpr, OUT: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
             SPECIALIZE: tl.constexpr, PRECISION: tl.constexpr):
    """Host descriptors, one program a tile."""
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32 if OUT == tl.int32 else tl.float32)
    for k in tl.range(0, K, BLOCK_K, warp_specialize=SPECIALIZE):
        right = b.load([k, column]) if KN else b.load([column, k]).T
        total = tl.dot(a.load([row, k]), right, total, input_precision=PRECISION, out_dtype=total.dtype)
    c.store([row, column], total.to(OUT))


@triton.jit
def many_tiles(a_ptr, b_ptr, c_ptr, M, N, K, KN: tl.constexpr, OUT: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
               BLOCK_K: tl.constexpr, HOW: tl.constexpr, PRECISION: tl.constexpr):
    """Descriptors made in the kernel, a loop over tiles. HOW the result is stored: whole, in halves, transposed, by pointers."""
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    if KN:
        b = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BLOCK_K, BLOCK_N])
    else:
        b = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    if HOW == "halves":
        c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N // 2])
    elif HOW == "transposed":
        c = tl.make_tensor_descriptor(c_ptr, shape=[N, M], strides=[M, 1], block_shape=[BLOCK_N, BLOCK_M])
    elif HOW == "whole":
        c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * tiles_n, tl.num_programs(0), flatten=True):
        row, column = tile // tiles_n * BLOCK_M, tile % tiles_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32 if OUT == tl.int32 else tl.float32)
        for turn in range(tl.cdiv(K, BLOCK_K)):
            k = turn * BLOCK_K
            right = b.load([k, column]) if KN else b.load([column, k]).T
            total = tl.dot(a.load([row, k]), right, total, input_precision=PRECISION, out_dtype=total.dtype)
        if HOW == "halves":
            first, second = tl.split(tl.permute(tl.reshape(total, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1)))
            c.store([row, column], first.to(OUT))
            c.store([row, column + BLOCK_N // 2], second.to(OUT))
        elif HOW == "transposed":
            c.store([column, row], total.to(OUT).T)
        elif HOW == "whole":
            c.store([row, column], total.to(OUT))
        else:
            rows, columns = row + tl.arange(0, BLOCK_M)[:, None], column + tl.arange(0, BLOCK_N)[None, :]
            tl.store(c_ptr + rows * N + columns, total.to(OUT), mask=(rows < M) & (columns < N))


@triton.jit
def scaled_tiles(a_ptr, b_ptr, row_scale_ptr, column_scale_ptr, c_ptr, M, N, K, PAIR: tl.constexpr, SCALED: tl.constexpr, OUT: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Products that are not added up as they are, with scales of rows and columns for each block of K; PAIR: two of them, or of plain ones, share an operand. Grid: any number of programs."""
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    WIDTH: tl.constexpr = BLOCK_N * 2 if PAIR else BLOCK_N
    sum_type: tl.constexpr = tl.int32 if a_ptr.dtype.element_ty == tl.int8 and not SCALED else tl.float32
    tiles_n = tl.cdiv(N, WIDTH)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * tiles_n, tl.num_programs(0)):
        row, column = tile // tiles_n * BLOCK_M, tile % tiles_n * WIDTH
        rows, columns = row + tl.arange(0, BLOCK_M), column + tl.arange(0, BLOCK_N)
        total = tl.zeros((BLOCK_M, BLOCK_N), sum_type)
        other = tl.zeros((BLOCK_M, BLOCK_N), sum_type)
        for turn in range(tl.cdiv(K, BLOCK_K)):
            left = a.load([row, turn * BLOCK_K])
            right = b.load([column, turn * BLOCK_K]).T
            if SCALED:
                row_scale = tl.load(row_scale_ptr + turn * M + rows, mask=rows < M, other=0.0)[:, None]
                column_scale = tl.load(column_scale_ptr + turn * N + columns, mask=columns < N, other=0.0)[None, :]
                total += tl.dot(left, right) * row_scale * column_scale
            else:
                total = tl.dot(left, right, total, out_dtype=sum_type)
            if PAIR:
                right = b.load([column + BLOCK_N, turn * BLOCK_K]).T
                if SCALED:
                    column_scale = tl.load(column_scale_ptr + turn * N + columns + BLOCK_N, mask=columns + BLOCK_N < N, other=0.0)[None, :]
                    other += tl.dot(left, right) * row_scale * column_scale
                else:
                    other = tl.dot(left, right, other, out_dtype=sum_type)
        inside = (rows < M)[:, None]
        c = c_ptr + rows[:, None] * N + columns[None, :]
        tl.store(c, total.to(OUT), mask=inside & (columns < N)[None, :])
        if PAIR:
            tl.store(c + BLOCK_N, other.to(OUT), mask=inside & (columns + BLOCK_N < N)[None, :])


@triton.jit
def batches(a_ptr, b_ptr, c_ptr, B, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Descriptors with an axis of batches."""
    a = tl.make_tensor_descriptor(a_ptr, shape=[B, M, K], strides=[M * K, K, 1], block_shape=[1, BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, shape=[B, K, N], strides=[K * N, N, 1], block_shape=[1, BLOCK_K, BLOCK_N])
    c = tl.make_tensor_descriptor(c_ptr, shape=[B, M, N], strides=[M * N, N, 1], block_shape=[1, BLOCK_M, BLOCK_N])
    batch, row, column = tl.program_id(0), tl.program_id(1) * BLOCK_M, tl.program_id(2) * BLOCK_N
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        left = a.load([batch, row, k]).reshape(BLOCK_M, BLOCK_K)
        right = b.load([batch, k, column]).reshape(BLOCK_K, BLOCK_N)
        total = tl.dot(left, right, total)
    c.store([batch, row, column], total.to(tl.float16).reshape(1, BLOCK_M, BLOCK_N))


@triton.jit
def outside(a_ptr, b_ptr, c_ptr, M, N, K, START, NAN: tl.constexpr, BLOCK: tl.constexpr):
    """Blocks that begin before the tensor and end behind it."""
    padding: tl.constexpr = "nan" if NAN else "zero"
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK, BLOCK], padding_option=padding)
    b = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BLOCK, BLOCK])
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(START, K, BLOCK):
        total = tl.dot(a.load([START, k]), b.load([k, 0]), total)
    rows, columns = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    tl.store(c_ptr + rows * BLOCK + columns, total.to(tl.float16))


@triton.jit
def one_block(a_ptr, c_ptr, B, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """A block of a batch, as a matrix, and back: the axis of one element is not the first batch's."""
    a = tl.make_tensor_descriptor(a_ptr, shape=[B, M, N], strides=[M * N, N, 1], block_shape=[1, BLOCK_M, BLOCK_N])
    c = tl.make_tensor_descriptor(c_ptr, shape=[B, M, N], strides=[M * N, N, 1], block_shape=[1, BLOCK_M, BLOCK_N])
    batch = tl.program_id(0)
    tile = a.load([batch + 1, 0, 0]).reshape(BLOCK_M, BLOCK_N)
    c.store([batch, 0, 0], (tile + 1).reshape(1, BLOCK_M, BLOCK_N))
