"""c = a @ b by a fixed number of programs that share the work evenly, whatever the number of tiles (stream-K): the tiles of whole waves are taken one by one, and all steps of depth of the others, one after the other, are cut
into equal runs, one a program.

    tiles     │    0    │    1    │    2    │    3    │    4    │       5 tiles of 4 steps on 3 programs: 20 steps, runs of 6, 7 and 7
    programs  │     0     ┊      1      ┊      2      │                 tile 1 is cut: program 0 leaves its beginning, program 1 its end

Programs leave what they have of a tile that is cut, and `stream_k_join` adds it up, in the order of the depth. Nobody waits and there are no atomics, so that the result is the same on every run."""
import triton
import triton.language as tl


@triton.jit
def first_step(run, steps, runs):
    """Where a run begins; those behind the last one have no steps."""
    return (tl.minimum(run, runs).to(tl.int64) * steps // runs).to(tl.int32)


@triton.jit
def stream_k_matmul(a_ptr, b_ptr, c_ptr, partial_ptr, M, N, K, a_stride_m, a_stride_k, b_stride_k, b_stride_n, c_stride_m, waves, runs, partial_rows, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                    GROUP_M: tl.constexpr, PRECISION: tl.constexpr = None, B_LIES: tl.constexpr = None):
    """The first `waves` tiles of each program are whole. The steps of the others are cut into `runs`, of the first so many programs. partial is fp32 [runs, 2, BLOCK_M, BLOCK_N], of partial_rows = runs * 2 * BLOCK_M rows: the end of the tile in which a run begins, and the beginning or middle of the one in which it ends. Rows of c are
    contiguous. Grid: any number of programs, at most tiles / waves.

    With B_LIES "KN" or "NK" (the order of b in memory, its last axis contiguous) the rows of a and b are multiples of 16 bytes and those of a contiguous; TMA brings the blocks."""
    program = tl.program_id(0)
    programs = tl.num_programs(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    per_tile = tl.maximum(tl.cdiv(K, BLOCK_K), 1)
    steps = (tiles_m * tiles_n - waves * programs) * per_tile
    begin = first_step(program, steps, runs)
    end = first_step(program + 1, steps, runs)
    cut_tiles = tl.where(end > begin, (end - 1) // per_tile - begin // per_tile + 1, 0)
    if B_LIES is not None:
        a_blocks = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[a_stride_m, 1], block_shape=[BLOCK_M, BLOCK_K])
        if B_LIES == "KN":
            b_blocks = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[b_stride_k, 1], block_shape=[BLOCK_K, BLOCK_N])
        else:
            b_blocks = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[b_stride_n, 1], block_shape=[BLOCK_N, BLOCK_K])
        c_blocks = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[c_stride_m, 1], block_shape=[BLOCK_M, BLOCK_N])
        partial_blocks = tl.make_tensor_descriptor(partial_ptr, shape=[partial_rows, BLOCK_N], strides=[BLOCK_N, 1], block_shape=[BLOCK_M, BLOCK_N])
    for index in tl.range(0, waves + cut_tiles):
        is_whole = index < waves
        cut = begin // per_tile + index - waves  # among those behind the whole waves
        low = tl.where(is_whole, 0, tl.maximum(begin - cut * per_tile, 0))
        high = tl.where(is_whole, per_tile, tl.minimum(end - cut * per_tile, per_tile))
        tile = tl.where(is_whole, index * programs + program, waves * programs + cut)
        tile_m, tile_n = tl.swizzle2d(0, tile, tiles_m, tiles_n, GROUP_M)
        row = tile_m * BLOCK_M
        column = tile_n * BLOCK_N
        rows = row + tl.arange(0, BLOCK_M)[:, None]
        columns = column + tl.arange(0, BLOCK_N)[None, :]
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for step in range(low, high):
            if B_LIES is None:
                k = step * BLOCK_K + tl.arange(0, BLOCK_K)
                a_k = k.to(tl.int64)[None, :]
                b_k = k.to(tl.int64)[:, None]
                a = tl.load(a_ptr + rows.to(tl.int64) * a_stride_m + a_k * a_stride_k, mask=(rows < M) & (a_k < K), other=0.0)
                b = tl.load(b_ptr + b_k * b_stride_k + columns.to(tl.int64) * b_stride_n, mask=(b_k < K) & (columns < N), other=0.0)
            elif B_LIES == "KN":
                a = a_blocks.load([row, step * BLOCK_K])
                b = b_blocks.load([step * BLOCK_K, column])
            else:
                a = a_blocks.load([row, step * BLOCK_K])
                b = b_blocks.load([column, step * BLOCK_K]).T
            total = tl.dot(a, b, total, input_precision=PRECISION)
        slot = program * 2 + tl.where(high == per_tile, 0, 1)
        if high - low == per_tile:
            if B_LIES is None:
                tl.store(c_ptr + rows.to(tl.int64) * c_stride_m + columns, total.to(c_ptr.dtype.element_ty), mask=(rows < M) & (columns < N))
            else:
                c_blocks.store([row, column], total.to(c_ptr.dtype.element_ty))
        elif B_LIES is None:
            place = tl.arange(0, BLOCK_M)[:, None] * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
            tl.store(partial_ptr + slot.to(tl.int64) * (BLOCK_M * BLOCK_N) + place, total)
        else:
            partial_blocks.store([slot * BLOCK_M, 0], total)


@triton.jit
def stream_k_join(c_ptr, partial_ptr, M, N, K, c_stride_m, waves, programs, runs, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, ROWS: tl.constexpr):
    """Adds up the tiles that are cut, with the same settings as above; ROWS divides BLOCK_M. `programs` of the product. Grid: (runs, BLOCK_M / ROWS): the one whose run has the end of a tile joins it."""
    program = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    per_tile = tl.maximum(tl.cdiv(K, BLOCK_K), 1)
    steps = (tiles_m * tiles_n - waves * programs) * per_tile
    begin = first_step(program, steps, runs)
    cut = begin // per_tile
    if (begin > cut * per_tile) & (first_step(program + 1, steps, runs) >= (cut + 1) * per_tile):
        inside = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
        across = tl.arange(0, BLOCK_N)[None, :]
        place = inside * BLOCK_N + across
        # The program with the first step of the tile: the last one that begins there or before.
        first = program - 1
        while first_step(first, steps, runs) > cut * per_tile:
            first -= 1
        total = tl.zeros((ROWS, BLOCK_N), tl.float32)
        for other in range(first, program):
            # With more runs than steps, some have none.
            if first_step(other + 1, steps, runs) > first_step(other, steps, runs):
                total += tl.load(partial_ptr + (other.to(tl.int64) * 2 + 1) * (BLOCK_M * BLOCK_N) + place)
        total += tl.load(partial_ptr + program.to(tl.int64) * (2 * BLOCK_M * BLOCK_N) + place)
        tile_m, tile_n = tl.swizzle2d(0, waves * programs + cut, tiles_m, tiles_n, GROUP_M)
        rows = tile_m * BLOCK_M + inside
        columns = tile_n * BLOCK_N + across
        tl.store(c_ptr + rows.to(tl.int64) * c_stride_m + columns, total.to(c_ptr.dtype.element_ty), mask=(rows < M) & (columns < N))
