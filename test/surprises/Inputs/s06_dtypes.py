"""Surprise 6: element types are compile-time values."""
import triton
import triton.language as tl


@triton.jit
def types_of_pointers(x, y, KIND: tl.constexpr):
    i = tl.arange(0, 32)
    v = tl.load(x + i).to(KIND)
    if y.dtype.element_ty == tl.float16:
        v = v * 2
    if KIND is tl.float32:
        v = v + 1
    wide: tl.constexpr = tl.float64 if KIND == tl.float64 else tl.float32
    total = tl.zeros([32], dtype=wide) + v
    tl.store(y + i, total.to(y.dtype.element_ty))


@triton.jit
def properties_of_types(x, y):
    kind: tl.constexpr = x.dtype.element_ty
    tl.store(y, kind.primitive_bitwidth)
    tl.store(y + 1, 1 if kind.is_floating() else 0)
    tl.store(y + 2, 1 if kind.is_int() else 0)
    tl.store(y + 3, kind.itemsize)
    tl.store(y + 4, 1 if x.type.element_ty is tl.int8 else 0)
    tl.store(y + 5, 1 if x.dtype.is_ptr() else 0)
