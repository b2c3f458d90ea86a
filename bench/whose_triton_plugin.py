"""pytest plugin: ends the run at once if `import triton` is not the one that SUITE_WHOSE names, so that no table compares one with itself."""
import os

import pytest
import triton

_found = "nereid" if hasattr(triton, "__nereid__") else "triton"
if _found != os.environ["SUITE_WHOSE"]:
    pytest.exit(f"`import triton` means {_found} ({triton.__file__}), not {os.environ['SUITE_WHOSE']}", returncode=3)
