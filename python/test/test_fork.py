"""Processes that are started while kernels are in use, and threads that launch while the interpreter ends."""
import os
import subprocess
import sys

import pytest
from test_cuda import ROOT

PROGRAM = """
import multiprocessing, os, sys, threading
import numpy as np
import triton, triton.language as tl

@triton.jit
def double(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) * 2, i < n)

@triton.jit
def triple(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) * 3, i < n)

def total(kernel):
    x = np.ones(100000, dtype=np.float32)
    kernel[(triton.cdiv(x.size, 64), )](x, x.size, BLOCK=64)
    return float(x.sum())
"""


def run(tmp_path, text):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM + text)
    environment = {**os.environ, "PYTHONPATH": ROOT, "NEREID_CACHE_DIR": str(tmp_path / "cache")}
    return subprocess.run([sys.executable, str(file)], env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_launch_what_the_parent_launched_and_more(tmp_path, method):
    done = run(
        tmp_path, f"""
def by_name(name):
    return total(globals()[name])

if __name__ == "__main__":
    assert total(double) == 200000
    with multiprocessing.get_context({method!r}).Pool(3) as pool:
        assert pool.map(by_name, ["double", "triple"] * 4) == [200000, 300000] * 4
    assert total(triple) == 300000
    print("fine")
""")
    assert done.stdout == "fine\n", done.stderr


def test_a_fork_while_another_thread_launches(tmp_path):
    done = run(
        tmp_path, """
stop = False
def launch():
    while not stop:
        total(double)
total(double)
thread = threading.Thread(target=launch)
thread.start()
for _ in range(8):
    child = os.fork()
    if child == 0:
        os._exit(0 if total(triple) == 300000 and total(double) == 200000 else 1)
    assert os.waitpid(child, 0)[1] == 0
stop = True
thread.join()
print("fine")
""")
    assert done.stdout == "fine\n", done.stderr


def test_a_fork_waits_for_a_thread_that_compiles(tmp_path):
    # A global with a `value` property lets Python run in the middle of a compilation: the main thread forks just then.
    done = run(
        tmp_path, """
class Slow:
    def __init__(self):
        self.reached, self.forks, self.ended = threading.Event(), threading.Event(), False
slow = Slow()

class Factor(tl.constexpr):
    @property
    def value(self):
        slow.reached.set()
        slow.forks.wait(0.3)
        slow.ended = True
        return 5
    @value.setter
    def value(self, value):
        pass
FACTOR = Factor(5)

@triton.jit
def times(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) * FACTOR, i < n)

thread = threading.Thread(target=total, args=(times, ))
thread.start()
assert slow.reached.wait(60)
child = os.fork()
if child == 0:
    os._exit(0 if slow.ended and total(times) == 500000 and total(double) == 200000 else 1)
slow.forks.set()
assert os.waitpid(child, 0)[1] == 0
thread.join()
print("fine")
""")
    assert done.stdout == "fine\n", done.stderr


def test_threads_that_launch_while_the_interpreter_ends(tmp_path):
    done = run(
        tmp_path, """
def launch():
    while True:
        total(double)
assert total(double) == 200000
for _ in range(3):
    threading.Thread(target=launch, daemon=True).start()
total(triple)
print("fine", flush=True)
""")
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr
