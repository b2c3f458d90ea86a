"""Right, but in three passes: the row is read three times."""
import triton
import triton.language as tl


@triton.jit
def merge(top_a, total_a, top_b, total_b):
    return tl.maximum(top_a, top_b), total_a + total_b


@triton.jit
def log_softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), -float("inf"), tl.float32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=-float("inf")).to(tl.float32)
        top = tl.maximum(top, x)
    row_top, _ = tl.reduce((top, top), 0, merge)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=-float("inf")).to(tl.float32)
        total += tl.exp(x - row_top)
    _, row_total = tl.reduce((total, total), 0, merge)
    shift = row_top + tl.log(row_total)
    for first in range(0, columns, BLOCK):
        inside = first + lanes < columns
        x = tl.load(x_ptr + row * columns + first + lanes, mask=inside).to(tl.float32)
        tl.store(out_ptr + row * columns + first + lanes, (x - shift).to(tl.float16), mask=inside)
