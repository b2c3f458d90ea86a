"""What `audit` cannot know: constants of a launch."""
import triton
import triton.language as tl


@triton.jit
def below(x, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = BLOCK
    HALF: tl.constexpr = 2**(SIZE.bit_length() - 1)
    tl.store(x + tl.arange(0, HALF), 1)
