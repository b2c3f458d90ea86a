"""Elements that are kept, packed together in their order: those that a mask names, and the first of each run of equal ones in a sorted vector (unique, with where each element went and how often it occurs). Each program counts what
its chunk keeps; then an element's place is what the chunks before keep, plus what is kept before it in its own. No atomics: the result is the same on every run."""
import triton
import triton.language as tl


@triton.jit
def is_kept(x_ptr, i, last, KIND: tl.constexpr):
    """KIND "mask": where x is not 0; "firsts": where x differs from the element before it."""
    x = tl.load(x_ptr + i, mask=i < last, other=0)
    if KIND == "mask":
        kept = x != 0
    else:
        kept = (x != tl.load(x_ptr + i - 1, mask=(i > 0) & (i < last), other=0)) | (i == 0)
    return kept & (i < last)


@triton.jit
def kept_before(counts_ptr, program, BLOCK_P: tl.constexpr):
    """(how many the programs before this one keep, how many all do)"""
    before = tl.full((), 0, tl.int32)
    total = tl.full((), 0, tl.int32)
    for first in range(0, tl.num_programs(0), BLOCK_P):
        programs = first + tl.arange(0, BLOCK_P)
        counts = tl.load(counts_ptr + programs, mask=programs < tl.num_programs(0), other=0)
        before += tl.sum(tl.where(programs < program, counts, 0), axis=0)
        total += tl.sum(counts, axis=0)
    return before, total


@triton.jit
def count_kept(x_ptr, counts_ptr, n, chunk, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """counts[p]: how many of the elements p * chunk … are kept. chunk is a multiple of BLOCK."""
    start = tl.program_id(0) * chunk
    last = tl.minimum(start + chunk, n)
    total = tl.full((), 0, tl.int32)
    for first in range(start, last, BLOCK):
        total += tl.sum(is_kept(x_ptr, first + tl.arange(0, BLOCK), last, KIND).to(tl.int32), axis=0)
    tl.store(counts_ptr + tl.program_id(0), total)


@triton.jit
def compact(x_ptr, mask_ptr, counts_ptr, out_ptr, places_ptr, number_ptr, n, chunk, BLOCK: tl.constexpr, BLOCK_P: tl.constexpr):
    """out[r] = x[i] and places[r] = i for the r-th i whose mask is not 0; number[0]: how many there are. x and out, or places, may be None. The grid of count_kept."""
    start = tl.program_id(0) * chunk
    last = tl.minimum(start + chunk, n)
    rank, total = kept_before(counts_ptr, tl.program_id(0), BLOCK_P)
    if tl.program_id(0) == 0:
        tl.store(number_ptr, total)
    for first in range(start, last, BLOCK):
        i = first + tl.arange(0, BLOCK)
        kept = is_kept(mask_ptr, i, last, "mask")
        target = rank + tl.cumsum(kept.to(tl.int32), axis=0) - 1
        if out_ptr is not None:
            tl.store(out_ptr + target, tl.load(x_ptr + i, mask=kept), mask=kept)
        if places_ptr is not None:
            tl.store(places_ptr + target, i.to(places_ptr.dtype.element_ty), mask=kept)
        rank += tl.sum(kept.to(tl.int32), axis=0)


@triton.jit
def unique_of_sorted(sorted_ptr, from_ptr, counts_ptr, values_ptr, inverse_ptr, starts_ptr, number_ptr, n, chunk, BLOCK: tl.constexpr, BLOCK_P: tl.constexpr):
    """values[r]: the r-th value of a sorted vector, starts[r] where it begins, and inverse[from[i]] its number for each element, where from[i] is the place that it came from. The grid of count_kept with "firsts"."""
    start = tl.program_id(0) * chunk
    last = tl.minimum(start + chunk, n)
    rank, total = kept_before(counts_ptr, tl.program_id(0), BLOCK_P)
    if tl.program_id(0) == 0:
        tl.store(number_ptr, total)
    for first in range(start, last, BLOCK):
        i = first + tl.arange(0, BLOCK)
        inside = i < last
        kept = is_kept(sorted_ptr, i, last, "firsts")
        number = rank + tl.cumsum(kept.to(tl.int32), axis=0) - 1
        tl.store(values_ptr + number, tl.load(sorted_ptr + i, mask=inside), mask=kept)
        tl.store(starts_ptr + number, i, mask=kept)
        tl.store(inverse_ptr + tl.load(from_ptr + i, mask=inside, other=0), number.to(inverse_ptr.dtype.element_ty), mask=inside)
        rank += tl.sum(kept.to(tl.int32), axis=0)


@triton.jit
def run_lengths(starts_ptr, number_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    """counts[r]: how far it is from starts[r] to the next start, for r below number[0]; 0 behind. BLOCK a program."""
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    number = tl.load(number_ptr)
    start = tl.load(starts_ptr + r, mask=r < number, other=0)
    end = tl.load(starts_ptr + r + 1, mask=r + 1 < number, other=n)
    tl.store(counts_ptr + r, tl.where(r < number, end - start, 0).to(counts_ptr.dtype.element_ty), mask=r < n)
