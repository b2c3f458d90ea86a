"""Weights as codes into a table of each output channel, with single weights beside that the table cannot hold: SqueezeLLM's tables. w[k, n] = table[n, code[k, n]]; codes of BITS bits stand one behind the other along k, the lowest bits of a
word first, 32 codes in BITS words: int32 [K / 32 * BITS, N]. The weights beside are a sparse matrix with a row for each output channel: starts [N + 1], and the k and the value of each of them."""
import triton
import triton.language as tl


@triton.jit
def load_codes(q_ptr, k, columns, K, N, BITS: tl.constexpr):
    """Codes of some k (a column) and columns (a row)."""
    bit = k * BITS
    word = (bit // 32).to(tl.int64)
    shift = bit % 32
    inside = (k < K) & (columns < N)
    codes = tl.load(q_ptr + word * N + columns, mask=inside, other=0).to(tl.uint32, bitcast=True) >> shift.to(tl.uint32)
    if 32 % BITS != 0:  # a code may go on in the next word
        crosses = shift + BITS > 32
        rest = tl.load(q_ptr + (word + 1) * N + columns, mask=inside & crosses, other=0).to(tl.uint32, bitcast=True)
        codes = codes | (rest << tl.where(crosses, 32 - shift, 0).to(tl.uint32))
    return (codes & (2**BITS - 1)).to(tl.int32)


@triton.jit
def lookup_dequantize(q_ptr, table_ptr, out_ptr, K, N, BITS: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr, CACHE: tl.constexpr = ""):
    """out[k, n] = table[n, code[k, n]], contiguous [K, N]. Grid: (blocks of N, blocks of K)."""
    k = tl.program_id(1) * BLOCK_K + tl.arange(0, BLOCK_K)[:, None]
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    inside = (k < K) & (columns < N)
    codes = load_codes(q_ptr, k, columns, K, N, BITS)
    w = tl.load(table_ptr + columns * (2**BITS) + codes, mask=inside, other=0.0)
    tl.store(out_ptr + k.to(tl.int64) * N + columns, w.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def sparse_part(a_ptr, starts_ptr, places_ptr, values_ptr, out_ptr, M, N, a_stride_m, BLOCK_M: tl.constexpr, BLOCK: tl.constexpr):
    """out[m, n] = the sum of a[m, places[i]] * values[i] over the i of starts[n] … starts[n + 1], fp32 and contiguous. Grid: (N, blocks of M)."""
    n = tl.program_id(0)
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    start = tl.load(starts_ptr + n)
    end = tl.load(starts_ptr + n + 1)
    total = tl.zeros((BLOCK_M, ), tl.float32)
    for first in range(start, end, BLOCK):
        i = first + tl.arange(0, BLOCK)
        places = tl.load(places_ptr + i, mask=i < end, other=0)
        values = tl.load(values_ptr + i, mask=i < end, other=0.0).to(tl.float32)
        a = tl.load(a_ptr + rows.to(tl.int64)[:, None] * a_stride_m + places[None, :], mask=(rows < M)[:, None] & (i < end)[None, :], other=0.0).to(tl.float32)
        total += tl.sum(a * values[None, :], axis=1)
    tl.store(out_ptr + rows.to(tl.int64) * N + n, total, mask=rows < M)


@triton.jit
def load_weights(q_ptr, table_ptr, table, block, k, columns, K, N, BITS: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr, TYPE: tl.constexpr):
    """Block number `block` along K. Codes of four bits: each word is read once, and `table` [16, BLOCK_N] is at hand; others are looked up in memory."""
    if BITS == 4:
        word = block * (BLOCK_K // 8) + tl.arange(0, BLOCK_K // 8)
        words = tl.load(q_ptr + word.to(tl.int64)[:, None] * N + columns, mask=(word < K // 8)[:, None] & (columns < N), other=0)
        codes = (words[:, None, :] >> (tl.arange(0, 8) * 4)[None, :, None]) & 15
        return tl.gather(table, tl.reshape(codes, (BLOCK_K, BLOCK_N)), 0)
    else:
        codes = load_codes(q_ptr, k[:, None], columns, K, N, BITS)
        return tl.load(table_ptr + columns * (2**BITS) + codes, mask=(k < K)[:, None] & (columns < N), other=0.0).to(TYPE)


@triton.jit
def lookup_matmul(a_ptr, q_ptr, table_ptr, beside_ptr, c_ptr, M, N, K, a_stride_m, c_stride_m, BITS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  PRECISION: tl.constexpr = None):
    """c = a @ w, and what sparse_part found besides (or None). Grid: (tiles of c, shares of the depth): a share writes its sum behind the one before it, c [shares, M, N] and fp32 if there are several."""
    TYPE: tl.constexpr = a_ptr.dtype.element_ty
    tiles_n = tl.cdiv(N, BLOCK_N)
    share = tl.program_id(1)
    each = tl.cdiv(tl.cdiv(K, BLOCK_K), tl.num_programs(1))
    rows = tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    inside = (rows < M) & (columns < N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    if beside_ptr is not None:
        total += tl.load(beside_ptr + rows.to(tl.int64) * N + columns, mask=inside & (share == 0), other=0.0)
    table = tl.load(table_ptr + columns * 16 + tl.arange(0, 16)[:, None], mask=columns < N, other=0.0).to(TYPE) if BITS == 4 else None
    for block in range(share * each, tl.minimum(tl.cdiv(K, BLOCK_K), (share + 1) * each)):
        k = block * BLOCK_K + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows.to(tl.int64) * a_stride_m + k[None, :], mask=(rows < M) & (k < K)[None, :], other=0.0)
        w = load_weights(q_ptr, table_ptr, table, block, k, columns, K, N, BITS, BLOCK_K, BLOCK_N, TYPE)
        total = tl.dot(a, w, total, input_precision=PRECISION)
    c_ptr += share.to(tl.int64) * M * c_stride_m
    tl.store(c_ptr + rows.to(tl.int64) * c_stride_m + columns, total.to(c_ptr.dtype.element_ty), mask=inside)
