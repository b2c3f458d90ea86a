# expect: `out_ptr[0, 0]` is -0.032
"""The number of pages is rounded down, so that a page that is used in part is left out."""
import triton
import triton.language as tl


@triton.jit
def paged_attention(q_ptr, k_ptr, v_ptr, table_ptr, lengths_ptr, out_ptr, most, scale, DIM: tl.constexpr, PAGE: tl.constexpr):
    """q, out: [batch, DIM]; k, v: [pages, PAGE, DIM]; table: [batch, most]; token t of a sequence is in page table[t // PAGE]."""
    sequence = tl.program_id(0)
    length = tl.load(lengths_ptr + sequence)
    d = tl.arange(0, DIM)
    slot = tl.arange(0, PAGE)
    q = tl.load(q_ptr + sequence * DIM + d).to(tl.float32)
    largest = -float("inf")
    weight = 0.0
    total = tl.zeros((DIM, ), tl.float32)
    for step in range(tl.maximum(length // PAGE, 1)):
        page = tl.load(table_ptr + sequence * most + step).to(tl.int64)
        used = step * PAGE + slot < length
        at = (page * PAGE + slot[:, None]) * DIM + d[None, :]
        k = tl.load(k_ptr + at, mask=used[:, None], other=0.0).to(tl.float32)
        s = tl.where(used, tl.sum(k * q[None, :], axis=1) * scale, -float("inf"))
        now = tl.maximum(largest, tl.max(s, axis=0))
        shrink = tl.exp(largest - now)
        p = tl.exp(s - now)
        v = tl.load(v_ptr + at, mask=used[:, None], other=0.0).to(tl.float32)
        weight = weight * shrink + tl.sum(p, axis=0)
        total = total * shrink + tl.sum(p[:, None] * v, axis=0)
        largest = now
    tl.store(out_ptr + sequence * DIM + d, total / weight)
