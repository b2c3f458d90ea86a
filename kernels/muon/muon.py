"""Muon: a step along the momentum of a matrix's gradient, made orthogonal by Newton-Schulz steps. A step is X <- a X + (b A + c A A) X with A = X X^T: an odd polynomial of the singular values, which takes those between
0 and 1 close to 1. A and b A + c A A are symmetric, so that only blocks on and below the diagonal are computed, and written twice. Momentum and parameter are fp32 inside; the products are of the type of the work."""
import triton
import triton.language as tl


@triton.jit
def is_taken(factor_ptr):
    """Whether there is a step: a loss scale that was too large makes the factor 0."""
    if factor_ptr is None:
        return True
    else:
        return tl.load(factor_ptr) != 0.0


@triton.jit
def momentum_direction(gradient_ptr, momentum_ptr, factor_ptr, out_ptr, partial_ptr, n, beta, NESTEROV: tl.constexpr, BLOCK: tl.constexpr):
    """momentum = beta * momentum + (1 - beta) * gradient in place, out = that, or with NESTEROV the gradient moved once more towards it; partial[matrix, p]: sums of squares of out. All contiguous, [matrices, n]; momentum
    None: out is the gradient. factor[0] multiplies the gradient; where it is 0, momentum stays and out is 0. Grid: (programs, matrices)."""
    start = tl.program_id(1).to(tl.int64) * n
    total = tl.zeros((BLOCK, ), tl.float32)
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        i = block * BLOCK + tl.arange(0, BLOCK)
        inside = (i < n) & is_taken(factor_ptr)
        gradient = tl.load(gradient_ptr + start + i, mask=inside, other=0.0).to(tl.float32)
        if factor_ptr is not None:
            gradient *= tl.load(factor_ptr)
        direction = gradient
        if momentum_ptr is not None:
            momentum = tl.load(momentum_ptr + start + i, mask=inside, other=0.0).to(tl.float32)
            momentum = beta * momentum + (1 - beta) * gradient
            tl.store(momentum_ptr + start + i, momentum.to(momentum_ptr.dtype.element_ty), mask=inside)
            if NESTEROV:
                direction = beta * momentum + (1 - beta) * gradient
            else:
                direction = momentum
        tl.store(out_ptr + start + i, direction.to(out_ptr.dtype.element_ty), mask=i < n)
        total += direction * direction
    tl.store(partial_ptr + tl.program_id(1) * tl.num_programs(0) + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def normalize(x_ptr, partial_ptr, out_ptr, n, n_partial, eps, BLOCK_P: tl.constexpr, BLOCK: tl.constexpr):
    """out = x / max(norm of the matrix, eps) from the sums of squares. BLOCK_P >= n_partial. Grid: (blocks, matrices)."""
    p = tl.arange(0, BLOCK_P)
    squares = tl.load(partial_ptr + tl.program_id(1) * n_partial + p, mask=p < n_partial, other=0.0)
    norm = tl.maximum(tl.sqrt(tl.sum(squares, axis=0)), eps)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.program_id(1).to(tl.int64) * n + i
    x = tl.load(x_ptr + at, mask=i < n, other=0.0).to(tl.float32)
    tl.store(out_ptr + at, (x / norm).to(out_ptr.dtype.element_ty), mask=i < n)


@triton.jit
def symmetric_product(x_ptr, c_ptr, out_ptr, M, K, x_stride_b, x_stride_m, x_stride_k, alpha, beta, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """out = alpha * c + beta * x @ x^T for symmetric c and out, contiguous [matrices, M, M]; c None: 0. A program whose block lies above the diagonal ends at once: the one below writes both. Grid: (blocks, blocks,
    matrices)."""
    if tl.program_id(0) >= tl.program_id(1):
        batch = tl.program_id(2).to(tl.int64)
        x_ptr += batch * x_stride_b
        rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
        total = tl.zeros((BLOCK_M, BLOCK_M), tl.float32)
        for first in range(0, K, BLOCK_K):
            k = first + tl.arange(0, BLOCK_K)
            a = tl.load(x_ptr + rows.to(tl.int64)[:, None] * x_stride_m + k.to(tl.int64)[None, :] * x_stride_k, mask=(rows < M)[:, None] & (k < K)[None, :], other=0.0)
            b = tl.load(x_ptr + columns.to(tl.int64)[None, :] * x_stride_m + k.to(tl.int64)[:, None] * x_stride_k, mask=(columns < M)[None, :] & (k < K)[:, None], other=0.0)
            total = tl.dot(a, b, total, input_precision=PRECISION)
        total *= beta
        inside = (rows < M)[:, None] & (columns < M)[None, :]
        start = batch * M * M
        places = rows.to(tl.int64)[:, None] * M + columns[None, :]
        if c_ptr is not None:
            total += alpha * tl.load(c_ptr + start + places, mask=inside, other=0.0).to(tl.float32)
        result = total.to(out_ptr.dtype.element_ty)
        tl.store(out_ptr + start + places, result, mask=inside)
        if tl.program_id(0) > tl.program_id(1):
            mirrored = columns.to(tl.int64)[:, None] * M + rows[None, :]
            tl.store(out_ptr + start + mirrored, tl.trans(result), mask=(columns < M)[:, None] & (rows < M)[None, :])


@triton.jit
def polynomial_product(b_ptr, x_ptr, out_ptr, M, N, stride_b, stride_m, stride_n, a, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """out = a * x + b @ x, b contiguous [matrices, M, M], x and out [matrices, M, N] of equal strides. Grid: (blocks of M, blocks of N, matrices)."""
    batch = tl.program_id(2).to(tl.int64)
    x_ptr += batch * stride_b
    b_ptr += batch * M * M
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    across = columns.to(tl.int64)[None, :] * stride_n
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, M, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        left = tl.load(b_ptr + rows.to(tl.int64)[:, None] * M + k[None, :], mask=(rows < M)[:, None] & (k < M)[None, :], other=0.0)
        right = tl.load(x_ptr + k.to(tl.int64)[:, None] * stride_m + across, mask=(k < M)[:, None] & (columns < N)[None, :], other=0.0)
        total = tl.dot(left, right, total, input_precision=PRECISION)
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    places = rows.to(tl.int64)[:, None] * stride_m + across
    total += a * tl.load(x_ptr + places, mask=inside, other=0.0).to(tl.float32)
    tl.store(out_ptr + batch * stride_b + places, total.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def muon_update(parameter_ptr, master_ptr, direction_ptr, factor_ptr, n, rate, decay, BLOCK: tl.constexpr):
    """parameter = parameter * (1 - decay) - rate * direction, on the fp32 `master` if there is one; nothing where factor[0] is 0. BLOCK elements a program."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = (i < n) & is_taken(factor_ptr)
    if master_ptr is None:
        value = tl.load(parameter_ptr + i, mask=inside, other=0.0).to(tl.float32)
    else:
        value = tl.load(master_ptr + i, mask=inside, other=0.0)
    value = value * (1 - decay) - rate * tl.load(direction_ptr + i, mask=inside, other=0.0).to(tl.float32)
    tl.store(parameter_ptr + i, value.to(parameter_ptr.dtype.element_ty), mask=inside)
    if master_ptr is not None:
        tl.store(master_ptr + i, value, mask=inside)
