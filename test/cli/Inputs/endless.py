import triton
import triton.language as tl


@triton.jit
def endless(x):
    i = 0
    while i < 1:
        i = tl.load(x)
    tl.store(x, i)


@triton.jit
def many_turns(x, n):
    for i in range(n):
        for j in range(n):
            tl.store(x, i + j)


@triton.jit
def many_programs(x):
    tl.store(x, tl.program_id(0))
