"""on_triton.py: run an oracle program on Triton itself, to learn whether what the program expects is what Triton does.

    python3 test/python/on_triton.py test/builtins/reduce_oracle.py

Needs a GPU, torch and Triton. It replaces nereid_test.Module by one that gives the same kernels to Triton. What Triton
cannot be asked (IR text, device_print's text, asserts, addresses of host memory) is skipped.
"""
import importlib.util
import os
import runpy
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import nereid_test
import numpy as np
import torch
import triton
import triton.language as tl
from nereid_test import Descriptor, Expression, NereidError, Typed
from triton.tools.tensor_descriptor import TensorDescriptor

VIEWS = {"bf16": torch.bfloat16, "fp8e4nv": torch.float8_e4m3fn, "fp8e5": torch.float8_e5m2}


class Skip(Exception):
    pass


class AnyMessage(str):
    """Triton words its errors in its own way: any text counts as contained."""

    def __contains__(self, _):
        return True


class Refused(NereidError):
    def __str__(self):
        return AnyMessage(super().__str__())


class TritonModule:
    _cache = {}

    def __init__(self, path=None, text=None, name="kernel.py"):
        if text is not None:
            with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
                file.write(text)
            path = file.name
        specification = importlib.util.spec_from_file_location("kernels_under_test", path)
        self.module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(self.module)

    @classmethod
    def load(cls, path):
        return cls._cache.setdefault(path, None) or cls._cache.update({path: cls(path)}) or cls._cache[path]

    def compile(self, *arguments, **options):
        raise Skip

    def launch(self, name, args, grid=(1, ), check=False, debug=False, reachable=(), **options):
        if debug or isinstance(grid, str):
            raise Skip
        options.pop("threads", None)
        if check or options.pop("shuffle_seed", None) is not None:
            return ""
        copies = []
        self.moved = {}
        for value in reachable:
            tensor = self._argument(value, copies)
            self.moved[copies[-1][0].ctypes.data] = tensor.data_ptr()
        convert = lambda value: self._argument(value, copies)  # noqa: E731
        positional = [] if isinstance(args, dict) else [convert(value) for value in args]
        named = {key: convert(value) for key, value in args.items()} if isinstance(args, dict) else {}
        kernel = getattr(self.module, name)
        try:
            kernel[grid if isinstance(grid, tuple) else (grid, )](*positional, **named, **options)
        except Exception as error:
            raise Refused(2, f"{type(error).__name__}: {error}; cause: {error.__cause__}"[:600])
        torch.cuda.synchronize()
        for array, tensor in copies:
            if array.size:  # torch cannot see an empty tensor as bytes
                array[...] = tensor.cpu().view(torch.uint8).numpy().view(array.dtype).reshape(array.shape)
        return ""

    def _argument(self, value, copies):
        if isinstance(value, Expression):
            return eval(str(value), vars(self.module))
        if isinstance(value, Descriptor):
            return TensorDescriptor.from_tensor(self._argument(value.tensor, copies), list(value.block))
        array, dtype = (value.array, value.dtype) if isinstance(value, Typed) else (value, None)
        if not isinstance(array, np.ndarray):
            return value
        if array.dtype == np.int64 and array.size and all(int(item) in self.moved for item in array.flat):
            return torch.tensor([self.moved[int(item)] for item in array.flat], dtype=torch.int64, device="cuda")
        raw = torch.from_numpy(np.ascontiguousarray(array).reshape(-1).view(np.uint8).copy()).cuda()
        target = VIEWS.get(dtype) or getattr(torch, array.dtype.name)
        seen_as = torch.uint8 if dtype == "fp8e4b15" else target
        tensor = raw.view(seen_as).reshape(array.shape) if array.size else torch.empty(array.shape, dtype=seen_as, device="cuda")
        copies.append((array, raw))
        return triton.reinterpret(tensor, tl.float8e4b15) if dtype == "fp8e4b15" else tensor


class TritonChecks(nereid_test.Checks):
    def run(self, what, function, *arguments, **keywords):
        try:
            return function(*arguments, **keywords)
        except Skip:
            self.skipped += 1
        except Exception as problem:
            self.expect(False, f"{what}: {type(problem).__name__}: {str(problem)[:500]}")


def launch(file, name, args, grid=(1, ), constexprs=None, **options):
    return TritonModule.load(os.path.abspath(file)).launch(name, dict(args, **(constexprs or {})), grid, **options)


nereid_test.Module, nereid_test.Checks, nereid_test.launch = TritonModule, TritonChecks, launch
triton.set_allocator(lambda size, align, stream: torch.empty(size, device="cuda", dtype=torch.int8))
program = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.dirname(program))
runpy.run_path(program, run_name="__main__")
