import triton
import triton.language as tl


@triton.jit
def down(x, STEP: tl.constexpr):
    turn = 0
    for i in range(10, 0, STEP):
        tl.store(x + turn, i)
        turn += 1


@triton.jit
def asked(x, low, high, step):
    turn = 0
    for i in range(low, high, step):
        tl.store(x + turn, i)
        turn += 1


@triton.jit
def persistent(x, n):
    for i in range(tl.program_id(0), n, tl.num_programs(0)):
        tl.store(x + i, i)


@triton.jit
def of_constants(x, step):
    turn = 0
    for i in range(10, 0, step):
        tl.store(x + turn, i)
        turn += 1
    tl.store(x + 7, turn + 1)
