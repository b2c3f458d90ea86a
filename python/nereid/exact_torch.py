"""torch's normalizations on CPU tensors, computed one precision up, for programs that take them as the reference of their kernels.

On the CPU torch accumulates the gradients of layer_norm and group_norm in the type of the tensors, where CUDA's kernels take 32 bits for 16-bit
tensors. With 16 bits that is further from the exact result than the checks of such programs allow (tutorial 05: 0.139, where its check
allows 0.01). Switched on by choice: `python -m nereid --exact-torch SCRIPT`, or `-p nereid.exact_torch` for pytest.
"""


def _one_precision_up(function, wider):
    import torch

    def normalize(input, *args, **kwargs):
        wide = wider.get(input.dtype) if input.device.type == "cpu" else None
        if wide is None:
            return function(input, *args, **kwargs)

        def widen(value):
            return value.to(wide) if isinstance(value, torch.Tensor) else value

        result = function(widen(input), *map(widen, args), **{name: widen(value) for name, value in kwargs.items()})
        return result.to(input.dtype)

    return normalize


def enable():
    import torch
    wider = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.float32: torch.float64}
    functional = torch.nn.functional
    functional.layer_norm = _one_precision_up(functional.layer_norm, wider)
    functional.group_norm = _one_precision_up(functional.group_norm, wider)


def pytest_configure(config):
    enable()
