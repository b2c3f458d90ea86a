import triton
import triton.language as tl


@triton.jit
def product(a, b, c, N, column):
    left = tl.make_tensor_descriptor(a, [128, 512], [512, 1], [128, 64])
    right = tl.make_tensor_descriptor(b, [512, 1024], [1024, 1], [64, 128])
    out = tl.make_tensor_descriptor(c, [128, N], [1024, 1], [128, 128])
    sums = tl.zeros([128, 128], tl.float32)
    for k in range(0, 512, 64):
        sums = tl.dot(left.load([0, k]), right.load([k, 0]), sums)
    out.store([0, column], sums.to(tl.float16))
