"""Vector add and torch.compile with torch's tensors on the CPU."""
import nereid
import torch
import torch._inductor.config
import triton
from kernels import add

assert triton.__nereid__
x, y = torch.randn(1000), torch.randn(1000)
out = torch.zeros_like(x)
add[(triton.cdiv(1000, 128), )](x, y, out, 1000, BLOCK=128)
torch.testing.assert_close(out, x + y)
assert nereid.check(add, 8, x, y, out, 1000, BLOCK=128) == ""
assert "kernels.py:9:" in nereid.check(add, 8, x, y, out, 1001, BLOCK=128)

torch._inductor.config.cpu_backend = "triton"


@torch.compile
def soften(x, y):
    return torch.softmax(x * 2 + y, dim=-1).sum(dim=0)


x, y = torch.randn(64, 100), torch.randn(100)
torch.testing.assert_close(soften(x, y), torch.softmax(x * 2 + y, dim=-1).sum(dim=0))
print("torch: right")
