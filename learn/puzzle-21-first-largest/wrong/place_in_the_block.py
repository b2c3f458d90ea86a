# expect: `out_ptr[3]` is 23
"""The place counts from the beginning of the block; `first` has to be added."""
import triton
import triton.language as tl


@triton.jit
def first_largest(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    largest = -1
    place = 0
    for first in range(0, n, BLOCK):
        i = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + i, mask=i < n, other=-1)
        champion = tl.max(x, axis=0)
        place = tl.where(champion > largest, tl.argmax(x, axis=0), place)
        largest = tl.maximum(largest, champion)
    tl.store(out_ptr + tl.program_id(0), place)
