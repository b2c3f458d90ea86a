import triton
import triton.language as tl


@triton.jit
def byte_constants(out):
    """Bytes that the compiler knows, as halves: their conversion is an expression of constants."""
    threes = tl.full([4, 128], 3, tl.int8)
    both = tl.cat(threes, threes, dim=1).to(tl.float16)
    tl.store(out + tl.arange(0, 4)[:, None] * 256 + tl.arange(0, 256)[None, :], both)
