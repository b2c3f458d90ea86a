"""public_files.py: kernels of other people's checkouts with guessed arguments, for machine_code_against_triton.py: public_kernels.py finds them, guessed_arguments.py says what
they take. Sizes and strides are those of tensors with rows of 1024, constants and warps those of the first configuration that the file names, else blocks of 64."""
import ast
import functools
import hashlib
import importlib.util
import os
import tempfile

from guessed_arguments import Kernel, Shape, variant
from public_kernels import Checkout

SHAPE = Shape(64, 1024, "bf16", "i32", True, 0, True, "bf16")


@functools.cache
def kernels_of(folder):
    """{name: (kernel, text of its module, text of its file)} of all checkouts; read once, for the processes that are forked then."""
    found, seen = {}, set()
    for name in sorted(os.listdir(folder)):
        for origin, kernel, text, file_text in Checkout(os.path.join(folder, name), seen).kernels():
            found[f"{name}: {origin.replace('/', '.').removesuffix('.py')}: {kernel}"] = (kernel, text, file_text)
    return found


class PublicFiles:
    """The kernels of each checkout in a folder, each once, `sample` of them by hash."""
    together = 1

    def __init__(self, folder, sample=0):
        self.kernels, self.sample = kernels_of(os.path.abspath(folder)), sample

    def items(self):
        drawn = sorted(self.kernels, key=lambda name: hashlib.sha1(self.kernels[name][1].encode()).hexdigest())
        return drawn[:self.sample or None]

    def run(self, name, recorder):
        kernel, text, file_text = self.kernels[name]
        read = Kernel(kernel, text, file_text)
        if any("called" in each.uses for each in read.parameters.values()):
            raise TypeError("it takes functions")
        with tempfile.TemporaryDirectory() as folder:
            function = load(os.path.join(folder, kernel + ".py"), text, kernel)
            recorder.launch(function, [], {**values_of(variant(read, SHAPE), function.arg_names), **options_in(file_text)})


def load(path, text, kernel):
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location(kernel, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, kernel)


def values_of(case, names):
    """What a launch would pass; of tensors their types count, and that 16 divides their addresses."""
    import torch
    import triton.language as tl
    types = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16, "i32": torch.int32, "i64": torch.int64, "i8": torch.int8}
    found = {}
    for name in names:
        kind = case["signature"].get(name, "constexpr")
        if kind == "constexpr":
            value = case["constants"][name]
            found[name] = getattr(tl, value["dtype"]) if isinstance(value, dict) else value
        else:
            found[name] = torch.empty(16, dtype=types[kind[1:]]) if kind.startswith("*") else case["values"][name]
    return found


def options_in(text):
    """Warps and stages of the first configuration in a file."""
    for each in ast.walk(ast.parse(text)):
        if isinstance(each, ast.Call) and ast.unparse(each.func).split(".")[-1] == "Config":
            given = {keyword.arg: keyword.value for keyword in each.keywords}
            return {name: given[name].value for name in ("num_warps", "num_stages") if isinstance(given.get(name), ast.Constant)}
    return {}
