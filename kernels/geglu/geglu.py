"""out = gelu(gate) * up, forward and backward, in fp32 inside. Rows are contiguous and any stride apart, so that gate and up may be
the two halves of one matrix."""
import triton
import triton.language as tl


@triton.jit
def gelu_and_slope(x, TANH: tl.constexpr):
    """gelu and its derivative: exact, or with TANH the approximation x * sigmoid(2 * y), where y is a polynomial of x."""
    if TANH:
        s = tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))
        value = x * s
        slope = s + x * s * (1 - s) * 1.5957691216057308 * (1 + 0.134145 * x * x)
    else:
        share = 0.5 * (1 + tl.erf(x * 0.7071067811865476))
        value = x * share
        slope = share + x * 0.3989422804014327 * tl.exp(-0.5 * x * x)
    return value, slope


@triton.jit
def geglu_forward(gate_ptr, up_ptr, out_ptr, gate_row_stride, up_row_stride, out_row_stride, n_columns, TANH: tl.constexpr,
                  BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """Grid: (rows, blocks of columns)."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < n_columns
    gate = tl.load(gate_ptr + row * gate_row_stride + columns, mask=inside).to(tl.float32)
    up = tl.load(up_ptr + row * up_row_stride + columns, mask=inside).to(tl.float32)
    value, slope = gelu_and_slope(gate, TANH)
    tl.store(out_ptr + row * out_row_stride + columns, (value * up).to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def geglu_backward(grad_out_ptr, gate_ptr, up_ptr, grad_gate_ptr, grad_up_ptr, grad_out_row_stride, gate_row_stride, up_row_stride,
                   grad_gate_row_stride, grad_up_row_stride, n_columns, TANH: tl.constexpr, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """Grid: (rows, blocks of columns)."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < n_columns
    grad_out = tl.load(grad_out_ptr + row * grad_out_row_stride + columns, mask=inside).to(tl.float32)
    gate = tl.load(gate_ptr + row * gate_row_stride + columns, mask=inside).to(tl.float32)
    up = tl.load(up_ptr + row * up_row_stride + columns, mask=inside).to(tl.float32)
    value, slope = gelu_and_slope(gate, TANH)
    tl.store(grad_gate_ptr + row * grad_gate_row_stride + columns, (grad_out * up * slope).to(grad_gate_ptr.dtype.element_ty),
             mask=inside, cache_modifier=CACHE)
    tl.store(grad_up_ptr + row * grad_up_row_stride + columns, (grad_out * value).to(grad_up_ptr.dtype.element_ty), mask=inside,
             cache_modifier=CACHE)
