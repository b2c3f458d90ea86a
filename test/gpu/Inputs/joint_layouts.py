import triton
import triton.language as tl


@triton.jit
def carried(n, out):
    value = tl.full([16, 2, 8], 1, tl.int32)
    turn = tl.full([], 0, tl.int32)
    while turn < n:
        value = tl.full([16, 2, 8], 0, tl.int32)
        turn = turn * 2 + 1
    at = tl.arange(0, 8)[None, None, :] + tl.arange(0, 16)[:, None, None] * 8 + tl.arange(0, 2)[None, :, None] * 128
    tl.store(out + at, value)


@triton.jit
def halves(n, out):
    first, second = tl.split(tl.full([2, 2, 2], 0, tl.int32))
    row = tl.arange(0, 2)[:, None]
    tl.store(out + row + tl.full([1, 2], 0, tl.int32) * 2, first, mask=(row < n))


@triton.jit
def sorted_pair(out):
    pid = tl.program_id(0)
    pair = tl.join(pid, tl.full([], 0, tl.int32))
    tl.store(out + pid * 2 + ((tl.arange(0, 2) * 5 + 5) & 1), tl.sort(pair) + pair)


@triton.jit
def sorted_four(n, out):
    four = tl.interleave(tl.full([2], 0.0, tl.bfloat16), tl.full([2], 0.0, tl.bfloat16))
    at = tl.full([4], 0, tl.int32)
    tl.store(out + at, tl.sort(four), mask=(at < n))
