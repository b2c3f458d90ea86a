"""docs/coverage.md names functions that are there."""
import os
import subprocess
import sys


def test_functions_are_there():
    script = os.path.join(os.path.dirname(__file__), "..", "..", "scripts", "library-coverage")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
