"""One cell after the other."""
import triton
import triton.language as tl


@triton.jit
def generation(x_ptr, out_ptr, height, width, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    if tl.program_id(0) + tl.program_id(1) == 0:
        for i in range(height * width):
            count = 0
            for n in range(9):
                y = (i // width + n // 3 + height - 1) % height
                x = (i % width + n % 3 + width - 1) % width
                if n != 4:
                    count += tl.load(x_ptr + y * width + x)
            alive = tl.load(x_ptr + i)
            if count == 2:
                tl.store(out_ptr + i, alive)
            elif count == 3:
                tl.store(out_ptr + i, 1)
            else:
                tl.store(out_ptr + i, 0)
