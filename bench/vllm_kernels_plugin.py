"""pytest plugin: vLLM's Triton kernels can be tested from a checkout, without the machine code that its wheel builds: its modules are empty,
and its platform is CUDA without NVML. On both sides of a comparison; a test that needs that code fails on both."""
import importlib.util
import sys
import types

for _name in ("vllm._C", "vllm._C_stable_libtorch", "vllm._moe_C", "vllm._moe_C_stable_libtorch"):
    if importlib.util.find_spec(_name) is None:
        sys.modules[_name] = types.ModuleType(_name)

import vllm.platforms  # noqa: E402
from vllm.platforms.cuda import NonNvmlCudaPlatform  # noqa: E402

vllm.platforms._current_platform = NonNvmlCudaPlatform()
