"""Attention of one query for each sequence over a cache in pages. Grid: sequences."""
import triton
import triton.language as tl


@triton.jit
def paged_attention(q_ptr, k_ptr, v_ptr, table_ptr, lengths_ptr, out_ptr, most, scale, DIM: tl.constexpr, PAGE: tl.constexpr):
    """q, out: [batch, DIM]; k, v: [pages, PAGE, DIM]; table: [batch, most]; token t of a sequence is in page table[t // PAGE]."""
    sequence = tl.program_id(0)
    length = tl.load(lengths_ptr + sequence)
    d = tl.arange(0, DIM)
    slot = tl.arange(0, PAGE)
    # YOUR CODE
