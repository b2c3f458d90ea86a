"""The definitions, by trying every key and every row."""
import triton
import triton.language as tl


@triton.jit
def forward_plan(block_ptr, full_ptr, last_ptr, length_q, length_k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    program = tl.program_id(0)
    block = tl.num_programs(0) - 1 - program
    by_all = 0
    by_some = 0
    for key in range(length_k):
        if key <= block * BLOCK_M + length_k - length_q:
            by_all = key + 1
        if key <= block * BLOCK_M + BLOCK_M - 1 + length_k - length_q:
            by_some = key + 1
    tl.store(block_ptr + program, block)
    tl.store(full_ptr + program, by_all - by_all % BLOCK_N)
    tl.store(last_ptr + program, by_some)


@triton.jit
def backward_plan(first_ptr, all_ptr, length_q, length_k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    first_key = tl.program_id(0) * BLOCK_N
    first = 0
    everything = 0
    while first + BLOCK_M - 1 + length_k - length_q < first_key:
        first += BLOCK_M
    while (everything + length_k - length_q < first_key + BLOCK_N - 1) & (everything < length_q):
        everything += BLOCK_M
    tl.store(first_ptr + tl.program_id(0), first)
    tl.store(all_ptr + tl.program_id(0), everything)
