import triton
import triton.language as tl


# A product of tensors whose places, extents and strides are loaded, as grouped products have them.
@triton.jit
def grouped(places, sizes, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k, wide = tl.load(sizes), tl.load(sizes + 1), tl.load(sizes + 2), tl.load(sizes + 3)
    a = tl.make_tensor_descriptor(tl.load(places).to(tl.pointer_type(tl.float16)), [m, k], [wide, 1], [BM, BK])
    b = tl.make_tensor_descriptor(tl.load(places + 1).to(tl.pointer_type(tl.float16)), [n, k], [wide, 1], [BN, BK])
    c = tl.make_tensor_descriptor(tl.load(places + 2).to(tl.pointer_type(tl.float16)), [m, n], [tl.load(sizes + 4), 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros([BM, BN], tl.float32)
    for at in range(0, k, BK):
        total = tl.dot(a.load([row, at]), b.load([column, at]).T, total)
    c.store([row, column], total.to(tl.float16))


# Arguments that are no multiples of 16 are not taken for such.
@triton.jit
def given(a_ptr, b_ptr, c_ptr, m, n, k, wide, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [m, k], [wide, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [n, k], [wide, 1], [BN, BK])
    total = tl.zeros([BM, BN], tl.float32)
    for at in range(0, k, BK):
        total = tl.dot(a.load([0, at]), b.load([0, at]).T, total)
    tl.store(c_ptr + tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :], total)
