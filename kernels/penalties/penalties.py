"""Penalties for tokens that a sequence has already, before one is drawn: repetition (a logit above 0 is divided by it, one below multiplied), frequency (taken off for each
time that a token was generated) and presence (taken off once)."""
import triton
import triton.language as tl


@triton.jit
def count_tokens(tokens_ptr, counts_ptr, tokens_row_stride, n_tokens, n_columns, BLOCK: tl.constexpr):
    """counts[i, t] += how often token t stands in row i; what is no column (padding) does not count. counts: int32 [rows, n_columns]. Grid: (blocks of tokens, rows)."""
    row = tl.program_id(1).to(tl.int64)
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    token = tl.load(tokens_ptr + row * tokens_row_stride + place, mask=place < n_tokens, other=-1).to(tl.int64)
    tl.atomic_add(counts_ptr + row * n_columns + token, tl.full((BLOCK, ), 1, tl.int32), mask=(token >= 0) & (token < n_columns))


@triton.jit
def apply_penalties(logits_ptr, prompt_counts_ptr, output_counts_ptr, repetition_ptr, frequency_ptr, presence_ptr, out_ptr, logits_row_stride, out_row_stride,
                    n_columns, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """counts: int32 [rows, n_columns], those of the prompt may be None; penalties: fp32, one a row, or None. Grid: (blocks of columns, rows)."""
    row = tl.program_id(1).to(tl.int64)
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = column < n_columns
    x = tl.load(logits_ptr + row * logits_row_stride + column, mask=inside, other=0.0).to(tl.float32)
    generated = tl.load(output_counts_ptr + row * n_columns + column, mask=inside, other=0)
    if repetition_ptr is not None:
        known = generated > 0
        if prompt_counts_ptr is not None:
            known = known | (tl.load(prompt_counts_ptr + row * n_columns + column, mask=inside, other=0) > 0)
        repetition = tl.load(repetition_ptr + row)
        x = tl.where(known, tl.where(x > 0, x / repetition, x * repetition), x)
    if frequency_ptr is not None:
        x -= tl.load(frequency_ptr + row) * generated.to(tl.float32)
    if presence_ptr is not None:
        x -= tl.where(generated > 0, tl.load(presence_ptr + row), 0.0)
    tl.store(out_ptr + row * out_row_stride + column, x.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)
