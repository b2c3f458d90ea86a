"""Weights of which two in every four are 0 (2:4 sparsity), w [N, K]: compressed, expanded again, and c = a @ w^T that reads the compressed form.

    values  [N, K / 2]   the two that are kept of each group of four along K, in their order
    places  [N, K / 8]   uint8: where they stand in their group, two bits each, the first one lowest; a byte has two groups, the first in its low bits

    ordered [N / 8, K / 2]  int16: the same as `places`, in the order in which the threads of a GPU hold it for their sparse tensor cores, both sides filled up to multiples of 128

K is a multiple of 8. Compressing keeps the two largest magnitudes of a group, of equal ones the first; nothing is lost where no group has more than two that are not 0. NaN counts as larger than all."""
import triton
import triton.language as tl


@triton.jit
def is_before(x, y):
    """Whether x, which stands first, is kept rather than y."""
    return (x >= y) | (x != x)


@triton.jit
def sparse24_compress(w_ptr, values_ptr, places_ptr, w_row_stride, N, K, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """values and places are contiguous. Grid: (blocks of K, blocks of N)."""
    GROUPS: tl.constexpr = BLOCK_K // 4
    rows = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[:, None]
    k = tl.program_id(0) * BLOCK_K + tl.arange(0, BLOCK_K)[None, :]
    w = tl.load(w_ptr + rows.to(tl.int64) * w_row_stride + k, mask=(rows < N) & (k < K), other=0.0)
    even, odd = tl.split(tl.reshape(w, (BLOCK_N, GROUPS, 2, 2)))
    w0, w2 = tl.split(even)
    w1, w3 = tl.split(odd)
    m0 = tl.abs(w0.to(tl.float32))
    m1 = tl.abs(w1.to(tl.float32))
    m2 = tl.abs(w2.to(tl.float32))
    m3 = tl.abs(w3.to(tl.float32))
    # An element is kept if at most one of the other three comes before it.
    b01 = is_before(m0, m1).to(tl.int32)
    b02 = is_before(m0, m2).to(tl.int32)
    b03 = is_before(m0, m3).to(tl.int32)
    b12 = is_before(m1, m2).to(tl.int32)
    b13 = is_before(m1, m3).to(tl.int32)
    b23 = is_before(m2, m3).to(tl.int32)
    keep0 = 3 - b01 - b02 - b03 <= 1
    keep1 = b01 + 2 - b12 - b13 <= 1
    keep2 = b02 + b12 + 1 - b23 <= 1
    first = tl.where(keep0, 0, tl.where(keep1, 1, 2))
    second = tl.where(keep0 & keep1, 1, tl.where((keep0 | keep1) & keep2, 2, 3))
    low = tl.where(first == 0, w0, tl.where(first == 1, w1, w2))
    high = tl.where(second == 1, w1, tl.where(second == 2, w2, w3))
    half = tl.program_id(0) * (BLOCK_K // 2) + tl.arange(0, BLOCK_K // 2)[None, :]
    tl.store(values_ptr + rows.to(tl.int64) * (K // 2) + half, tl.reshape(tl.join(low, high), (BLOCK_N, BLOCK_K // 2)), mask=(rows < N) & (half < K // 2))
    nibble0, nibble1 = tl.split(tl.reshape(first | (second << 2), (BLOCK_N, GROUPS // 2, 2)))
    byte = tl.program_id(0) * (BLOCK_K // 8) + tl.arange(0, BLOCK_K // 8)[None, :]
    tl.store(places_ptr + rows.to(tl.int64) * (K // 8) + byte, (nibble0 | (nibble1 << 4)).to(tl.uint8), mask=(rows < N) & (byte < K // 8))


@triton.jit
def load_expanded(values_ptr, places_ptr, rows, block, N, K, values_row_stride, places_row_stride, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, EVEN_K: tl.constexpr):
    """Block number `block` along K of rows of w, [BLOCK_N, BLOCK_K], with zeros where they are not kept and past the ends."""
    GROUPS: tl.constexpr = BLOCK_K // 4
    half = block * (BLOCK_K // 2) + tl.arange(0, BLOCK_K // 2)[None, :]
    byte = block * (BLOCK_K // 8) + tl.arange(0, BLOCK_K // 8)[None, :]
    half_inside = rows < N
    byte_inside = rows < N
    if not EVEN_K:
        half_inside = half_inside & (half < K // 2)
        byte_inside = byte_inside & (byte < K // 8)
    values = tl.load(values_ptr + rows.to(tl.int64) * values_row_stride + half, mask=half_inside, other=0.0)
    places = tl.load(places_ptr + rows.to(tl.int64) * places_row_stride + byte, mask=byte_inside, other=0).to(tl.int32)
    nibbles = tl.reshape(tl.join(places & 15, places >> 4), (BLOCK_N, GROUPS))
    low, high = tl.split(tl.reshape(values, (BLOCK_N, GROUPS, 2)))
    nothing = tl.zeros((BLOCK_N, GROUPS), values.dtype)
    first = nibbles & 3
    second = nibbles >> 2
    w0 = tl.where(first == 0, low, nothing)  # the second is never the first of its group
    w1 = tl.where(first == 1, low, tl.where(second == 1, high, nothing))
    w2 = tl.where(first == 2, low, tl.where(second == 2, high, nothing))
    w3 = tl.where(second == 3, high, nothing)
    return tl.reshape(tl.join(tl.join(w0, w2), tl.join(w1, w3)), (BLOCK_N, BLOCK_K))


@triton.jit
def sparse24_expand(values_ptr, places_ptr, w_ptr, values_row_stride, places_row_stride, w_row_stride, N, K, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """w from its compressed form. Grid: (blocks of K, blocks of N)."""
    rows = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[:, None]
    w = load_expanded(values_ptr, places_ptr, rows, tl.program_id(0), N, K, values_row_stride, places_row_stride, BLOCK_N, BLOCK_K, False)
    k = tl.program_id(0) * BLOCK_K + tl.arange(0, BLOCK_K)[None, :]
    tl.store(w_ptr + rows.to(tl.int64) * w_row_stride + k, w.to(w_ptr.dtype.element_ty), mask=(rows < N) & (k < K))


@triton.jit
def sparse24_matmul(a_ptr, values_ptr, places_ptr, bias_ptr, c_ptr, M, N, K, a_stride_m, values_row_stride, places_row_stride, c_stride_m, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                    BLOCK_K: tl.constexpr, EVEN_K: tl.constexpr = False, PRECISION: tl.constexpr = None):
    """c = a @ w^T + bias; rows of a and c are contiguous, bias has N elements or is None. Weights are expanded in registers. EVEN_K: K is a multiple of BLOCK_K. Grid: (tiles of c, shares of
    the depth): a share writes its sum behind the one before it, c [shares, M, N] and fp32 if there are several."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    share = tl.program_id(1)
    each = tl.cdiv(tl.cdiv(K, BLOCK_K), tl.num_programs(1))
    rows = tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for block in range(share * each, tl.minimum(tl.cdiv(K, BLOCK_K), (share + 1) * each)):
        k = block * BLOCK_K + tl.arange(0, BLOCK_K)[None, :]
        inside = rows < M
        if not EVEN_K:
            inside = inside & (k < K)
        a = tl.load(a_ptr + rows.to(tl.int64) * a_stride_m + k, mask=inside, other=0.0)
        w = load_expanded(values_ptr, places_ptr, columns[:, None], block, N, K, values_row_stride, places_row_stride, BLOCK_N, BLOCK_K, EVEN_K)
        total = tl.dot(a, tl.trans(w.to(a.dtype)), total, input_precision=PRECISION)
    if bias_ptr is not None:
        total += tl.load(bias_ptr + columns, mask=(columns < N) & (share == 0), other=0.0).to(tl.float32)[None, :]
    c_ptr += share.to(tl.int64) * M * c_stride_m
    tl.store(c_ptr + rows.to(tl.int64) * c_stride_m + columns[None, :], total.to(c_ptr.dtype.element_ty), mask=(rows < M) & (columns < N)[None, :])


@triton.jit
def sparse24_order(places_ptr, ordered_ptr, N, K, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """ordered from places, both contiguous: what row r has of the 16 elements from k on stands in row r // 16 * 2 + r % 8 // 4, column k // 64 * 32 + r % 4 * 8 + k // 16 % 4 * 2 + r // 8 % 2: the two half
    words of a thread side by side, those of a warp in two rows of 64 bytes. Rows and columns that w does not have keep the first two of each four. Grid: (blocks of K, blocks of N), over all of ordered."""
    rows = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[:, None]
    byte = tl.program_id(0) * (BLOCK_K // 8) + tl.arange(0, BLOCK_K // 8)[None, :]
    places = tl.load(places_ptr + rows.to(tl.int64) * (K // 8) + byte, mask=(rows < N) & (byte < K // 8), other=0x44).to(tl.int32)
    low, high = tl.split(tl.reshape(places, (BLOCK_N, BLOCK_K // 16, 2)))
    halves = tl.reshape((low | (high << 8)).to(tl.int16), (BLOCK_N // 16, 2, 2, 4, BLOCK_K // 64, 4))
    ordered = tl.reshape(tl.permute(halves, (0, 2, 4, 3, 5, 1)), (BLOCK_N // 8, BLOCK_K // 2))
    strip = tl.program_id(1) * (BLOCK_N // 8) + tl.arange(0, BLOCK_N // 8)[:, None]
    column = tl.program_id(0) * (BLOCK_K // 2) + tl.arange(0, BLOCK_K // 2)[None, :]
    tl.store(ordered_ptr + strip.to(tl.int64) * (tl.cdiv(K, 128) * 64) + column, ordered)


@triton.jit
def sparse24_product(a_ptr, values_ptr, ordered_ptr, bias_ptr, c_ptr, M, N, K, half, strips, whole, a_stride_m, c_stride_m, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                     GROUP_N: tl.constexpr, PRECISION: tl.constexpr = None):
    """c = a @ w^T + bias as c^T = w @ a^T: tensor cores take the sparse operand on the left. values [N, half] and ordered [strips, whole] are contiguous, a and c have contiguous rows, and all rows are multiples of 16
    bytes apart. Blocks are described, for TMA; a fixed number of programs walks over the tiles of c. Grid: any number of programs."""
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[a_stride_m, 1], block_shape=[BLOCK_M, BLOCK_K])
    values = tl.make_tensor_descriptor(values_ptr, shape=[N, half], strides=[half, 1], block_shape=[BLOCK_N, BLOCK_K // 2])
    ordered = tl.make_tensor_descriptor(ordered_ptr, shape=[strips, whole], strides=[whole, 1], block_shape=[BLOCK_N // 8, BLOCK_K // 2])
    c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[c_stride_m, 1], block_shape=[BLOCK_M, BLOCK_N])
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    per_group = GROUP_N * tiles_m
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        first_n = tile // per_group * GROUP_N
        group = min(tiles_n - first_n, GROUP_N)
        column = (first_n + tile % per_group % group) * BLOCK_N
        row = tile % per_group // group * BLOCK_M
        total = tl.zeros((BLOCK_N, BLOCK_M), tl.float32)
        for k in range(0, K, BLOCK_K):
            words = tl.reshape(ordered.load([column // 8, k // 2]), (BLOCK_N // 16, 2, BLOCK_K // 64, 4, 4, 2))
            places = tl.reshape(tl.permute(words, (0, 5, 1, 3, 2, 4)), (BLOCK_N, BLOCK_K // 16))
            total = tl.dot_sparse(values.load([column, k // 2]), places, a.load([row, k]).T, total, input_precision=PRECISION)
        if bias_ptr is not None:
            columns = column + tl.arange(0, BLOCK_N)[:, None]
            total += tl.load(bias_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
        c.store([row, column], tl.trans(total).to(c_ptr.dtype.element_ty))
