"""Where the text of a kernel comes from: files, cells of notebooks, `python -c`, `exec`; and what is said where there is none."""
import linecache
import os
import subprocess
import sys

import numpy as np
import pytest

import triton
import triton.language as tl

KERNEL = """
import numpy as np, triton, triton.language as tl

@triton.jit
def fill(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 3)

x = np.zeros(4, np.float32)
fill[(1, )](x, 4)
print(x.sum())
"""


def python(*words, text=None):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run([sys.executable, *words], input=text, capture_output=True, text=True, env=environment)


def test_command_of_the_shell():
    done = python("-c", KERNEL)
    assert done.stdout == "12.0\n", done.stderr


def test_mistake_in_a_command_of_the_shell():
    done = python("-c", KERNEL.replace("arange", "arrange"))
    assert "<string>:6:21: error: `tl` has no `arrange`\n    tl.store(x + tl.arrange(0, BLOCK), 3)\n                    ^~~~~~~\n" in done.stderr


def test_standard_input():
    done = python("-", text=KERNEL)
    if done.returncode == 0:
        assert done.stdout == "12.0\n"
    else:
        assert "the source of `fill` is not available; Python keeps no text of what it reads from standard input: put it into a file" in done.stderr


def test_cell_of_a_notebook():
    name = "<ipython-input-1-0123456789ab>"
    linecache.cache[name] = (len(KERNEL), None, KERNEL.splitlines(keepends=True), name)  # as IPython does
    names = {}
    exec(compile(KERNEL, name, "exec"), names)
    assert names["x"].sum() == 12


def test_text_in_a_variable():
    text, names = KERNEL, {}
    exec(text, names)
    assert names["x"].sum() == 12


def test_text_of_another():
    """Every text that `exec` runs has the same name; what Python has under it may be another's."""
    linecache.cache["<string>"] = (0, None, ["@triton.jit\n", "def made(x):\n", "    tl.store(x, 5)\n"], "<string>")
    try:
        with pytest.raises(ValueError, match="the source of `made` is not available"):
            exec("@triton.jit\ndef made(x):\n    tl.store(x, 4)\n", {"triton": triton, "tl": triton.language})
    finally:
        del linecache.cache["<string>"]


def test_text_that_is_nowhere():
    with pytest.raises(ValueError, match=r"@jit functions should be defined in a Python file: .*`exec\(compile\(text, path, \"exec\"\), …\)`"):
        exec("@triton.jit\ndef made(x): pass", {"triton": triton, "np": np})


@triton.jit
def add_offset(x):
    return x + 1


def test_dependencies_finder():
    """What tools around Triton take for the name of a kernel's text: it changes with the functions that are called."""
    from triton.runtime.jit import DependenciesFinder

    @triton.jit
    def kernel(out):
        tl.store(out, add_offset(COUNT))

    def digest(scope):
        finder = DependenciesFinder(name="kernel", globals=scope, nonlocals={}, src=kernel.src)
        finder.visit(kernel.parse())
        return finder.ret, [name for name, _ in finder.used_global_vals]

    here = {"tl": tl, "add_offset": add_offset, "COUNT": 3}
    assert digest(here) == digest(dict(here)) and digest(here)[1] == ["COUNT"]
    assert digest(here)[0] != digest({**here, "add_offset": kernel})[0]
    assert digest({})[0] == digest({"tl": tl})[0] != digest(here)[0]
