"""Dropout whose mask comes from a seed alone: the backward pass draws the same numbers again and stores no mask."""
import triton
import triton.language as tl


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """Zeroes each element with probability p and scales the others by 1 / (1 - p). Also its own backward pass.

    The generator draws four words at a time: those of row r and column c decide over elements 64 r + c + {0, 16, 32, 48}."""
    rows = (tl.program_id(0) * (BLOCK // 64) + tl.arange(0, BLOCK // 64))[:, None]
    columns = tl.arange(0, 16)[None, :]
    words = tl.rand4x(seed, rows * 16 + columns)
    first = rows * 64 + columns
    x = (tl.load(x_ptr + first, mask=first < n), tl.load(x_ptr + first + 16, mask=first + 16 < n),
         tl.load(x_ptr + first + 32, mask=first + 32 < n), tl.load(x_ptr + first + 48, mask=first + 48 < n))
    for k in tl.static_range(4):
        offsets = first + 16 * k
        result = tl.where(words[k] >= p, x[k].to(tl.float32) * (1 / (1 - p)), 0.0)
        tl.store(out_ptr + offsets, result.to(out_ptr.dtype.element_ty), mask=offsets < n, cache_modifier=CACHE)
