"""inductor_files.py: files with one kernel each that PyTorch's Inductor wrote, as zinccat/TritonTrace keeps them for KernelBench's models, for machine_code_against_triton.py
and emulated_gpu.py. A kernel has the first configuration that Inductor knows for its size hints, and arguments of which is known what its `triton_meta` says.

Files of earlier versions name what PyTorch and Triton have no more: `AttrsDescriptor`, lists of size hints, `RBLOCK`."""
import ast
import contextlib
import glob
import hashlib
import importlib.util
import os
import re

import torch
import triton.compiler.compiler
from torch._inductor.runtime import hints, triton_helpers, triton_heuristics

ELEMENTS = 1 << 18  # of each tensor of a launch that runs
PROGRAMS = 2  # of each axis, at most, in such a launch


class InductorFiles:
    """The kernels of a folder, each function once, `sample` of them by hash."""
    together = 1

    def __init__(self, folder, sample=0):
        self.folder, self.sample = os.path.abspath(folder), sample

    def items(self):
        found = {}
        for path in sorted(glob.glob(os.path.join(self.folder, "**", "*.py"), recursive=True)):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if "@triton_heuristics." in text:
                found.setdefault(hash_of(text), os.path.relpath(path, self.folder).removesuffix(".py"))
        return [found[key] for key in sorted(found)][:self.sample or None]

    def kernel(self, name):
        return read(os.path.join(self.folder, name + ".py"))

    def run(self, name, recorder):
        kernel = self.kernel(name)
        recorder.launch(kernel.function, kernel.arguments(64), kernel.options)

    def launch(self, name):
        """The first programs, with random numbers. Whether these are enough memory the sanitizer says."""
        kernel = self.kernel(name)
        kernel.function[kernel.grid()](*kernel.arguments(ELEMENTS), **kernel.options)


def hash_of(text):
    """Of the functions, whatever they are called, and of what is known of their arguments."""
    parts = re.findall(r"triton_meta=\{(.*?)'device'", text) + re.findall(r"'configs': .*", text)
    for function in ast.parse(text).body:
        if isinstance(function, ast.FunctionDef):
            parts += map(ast.dump, (function.args, *function.body))
    return hashlib.sha1("\n".join(parts).encode()).hexdigest()


class Facts:
    """What `AttrsDescriptor` said of arguments, by their places."""

    def __init__(self, divisible_by_16=(), equal_to_1=()):
        self.divisible, self.ones = divisible_by_16, equal_to_1

    @classmethod
    def from_dict(cls, words):
        return cls(words["arg_properties"]["tt.divisibility"], words["arg_properties"]["tt.equal_to"])


class Kernel:
    """A function with what its heuristics were told."""

    def __init__(self, function, kind, size_hints, triton_meta, inductor_meta, filename=None, **hints):
        self.function, self.size_hints = function, with_axes(kind, size_hints)
        by_name = lambda words: {word if isinstance(word, str) else function.arg_names[word]: value for word, value in words.items()}  # noqa: E731
        facts = triton_meta["configs"][0]
        self.signature = by_name(triton_meta["signature"])
        self.divisible = {function.arg_names[place] for place in facts.divisible}
        self.known = by_name({place: 1 for place in facts.ones}) | by_name(triton_meta["constants"])
        configuration = getattr(triton_heuristics, kind)(self.size_hints, triton_meta={**triton_meta, "signature": self.signature}, inductor_meta=dict(inductor_meta),
                                                         return_configs=True, **hints)[0]  # yapf: disable
        self.blocks = {name.replace("R0_BLOCK", "RBLOCK"): size for name, size in configuration.kwargs.items()}
        self.blocks = {name: size for name, size in self.blocks.items() if name in function.arg_names}
        self.options = {**self.blocks, "num_warps": configuration.num_warps, "num_stages": configuration.num_stages, "debug": inductor_meta.get("assert_indirect_indexing", True),
                        "sanitize_overflow": False}  # yapf: disable

    def arguments(self, elements):
        """Tensors of so many elements, and sizes near the hints."""
        return [self.argument(name, place, elements) for place, name in enumerate(self.function.arg_names) if name not in self.blocks]

    def argument(self, name, place, elements):
        kind = self.signature.get(name, "")
        if name in self.known or not kind.startswith("*"):
            return self.known[name] if name in self.known else self.number(name)
        step = 0 if name in self.divisible else 1
        dtype = {"*fp32": torch.float32, "*fp16": torch.float16, "*bf16": torch.bfloat16, "*i1": torch.bool, "*i8": torch.int8, "*i32": torch.int32, "*i64": torch.int64}[kind]
        numbers = torch.rand(elements + step) + 0.1 if place % 2 else torch.randn(elements + step)
        return (numbers if dtype.is_floating_point else (numbers * 2).abs()).to(dtype)[step:]

    def number(self, name):
        """A size is a little less than its hint, and divisible where it is said to be."""
        axis = name.removesuffix("numel")
        hint = self.size_hints.get("r0_" if axis == "r" else axis, 8)
        return max(16, hint * 3 // 4 // 16 * 16) if name in self.divisible else hint * 3 // 4 // 2 * 2 + 1

    def grid(self):
        return tuple(min(PROGRAMS, -(-self.numel(axis) // self.blocks.get(axis.upper() + "BLOCK", 1))) for axis in "xyz" if axis in self.size_hints)

    def numel(self, axis):
        """What the function sets it to, or what it is given."""
        fixed = re.search(rf"^    {axis}numel = (\d+)$", self.function.src, re.MULTILINE)
        return int(fixed[1]) if fixed else self.known.get(f"{axis}numel") or self.number(f"{axis}numel")


def with_axes(kind, size_hints):
    """Lists had the last axis of pointwise kernels first, and the rows of reductions."""
    if isinstance(size_hints, dict):
        return {{"r": "r0_"}.get(axis, axis): size for axis, size in size_hints.items()}
    return dict(zip(("x", "y", "z"), reversed(size_hints)) if kind == "pointwise" else zip(("x", "r0_"), size_hints))


def read(path):
    """The kernel of a file."""
    triton.compiler.compiler.AttrsDescriptor = Facts
    hints.instance_descriptor = Facts
    triton_helpers.set_driver_to_gpu = lambda: None
    found = []

    def recording(kind):
        return lambda size_hints, **words: lambda function: found.append((function, kind, size_hints, words))

    kinds = ("pointwise", "reduction", "persistent_reduction")
    with contextlib.ExitStack() as stack:
        for kind in kinds:
            stack.callback(setattr, triton_heuristics, kind, getattr(triton_heuristics, kind))
            setattr(triton_heuristics, kind, recording(kind))
        spec = importlib.util.spec_from_file_location("kernel", path)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    function, kind, size_hints, words = found[0]
    return Kernel(function, kind, size_hints, **words)
