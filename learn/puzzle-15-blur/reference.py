"""One pixel after the other."""
import triton
import triton.language as tl


@triton.jit
def blur(x_ptr, out_ptr, height, width, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    if tl.program_id(0) + tl.program_id(1) == 0:
        for i in range(height * width):
            total = tl.load(x_ptr) * 0.0
            for y in range(tl.maximum(i // width - 1, 0), tl.minimum(i // width + 2, height)):
                for x in range(tl.maximum(i % width - 1, 0), tl.minimum(i % width + 2, width)):
                    total += tl.load(x_ptr + y * width + x)
            tl.store(out_ptr + i, total / 9)
