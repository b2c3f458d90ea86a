"""One key after the other."""
import triton
import triton.language as tl


@triton.jit
def attend(q_ptr, k_ptr, v_ptr, out_ptr, n, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    head = tl.program_id(0)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + head * D + d)
    largest = tl.sum(q * tl.load(k_ptr + head * n * D + d), axis=0) * scale
    for j in range(1, n):
        largest = tl.maximum(largest, tl.sum(q * tl.load(k_ptr + (head * n + j) * D + d), axis=0) * scale)
    weight = largest * 0.0
    total = tl.zeros((D, ), tl.float64)
    for j in range(n):
        w = tl.exp(tl.sum(q * tl.load(k_ptr + (head * n + j) * D + d), axis=0) * scale - largest)
        weight += w
        total += w * tl.load(v_ptr + (head * n + j) * D + d)
    tl.store(out_ptr + head * D + d, total / weight)
