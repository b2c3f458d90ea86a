"""Cross entropy in chunks of the vocabulary."""
import triton
import triton.language as tl


@triton.jit
def chunk_lse(logits_ptr, lse_ptr, vocab, chunks, BLOCK: tl.constexpr):
    """lse[row, chunk] = log of the sum of exponentials of the chunk. Grid: (rows, chunks)."""
    # YOUR CODE
    tl.static_assert(BLOCK > 0)


@triton.jit
def losses(logits_ptr, target_ptr, lse_ptr, loss_ptr, vocab, chunks, WIDE: tl.constexpr):
    """loss[row] = lse of the row - logits[row, target], or 0 where the target is negative. Grid: rows."""
    # YOUR CODE
    tl.static_assert(WIDE > 0)
