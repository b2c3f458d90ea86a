# nereid-differ program 0xcdb972d5ace: different on cuda, against interp (y74, by hand), and what loops make negations of
#   y74: 4 of 4 elements of i32 differ, the first at 0: 7422, expected 256 (largest difference 7166, allowed 0)
# grid 1 1 1
# warps 4 stages 2
# tensor x0 i32 count=384 offset=0 fill=integers low=-100 high=100 seed=11 tolerance=0
# tensor x1 i16 count=384 offset=0 fill=integers low=-100 high=100 seed=12 tolerance=0
# tensor y0 i32 count=128 offset=0 fill=bits low=0 high=1 seed=13 tolerance=0
# tensor y1 i32 count=128 offset=0 fill=bits low=0 high=1 seed=14 tolerance=0
# tensor y2 i32 count=128 offset=0 fill=bits low=0 high=1 seed=15 tolerance=0
# tensor y3 i32 count=128 offset=0 fill=bits low=0 high=1 seed=16 tolerance=0
# tensor y4 i32 count=1 offset=0 fill=bits low=0 high=1 seed=17 tolerance=0
# tensor y5 i16 count=128 offset=0 fill=bits low=0 high=1 seed=18 tolerance=0
import triton
import triton.language as tl


@triton.jit
def kernel(x0, x1, y0, y1, y2, y3, y4, y5):
    i = tl.arange(0, 128)
    a = tl.load(x0 + i)
    b = tl.load(x0 + i + 128)
    c = tl.load(x0 + i + 256)
    tl.store(y0 + i, tl.maximum(tl.maximum(a, b * -2), c))
    tl.store(y1 + i, tl.minimum(tl.minimum(a, b // -4), c))
    t0 = a
    for k0 in range(4):
        t0 = tl.maximum(tl.maximum(t0, k0 * 3 - b), c)
    tl.store(y2 + i, t0)
    t1 = a
    t2 = -1
    for k1 in range(4):
        t1 = tl.minimum(tl.minimum(t1, b * t2), c)
        t2 = t2 * 3 + 1
    tl.store(y3 + i, t1)
    t3 = tl.arange(0, 4096)
    t4 = tl.min(tl.load(x0 + t3 % 384), axis=0)
    tl.store(y4, tl.max((t4 + t3) * -2, axis=0))
    h0 = tl.load(x1 + i)
    tl.store(y5 + i, tl.maximum(tl.maximum(h0, tl.load(x1 + i + 128) * -2), tl.load(x1 + i + 256)))
