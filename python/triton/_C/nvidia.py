"""What Triton's compiled module has for NVIDIA GPUs and scripts use: cuBLAS, which here is torch's."""
from types import SimpleNamespace


class CublasLt:
    """Products by cuBLAS. `workspace` is not needed: torch has its own."""

    def __init__(self, workspace):
        self.workspace = workspace

    def matmul(self, a, b, c):
        """c = a x transposed b"""
        self.gemm(a, b, None, c, 1.0, 0.0)

    def gemm(self, a, b, c, d, alpha, beta):
        """d = alpha * (a x transposed b) + beta * c"""
        import torch
        if a.dim() != 2 or b.dim() != 2 or a.shape[1] != b.shape[1]:
            raise RuntimeError(f"a of {tuple(a.shape)} and b of {tuple(b.shape)} have no product a x transposed b")
        if a.dtype != b.dtype:
            raise RuntimeError(f"a is {a.dtype}, b is {b.dtype}: they must be of one type")
        if alpha == 1.0 and beta == 0.0 and a.element_size() > 1 and d.dtype == a.dtype:
            torch.matmul(a, b.T, out=d)
            return
        if a.element_size() > 1:
            product = torch.matmul(a, b.T)
        else:
            one = torch.ones((), device=a.device)
            # Rounded once where nothing is added; sums as fast as the tensor cores have them.
            kind = d.dtype if alpha == 1.0 and beta == 0.0 else torch.bfloat16
            product = torch._scaled_mm(a, b.T, one, one, out_dtype=kind, use_fast_accum=True)
        if alpha == 1.0 and beta == 0.0:
            d.copy_(product)
        else:
            d.copy_(alpha * product.float() + (beta * c.float() if beta else 0.0))


cublas = SimpleNamespace(CublasLt=CublasLt)
