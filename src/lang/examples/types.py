import triton
import triton.language as tl

# tl.cast: run x=randn:f32[8] out=empty:f16[8] --grid 1 --expect 'out=x'
@triton.jit
def cast(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.cast(tl.load(x + i), tl.float16))


# tensor.to: run x=randn:f32[8] out=empty:i32[8] --grid 1 --expect 'out=trunc(x)'
@triton.jit
def to(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.load(x + i).to(tl.int32))


# tl.to_tensor: run out=empty:f32[4] --grid 1 --expect out=1.5
@triton.jit
def to_tensor(out):
    number = tl.to_tensor(1.5)
    tl.store(out + tl.arange(0, 4), number.to(out.dtype.element_ty))


# tl.where: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=where(x > 0, x, 0.1 * x)'
@triton.jit
def where(x, out):
    i = tl.arange(0, 8)
    values = tl.load(x + i)
    tl.store(out + i, tl.where(values > 0, values, 0.1 * values))


# tl.add, tl.sub, tl.mul: run x=randn:f32[8] y=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=(x + y) * (x - y)'
@triton.jit
def add(x, y, out):
    i = tl.arange(0, 8)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, tl.mul(tl.add(a, b), tl.sub(a, b)))  # what `+`, `-` and `*` mean


# tensor.logical_and, tensor.logical_or: run x=arange:f32[8] out=empty:f32[8] --grid 1 --expect 'out=x * (x < 2) + x * (x == 6)'
@triton.jit
def logical_and(x, out):
    i = tl.arange(0, 8)
    values = tl.load(x + i)
    is_edge = (values > 5).logical_and(values < 7).logical_or(values < 2)
    tl.store(out + i, tl.where(is_edge, values, 0))


# dtype.is_fp8, dtype.is_fp8e4nv, dtype.is_fp8e4b8, dtype.is_fp8e4b15, dtype.is_fp8e5, dtype.is_fp8e5b16, dtype.is_fp16, dtype.is_bf16, dtype.is_fp32, dtype.is_fp64, dtype.is_floating, dtype.is_standard_floating: run x=randn:f16[8] out=empty:i32[12] --grid 1 --save out=answers.npy
@triton.jit
def is_floating(x, out):
    element: tl.constexpr = x.dtype.element_ty
    answers: tl.constexpr = (element.is_fp8(), element.is_fp8e4nv(), element.is_fp8e4b8(), element.is_fp8e4b15(), element.is_fp8e5(),
                             element.is_fp8e5b16(), element.is_fp16(), element.is_bf16(), element.is_fp32(), element.is_fp64(),
                             element.is_floating(), element.is_standard_floating())
    for k in tl.static_range(12):
        tl.store(out + k, answers[k])


# dtype.is_int1, dtype.is_int8, dtype.is_int16, dtype.is_int32, dtype.is_int64, dtype.is_uint8, dtype.is_uint16, dtype.is_uint32, dtype.is_uint64, dtype.is_int_signed, dtype.is_int_unsigned, dtype.is_int, dtype.is_bool: run x=zeros:i32[8] out=empty:i32[13] --grid 1 --save out=answers.npy
@triton.jit
def is_int(x, out):
    element: tl.constexpr = x.dtype.element_ty
    answers: tl.constexpr = (element.is_int1(), element.is_int8(), element.is_int16(), element.is_int32(), element.is_int64(), element.is_uint8(),
                             element.is_uint16(), element.is_uint32(), element.is_uint64(), element.is_int_signed(), element.is_int_unsigned(),
                             element.is_int(), element.is_bool())
    for k in tl.static_range(13):
        tl.store(out + k, answers[k])


# dtype.is_void, dtype.is_ptr, dtype.is_block, dtype.is_const: run x=zeros:f32[8] out=empty:i32[4] --grid 1 --save out=answers.npy
@triton.jit
def is_ptr(x, out):
    tl.static_assert(x.dtype.is_ptr() and not x.dtype.is_void())
    tile = tl.load(x + tl.arange(0, 8))
    tl.store(out, tile.type.is_block())
    tl.store(out + 1, x.dtype.is_const())
    tl.store(out + 2, x.dtype.is_ptr())
    tl.store(out + 3, x.dtype.element_ty.is_void())


# dtype.kind, dtype.get_int_max_value, dtype.get_int_min_value: run out=empty:i32[2] --grid 1 --save out=bounds.npy
@triton.jit
def get_int_max_value(out):
    tl.static_print("kind of the element type:", out.dtype.element_ty.kind())
    tl.store(out, tl.int8.get_int_max_value())
    tl.store(out + 1, tl.int8.get_int_min_value())


# dtype.get_block_shapes: run x=randn:f32[4,8] out=empty:i32[1] --grid 1 --expect out=8
@triton.jit
def get_block_shapes(x, out):
    tile = tl.load(x + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :])
    tl.store(out, tile.type.get_block_shapes()[1])


# tl.get_int_dtype: run x=randn:f32[8] out=empty:i32[8] --grid 1 --save out=bits.npy
@triton.jit
def get_int_dtype(x, out):
    i = tl.arange(0, 8)
    values = tl.load(x + i)
    word: tl.constexpr = tl.core.get_int_dtype(values.dtype.primitive_bitwidth, signed=True)
    tl.store(out + i, values.to(word, bitcast=True))
