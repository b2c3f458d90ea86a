import triton
import triton.language as tl

@triton.jit
def welford_reduce(value, mean, m2, weight, first):
    if first:
        new_weight = tl.full(weight.shape, 1, weight.dtype)
        new_mean = value
        new_m2 = tl.zeros_like(m2)
    else:
        delta = value - mean
        new_weight = weight + 1
        new_mean = mean + delta / new_weight
        new_m2 = m2 + delta * (value - new_mean)
    return new_mean, new_m2, new_weight

@triton.jit
def combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    new_weight = weight_1 + weight_2
    w2 = tl.where(new_weight == 0.0, 0.0, weight_2 / new_weight)
    return mean_1 + delta * w2, m2_1 + m2_2 + delta * delta * weight_1 * w2, new_weight

@triton.jit
def var_mean(out_var, x, out_mean, xnumel, r0_numel, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    mean = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    m2 = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    weight = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r = r0_offset + r0_base
        mask = r < r0_numel
        value = tl.load(x + (r + 5000 * xindex), mask & xmask, eviction_policy='evict_first', other=0.0)
        value = tl.broadcast_to(value, [XBLOCK, R0_BLOCK])
        mean_next, m2_next, weight_next = welford_reduce(value, mean, m2, weight, r0_offset == 0)
        mean = tl.where(mask & xmask, mean_next, mean)
        m2 = tl.where(mask & xmask, m2_next, m2)
        weight = tl.where(mask & xmask, weight_next, weight)
    a, b, c = tl.reduce((mean, m2, weight), 1, combine)
    tl.store(out_mean + xindex, a[:, None], xmask)
    tl.store(out_var + xindex, b[:, None] / 4999.0, xmask)
