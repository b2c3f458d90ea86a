"""on_triton.py: runs the tests of all library kernels on Triton itself, to prove that the kernels are plain Triton.

    python3 kernels/on_triton.py [NAME…]

Needs a GPU, torch, Triton and numpy, but nothing of Nereid's build. Each test is a process of its own, which
test/python/on_triton.py starts with Triton in place of libnereid.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RUNNER = os.path.join(HERE, "..", "test", "python", "on_triton.py")
TOTAL_LINE = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")


def run(name):
    """Passed, failed and skipped checks of one kernel; a program that ends without a total is one failure."""
    program = os.path.join(HERE, name, name + "_oracle.py")
    done = subprocess.run([sys.executable, RUNNER, program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = done.stdout.strip().splitlines()
    total = TOTAL_LINE.match(lines[-1]) if lines else None
    counts = tuple(int(part or 0) for part in total.groups()) if total else (0, 1, 0)
    if counts[1]:
        print("\n".join(lines[-20:]), flush=True)
    print(f"{name}: {counts[0]} passed, {counts[1]} failed, {counts[2]} skipped", flush=True)
    return counts


def main():
    names = sys.argv[1:] or sorted(os.path.basename(os.path.dirname(path)) for path in glob.glob(os.path.join(HERE, "*", "*_oracle.py")))
    passed, failed, skipped = (sum(column) for column in zip(*map(run, names)))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
