"""How far rows of probabilities are from those of a target, for distillation: a sum for each row, and its gradient.

    KIND "kl"       target (log target - x)                                                                 x: logarithms, target: probabilities
    KIND "kl_log"   exp(target) (target - x)                                                                both logarithms
    KIND "jsd"      beta P (log P - log M) + (1 - beta) Q (log Q - log M), M = beta P + (1 - beta) Q        x = log Q, target = log P; beta 0 and 1: KL(P, Q) and KL(Q, P)
    KIND "tvd"      |x - target| / 2                                                                        both probabilities"""
import triton
import triton.language as tl


@triton.jit
def terms(x, y, beta, KIND: tl.constexpr):
    """(an element's share, its gradient by x); what has no probability counts 0."""
    if KIND == "kl":
        term = tl.where(y > 0, y * (tl.log(y) - x), 0.0)
        slope = -y
    elif KIND == "kl_log":
        p = tl.exp(y)
        term = tl.where(p > 0, p * (y - x), 0.0)
        slope = -p
    elif KIND == "jsd":
        p = tl.exp(y)
        q = tl.exp(x)
        if beta == 0.0:
            term = tl.where(p > 0, p * (y - x), 0.0)
            slope = -p
        elif beta == 1.0:
            term = tl.where(q > 0, q * (x - y), 0.0)
            slope = tl.where(q > 0, q * (x - y + 1), 0.0)
        else:
            mixed = tl.log(beta * p + (1 - beta) * q)
            of_q = tl.where(q > 0, (1 - beta) * q * (x - mixed), 0.0)
            term = tl.where(p > 0, beta * p * (y - mixed), 0.0) + of_q
            slope = of_q
    else:
        term = 0.5 * tl.abs(x - y)
        slope = tl.where(x > y, 0.5, tl.where(x < y, -0.5, 0.0))
    return term, slope


@triton.jit
def divergence_forward(x_ptr, target_ptr, loss_ptr, x_row_stride, target_row_stride, n_columns, beta, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """loss, fp32 [rows]. One program a row."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(x_ptr + row * x_row_stride + first + columns, mask=inside, other=0.0).to(tl.float32)
        y = tl.load(target_ptr + row * target_row_stride + first + columns, mask=inside, other=0.0).to(tl.float32)
        term, _ = terms(x, y, beta, KIND)
        total += tl.where(inside, term, 0.0)
    tl.store(loss_ptr + row, tl.sum(total, axis=0))


@triton.jit
def divergence_backward(grad_loss_ptr, x_ptr, target_ptr, grad_ptr, x_row_stride, target_row_stride, grad_row_stride, n_columns, beta, KIND: tl.constexpr, BLOCK: tl.constexpr,
                        CACHE: tl.constexpr = ""):
    """The gradient of x. Grid: (blocks of columns, rows)."""
    row = tl.program_id(1).to(tl.int64)
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = column < n_columns
    x = tl.load(x_ptr + row * x_row_stride + column, mask=inside, other=0.0).to(tl.float32)
    y = tl.load(target_ptr + row * target_row_stride + column, mask=inside, other=0.0).to(tl.float32)
    _, slope = terms(x, y, beta, KIND)
    result = slope * tl.load(grad_loss_ptr + row)
    tl.store(grad_ptr + row * grad_row_stride + column, result.to(grad_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)
