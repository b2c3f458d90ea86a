# Four groups of warps have 32 columns each, and 64 lie together in shared memory: the third and fourth read the wrong ones.
# grid 1 1 1
# warps 16 stages 3
# tensor a bf16 count=2048 offset=0 fill=integers low=-2 high=2 seed=1 tolerance=0
# tensor b bf16 count=4096 offset=0 fill=integers low=-2 high=2 seed=2 tolerance=0
# tensor c f32 count=8192 offset=0 fill=integers low=0 high=0 seed=3 tolerance=0 unsigned-zero=1
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c):
    m = tl.arange(0, 64)
    k = tl.arange(0, 32)
    n = tl.arange(0, 128)
    x = tl.load(a + m[:, None] * 32 + k[None, :])
    y = tl.load(b + k[:, None] * 128 + n[None, :])
    tl.store(c + m[:, None] * 128 + n[None, :], tl.dot(x, y))
