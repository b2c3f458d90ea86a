# expect: `last_ptr[0]` is 48
"""With more keys than queries the diagonal is moved by length_k - length_q; the shift is left out."""
import triton
import triton.language as tl


@triton.jit
def forward_plan(block_ptr, full_ptr, last_ptr, length_q, length_k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Questions 1 to 3. Grid: blocks of queries."""
    program = tl.program_id(0)
    block = tl.num_programs(0) - 1 - program
    first_row = block * BLOCK_M
    shift = length_k - length_q
    seen_by_all = tl.minimum(length_k, tl.maximum(first_row + 1 + shift, 0))
    seen_by_some = tl.minimum(length_k, tl.maximum(first_row + BLOCK_M, 0))
    tl.store(block_ptr + program, block)
    tl.store(full_ptr + program, seen_by_all // BLOCK_N * BLOCK_N)
    tl.store(last_ptr + program, seen_by_some)


@triton.jit
def backward_plan(first_ptr, all_ptr, length_q, length_k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Questions 4 and 5. Grid: blocks of keys."""
    first_key = tl.program_id(0) * BLOCK_N
    shift = length_k - length_q
    sees_some = tl.maximum(first_key - shift, 0)
    sees_all = tl.maximum(first_key + BLOCK_N - 1 - shift, 0)
    end = tl.cdiv(length_q, BLOCK_M) * BLOCK_M
    tl.store(first_ptr + tl.program_id(0), sees_some // BLOCK_M * BLOCK_M)
    tl.store(all_ptr + tl.program_id(0), tl.minimum(tl.cdiv(sees_all, BLOCK_M) * BLOCK_M, end))
