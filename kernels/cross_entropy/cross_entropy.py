"""Cross entropy of logits and target classes, with its gradient, in fp32 inside, for rows of any length:
loss[i] = log(sum(exp(logits[i]))) - logits[i, target[i]]. Rows whose target is ignore_index have loss and gradient 0; any other
target outside of the row gives NaN."""
import triton
import triton.language as tl


@triton.jit
def cross_entropy_forward(logits_ptr, target_ptr, loss_ptr, lse_ptr, logits_row_stride, n_columns, ignore_index, BLOCK: tl.constexpr):
    """One program a row, which is read once. Keeps the logarithm of the sum of exponentials for the backward pass."""
    row = tl.program_id(0)
    logits_ptr += row.to(tl.int64) * logits_row_stride
    columns = tl.arange(0, BLOCK)
    largest = tl.full((), -float("inf"), tl.float32)
    total = tl.zeros((), tl.float32)
    for first in range(0, n_columns, BLOCK):
        x = tl.load(logits_ptr + first + columns, mask=first + columns < n_columns, other=-float("inf")).to(tl.float32)
        now = tl.maximum(largest, tl.max(x, axis=0))
        reference = tl.where(now == -float("inf"), 0.0, now)  # nothing but -inf so far: -inf - -inf would be NaN
        total = total * tl.exp(largest - reference) + tl.sum(tl.exp(x - reference), axis=0)
        largest = now
    lse = largest + tl.log(total)
    target = tl.load(target_ptr + row)
    chosen = tl.load(logits_ptr + target, mask=(target >= 0) & (target < n_columns), other=float("nan")).to(tl.float32)
    tl.store(lse_ptr + row, lse)
    tl.store(loss_ptr + row, tl.where(target == ignore_index, 0.0, lse - chosen))


@triton.jit
def cross_entropy_backward(grad_loss_ptr, logits_ptr, target_ptr, lse_ptr, grad_ptr, logits_row_stride, grad_row_stride, n_columns,
                           ignore_index, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
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
        x = tl.load(logits_ptr + first + columns, mask=inside, other=-float("inf")).to(tl.float32)
        grad = (tl.exp(x - lse) - tl.where(first + columns == target, 1.0, 0.0)) * scale
        grad = tl.where(scale == 0.0, 0.0, grad)  # an ignored row may hold infinities
        tl.store(grad_ptr + first + columns, grad.to(grad_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)
