"""The microscaling formats of OCP (MX v1.0): groups of 32 elements with a scale that is a power of two, one byte (E8M0: 2^(code - 127), 255 is NaN). Elements are fp4 (E2M1, two to a byte, the first in the low bits) or fp8 (E4M3, E5M2).
The scale is the largest power of two in a group over the largest of the element's type; elements are rounded to the nearest, to even in the middle, and saturate."""
import triton
import triton.language as tl


@triton.jit
def power_of_two(code):
    """2^(code - 127) for codes 0 … 254, exactly; NaN for 255."""
    bits = tl.where(code == 0, 0x00400000, tl.where(code == 255, 0x7FC00000, code << 23))
    return bits.to(tl.float32, bitcast=True)


@triton.jit
def fp4_code(x):
    a = tl.abs(x)
    code = (a > 0.25).to(tl.int32) + (a >= 0.75).to(tl.int32) + (a > 1.25).to(tl.int32) + (a >= 1.75).to(tl.int32)
    code += (a > 2.5).to(tl.int32) + (a >= 3.5).to(tl.int32) + (a > 5.0).to(tl.int32)
    return code | ((x.to(tl.int32, bitcast=True) >> 28) & 8)


@triton.jit
def fp4_value(code):
    """Of the low four bits: exponent and mantissa stand where a float has them, with a smaller bias."""
    bits = ((code & 7) << 22) | ((code & 8) << 28)
    return bits.to(tl.float32, bitcast=True) * 8.507059173023462e37  # 2^126


@triton.jit
def microscaling_quantize(x_ptr, q_ptr, scale_ptr, n_groups, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """x: contiguous groups of 32; q: uint8, 16 (KIND "e2m1") or 32 ("e4m3", "e5m2") for each group; scale: uint8. A group with an inf or a NaN gets the scale NaN. Grid: (blocks of BLOCK groups)."""
    group = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = (group < n_groups)[:, None]
    x = tl.load(x_ptr + group[:, None] * 32 + tl.arange(0, 32)[None, :], mask=inside, other=0.0).to(tl.float32)
    EMAX: tl.constexpr = 2 if KIND == "e2m1" else 8 if KIND == "e4m3" else 15
    bits = x.to(tl.int32, bitcast=True) & 0x7FFFFFFF
    exponent = tl.max(bits, axis=1) >> 23
    is_finite = exponent < 255
    code = tl.where(is_finite, tl.maximum(exponent - EMAX, 0), 255)
    tl.store(scale_ptr + group, code.to(tl.uint8), mask=group < n_groups)
    x = tl.where(is_finite[:, None], x * power_of_two(tl.where(is_finite, 254 - code, 127))[:, None], 0.0)
    if KIND == "e2m1":
        first, second = tl.split(tl.reshape(fp4_code(x), (BLOCK, 16, 2)))
        tl.store(q_ptr + group[:, None] * 16 + tl.arange(0, 16)[None, :], (first | (second << 4)).to(tl.uint8), mask=inside)
    else:
        LARGEST: tl.constexpr = 448.0 if KIND == "e4m3" else 57344.0
        x = tl.minimum(tl.maximum(x, -LARGEST), LARGEST)
        if KIND == "e4m3":
            q = x.to(tl.float8e4nv).to(tl.uint8, bitcast=True)
        else:
            q = x.to(tl.float8e5).to(tl.uint8, bitcast=True)
        tl.store(q_ptr + group[:, None] * 32 + tl.arange(0, 32)[None, :], q, mask=inside)


@triton.jit
def microscaling_dequantize(q_ptr, scale_ptr, out_ptr, n_groups, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """The values of codes. Grid: (blocks of BLOCK groups)."""
    group = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = (group < n_groups)[:, None]
    scale = power_of_two(tl.load(scale_ptr + group, mask=group < n_groups, other=127).to(tl.int32))
    if KIND == "e2m1":
        q = tl.load(q_ptr + group[:, None] * 16 + tl.arange(0, 16)[None, :], mask=inside, other=0).to(tl.int32)
        x = tl.reshape(tl.join(fp4_value(q), fp4_value(q >> 4)), (BLOCK, 32))
    else:
        q = tl.load(q_ptr + group[:, None] * 32 + tl.arange(0, 32)[None, :], mask=inside, other=0)
        if KIND == "e4m3":
            x = q.to(tl.float8e4nv, bitcast=True).to(tl.float32)
        else:
            x = q.to(tl.float8e5, bitcast=True).to(tl.float32)
    tl.store(out_ptr + group[:, None] * 32 + tl.arange(0, 32)[None, :], (x * scale[:, None]).to(out_ptr.dtype.element_ty), mask=inside)
