"""Losses of preference and reinforcement learning from log-probabilities, with their gradients in the same pass: DPO over pairs of sequences, GRPO over tokens. The log-probabilities come from
cross_entropy."""
import triton
import triton.language as tl


@triton.jit
def log_sigmoid(x):
    return tl.minimum(x, 0.0) - tl.log(1 + tl.exp(-tl.abs(x)))


@triton.jit
def dpo_loss(chosen_ptr, rejected_ptr, ref_chosen_ptr, ref_rejected_ptr, loss_ptr, grad_ptr, n, beta, smoothing, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """loss and the gradient of the chosen one's log-probability (that of the rejected one is its negative), fp32 as all are. With h = (chosen - rejected) - (ref_chosen - ref_rejected):
    "sigmoid" (1 - smoothing) * -log sigmoid(beta h) + smoothing * -log sigmoid(-beta h), "hinge" max(1 - beta h, 0), "ipo" (h - 1 / (2 beta))^2. Grid: (blocks of BLOCK)."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    h = tl.load(chosen_ptr + i, mask=inside, other=0.0) - tl.load(rejected_ptr + i, mask=inside, other=0.0)
    h -= tl.load(ref_chosen_ptr + i, mask=inside, other=0.0) - tl.load(ref_rejected_ptr + i, mask=inside, other=0.0)
    if KIND == "sigmoid":
        loss = -(1 - smoothing) * log_sigmoid(beta * h) - smoothing * log_sigmoid(-beta * h)
        grad = beta * (smoothing * tl.sigmoid(beta * h) - (1 - smoothing) * tl.sigmoid(-beta * h))
    elif KIND == "hinge":
        loss = tl.maximum(1 - beta * h, 0.0)
        grad = tl.where(beta * h < 1, -beta, 0.0)
    else:
        off = h - 1 / (2 * beta)
        loss = off * off
        grad = 2 * off
    tl.store(loss_ptr + i, loss, mask=inside)
    tl.store(grad_ptr + i, grad, mask=inside)


@triton.jit
def grpo_loss(logp_ptr, old_ptr, ref_ptr, advantages_ptr, mask_ptr, loss_ptr, grad_ptr, length, low, high, beta, BLOCK: tl.constexpr):
    """For each token of [sequences, length], all fp32 and contiguous: -min(ratio A, clip(ratio, 1 - low, 1 + high) A) + beta (exp(ref - logp) - (ref - logp) - 1), ratio = exp(logp - old), A that of the
    sequence, and its gradient by logp; 0 where mask (int8 or bool, or None) is 0. old None: logp itself, without a gradient; ref None: no such term. Grid: (blocks of tokens, sequences)."""
    row = tl.program_id(1).to(tl.int64)
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = t < length
    at = row * length + t
    logp = tl.load(logp_ptr + at, mask=inside, other=0.0)
    old = logp
    if old_ptr is not None:
        old = tl.load(old_ptr + at, mask=inside, other=0.0)
    advantage = tl.load(advantages_ptr + row)
    ratio = tl.exp(logp - old)
    free = ratio * advantage
    held = tl.minimum(tl.maximum(ratio, 1 - low), 1 + high) * advantage
    loss = -tl.minimum(free, held)
    grad = tl.where(free <= held, -free, 0.0)
    if ref_ptr is not None:
        apart = tl.load(ref_ptr + at, mask=inside, other=0.0) - logp
        loss += beta * (tl.exp(apart) - apart - 1)
        grad += beta * (1 - tl.exp(apart))
    if mask_ptr is not None:
        counts = tl.load(mask_ptr + at, mask=inside, other=0) != 0
        loss = tl.where(counts, loss, 0.0)
        grad = tl.where(counts, grad, 0.0)
    tl.store(loss_ptr + at, loss, mask=inside)
    tl.store(grad_ptr + at, grad, mask=inside)
