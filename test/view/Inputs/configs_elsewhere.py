import triton
import triton.language as tl
from a_package_that_is_not_here import configs_for


@triton.autotune(configs=configs_for("fill"), key=[])
@triton.jit
def fill(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 1.0)
