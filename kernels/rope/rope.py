"""Rotary position embedding of [batch, length, heads, dim]: each pair of elements of a head turns by an angle that grows with the
position. The tables of cosines and sines are [positions, dim / 2]. INVERSE turns back, which is also the backward pass.
out may be x itself."""
import triton
import triton.language as tl


@triton.jit
def rope(x_ptr, cos_ptr, sin_ptr, out_ptr, x_stride_b, x_stride_s, x_stride_h, out_stride_b, out_stride_s, out_stride_h,
         heads, half, first_position, INTERLEAVED: tl.constexpr, INVERSE: tl.constexpr, BLOCK_HEADS: tl.constexpr,
         BLOCK_HALF: tl.constexpr):
    """Grid: (length, batch). BLOCK_HALF >= half = dim / 2. Pairs are (i, i + half), or (2 i, 2 i + 1) if INTERLEAVED."""
    position = tl.program_id(0)
    x_ptr += tl.program_id(1).to(tl.int64) * x_stride_b + position.to(tl.int64) * x_stride_s
    out_ptr += tl.program_id(1).to(tl.int64) * out_stride_b + position.to(tl.int64) * out_stride_s
    i = tl.arange(0, BLOCK_HALF)
    in_table = (position + first_position).to(tl.int64) * half + i
    cos = tl.load(cos_ptr + in_table, mask=i < half, other=0.0).to(tl.float32)[None, :]
    sin = tl.load(sin_ptr + in_table, mask=i < half, other=0.0).to(tl.float32)[None, :]
    if INVERSE:
        sin = -sin
    if INTERLEAVED:
        first = (2 * i)[None, :]
        second = first + 1
    else:
        first = i[None, :]
        second = first + half
    for first_head in range(0, heads, BLOCK_HEADS):
        head = (first_head + tl.arange(0, BLOCK_HEADS))[:, None]
        inside = (head < heads) & (i < half)[None, :]
        a = tl.load(x_ptr + head * x_stride_h + first, mask=inside).to(tl.float32)
        b = tl.load(x_ptr + head * x_stride_h + second, mask=inside).to(tl.float32)
        tl.store(out_ptr + head * out_stride_h + first, (a * cos - b * sin).to(out_ptr.dtype.element_ty), mask=inside)
        tl.store(out_ptr + head * out_stride_h + second, (b * cos + a * sin).to(out_ptr.dtype.element_ty), mask=inside)
