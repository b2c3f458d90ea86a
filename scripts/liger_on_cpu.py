"""A pytest plugin under which tests of linkedin/Liger-Kernel run on CPU tensors where their code asks for a GPU.

    PYTHONPATH=python:scripts:LIGER/src:LIGER python -m pytest -p liger_on_cpu LIGER/test/transformers/test_dyt.py

Nothing of Liger is changed on disk. `get_device_properties` of torch answers for the CPU (test_tvd asks for the memory), and so that
`liger_kernel.ops.dyt`, which knows the number of multiprocessors of GPUs only, takes that answer, it alone is told "cuda". The references of
layer_norm and group_norm are computed one precision up (nereid.exact_torch).
"""
from nereid import as_cuda, exact_torch


def pytest_configure(config):
    import torch
    if torch.cuda.is_available():
        return
    as_cuda.answer_for_cpu()
    exact_torch.enable()
    try:
        from liger_kernel.ops import dyt
    except ImportError:
        return
    dyt.infer_device = lambda: "cuda"
