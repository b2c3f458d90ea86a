import triton
import triton.language as tl


@triton.jit
def add_product(a_ptr, b_ptr, out_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, READS: tl.constexpr = False):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    out = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    row = tl.program_id(0) * BLOCK_M
    for k in range(0, K, BLOCK_K):  # each product for itself
        product = tl.dot(a.load([row, k]), b.load([k, 0]))
        out.atomic_add([row, 0], product)
    if READS:
        tl.store(a_ptr, tl.load(out_ptr).to(tl.float16))


@triton.jit
def turned_product(q_ptr, k_ptr, out_ptr, rows, BLOCK: tl.constexpr, DIM: tl.constexpr):
    """Scores are an operand as they are, and turned: of a sum that the loop carries, and of one that is added to a tensor."""
    out = tl.make_tensor_descriptor(out_ptr, [rows, DIM], [DIM, 1], [BLOCK, DIM])
    at = tl.arange(0, 128)[:, None] * DIM + tl.arange(0, DIM)[None, :]
    k = tl.load(k_ptr + at)
    total = tl.zeros((128, DIM), tl.float32)
    for start in range(0, rows, BLOCK):
        q = tl.load(q_ptr + start * DIM + tl.arange(0, BLOCK)[:, None] * DIM + tl.arange(0, DIM)[None, :])
        score = tl.dot(k, tl.trans(q)).to(q.dtype)
        part = tl.dot(tl.trans(score), k)
        total = tl.dot(score, q, total)
        out.atomic_add([start, 0], part)
    tl.store(k_ptr + at, total.to(tl.float16))


@triton.jit
def kept_scores(q_ptr, k_ptr, scores_ptr, rows, BLOCK: tl.constexpr, DIM: tl.constexpr):
    """Scores are an operand, and stored."""
    scores = tl.make_tensor_descriptor(scores_ptr, [128, rows], [rows, 1], [128, BLOCK])
    at = tl.arange(0, 128)[:, None] * DIM + tl.arange(0, DIM)[None, :]
    k = tl.load(k_ptr + at)
    total = tl.zeros((128, DIM), tl.float32)
    for start in range(0, rows, BLOCK):
        q = tl.load(q_ptr + start * DIM + tl.arange(0, BLOCK)[:, None] * DIM + tl.arange(0, DIM)[None, :])
        score = tl.dot(k, tl.trans(q)).to(q.dtype)
        total = tl.dot(score, q, total)
        scores.store([0, start], score)
    tl.store(k_ptr + at, total.to(tl.float16))
