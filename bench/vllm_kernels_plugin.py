"""pytest plugin: vLLM's Triton kernels can be tested from a checkout, without the machine code that its wheel builds: what stands for that code can
be imported and not called, so can packages of its server that are not installed, and the platform is CUDA without NVML. On both sides of a
comparison; a test that calls that code fails on both."""
import atexit
import importlib.abc
import importlib.machinery
import importlib.util
import os
import shutil
import sys
import tempfile
import types

import torch


class _Absent(types.ModuleType):
    """A module of machine code that was not built: every name is a function that says so."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        def absent(*_, **__):
            raise NotImplementedError(f"{self.__name__}.{name} is machine code of vLLM's wheel")

        return absent


class _Server(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages of its server and clients: their names are classes that may be inherited from and written in annotations."""

    PACKAGES = {"aiohttp", "anthropic", "blake3", "cbor2", "compressed_tensors", "cpuinfo", "fastapi", "gguf", "ijson", "llguidance", "mcp", "mistral_common", "openai", "openai_harmony", "outlines_core",
                "partial_json_parser", "prometheus_client", "prometheus_fastapi_instrumentator", "pybase64", "setproctitle", "starlette", "uvicorn", "watchfiles", "xgrammar", "zmq"}  # yapf: disable

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.partition(".")[0] in self.PACKAGES else None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = self.attribute
        return module

    def exec_module(self, module):
        pass

    @staticmethod
    def attribute(name):
        if name.startswith("__"):
            raise AttributeError(name)

        def schema(*_):
            from pydantic_core import core_schema
            return core_schema.any_schema()

        return type(name, (), {"__init_subclass__": classmethod(lambda cls, **_: None), "__class_getitem__": classmethod(lambda cls, _: cls),
                               "__get_pydantic_core_schema__": classmethod(schema)})  # yapf: disable


sys.meta_path.append(_Server())  # behind the others: what is installed is imported

for _name in ("vllm._C", "vllm._C_stable_libtorch", "vllm._moe_C", "vllm._moe_C_stable_libtorch"):
    if importlib.util.find_spec(_name) is None:
        sys.modules[_name] = _Absent(_name)
if "vllm._C" in sys.modules:
    sys.modules["vllm.vllm_flash_attn"] = _Absent("vllm.vllm_flash_attn")  # imports two more of them

_folder = tempfile.mkdtemp(prefix="vllm-")  # it asks for its version
os.mkdir(os.path.join(_folder, "vllm-0.0.0.dist-info"))
with open(os.path.join(_folder, "vllm-0.0.0.dist-info", "METADATA"), "w") as _file:
    _file.write("Metadata-Version: 2.1\nName: vllm\nVersion: 0.0.0\n")
sys.path.append(_folder)
atexit.register(shutil.rmtree, _folder)

import vllm.platforms  # noqa: E402
from vllm.platforms.cuda import NonNvmlCudaPlatform  # noqa: E402

vllm.platforms._current_platform = NonNvmlCudaPlatform()

# What its modules ask at import: no, that machine code supports nothing.
_library = torch.library.Library("_C", "FRAGMENT")
for _name in ("cutlass_scaled_mm_supports_fp8", "cutlass_scaled_mm_supports_block_fp8", "cutlass_scaled_mm_supports_fp4", "cutlass_group_gemm_supported"):
    if not hasattr(torch.ops._C, _name):
        _library.define(f"{_name}(int capability) -> bool")
        _library.impl(_name, lambda capability: False, "CompositeExplicitAutograd")
