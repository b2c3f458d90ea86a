"""Tests, one for each program that PRETENDED_SCRIPTS names: it runs as `__main__`, under pretended_gpu_plugin.py."""
import os
import runpy
import sys

import pytest

SCRIPTS = [path for path in os.environ.get("PRETENDED_SCRIPTS", "").split(os.pathsep) if path]


@pytest.mark.parametrize("path", SCRIPTS)
def test_program(path, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(os.path.dirname(path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [path])
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit:
        pass
