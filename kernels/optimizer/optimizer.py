"""One step of an optimizer in one pass over a parameter: AdamW, AdamW with running means of eight bits, and Lion. The parameter is updated in place, in fp32 inside; with `master`,
an fp32 copy of it, that is what is updated, and the parameter is its rounding. The gradient is multiplied by `factor[0]` first (clipping, or the inverse of a
loss scale), or by 1 if that is None; where the factor is 0, the step is left out and nothing changes."""
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
def is_taken(factor_ptr):
    """Whether there is a step: a loss scale that was too large makes the factor 0."""
    if factor_ptr is None:
        return True
    else:
        return tl.load(factor_ptr) != 0.0


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
    inside = (i < n) & is_taken(factor_ptr)
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
def nearest_code(x, table_ptr):
    """The code of the nearest of 256 ascending values, the lower one in the middle of two."""
    code = tl.zeros(x.shape, tl.int32)
    for halving in tl.static_range(8):
        higher = code + (128 >> halving)
        code = tl.where(x - tl.load(table_ptr + higher - 1) > tl.load(table_ptr + higher) - x, higher, code)
    return code


@triton.jit
def load_codes(codes_ptr, table_ptr, scale_ptr, i, run, inside, run_inside):
    codes = tl.load(codes_ptr + i, mask=inside, other=0).to(tl.int32)
    return tl.load(table_ptr + codes) * tl.load(scale_ptr + run, mask=run_inside, other=0.0)[:, None]


@triton.jit
def store_codes(codes_ptr, table_ptr, scale_ptr, i, run, inside, run_inside, x):
    scale = tl.max(tl.where(inside, tl.abs(x), 0.0), axis=1)
    tl.store(scale_ptr + run, scale, mask=run_inside)
    codes = nearest_code(x / tl.where(scale == 0.0, 1.0, scale)[:, None], table_ptr)
    tl.store(codes_ptr + i, codes.to(tl.uint8), mask=inside)


@triton.jit
def adamw_8bit(parameter_ptr, master_ptr, gradient_ptr, mean_ptr, square_ptr, mean_scale_ptr, square_scale_ptr, mean_table_ptr, square_table_ptr, factor_ptr, n, rate, beta1,
               beta2, eps, decay, correction1, correction2, BLOCKSIZE: tl.constexpr, ROWS: tl.constexpr):
    """AdamW as above, but mean and square are codes of eight bits (uint8): an element is table[code] * scale[its run of BLOCKSIZE elements], where the scale is the run's largest magnitude (Dettmers and
    others, "8-bit optimizers via block-wise quantization"). Tables are fp32 and ascending, 256 values. ROWS runs a program."""
    run = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    i = run[:, None] * BLOCKSIZE + tl.arange(0, BLOCKSIZE)[None, :]
    inside = (i < n) & is_taken(factor_ptr)
    run_inside = (run * BLOCKSIZE < n) & is_taken(factor_ptr)
    gradient = load_gradient(gradient_ptr, factor_ptr, i, inside)
    parameter = load_parameter(parameter_ptr, master_ptr, i, inside)
    mean = beta1 * load_codes(mean_ptr, mean_table_ptr, mean_scale_ptr, i, run, inside, run_inside) + (1 - beta1) * gradient
    square = beta2 * load_codes(square_ptr, square_table_ptr, square_scale_ptr, i, run, inside, run_inside) + (1 - beta2) * gradient * gradient
    step = (mean / correction1) / (tl.sqrt(square / correction2) + eps)
    parameter = parameter * (1 - rate * decay) - rate * step
    store_codes(mean_ptr, mean_table_ptr, mean_scale_ptr, i, run, inside, run_inside, mean)
    store_codes(square_ptr, square_table_ptr, square_scale_ptr, i, run, inside, run_inside, square)
    store_parameter(parameter_ptr, master_ptr, i, inside, parameter)


@triton.jit
def lion(parameter_ptr, master_ptr, gradient_ptr, mean_ptr, factor_ptr, n, rate, beta1, beta2, decay, BLOCK: tl.constexpr):
    """Lion (Chen and others, "Symbolic discovery of optimization algorithms"): a step by the sign of a mean with beta1, while the mean that is kept is one with
    beta2. BLOCK elements a program."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = (i < n) & is_taken(factor_ptr)
    gradient = load_gradient(gradient_ptr, factor_ptr, i, inside)
    parameter = load_parameter(parameter_ptr, master_ptr, i, inside)
    mean = tl.load(mean_ptr + i, mask=inside, other=0.0).to(tl.float32)
    direction = beta1 * mean + (1 - beta1) * gradient
    sign = tl.where(direction > 0, 1.0, tl.where(direction < 0, -1.0, 0.0))
    parameter = parameter * (1 - rate * decay) - rate * sign
    tl.store(mean_ptr + i, (beta2 * mean + (1 - beta2) * gradient).to(mean_ptr.dtype.element_ty), mask=inside)
    store_parameter(parameter_ptr, master_ptr, i, inside, parameter)
