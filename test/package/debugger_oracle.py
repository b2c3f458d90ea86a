"""Debuggers and profilers see kernels: gdb stops at a line of the Python file, in code that was compiled in the process, and perf's
map has its symbols. Skipped where gdb is missing."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build"))
KERNEL = os.path.join(ROOT, "examples", "vector_add.py")


def line_of(text):
    with open(KERNEL) as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


def words():
    """A small launch on the CPU."""
    return [os.path.join(BUILD, "bin", "nereid"), "run", KERNEL, "x_ptr=arange:f32[1000]", "y_ptr=ones:f32[1000]",
            "out_ptr=zeros:f32[1000]", "n=1000", "BLOCK=128", "--grid", "cdiv(n, BLOCK)", "--device", "cpu", "--threads", "1"]


def environment(folder, **more):
    return dict(os.environ, NEREID_CACHE_DIR=os.path.join(folder, "cache"), **more)


def gdb_shows_the_source_elsewhere(folder):
    """The kernel is named from one folder, and the debugger looks for it from another one."""
    run = words()
    run[2] = os.path.relpath(KERNEL, ROOT)
    done = subprocess.run(["gdb", "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex", "set debuginfod enabled off", "-ex", "handle SIGCONT nostop noprint",
                           "-ex", f"set cwd {ROOT}", "-ex", "cd /", "-ex", f"break vector_add.py:{line_of('tl.store')}", "-ex", "run",
                           "--args", *run], capture_output=True, text=True, timeout=300, env=environment(folder))
    if not re.search(r"^\d+\s+tl\.store", done.stdout, re.M):
        raise AssertionError(f"gdb does not show the source:\n{done.stdout}{done.stderr}")


def gdb_stops_at_a_line(folder):
    line = line_of("tl.store")
    # The first time the code comes from the compiler, the second time from the cache.
    for _ in range(2):
        done = subprocess.run(["gdb", "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex", "set debuginfod enabled off", "-ex", "handle SIGCONT nostop noprint",
                               "-ex", f"break vector_add.py:{line}", "-ex", "run", "-ex", "backtrace 1", "-ex", "delete", "-ex", "continue",
                               "--args", *words()], capture_output=True, text=True, timeout=300, env=environment(folder))
        output = done.stdout + done.stderr
        if not re.search(rf"Breakpoint 1, .*vector_add.* at .*vector_add\.py:{line}", output):
            raise AssertionError(f"gdb did not stop at line {line}:\n{output}")
        if not re.search(rf"^{line}\s+tl\.store", output, re.M):
            raise AssertionError(f"gdb does not show the source:\n{output}")
        if "exited normally" not in output:
            raise AssertionError(f"the program did not go on:\n{output}")


def perf_map_names_the_kernel(folder):
    process = subprocess.Popen(words(), stdout=subprocess.DEVNULL, env=environment(folder, NEREID_LOG="perf"))
    process.wait(timeout=300)
    path = f"/tmp/perf-{process.pid}.map"
    if process.returncode or not os.path.exists(path):
        raise AssertionError(f"exit status {process.returncode}, and `{path}` {'is there' if os.path.exists(path) else 'is missing'}")
    with open(path) as file:
        text = file.read()
    os.remove(path)
    if not re.search(r"^[0-9a-f]+ [0-9a-f]+ vector_add\S*$", text, re.M):
        raise AssertionError(f"no line for the kernel:\n{text}")


def main():
    passed = failed = skipped = 0
    for function in (gdb_stops_at_a_line, gdb_shows_the_source_elsewhere, perf_map_names_the_kernel):
        if function.__name__.startswith("gdb") and not shutil.which("gdb"):
            skipped += 1
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(folder)
                passed += 1
            except (AssertionError, subprocess.TimeoutExpired, OSError) as problem:
                failed += 1
                print(f"FAILED: {function.__name__}: {problem}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
