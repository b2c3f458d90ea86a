"""c = a @ w^T where w [N, K] has blocks of SIZE x SIZE, of which only some are there (BSR, as torch has it): row block n of w has the blocks crow[n] … crow[n + 1] - 1 of values [blocks, SIZE, SIZE], which stand in the column
blocks col[…]. And its gradient of the values: for each block that is there, the product of the rows and columns that meet in it."""
import triton
import triton.language as tl


@triton.jit
def block_sparse_matmul(a_ptr, values_ptr, crow_ptr, col_ptr, bias_ptr, c_ptr, M, a_stride_m, c_stride_m, SIZE: tl.constexpr, BLOCK_M: tl.constexpr, PRECISION: tl.constexpr = None):
    """Rows of a and c are contiguous, values too; crow and col are int32; bias has N elements or is None. Grid: (blocks of BLOCK_M rows, row blocks of w)."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    inside = tl.arange(0, SIZE)
    block = inside[:, None] * SIZE + inside[None, :]
    total = tl.zeros((BLOCK_M, SIZE), tl.float32)
    for index in range(tl.load(crow_ptr + tl.program_id(1)), tl.load(crow_ptr + tl.program_id(1) + 1)):
        k = tl.load(col_ptr + index) * SIZE + inside[None, :]
        a = tl.load(a_ptr + rows.to(tl.int64) * a_stride_m + k, mask=rows < M, other=0.0)
        w = tl.load(values_ptr + tl.cast(index, tl.int64) * (SIZE * SIZE) + block)
        total = tl.dot(a, tl.trans(w.to(a.dtype)), total, input_precision=PRECISION)
    columns = tl.program_id(1) * SIZE + inside[None, :]
    if bias_ptr is not None:
        total += tl.load(bias_ptr + columns).to(tl.float32)
    tl.store(c_ptr + rows.to(tl.int64) * c_stride_m + columns, total.to(c_ptr.dtype.element_ty), mask=rows < M)


@triton.jit
def block_sparse_gradient(grad_c_ptr, a_ptr, row_ptr, col_ptr, grad_values_ptr, M, grad_c_stride_m, a_stride_m, SIZE: tl.constexpr, BLOCK_M: tl.constexpr, PRECISION: tl.constexpr = None):
    """grad_values[i] = grad_c[:, row[i] block]^T @ a[:, col[i] block]: the gradient of block i, in row block row[i]; int32. Grid: (blocks that are there)."""
    inside = tl.arange(0, SIZE)
    n = tl.load(row_ptr + tl.program_id(0)) * SIZE + inside[None, :]
    k = tl.load(col_ptr + tl.program_id(0)) * SIZE + inside[None, :]
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for first in range(0, M, BLOCK_M):
        rows = first + tl.arange(0, BLOCK_M)[:, None]
        grad_c = tl.load(grad_c_ptr + rows.to(tl.int64) * grad_c_stride_m + n, mask=rows < M, other=0.0)
        a = tl.load(a_ptr + rows.to(tl.int64) * a_stride_m + k, mask=rows < M, other=0.0)
        total = tl.dot(tl.trans(grad_c), a.to(grad_c.dtype), total, input_precision=PRECISION)
    tl.store(grad_values_ptr + tl.program_id(0).to(tl.int64) * (SIZE * SIZE) + inside[:, None] * SIZE + inside[None, :], total.to(grad_values_ptr.dtype.element_ty))
