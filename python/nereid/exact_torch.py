"""torch's normalizations and cross entropy on CPU tensors, computed one precision up, for programs that take them as the reference of their kernels.

On the CPU torch accumulates the gradients of layer_norm and group_norm, and the losses of a batch, in the type of the tensors, where CUDA's kernels
take 32 bits for 16-bit tensors. The sum of 8192 losses of 10.9 in fp16 is infinite; the gradient of tutorial 05's layer norm is 0.139 off, where its
check allows 0.01. Switched on by choice: `python -m nereid --exact-torch SCRIPT`, or `-p nereid.exact_torch` for pytest.
"""


def _one_precision_up(function, wider):
    import torch

    def normalize(input, *args, **kwargs):
        wide = wider.get(input.dtype) if input.device.type == "cpu" else None
        if wide is None:
            return function(input, *args, **kwargs)

        def widen(value):
            return value.to(wide) if isinstance(value, torch.Tensor) and value.is_floating_point() else value

        result = function(widen(input), *map(widen, args), **{name: widen(value) for name, value in kwargs.items()})
        return result.to(input.dtype)

    return normalize


def enable():
    import torch
    wider = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.float32: torch.float64}
    functional = torch.nn.functional
    functional.layer_norm = _one_precision_up(functional.layer_norm, wider)
    functional.group_norm = _one_precision_up(functional.group_norm, wider)
    functional.cross_entropy = _one_precision_up(functional.cross_entropy, wider)


def pytest_configure(config):
    enable()
