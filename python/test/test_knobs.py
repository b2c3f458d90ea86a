"""Settings: by attribute, by environment variable, in a scope."""
import os
import subprocess
import sys

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs


@pytest.mark.parametrize("text, value", [("1", True), ("yes", True), ("ON", True), ("0", False), ("False", False), ("", False)])
def test_boolean_variable(monkeypatch, text, value):
    monkeypatch.setenv("TRITON_KERNEL_DUMP", text)
    assert knobs.compilation.dump_ir is value


def test_wrong_values(monkeypatch):
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "perhaps")
    with pytest.raises(RuntimeError, match="TRITON_KERNEL_DUMP=perhaps"):
        knobs.compilation.dump_ir
    monkeypatch.setenv("TRITON_REDIS_PORT", "many")
    with pytest.raises(RuntimeError, match="expected int"):
        knobs.redis.port


def test_set_read_and_delete(monkeypatch):
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "0")
    with knobs.autotuning.scope():
        knobs.autotuning.print = True
        assert knobs.autotuning.print and os.environ["TRITON_PRINT_AUTOTUNING"] == "1"
        del knobs.autotuning.print
        os.environ["TRITON_PRINT_AUTOTUNING"] = "0"
        assert not knobs.autotuning.print
        knobs.autotuning.print = True
        knobs.autotuning.print = knobs.env
        assert knobs.autotuning.print  # the variable was set along with the knob
    assert not knobs.autotuning.print and os.environ["TRITON_PRINT_AUTOTUNING"] == "0"


def test_folders_follow_the_home(monkeypatch):
    for name in ("TRITON_CACHE_DIR", "TRITON_DUMP_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRITON_HOME", "/somewhere")
    assert knobs.cache.dir == "/somewhere/.triton/cache" and knobs.cache.dump_dir == "/somewhere/.triton/dump"


def test_class_of_a_variable(monkeypatch):
    from triton.runtime.cache import FileCacheManager
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "triton.runtime.cache:FileCacheManager")
    assert knobs.cache.manager_class is FileCacheManager
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "os:PathLike")
    with pytest.raises(RuntimeError, match="not of type"):
        knobs.cache.manager_class


def test_hooks_run_in_order():
    seen = []
    chain, backwards = knobs.HookChain(), knobs.HookChain(reversed=True)
    for hooks in (chain, backwards):
        hooks.add(first := lambda value: seen.append(("first", value)))
        hooks.add(lambda value: seen.append(("second", value)))
        hooks.add(first)
    chain(1)
    backwards(2)
    assert seen == [("first", 1), ("second", 1), ("second", 2), ("first", 2)]


def test_missing_tool(monkeypatch):
    monkeypatch.setenv("TRITON_NVDISASM_PATH", "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RuntimeError, match="TRITON_NVDISASM_PATH"):
        knobs.nvidia.nvdisasm


def test_compile_times():
    times = knobs.CompileTimes(1, [("ttir", 2), ("llir", 3)], 4)
    assert times.total_lowering == 5 and times.total == 10


def test_launches_are_told_of_every_change(monkeypatch):
    import triton.runtime.jit as jit
    changes = []
    monkeypatch.setattr(jit, "knobs_changed", lambda: changes.append(1), raising=False)

    def changed():
        found = bool(changes)
        changes.clear()
        return found

    hook = print
    with knobs.runtime.scope():
        knobs.runtime.debug = True
        assert changed()
        knobs.runtime.launch_enter_hook.add(hook)
        assert changed()
        knobs.runtime.launch_enter_hook.add(hook)
        assert not changed()
        knobs.runtime.launch_enter_hook.remove(hook)
        assert changed()
        knobs.runtime.jit_cache_hook = hook
        assert changed()
    assert changed() and knobs.runtime.jit_cache_hook is None


@pytest.mark.parametrize("variable, is_found", [("TRITON_DEBUG", True), ("TRITON_SOMETHING", False)])
def test_debugging_by_the_environment(tmp_path, variable, is_found):
    script = tmp_path / "script.py"
    script.write_text("""import numpy as np, triton, triton.language as tl

@triton.jit
def check(x):
    tl.device_assert(tl.load(x) == 1, "not one")

check[(1, )](np.zeros(1, "float32"))
""")
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    done = subprocess.run([sys.executable, str(script)], env={**os.environ, variable: "1", "PYTHONPATH": packages}, capture_output=True, text=True)
    assert ("assertion failed: not one" in done.stderr) == is_found and (done.returncode != 0) == is_found


@triton.jit
def square(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(out + i[:, None] * N + i[None, :], tl.dot(tile, tile))


def test_environment_of_a_running_program_counts_for_what_is_compiled_then(monkeypatch):
    """Tests set TRITON_F32_DEFAULT when the kernels have been imported already, and no knob says so."""
    x, out = np.ones((32, 32), "float32"), np.zeros((32, 32), "float32")
    assert "inputPrecision" not in square[(1, )](x, out, 16).asm["ttir"]  # on a processor, all of fp32
    monkeypatch.setenv("TRITON_F32_DEFAULT", "tf32x3")
    assert "inputPrecision = tf32x3" in square[(1, )](x, out, 32).asm["ttir"]
    assert "inputPrecision" not in square[(1, )](x, out, 32, num_warps=2, default_dot_input_precision="ieee").asm["ttir"]
    monkeypatch.delenv("TRITON_F32_DEFAULT")
    assert "inputPrecision" not in square[(1, )](x, out, 32, num_warps=8).asm["ttir"]
