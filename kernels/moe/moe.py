"""Mixture of experts around the products of the experts: the best TOP_K experts of each token, the order of tokens by expert, rows in
that order, and the weighted sum on the way back; forward and backward. `grouped_gemm` multiplies the runs of rows in between.

experts and positions are int32 [tokens, k]: the expert of each choice, and the row that it has in the order by expert. A choice whose
expert is not 0 … n_experts - 1 has the position -1: it is left out. No atomics: the order is that of the choices, on every run."""
import triton
import triton.language as tl


@triton.jit
def probabilities(logits_ptr, tokens, experts, n_tokens, n_experts, row_stride):
    """softmax of rows of logits; 0 past the last expert."""
    inside = (tokens < n_tokens)[:, None] & (experts < n_experts)[None, :]
    x = tl.load(logits_ptr + tokens.to(tl.int64)[:, None] * row_stride + experts[None, :], mask=inside, other=-float("inf")).to(tl.float32)
    largest = tl.max(x, axis=1)
    p = tl.exp(x - tl.where(largest == -float("inf"), 0.0, largest)[:, None])
    total = tl.sum(p, axis=1)
    return p / tl.where(total == 0.0, 1.0, total)[:, None]


@triton.jit
def moe_route(logits_ptr, weights_ptr, experts_ptr, logits_row_stride, n_tokens, n_experts, TOP_K: tl.constexpr, RENORMALIZE: tl.constexpr,
              BLOCK_T: tl.constexpr, BLOCK_E: tl.constexpr, BLOCK_K: tl.constexpr):
    """The TOP_K largest of softmax(logits) and their experts, the first of equals before the others; with RENORMALIZE their weights add up
    to 1. Grid: blocks of BLOCK_T tokens; BLOCK_E >= n_experts, BLOCK_K >= TOP_K."""
    tokens = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    experts = tl.arange(0, BLOCK_E)
    place = tl.arange(0, BLOCK_K)[None, :]
    left = tl.where((experts < n_experts)[None, :], probabilities(logits_ptr, tokens, experts, n_tokens, n_experts, logits_row_stride), -1.0)
    weights = tl.zeros((BLOCK_T, BLOCK_K), tl.float32)
    chosen = tl.zeros((BLOCK_T, BLOCK_K), tl.int32)
    for k in tl.static_range(TOP_K):
        best = tl.max(left, axis=1)
        which = tl.min(tl.where(left == best[:, None], experts[None, :], n_experts - 1), axis=1)
        weights = tl.where(place == k, best[:, None], weights)
        chosen = tl.where(place == k, which[:, None], chosen)
        left = tl.where(experts[None, :] == which[:, None], -1.0, left)
    if RENORMALIZE:
        weights /= tl.sum(weights, axis=1)[:, None]
    at = tokens.to(tl.int64)[:, None] * TOP_K + place
    inside = (tokens < n_tokens)[:, None] & (place < TOP_K)
    tl.store(weights_ptr + at, weights, mask=inside)
    tl.store(experts_ptr + at, chosen, mask=inside)


@triton.jit
def moe_route_backward(grad_weights_ptr, logits_ptr, experts_ptr, grad_logits_ptr, logits_row_stride, n_tokens, n_experts, TOP_K: tl.constexpr,
                       RENORMALIZE: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_E: tl.constexpr):
    """The gradient of the logits, contiguous. The choice of experts has none."""
    tokens = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    experts = tl.arange(0, BLOCK_E)
    p = probabilities(logits_ptr, tokens, experts, n_tokens, n_experts, logits_row_stride)
    grad = tl.zeros((BLOCK_T, BLOCK_E), tl.float32)
    is_chosen = tl.zeros((BLOCK_T, BLOCK_E), tl.float32)
    for k in tl.static_range(TOP_K):
        which = tl.load(experts_ptr + tokens.to(tl.int64) * TOP_K + k, mask=tokens < n_tokens, other=-1)
        grad_weight = tl.load(grad_weights_ptr + tokens.to(tl.int64) * TOP_K + k, mask=tokens < n_tokens, other=0.0)
        here = experts[None, :] == which[:, None]
        grad = tl.where(here, grad_weight[:, None], grad)
        is_chosen = tl.where(here, 1.0, is_chosen)
    if RENORMALIZE:  # a softmax of the chosen ones alone
        p *= is_chosen
        total = tl.sum(p, axis=1)
        p /= tl.where(total == 0.0, 1.0, total)[:, None]
    result = p * (grad - tl.sum(p * grad, axis=1)[:, None])
    inside = (tokens < n_tokens)[:, None] & (experts < n_experts)[None, :]
    tl.store(grad_logits_ptr + tokens.to(tl.int64)[:, None] * n_experts + experts[None, :], result.to(grad_logits_ptr.dtype.element_ty), mask=inside)


@triton.jit
def is_expert(experts_ptr, choices, last, experts):
    """[choices, experts] 1 where a choice is for an expert."""
    chosen = tl.load(experts_ptr + choices, mask=choices < last, other=-1)
    return (chosen[:, None] == experts[None, :]).to(tl.int32), chosen


@triton.jit
def moe_count(experts_ptr, counts_ptr, n_choices, n_experts, chunk, BLOCK: tl.constexpr, BLOCK_E: tl.constexpr):
    """counts[p, e]: how many of the choices p * chunk … are for expert e. chunk is a multiple of BLOCK."""
    experts = tl.arange(0, BLOCK_E)
    start = tl.program_id(0) * chunk
    last = tl.minimum(start + chunk, n_choices)
    total = tl.zeros((BLOCK_E, ), tl.int32)
    for first in range(start, last, BLOCK):
        here, _ = is_expert(experts_ptr, first + tl.arange(0, BLOCK), last, experts)
        total += tl.sum(here, axis=0)
    tl.store(counts_ptr + tl.program_id(0) * n_experts + experts, total, mask=experts < n_experts)


@triton.jit
def moe_positions(experts_ptr, counts_ptr, positions_ptr, ends_ptr, n_choices, n_experts, chunk, BLOCK: tl.constexpr, BLOCK_E: tl.constexpr,
                  BLOCK_P: tl.constexpr):
    """The position of each choice in the order by expert, and where the rows of each expert end. The grid of moe_count."""
    experts = tl.arange(0, BLOCK_E)
    program = tl.program_id(0)
    before = tl.zeros((BLOCK_E, ), tl.int32)
    total = tl.zeros((BLOCK_E, ), tl.int32)
    for first in range(0, tl.num_programs(0), BLOCK_P):
        programs = first + tl.arange(0, BLOCK_P)
        inside = (programs < tl.num_programs(0))[:, None] & (experts < n_experts)[None, :]
        counts = tl.load(counts_ptr + programs[:, None] * n_experts + experts[None, :], mask=inside, other=0)
        total += tl.sum(counts, axis=0)
        before += tl.sum(tl.where((programs < program)[:, None], counts, 0), axis=0)
    ends = tl.cumsum(total, axis=0)
    tl.store(ends_ptr + experts, ends, mask=(experts < n_experts) & (program == 0))
    next_row = ends - total + before

    start = program * chunk
    last = tl.minimum(start + chunk, n_choices)
    for first in range(start, last, BLOCK):
        choices = first + tl.arange(0, BLOCK)
        here, chosen = is_expert(experts_ptr, choices, last, experts)
        rank = tl.cumsum(here, axis=0) - 1
        position = tl.sum(here * (next_row[None, :] + rank), axis=1)
        is_valid = (chosen >= 0) & (chosen < n_experts)
        tl.store(positions_ptr + choices, tl.where(is_valid, position, -1), mask=choices < last)
        next_row += tl.sum(here, axis=0)


@triton.jit
def moe_permute(x_ptr, positions_ptr, out_ptr, x_row_stride, n_columns, TOP_K: tl.constexpr, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """out[positions[t, j]] = x[t]. Grid: (tokens, blocks of columns): a row is read once and written TOP_K times."""
    token = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < n_columns
    x = tl.load(x_ptr + token * x_row_stride + columns, mask=inside)
    for k in tl.static_range(TOP_K):
        position = tl.load(positions_ptr + token * TOP_K + k).to(tl.int64)
        tl.store(out_ptr + position * n_columns + columns, x, mask=inside & (position >= 0), cache_modifier=CACHE)


@triton.jit
def moe_combine(y_ptr, positions_ptr, weights_ptr, out_ptr, y_row_stride, n_columns, TOP_K: tl.constexpr, BLOCK: tl.constexpr,
                CACHE: tl.constexpr = ""):
    """out[t] = sum of weights[t, j] * y[positions[t, j]] over j, in fp32; weights None for 1, which is also the backward pass of
    moe_permute. Grid: (tokens, blocks of columns)."""
    token = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < n_columns
    total = tl.zeros((BLOCK, ), tl.float32)
    for k in tl.static_range(TOP_K):
        position = tl.load(positions_ptr + token * TOP_K + k).to(tl.int64)
        y = tl.load(y_ptr + position * y_row_stride + columns, mask=inside & (position >= 0), other=0.0).to(tl.float32)
        if weights_ptr is not None:
            y *= tl.load(weights_ptr + token * TOP_K + k).to(tl.float32)
        total += y
    tl.store(out_ptr + token * n_columns + columns, total.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def moe_combine_backward(grad_out_ptr, y_ptr, positions_ptr, weights_ptr, grad_y_ptr, grad_weights_ptr, grad_out_row_stride, y_row_stride,
                         n_columns, TOP_K: tl.constexpr, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """The gradients of y, contiguous, and of the weights (fp32). One program a token."""
    token = tl.program_id(0).to(tl.int64)
    grad_out_ptr += token * grad_out_row_stride
    columns = tl.arange(0, BLOCK)
    for k in tl.static_range(TOP_K):
        position = tl.load(positions_ptr + token * TOP_K + k).to(tl.int64)
        weight = tl.load(weights_ptr + token * TOP_K + k).to(tl.float32)
        total = tl.zeros((BLOCK, ), tl.float32)
        for first in range(0, n_columns, BLOCK):
            inside = (first + columns < n_columns) & (position >= 0)
            grad_out = tl.load(grad_out_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
            y = tl.load(y_ptr + position * y_row_stride + first + columns, mask=inside, other=0.0).to(tl.float32)
            total += grad_out * y
            tl.store(grad_y_ptr + position * n_columns + first + columns, (grad_out * weight).to(grad_y_ptr.dtype.element_ty), mask=inside,
                     cache_modifier=CACHE)
        tl.store(grad_weights_ptr + token * TOP_K + k, tl.sum(total, axis=0))
