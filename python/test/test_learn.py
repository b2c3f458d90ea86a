"""The course in Python: a kernel of this process is graded, mistakes are exceptions, `python -m nereid.learn` is the command."""
import os
import subprocess
import sys

import pytest
import triton
import triton.language as tl

from nereid import learn

PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COURSE = os.path.join(os.path.dirname(PACKAGES), "test", "learn", "Inputs", "course")


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, 2 * tl.load(x_ptr + offsets, mask=mask), mask=mask)


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_a_function():
    report = learn.check("double", double, course=COURSE)
    assert report and report.stage == "passed" and "ok     a tail" in repr(report)
    assert [unit["passed"] for unit in learn.units(COURSE)] == [True, False]
    assert "tl.store" in learn.solution("double", course=COURSE)


def test_a_text():
    with open(os.path.join(COURSE, "double", "wrong", "no_mask.py")) as file:
        report = learn.check("double", file.read(), course=COURSE)
    assert not report and report.stage == "check" and "out-of-bounds" in repr(report)
    with pytest.raises(AttributeError, match="no `colour`"):
        report.colour


def test_words():
    assert learn.lesson("double", course=COURSE)._repr_markdown_().startswith("# Twice as much")
    assert "hint 1 of 3" in learn.hint("double", course=COURSE)
    assert "kernel.py" in learn.start("double", "mine", course=COURSE) and os.path.exists("mine/double/kernel.py")
    assert "never written" in repr(learn.check("double", course=COURSE))
    with pytest.raises(ValueError, match="not passed yet"):
        learn.solution("double", course=COURSE)
    with pytest.raises(ValueError, match="there is no unit `nothing`"):
        learn.check("nothing", double, course=COURSE)


def test_as_a_module(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", PACKAGES)
    os.makedirs("class/ada")
    with open("class/ada/double.py", "w") as file, open(os.path.join(COURSE, "double", "solution.py")) as solution:
        file.write(solution.read())
    run = [sys.executable, "-m", "nereid.learn"]
    done = subprocess.run(run + ["list", "--course", COURSE], capture_output=True, text=True)
    assert done.returncode == 0 and "Twice as much" in done.stdout, done
    done = subprocess.run(run + ["grade", "class", "--course", COURSE], capture_output=True, text=True)  # a child of the interpreter grades it
    assert "1 of 1 passed" in done.stdout, done


def test_a_time_is_shown():
    found = {"unit": "double", "title": "Twice", "passed": True, "tests": [], "goals": [], "printed": "", "message": "", "picture": ""}
    assert "time" not in repr(learn.Report(found))
    assert "  time   12.3 us on a GPU\n" in repr(learn.Report({**found, "time": {"said": "12.3 us on a GPU"}}))
