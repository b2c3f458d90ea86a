"""project_calls.py: calls of operators of projects that nothing here was tuned for, for corpus_against_triton.py: attention in forms of their own, recurrences, sparse
autoencoders, recommenders, optimizers, quantized weights. Each is a function of no arguments that gives what is compared; what needs a gradient is run
backward too. The projects are checkouts in one folder, OWNER+NAME each; nothing of them is part of this repository."""
import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types

import torch

SMALL = bool(os.environ.get("PROJECTS_SMALL"))  # sizes that a processor gets through, for a comparison without a GPU
KNOWN = {}


def call(project, needs=()):
    """Makes a function an item, by its name."""
    return lambda function: KNOWN.setdefault(f"{project.split('+')[1]}: {function.__name__}", (project, function)) and function


def size(large, small):
    return small if SMALL else large


def random(*shape, dtype=torch.bfloat16, grad=True, scale=1.0):
    made = torch.randn(shape, dtype=torch.float32, device="cuda") * scale
    return made.to(dtype).requires_grad_(grad)


def below(most, *shape, dtype=torch.int64):
    return torch.randint(0, most, shape, device="cuda", dtype=dtype)


def steps(lengths, dtype=torch.int32):
    """Where sequences of these lengths begin, and where the last one ends."""
    return torch.nn.functional.pad(torch.tensor(lengths, device="cuda").cumsum(0), (1, 0)).to(dtype)


class Projects:
    """Checkouts below one folder."""
    together = 1

    def __init__(self, checkouts):
        self.checkouts = os.path.abspath(checkouts)

    def items(self):
        return [name for name, (project, _) in KNOWN.items() if os.path.isdir(os.path.join(self.checkouts, project))]

    def run(self, name, recorder):
        project, function = KNOWN[name]
        os.environ["PROJECTS_FOLDER"] = os.path.join(self.checkouts, project)
        with recorder.alone(), recorder.on():
            recorder.values = values_of(function())
            torch.cuda.synchronize()


def values_of(result):
    """Results, and the gradients of the inputs that `inputs` names."""
    inputs, results = result if isinstance(result, tuple) and isinstance(result[0], Inputs) else (Inputs(), result)
    results = [each for each in (results if isinstance(results, (tuple, list)) else [results]) if isinstance(each, torch.Tensor)]
    backward = [each for each in results if each.requires_grad and each.grad_fn is not None]
    if backward:
        generator = torch.Generator(backward[0].device).manual_seed(11)
        torch.autograd.backward(backward, [torch.randn(each.shape, generator=generator, device=each.device).to(each.dtype) for each in backward])
    return [*results, *(each.grad for each in inputs if each.grad is not None)]


class Inputs(list):
    pass


def both_ways(function, *inputs, **options):
    """The results of a function, with the inputs whose gradients count."""
    return Inputs(each for each in inputs if isinstance(each, torch.Tensor) and each.requires_grad), function(*inputs, **options)


def module(path, *bare):
    """A file of the project. `bare`: packages above it whose `__init__` is left out, since it asks for more than the file does."""
    folder = os.environ["PROJECTS_FOLDER"]
    root, _, inner = path.rpartition(":")
    sys.path.insert(0, os.path.join(folder, root))
    for name in bare:
        package = types.ModuleType(name)
        package.__path__ = [os.path.join(folder, root, *name.split("."))]
        package.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
        sys.modules[name] = package
    return importlib.import_module(inner)


def absent(name, **members):
    """A module that the project imports and that the call does not need."""
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules.setdefault(name, made)


import project_attention  # noqa: E402,F401 what it lists
import project_operators  # noqa: E402,F401
