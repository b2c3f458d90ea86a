"""One logit after the other."""
import triton
import triton.language as tl


@triton.jit
def chunk_lse(logits_ptr, lse_ptr, vocab, chunks, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = tl.program_id(1) * BLOCK
    largest = tl.load(logits_ptr + row * vocab + first)
    for i in range(first + 1, tl.minimum(vocab, first + BLOCK)):
        largest = tl.maximum(largest, tl.load(logits_ptr + row * vocab + i))
    total = largest * 0.0
    for i in range(first, tl.minimum(vocab, first + BLOCK)):
        total += tl.exp(tl.load(logits_ptr + row * vocab + i) - largest)
    tl.store(lse_ptr + row * chunks + tl.program_id(1), largest + tl.log(total))


@triton.jit
def losses(logits_ptr, target_ptr, lse_ptr, loss_ptr, vocab, chunks, WIDE: tl.constexpr):
    row = tl.program_id(0)
    lse = tl.load(lse_ptr + row * chunks)
    for chunk in range(1, chunks):
        part = tl.load(lse_ptr + row * chunks + chunk)
        larger = tl.maximum(lse, part)
        lse = larger + tl.log(tl.exp(lse - larger) + tl.exp(part - larger))
    target = tl.load(target_ptr + row)
    loss = lse * 0.0
    if target >= 0:
        loss = lse - tl.load(logits_ptr + row * vocab + target)
    tl.store(loss_ptr + row, loss)
