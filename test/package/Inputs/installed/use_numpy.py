"""Vector add with numpy, and the same under the sanitizer."""
import nereid
import numpy as np
import triton
from kernels import add

assert triton.__nereid__
x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
out = np.zeros_like(x)
add[(triton.cdiv(1000, 128), )](x, y, out, 1000, BLOCK=128)
np.testing.assert_array_equal(out, x + y)
assert nereid.check(add, 8, x, y, out, 1000, BLOCK=128) == ""
assert "kernels.py:9:" in nereid.check(add, 8, x, y, out, 1001, BLOCK=128)
print("numpy: right")
