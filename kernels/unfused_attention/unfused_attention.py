"""Attention as the formula has it, a step a kernel: scores = scale q k^T, weights = softmax of each row, out = weights v. All scores and weights go through memory, length times length of them for each head, which is what
flash_attention saves; it is here to be read, to be compared with, and for those who want to see the weights. The backward pass is made of the same product and one more kernel."""
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, out_ptr, M, N, K, scale, heads, a_stride_b, a_stride_h, a_stride_m, a_stride_k, b_stride_b, b_stride_h, b_stride_k, b_stride_n, out_stride_b, out_stride_h, out_stride_m,
            out_stride_n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """out = scale * a @ b for each batch and head, any strides: a transposed matrix has its strides the other way round. Grid: (blocks of M, blocks of N, batch * heads)."""
    batch = (tl.program_id(2) // heads).to(tl.int64)
    head = (tl.program_id(2) % heads).to(tl.int64)
    a_ptr += batch * a_stride_b + head * a_stride_h
    b_ptr += batch * b_stride_b + head * b_stride_h
    out_ptr += batch * out_stride_b + head * out_stride_h
    rows = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    columns = (tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N))[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows.to(tl.int64) * a_stride_m + k.to(tl.int64)[None, :] * a_stride_k, mask=(rows < M) & (k < K)[None, :], other=0.0)
        b = tl.load(b_ptr + k.to(tl.int64)[:, None] * b_stride_k + columns.to(tl.int64) * b_stride_n, mask=(k < K)[:, None] & (columns < N), other=0.0)
        total = tl.dot(a.to(b.dtype), b, total, input_precision=PRECISION)
    places = out_ptr + rows.to(tl.int64) * out_stride_m + columns.to(tl.int64) * out_stride_n
    tl.store(places, (total * scale).to(out_ptr.dtype.element_ty), mask=(rows < M) & (columns < N))


@triton.jit
def load_scores(scores_ptr, k, seen):
    return tl.load(scores_ptr + k, mask=k < seen, other=float("-inf")).to(tl.float32)


@triton.jit
def softmax_of_scores(scores_ptr, weights_ptr, length_q, length_k, CAUSAL: tl.constexpr, BLOCK: tl.constexpr):
    """weights = exp(scores - largest) / sum, row by row, in any float types and in place if you like; CAUSAL: query i sees the keys up to i + length_k - length_q. Three walks along the row, as the formula has them. Grid:
    (length_q, batch * heads)."""
    query = tl.program_id(0)
    row = (tl.program_id(1).to(tl.int64) * length_q + query) * length_k
    seen = length_k
    if CAUSAL:
        seen = tl.minimum(length_k, tl.maximum(query + 1 + length_k - length_q, 0))
    largest = tl.full((BLOCK, ), float("-inf"), tl.float32)
    for first in range(0, length_k, BLOCK):
        largest = tl.maximum(largest, load_scores(scores_ptr + row, first + tl.arange(0, BLOCK), seen))
    top = tl.max(largest, axis=0)
    top = tl.where(top == float("-inf"), 0.0, top)
    total = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, length_k, BLOCK):
        total += tl.exp(load_scores(scores_ptr + row, first + tl.arange(0, BLOCK), seen) - top)
    whole = tl.sum(total, axis=0)
    whole = tl.where(whole == 0.0, 1.0, whole)  # a query that sees no key has the weights 0
    for first in range(0, length_k, BLOCK):
        k = first + tl.arange(0, BLOCK)
        weights = tl.exp(load_scores(scores_ptr + row, k, seen) - top) / whole
        tl.store(weights_ptr + row + k, weights.to(weights_ptr.dtype.element_ty), mask=k < length_k)


@triton.jit
def softmax_gradient(weights_ptr, grad_weights_ptr, grad_scores_ptr, length_k, BLOCK: tl.constexpr):
    """grad_scores = weights * (grad_weights - sum(weights * grad_weights)), row by row. Grid: (all rows)."""
    row = tl.program_id(0).to(tl.int64) * length_k
    total = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, length_k, BLOCK):
        k = first + tl.arange(0, BLOCK)
        weights = tl.load(weights_ptr + row + k, mask=k < length_k, other=0.0).to(tl.float32)
        total += weights * tl.load(grad_weights_ptr + row + k, mask=k < length_k, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0)
    for first in range(0, length_k, BLOCK):
        k = first + tl.arange(0, BLOCK)
        weights = tl.load(weights_ptr + row + k, mask=k < length_k, other=0.0).to(tl.float32)
        grad = tl.load(grad_weights_ptr + row + k, mask=k < length_k, other=0.0).to(tl.float32)
        tl.store(grad_scores_ptr + row + k, (weights * (grad - mean)).to(grad_scores_ptr.dtype.element_ty), mask=k < length_k)
