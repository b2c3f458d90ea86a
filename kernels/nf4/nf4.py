"""Weights of four bits with a table of sixteen values, as bitsandbytes stores them: NF4 and FP4. Runs of BLOCKSIZE elements share a scale,
their largest magnitude; a code stands for table[code] * scale. Two codes make a byte, the first one in the high bits. The scales may be
stored in eight bits in the same way, with a table of 256 values and an offset (double quantization)."""
import triton
import triton.language as tl


@triton.jit
def nearest_code(x, levels_ptr):
    """The code of the nearest value of a table: levels are its 16 codes in the order of their values, and 16 bounds: x is above the one of the value that is taken (the first one has none)."""
    code = tl.zeros(x.shape, tl.float32) + tl.load(levels_ptr)
    for i in tl.static_range(1, 16):
        code = tl.where(x > tl.load(levels_ptr + 16 + i), tl.load(levels_ptr + i), code)
    return code


@triton.jit
def quantize_4bit(x_ptr, levels_ptr, q_ptr, scale_ptr, n, BLOCKSIZE: tl.constexpr, ROWS: tl.constexpr):
    """ROWS runs of BLOCKSIZE elements a program; q has (n + 1) // 2 bytes, scale a float for each run. As in bitsandbytes an element is multiplied by 1 / scale; the lower one of two values is taken in their middle."""
    run = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    i = run[:, None] * BLOCKSIZE + tl.arange(0, BLOCKSIZE)[None, :]
    x = tl.load(x_ptr + i, mask=i < n, other=0.0).to(tl.float32)
    scale = tl.max(tl.abs(x), axis=1)
    tl.store(scale_ptr + run, scale, mask=run * BLOCKSIZE < n)
    code = nearest_code(x * tl.where(scale == 0.0, 1.0, 1.0 / tl.where(scale == 0.0, 1.0, scale))[:, None], levels_ptr)
    high, low = tl.split(tl.reshape(code, (ROWS, BLOCKSIZE // 2, 2)))
    byte = run[:, None] * (BLOCKSIZE // 2) + tl.arange(0, BLOCKSIZE // 2)[None, :]
    tl.store(q_ptr + byte, (high * 16 + low).to(tl.uint8), mask=2 * byte < n)


@triton.jit
def dequantize_4bit(q_ptr, table_ptr, scale_ptr, out_ptr, n, BLOCKSIZE: tl.constexpr, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """out[i] = table[code i] * scale[i // BLOCKSIZE]; BLOCK bytes a program."""
    byte = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = 2 * byte < n
    q = tl.load(q_ptr + byte, mask=inside, other=0).to(tl.int32)
    scale = tl.load(scale_ptr + 2 * byte // BLOCKSIZE, mask=inside, other=0.0)
    high = tl.load(table_ptr + (q >> 4)) * scale
    low = tl.load(table_ptr + (q & 15)) * scale
    i = tl.program_id(0).to(tl.int64) * (2 * BLOCK) + tl.arange(0, 2 * BLOCK)
    tl.store(out_ptr + i, tl.interleave(high, low).to(out_ptr.dtype.element_ty), mask=i < n, cache_modifier=CACHE)


@triton.jit
def dequantize_8bit(q_ptr, table_ptr, scale_ptr, offset, out_ptr, n, BLOCKSIZE: tl.constexpr, BLOCK: tl.constexpr):
    """out[i] = table[q[i]] * scale[i // BLOCKSIZE] + offset, with a table of 256 values."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    q = tl.load(q_ptr + i, mask=inside, other=0).to(tl.int32)
    scale = tl.load(scale_ptr + i // BLOCKSIZE, mask=inside, other=0.0)
    tl.store(out_ptr + i, (tl.load(table_ptr + q) * scale + offset).to(out_ptr.dtype.element_ty), mask=inside)
