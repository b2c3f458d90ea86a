"""Which of the tokens that a draft model proposed a target model keeps (speculative decoding): token i is accepted with probability min(1, target / draft); the first that is not is
replaced by one drawn from max(target - draft, 0), and all behind it are dropped. If all are accepted, the bonus token of the target follows. What comes
out has the distribution of the target alone."""
import triton
import triton.language as tl


@triton.jit
def rejection_sampling(draft_tokens_ptr, counts_ptr, draft_ptr, target_ptr, bonus_ptr, seeds_ptr, out_ptr, accepted_ptr, draft_stride_b, draft_stride_k, target_stride_b,
                       target_stride_k, most, n_columns, GREEDY: tl.constexpr, BLOCK: tl.constexpr):
    """One program a sequence. draft_tokens: int64 [batch, most], of which counts[b] (int32) are there, or all if None; target: probabilities [batch, most, n_columns], the last
    axis contiguous; draft: as target, or None where the draft was certain of its tokens. seeds, bonus: int64 [batch]. out: int64 [batch, most + 1], -1 behind
    the last token; accepted: int32 [batch], how many of the draft's. GREEDY: accepted is what the target finds most likely, and no seed is read."""
    batch = tl.program_id(0).to(tl.int64)
    count = most
    if counts_ptr is not None:
        count = tl.load(counts_ptr + batch)
    target_ptr += batch * target_stride_b
    if draft_ptr is not None:
        draft_ptr += batch * draft_stride_b
    columns = tl.arange(0, BLOCK)
    seed = tl.full((), 0, tl.int64)
    if not GREEDY:
        seed = tl.load(seeds_ptr + batch)
    accepted = 0
    is_open = True
    chosen = tl.full((), 0, tl.int64)
    i = 0
    while (i < count) & is_open:
        token = tl.load(draft_tokens_ptr + batch * most + i)
        row = target_ptr + tl.cast(i, tl.int64) * target_stride_k
        if GREEDY:
            chosen = most_likely(row, n_columns, BLOCK).to(tl.int64)
            is_open = chosen == token
        else:
            target = tl.load(row + token).to(tl.float32)
            draft = tl.full((), 1.0, tl.float32)
            if draft_ptr is not None:
                draft = tl.load(draft_ptr + tl.cast(i, tl.int64) * draft_stride_k + token).to(tl.float32)
            is_open = tl.rand(seed, i) * draft < target
        if is_open:
            tl.store(out_ptr + batch * (most + 1) + i, token)
            accepted += 1
        i += 1
    if is_open:
        chosen = tl.load(bonus_ptr + batch)
    elif not GREEDY:
        # The largest of log(weight) plus Gumbel noise; where rounding left no difference, from the target itself.
        token = tl.load(draft_tokens_ptr + batch * most + accepted)
        row = target_ptr + tl.cast(accepted, tl.int64) * target_stride_k
        best = tl.full((BLOCK, ), -float("inf"), tl.float32)
        best_of_target = best
        place = tl.zeros((BLOCK, ), tl.int32)
        place_of_target = place
        for first in range(0, n_columns, BLOCK):
            column = first + columns
            target = tl.load(row + column, mask=column < n_columns, other=0.0).to(tl.float32)
            if draft_ptr is None:
                weight = tl.where(column == token, 0.0, target)
            else:
                draft = tl.load(draft_ptr + tl.cast(accepted, tl.int64) * draft_stride_k + column, mask=column < n_columns, other=0.0).to(tl.float32)
                weight = tl.maximum(target - draft, 0.0)
            noise = -tl.log(-tl.log(tl.rand(seed, most + column)))
            value = tl.log(weight) + noise
            place = tl.where(value > best, column, place)
            best = tl.maximum(best, value)
            value = tl.log(target) + noise
            place_of_target = tl.where(value > best_of_target, column, place_of_target)
            best_of_target = tl.maximum(best_of_target, value)
        if tl.max(best, axis=0) == -float("inf"):
            best = best_of_target
            place = place_of_target
        chosen = tl.min(tl.where(best == tl.max(best, axis=0), place, n_columns), axis=0).to(tl.int64)
    tl.store(out_ptr + batch * (most + 1) + accepted, chosen)
    for behind in range(accepted + 1, most + 1):
        tl.store(out_ptr + batch * (most + 1) + behind, -1)
    tl.store(accepted_ptr + batch, accepted)


@triton.jit
def most_likely(row_ptr, n_columns, BLOCK: tl.constexpr):
    """The first of the largest elements."""
    columns = tl.arange(0, BLOCK)
    best = tl.full((BLOCK, ), -float("inf"), tl.float32)
    place = tl.zeros((BLOCK, ), tl.int32)
    for first in range(0, n_columns, BLOCK):
        value = tl.load(row_ptr + first + columns, mask=first + columns < n_columns, other=-float("inf")).to(tl.float32)
        place = tl.where(value > best, first + columns, place)
        best = tl.maximum(best, value)
    return tl.min(tl.where(best == tl.max(best, axis=0), place, n_columns), axis=0)
