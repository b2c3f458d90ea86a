"""The course of `nereid learn` in Python and notebooks.

    from nereid import learn
    learn.lesson("day-01")               # shown as Markdown in a notebook
    learn.check("day-01", kernel)        # a jit function, several, or a source text
    learn.hint("day-01")

`python -m nereid.learn …` is `nereid learn …`: the same words, the same progress.
"""
from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

__all__ = ["Report", "check", "hint", "lesson", "progress", "solution", "start", "units"]

_HEAD = "import triton\nimport triton.language as tl\n\n\n"


class _Text(str):
    """A text that a notebook shows as Markdown, and Python as it is."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_markdown_(self) -> str:
        return str(self)


class Report:
    """What grading found: `passed`, `stage`, `message`, `picture`, `tests`, `goals`, `counters`, and where there is a GPU `time`; printed, it is what the terminal shows."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found

    def __getattr__(self, name: str) -> Any:
        try:
            return self._found[name]
        except KeyError:
            raise AttributeError(f"a report has no `{name}`") from None

    def __bool__(self) -> bool:
        return bool(self._found["passed"])

    def __repr__(self) -> str:
        lines = [f"{self.unit}: {self.title}"]
        lines += [f"  {'ok    ' if test['state'] == 'passed' else 'WRONG '} {test['name']}" for test in self.tests if test["state"] != "not run"]
        lines += [f"  {'ok    ' if goal['met'] else 'MISSED'} {goal['said']}" for goal in self.goals]
        if "time" in self._found:
            lines.append(f"  time   {self.time['said']}")
        if self.printed:
            lines += ["", self.printed.rstrip()]
        lines += ["passed"] if self.passed else ["", (self.message + self.picture).rstrip()]
        return "\n".join(lines)


def _run(words: list[str]) -> tuple[int, str]:
    """Exit status and output of `nereid learn WORDS`, in a process of its own: nothing that a learner writes ends this one."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run([sys.executable, "-m", "nereid._command", "learn", *words], text=True, errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=dict(os.environ, PYTHONPATH=os.pathsep.join(paths)), check=False)  # yapf: disable
    return done.returncode, done.stdout or done.stderr


def _mistake(text: str) -> str:
    """What a word of the course said was wrong, as text or as JSON."""
    try:
        return json.loads(text)["error"]
    except (json.JSONDecodeError, KeyError):
        return text.strip().removeprefix("error: ")


def _asked(words: list[str], course: str | None) -> str:
    status, text = _run(words + (["--course", course] if course else []))
    if status != 0:
        raise ValueError(_mistake(text))
    return text


def _source_of(item: Any) -> str:
    if isinstance(item, str):
        return item
    function = item
    while hasattr(function, "fn"):  # a jit function, perhaps inside of a tuner
        function = function.fn
    return inspect.getsource(function)


def units(course: str | None = None) -> list[dict[str, Any]]:
    """All units with what you have done so far."""
    return json.loads(_asked(["progress", "--json"], course))["units"]


def progress(course: str | None = None) -> _Text:
    """What you have done so far."""
    return _Text(_asked(["progress"], course))


def lesson(unit: str, course: str | None = None) -> _Text:
    """The lesson of a unit."""
    return _Text(_asked(["lesson", unit], course))


def start(unit: str, folder: str | None = None, course: str | None = None) -> _Text:
    """Makes your file of a unit, and gives its lesson."""
    return _Text(_asked(["start", unit, *([folder] if folder else [])], course))


def hint(unit: str, course: str | None = None) -> _Text:
    """One more hint each time."""
    return _Text(_asked(["hint", unit], course))


def solution(unit: str, anyway: bool = False, course: str | None = None) -> _Text:
    """A solution with its reasons, once you have passed."""
    return _Text(_asked(["solution", unit, *(["--anyway"] if anyway else [])], course))


def check(unit: str, *code: Any, course: str | None = None) -> Report:
    """Grades jit functions (the kernel, and others that it needs) or a source text; without any, your file of the unit."""
    words = ["check", unit, "--json"]
    if not code:
        return _report(*_run(words + (["--course", course] if course else [])))
    text = "\n\n".join(_source_of(item) for item in code)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if "import triton" in text else _HEAD + text)
        return _report(*_run(words + ["--file", path] + (["--course", course] if course else [])))


def _report(status: int, text: str) -> Report:
    if status not in (0, 1):
        raise ValueError(_mistake(text) or f"grading ended with status {status}")
    return Report(json.loads(text))


def main() -> None:
    """`python -m nereid.learn …`."""
    from ._command import main as command
    sys.argv[1:1] = ["learn"]
    command()


if __name__ == "__main__":
    main()
