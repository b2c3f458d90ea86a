"""One step of an optimizer in one pass over a parameter: AdamW and Lion. The parameter is updated in place, in fp32 inside; with `master`, an fp32 copy of
it, that is what is updated, and the parameter is its rounding. The gradient is multiplied by `factor[0]` first (clipping, or the inverse of a
loss scale), or by 1 if that is None."""
import triton
import triton.language as tl


@triton.jit
def load_parameter(parameter_ptr, master_ptr, i, inside):
    if master_ptr is None:
        return tl.load(parameter_ptr + i, mask=inside, other=0.0).to(tl.float32)
    else:
        return tl.load(master_ptr + i, mask=inside, other=0.0)


@triton.jit
def store_parameter(parameter_ptr, master_ptr, i, inside, value):
    tl.store(parameter_ptr + i, value.to(parameter_ptr.dtype.element_ty), mask=inside)
    if master_ptr is not None:
        tl.store(master_ptr + i, value, mask=inside)


@triton.jit
def load_gradient(gradient_ptr, factor_ptr, i, inside):
    gradient = tl.load(gradient_ptr + i, mask=inside, other=0.0).to(tl.float32)
    if factor_ptr is not None:
        gradient *= tl.load(factor_ptr)
    return gradient


@triton.jit
def adamw(parameter_ptr, master_ptr, gradient_ptr, mean_ptr, square_ptr, factor_ptr, n, rate, beta1, beta2, eps, decay, correction1, correction2,
          BLOCK: tl.constexpr):
    """AdamW (Loshchilov and Hutter): mean and square are the running means of the gradient and its square, in any float type; correction1 is
    1 - beta1^step, correction2 is 1 - beta2^step. BLOCK elements a program."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    gradient = load_gradient(gradient_ptr, factor_ptr, i, inside)
    parameter = load_parameter(parameter_ptr, master_ptr, i, inside)
    mean = tl.load(mean_ptr + i, mask=inside, other=0.0).to(tl.float32)
    square = tl.load(square_ptr + i, mask=inside, other=0.0).to(tl.float32)
    mean = beta1 * mean + (1 - beta1) * gradient
    square = beta2 * square + (1 - beta2) * gradient * gradient
    step = (mean / correction1) / (tl.sqrt(square / correction2) + eps)
    parameter = parameter * (1 - rate * decay) - rate * step
    tl.store(mean_ptr + i, mean.to(mean_ptr.dtype.element_ty), mask=inside)
    tl.store(square_ptr + i, square.to(square_ptr.dtype.element_ty), mask=inside)
    store_parameter(parameter_ptr, master_ptr, i, inside, parameter)


@triton.jit
def lion(parameter_ptr, master_ptr, gradient_ptr, mean_ptr, factor_ptr, n, rate, beta1, beta2, decay, BLOCK: tl.constexpr):
    """Lion (Chen and others, "Symbolic discovery of optimization algorithms"): a step by the sign of a mean with beta1, while the mean that is kept is one with
    beta2. BLOCK elements a program."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    gradient = load_gradient(gradient_ptr, factor_ptr, i, inside)
    parameter = load_parameter(parameter_ptr, master_ptr, i, inside)
    mean = tl.load(mean_ptr + i, mask=inside, other=0.0).to(tl.float32)
    direction = beta1 * mean + (1 - beta1) * gradient
    sign = tl.where(direction > 0, 1.0, tl.where(direction < 0, -1.0, 0.0))
    parameter = parameter * (1 - rate * decay) - rate * sign
    tl.store(mean_ptr + i, (beta2 * mean + (1 - beta2) * gradient).to(mean_ptr.dtype.element_ty), mask=inside)
    store_parameter(parameter_ptr, master_ptr, i, inside, parameter)
