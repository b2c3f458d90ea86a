import triton
import triton.language as tl


@triton.jit
def product(a, b, c, COUNT: tl.constexpr):
    i, k = tl.arange(0, 64), tl.arange(0, 128)
    places = i[:, None] * 64 + i[None, :]
    left, right = tl.load(a + i[:, None] * 128 + k[None, :]), tl.load(b + k[:, None] + i[None, :] * 128)
    tl.store(c + places, tl.dot(left, right, tl.load(c + places), max_num_imprecise_acc=COUNT))
