"""Code in TRITON_CACHE_DIR is loaded where nobody but this user and root can have written it; else it is made again."""
import os
import shutil
import subprocess
import sys
import sysconfig
import warnings

import pytest
from test_cuda import ROOT

PROGRAM = """
import sys, warnings
import numpy as np
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def fill(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 7.0)

hits = []
triton.knobs.compilation.listener = lambda *, cache_hit, **more: hits.append(cache_hit)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(2):
        kernel = triton.compile(ASTSource(fill, {"x": "*fp32", "BLOCK": "constexpr"}, {"BLOCK": 4}), GPUTarget("cpu", "native", 1))
x = np.zeros(4, np.float32)
kernel[(1, )](x, 4)
assert (x == 7).all(), x
print(hits, [str(warning.message) for warning in caught])
"""


@pytest.fixture
def run(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)

    def start():
        done = subprocess.run([sys.executable, file], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": ROOT, "TRITON_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)})
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return start


def files(tmp_path, ending):
    return [os.path.join(folder, name) for folder, _, names in os.walk(tmp_path / "cache") for name in names if name.endswith(ending)]


def test_what_this_user_compiled_is_taken(run):
    assert run() == "[False, True] []"
    assert run() == "[True, True] []"


@pytest.mark.parametrize("name", ["__grp__fill.json", "fill.json", "fill.nereid"])
def test_what_is_damaged_is_compiled_again(run, tmp_path, name):
    run()
    [path] = [path for path in files(tmp_path, name) if os.path.basename(path) == name]
    with open(path, "rb") as file:
        whole = file.read()
    number = whole.rindex(b"}") - 1 if name.endswith(".json") else len(whole) // 2  # of the code, the middle; of a text, its last value
    for damaged in (b"", whole[:-1], whole[:number] + bytes([whole[number] ^ 1]) + whole[number + 1:], b"[" * 100000, b"[5]", b"\xff\xfe", whole + b" "):
        with open(path, "wb") as file:
            file.write(damaged)
        said = run()
        with open(path, "rb") as file:
            left = file.read()
        assert (said, left) == ("[False, True] []", whole) or name.startswith("__grp__") and said == "[True, True] []", (said, damaged[:40])


@pytest.mark.parametrize("ending", [".nereid", ".json"])
def test_what_others_may_write_is_compiled_again(run, tmp_path, ending):
    run()
    for path in files(tmp_path, ending):
        if "__grp__" not in path:
            os.chmod(path, 0o666)
    said = run()
    assert said.startswith("[False, False] [") and said.count("may be written to by everyone") == 1, said
    assert not [name for name in os.listdir(tmp_path) if name.startswith("nereid-")]  # what was made for the process went with it


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_belongs_to_others_is_compiled_again(run, tmp_path):
    run()
    [path] = files(tmp_path, ".nereid")
    os.chown(path, 12345, -1)
    said = run()
    assert "[False, False]" in said and "belongs to another user (12345)" in said, said
    assert os.stat(path).st_uid == 12345  # theirs stays


def test_links_are_not_followed(run, tmp_path):
    run()
    [path] = files(tmp_path, ".nereid")
    os.rename(path, tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", path)
    assert "[False, False]" in run()


def test_a_folder_that_a_group_shares_is_used(run, tmp_path):
    run()
    for folder, _, _ in os.walk(tmp_path / "cache"):
        os.chmod(folder, 0o775)
    assert run() == "[True, True] []"


def test_a_library_of_others_is_built_again(tmp_path, monkeypatch):
    from triton.runtime.build import compile_module_from_src
    source = """
#include <Python.h>
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "answer", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_answer(void) {
  PyObject *module = PyModule_Create(&definition);
  PyModule_AddIntConstant(module, "value", 42);
  return module;
}
"""
    if not (shutil.which("gcc") or shutil.which("clang")) or not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
        pytest.skip("no C compiler, or no headers of Python")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    assert compile_module_from_src(source, "answer").value == 42
    [path] = files(tmp_path, ".so")
    os.unlink(path)  # what is loaded stays as it is
    with open(path, "wb") as file:
        file.write(b"of somebody else")
    os.chmod(path, 0o666)
    with warnings.catch_warnings(record=True):
        assert compile_module_from_src(source, "answer").value == 42
    with open(path, "rb") as file:
        assert file.read() == b"of somebody else"


def test_what_does_not_fit_leaves_nothing(tmp_path, monkeypatch):
    from triton.runtime.cache import get_cache_manager
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    manager = get_cache_manager("ab" * 32)
    manager.put("good", "file", binary=False)
    monkeypatch.setattr(os, "replace", _full)
    with pytest.raises(OSError, match="No space left"):
        manager.put("new", "file", binary=False)
    assert os.listdir(manager.cache_dir) == ["file"]
    with open(manager.get_file("file")) as file:
        assert file.read() == "good"


def _full(*_):
    import errno
    raise OSError(errno.ENOSPC, "No space left on device")
