"""Elements by their numbers along one axis of [outer, length, inner], and back: gather, scatter, and scatter that adds: by atomics, in any order, or in the order of the elements, so that results are the same on every
run: targets are sorted first (radix_sort) then, and what goes to one target is added up in fp32."""
import triton
import triton.language as tl


@triton.jit
def place_of(index_ptr, element, n, length, picked, inner):
    """(the place in [outer, length, inner] that an element of [outer, picked, inner] names, whether there is one)"""
    number = tl.load(index_ptr + element, mask=element < n, other=-1).to(tl.int64)
    outer = element // (picked * inner)
    return (outer * length + number) * inner + element % inner, (number >= 0) & (number < length)


@triton.jit
def gather(x_ptr, index_ptr, out_ptr, n, length, picked, inner, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """out[o, j, i] = x[o, index[o, j, i], i], 0 where that is no place; x is [outer, length, inner], index and out [outer, picked, inner], all contiguous, of n elements. BLOCK elements a program."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    place, is_place = place_of(index_ptr, element, n, length, picked, inner)
    x = tl.load(x_ptr + place, mask=is_place, other=0)
    tl.store(out_ptr + element, x, mask=element < n, cache_modifier=CACHE)


@triton.jit
def scatter(x_ptr, index_ptr, out_ptr, n, length, picked, inner, BLOCK: tl.constexpr):
    """out[o, index[o, j, i], i] = x[o, j, i], as gather has them; what names no place is left out. Two elements that name one place race: one of them stays."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    place, is_place = place_of(index_ptr, element, n, length, picked, inner)
    x = tl.load(x_ptr + element, mask=element < n, other=0)
    tl.store(out_ptr + place, x.to(out_ptr.dtype.element_ty), mask=is_place)


@triton.jit
def scatter_add(x_ptr, index_ptr, out_ptr, n, length, picked, inner, BLOCK: tl.constexpr):
    """out[o, index[o, j, i], i] += x[o, j, i] by atomics, as scatter has them: sums may differ in their last bits from run to run."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    place, is_place = place_of(index_ptr, element, n, length, picked, inner)
    x = tl.load(x_ptr + element, mask=element < n, other=0)
    tl.atomic_add(out_ptr + place, x.to(out_ptr.dtype.element_ty), mask=is_place, sem="relaxed")


@triton.jit
def scatter_targets(index_ptr, out_ptr, n, length, picked, inner, outside, BLOCK: tl.constexpr):
    """out[e]: the place that an element goes to, int32; `outside`, which comes behind all places, where there is none."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    place, is_place = place_of(index_ptr, element, n, length, picked, inner)
    tl.store(out_ptr + element, tl.where(is_place, place, outside).to(tl.int32), mask=element < n)


@triton.jit
def add_sorted(x_ptr, sorted_ptr, from_ptr, out_ptr, n, outside, BLOCK: tl.constexpr):
    """out[t] += the sum of all x[from[i]] with sorted[i] == t, in fp32 and in the order of i; sorted are the targets in order. The lane of each first of a target goes along its run; a long run holds up its program."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    target = tl.load(sorted_ptr + i, mask=i < n, other=outside)
    before = tl.load(sorted_ptr + i - 1, mask=(i > 0) & (i < n), other=-1)
    is_first = (target != before) & (target != outside)
    total = tl.load(out_ptr + target, mask=is_first, other=0.0).to(tl.float32)
    going = is_first
    while tl.max(going.to(tl.int32), axis=0) != 0:
        place = tl.load(from_ptr + i, mask=going, other=0)
        total += tl.load(x_ptr + place, mask=going, other=0.0).to(tl.float32)
        i += 1
        going = going & (tl.load(sorted_ptr + i, mask=going & (i < n), other=-1) == target)
    tl.store(out_ptr + target, total.to(out_ptr.dtype.element_ty), mask=is_first)
