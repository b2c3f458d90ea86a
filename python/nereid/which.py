"""Which `triton` an `import triton` means in this Python, and how to change that.

An installed nereid leaves `import triton` alone until it is told otherwise, and torch brings a Triton of its own: this is where
people see which of the two they have.
"""
from __future__ import annotations

import os
import re
import sys
from typing import NamedTuple


class Found(NamedTuple):
    """A `triton` package: its folder, its version, and whether it is nereid's."""
    folder: str
    version: str
    is_ours: bool


def found() -> Found | None:
    """The `triton` that an import finds, without importing it; None where there is none."""
    from importlib.util import find_spec
    try:
        spec = find_spec("triton")
    except (ImportError, ValueError):  # a module without a spec took the name
        spec = None
    if spec is None or not spec.origin or not os.path.exists(spec.origin):
        return None
    with open(spec.origin, encoding="utf-8", errors="replace") as file:
        text = file.read()
    version = re.search(r"""^__version__ = ['"]([^'"]*)""", text, re.M)
    return Found(os.path.dirname(spec.origin), version[1] if version else "unknown", "__nereid__" in text)


def sentence(triton: Found | None) -> str:
    """One line: what `import triton` means, and what changes it."""
    if triton is None:
        return "`import triton` finds nothing in this Python: `python -m nereid.enable` makes it mean nereid's"
    if triton.is_ours:
        return f"`import triton` means nereid's, in {triton.folder}"
    return (f"`import triton` means Triton {triton.version} in {triton.folder}, not nereid's: `python -m nereid.enable` puts nereid's before it, "
            "`python -m nereid SCRIPT` does so for one script")


def found_by_a_new_process() -> Found | None:
    """The same as a Python that starts now sees it, with its .pth files read."""
    import json
    import subprocess
    code = "import json, sys; from nereid.which import found; print(json.dumps(found()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    return Found(*answer) if answer else None
