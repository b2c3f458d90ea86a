"""pytest plugin: tests that ask for a GPU run on the emulated one (emulated_gpu.py): `scripts/on-emulated-gpu scripts/triton-suite --device cuda …` with
PYTEST_PLUGINS=emulated_gpu_plugin and bench/ in PYTHONPATH."""
import os

os.environ["EMULATED_GPU_HOST"] = "1"

from emulated_gpu import emulate  # noqa: E402 the library of the GPU reads the variable when it is loaded

emulate()
