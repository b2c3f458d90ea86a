"""How many elements of a vector fall into each bin. Integers are bins themselves; floats fall into bins of equal width between low and high, of which the last one
has high too. What lies outside, and NaN, is not counted. No atomics in memory: each program counts its share, and reduce_columns adds these up."""
import triton
import triton.language as tl


@triton.jit
def bin_of(x, bins, low, high):
    """The bin of each element; -1 for none."""
    if x.dtype.is_floating():
        x = x.to(tl.float32)
        bin = tl.floor((x - low) / (high - low) * bins).to(tl.int32)
        bin = tl.where(bin >= bins, bins - 1, bin)
        return tl.where((x >= low) & (x <= high), bin, -1)
    else:
        number = x.to(tl.int64)
        return tl.where((number >= 0) & (number < bins), number, -1).to(tl.int32)


@triton.jit
def histogram(x_ptr, partial_ptr, n, bins, low, high, BINS: tl.constexpr, BLOCK: tl.constexpr):
    """partial[p, b]: how many of every num_programs-th block fall into bin b, int32 [programs, bins]. BINS, a power of two, is larger than bins: the last one takes
    what is not counted."""
    i = tl.arange(0, BLOCK)
    bin = tl.arange(0, BINS)
    total = tl.zeros((BINS, ), tl.int32)
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        at = block.to(tl.int64) * BLOCK + i
        number = bin_of(tl.load(x_ptr + at, mask=at < n, other=0), bins, low, high)
        total += tl.histogram(tl.where((at < n) & (number >= 0), number, BINS - 1), BINS)
    tl.store(partial_ptr + tl.program_id(0) * bins + bin, total, mask=bin < bins)
