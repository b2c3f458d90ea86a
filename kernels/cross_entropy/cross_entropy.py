"""Cross entropy of logits and target classes, with its gradient, in fp32 inside, for rows of any length:
loss[i] = log(sum(exp(logits[i]))) - logits[i, target[i]]. Rows whose target is ignore_index have loss and gradient 0; any other
target outside of the row gives NaN.

SMOOTHING s takes 1 - s of the target's logit and s of the mean of all; Z_LOSS z adds z * log(sum(exp(logits[i])))^2; SOFTCAP c turns a logit x into
c * tanh(x / c) before all else."""
import triton
import triton.language as tl


@triton.jit
def load_logits(logits_ptr, columns, inside, SOFTCAP: tl.constexpr):
    """Capped, as fp32; -inf past the end of the row."""
    x = tl.load(logits_ptr + columns, mask=inside, other=-float("inf")).to(tl.float32)
    if SOFTCAP > 0:
        x = tl.where(inside, SOFTCAP * (2 * tl.sigmoid(x * (2 / SOFTCAP)) - 1), -float("inf"))
    return x


@triton.jit
def cross_entropy_forward(logits_ptr, target_ptr, loss_ptr, lse_ptr, logits_row_stride, n_columns, ignore_index, BLOCK: tl.constexpr,
                          SMOOTHING: tl.constexpr = 0.0, Z_LOSS: tl.constexpr = 0.0, SOFTCAP: tl.constexpr = 0.0):
    """One program a row, which is read once. Keeps the logarithm of the sum of exponentials for the backward pass."""
    row = tl.program_id(0)
    logits_ptr += row.to(tl.int64) * logits_row_stride
    columns = tl.arange(0, BLOCK)
    largest = tl.full((), -float("inf"), tl.float32)
    total = tl.zeros((), tl.float32)
    everything = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = load_logits(logits_ptr, first + columns, inside, SOFTCAP)
        now = tl.maximum(largest, tl.max(x, axis=0))
        reference = tl.where(now == -float("inf"), 0.0, now)  # nothing but -inf so far: -inf - -inf would be NaN
        total = total * tl.exp(largest - reference) + tl.sum(tl.exp(x - reference), axis=0)
        largest = now
        if SMOOTHING > 0:
            everything += tl.where(inside, x, 0.0)
    lse = largest + tl.log(total)
    target = tl.load(target_ptr + row)
    chosen = tl.load(logits_ptr + target, mask=(target >= 0) & (target < n_columns), other=float("nan")).to(tl.float32)
    if SOFTCAP > 0:
        chosen = SOFTCAP * (2 * tl.sigmoid(chosen * (2 / SOFTCAP)) - 1)
    if SMOOTHING > 0:
        chosen = (1 - SMOOTHING) * chosen + SMOOTHING * (tl.sum(everything, axis=0) / n_columns)
    loss = lse - chosen
    if Z_LOSS > 0:
        loss += Z_LOSS * lse * lse
    tl.store(lse_ptr + row, lse)
    tl.store(loss_ptr + row, tl.where(target == ignore_index, 0.0, loss))


@triton.jit
def cross_entropy_backward(grad_loss_ptr, logits_ptr, target_ptr, lse_ptr, grad_ptr, logits_row_stride, grad_row_stride, n_columns,
                           ignore_index, BLOCK: tl.constexpr, CACHE: tl.constexpr = "", SMOOTHING: tl.constexpr = 0.0,
                           Z_LOSS: tl.constexpr = 0.0, SOFTCAP: tl.constexpr = 0.0):
    """grad[i, j] = (softmax(logits[i])[j] - (j == target[i])) * grad_loss[i]. One program a row; grad may be logits itself."""
    row = tl.program_id(0)
    logits_ptr += row.to(tl.int64) * logits_row_stride
    grad_ptr += row.to(tl.int64) * grad_row_stride
    columns = tl.arange(0, BLOCK)
    lse = tl.load(lse_ptr + row)
    target = tl.load(target_ptr + row)
    scale = tl.load(grad_loss_ptr + row).to(tl.float32)
    scale = tl.where((target >= 0) & (target < n_columns), scale, float("nan"))
    scale = tl.where(target == ignore_index, 0.0, scale)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = load_logits(logits_ptr, first + columns, inside, SOFTCAP)
        share = tl.exp(x - lse)
        if Z_LOSS > 0:
            share *= 1 + 2 * Z_LOSS * lse
        wanted = tl.where(first + columns == target, 1.0, 0.0)
        if SMOOTHING > 0:
            wanted = (1 - SMOOTHING) * wanted + SMOOTHING / n_columns
        grad = (share - wanted) * scale
        if SOFTCAP > 0:
            grad *= 1 - (x / SOFTCAP) * (x / SOFTCAP)
        grad = tl.where(scale == 0.0, 0.0, grad)  # an ignored row may hold infinities
        tl.store(grad_ptr + first + columns, grad.to(grad_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)
