"""Interpreter mode: kernels that do what only Python can do run as Python, all others in the library."""
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import triton
import triton.language as tl
from triton import knobs
from triton.runtime.errors import InterpreterError

SCALE = 3
count = 0


@pytest.fixture(autouse=True)
def interpreter_mode(monkeypatch):
    monkeypatch.setattr(knobs.runtime, "interpret", True)


@pytest.fixture
def ways(monkeypatch):
    """Which way launches went."""
    from triton.runtime.interpreter import InterpretedFunction
    taken = []
    for name, way in (("run_as_python", "python"), ("run_in_library", "library")):
        original = getattr(InterpretedFunction, name)
        monkeypatch.setattr(InterpretedFunction, name,
                            lambda self, *args, original=original, way=way: (taken.append(way), original(self, *args))[1])
    return taken


def run(kernel, *args, grid=(1, ), **constants):
    return triton.jit(kernel)[grid](*args, **constants)


def double(x, out, n, B: tl.constexpr):
    offsets = tl.program_id(0) * B + tl.arange(0, B)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) * 2, mask=mask)


def test_what_the_library_can_run_does_not_run_as_python(ways):
    x, out = np.arange(10, dtype=np.float32), np.zeros(10, np.float32)
    run(double, x, out, 10, grid=(2, ), B=8)
    assert ways == ["library"]
    np.testing.assert_array_equal(out, x * 2)


def test_print_shows_arrays(capsys, ways):

    def kernel(x, out, B: tl.constexpr):
        pid = tl.program_id(0)
        values = tl.load(x + tl.arange(0, B))
        print("x", values, values.shape)
        print(f"{pid} {values.dtype}: {values + 1}")
        print(f"{tl.sum(values):.2f}", values.type)
        tl.store(out + tl.arange(0, B), values)

    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    run(kernel, x, out, B=4)
    assert capsys.readouterr().out.splitlines() == [
        "x [0. 1. 2. 3.] ['constexpr[4]']", "[0] fp32: [1. 2. 3. 4.]", "6.00 <(4,), fp32>"]  # yapf: disable
    assert ways == ["python"]
    np.testing.assert_array_equal(out, x)


def test_print_in_a_function_that_the_kernel_calls(capsys, ways):

    @triton.jit
    def helper(value):
        print("helper", value)
        return value + 1

    def kernel(out):
        tl.store(out, helper(tl.load(out)))

    out = np.array([4], dtype=np.int32)
    run(kernel, out)
    assert (capsys.readouterr().out, out[0], ways) == ("helper [4]\n", 5, ["python"])


def test_globals_of_the_host():

    def kernel(out, B: tl.constexpr):
        global count
        count += 1
        tl.store(out + tl.arange(0, B), tl.arange(0, B) * SCALE + tl.program_id(0))

    out = np.zeros(4, np.int32)
    run(kernel, out, grid=(2, ), B=4)
    assert count == 2
    np.testing.assert_array_equal(out, np.arange(4) * 3 + 1)


def test_lists_dicts_and_functions_of_the_host():
    seen, by_name = [], {}

    def note(value):
        by_name[f"sum{len(seen)}"] = float(tl.sum(value))
        return np.asarray(value).max()

    def kernel(x, B: tl.constexpr):
        values = tl.load(x + tl.program_id(0) * B + tl.arange(0, B))
        seen.append(values)
        by_name[int(tl.program_id(0))] = note(values)

    x = np.arange(8, dtype=np.float32)
    run(kernel, x, grid=(2, ), B=4)
    np.testing.assert_array_equal([each.handle.data for each in seen], x.reshape(2, 4))
    assert by_name == {"sum1": 6.0, 0: 3.0, "sum2": 22.0, 1: 7.0}
    np.testing.assert_array_equal(np.asarray(seen[0] + 1), [1, 2, 3, 4])  # values outlive the launch


def test_numpy_computes_on_tiles():

    def kernel(x, out, B: tl.constexpr):
        values = tl.load(x + tl.arange(0, B))
        roots = np.sqrt(values)
        assert isinstance(roots, np.ndarray)
        tl.store(out + tl.arange(0, B), roots + values)

    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    run(kernel, x, out, B=4)
    np.testing.assert_array_equal(out, np.sqrt(x) + x)


def test_arguments_that_no_compiled_kernel_takes():

    def kernel(out, config, names):
        tl.store(out, config["value"] + len(names))

    out = np.zeros(1, np.int32)
    run(kernel, out, {"value": 40}, ["a", "b"])
    assert out[0] == 42


def test_a_mistake_is_a_python_exception_with_the_line_of_the_kernel():

    def kernel(out, B: tl.constexpr):
        a = tl.arange(0, B)
        b = tl.arange(0, 2 * B)
        tl.store(out + a, a + b)

    with pytest.raises(InterpreterError, match="ValueError") as failure:
        run(kernel, np.zeros(4, np.int32), B=4)
    cause = failure.value.__cause__
    assert isinstance(cause, ValueError)
    trace = cause.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    assert trace.tb_frame.f_code.co_filename == __file__
    assert trace.tb_lineno == kernel.__code__.co_firstlineno + 3


def test_an_exception_of_the_kernel_ends_the_launch():

    def kernel(out):
        try:
            raise KeyError("mine")
        finally:
            tl.store(out, 1)

    out = np.zeros(1, np.int32)
    with pytest.raises(InterpreterError) as failure:
        run(kernel, out)
    assert isinstance(failure.value.__cause__, KeyError) and out[0] == 1


def test_an_access_outside_of_the_arguments_is_an_error():

    def kernel(x):
        print(tl.load(x + 100))

    with pytest.raises(InterpreterError) as failure:
        run(kernel, np.zeros(4, np.float32))
    assert isinstance(failure.value.__cause__, IndexError)


def test_an_array_that_must_not_be_written_is_not():

    def kernel(x):
        print(tl.load(x))
        tl.store(x, 1.0)

    x = np.zeros(4, np.float32)
    x.flags.writeable = False
    with pytest.raises(InterpreterError, match="const"):
        run(kernel, x)
    assert x[0] == 0


def test_nothing_runs_twice(ways):

    def kernel(out, n):
        tl.atomic_add(out, 1)
        total = 0
        for i in range(n):
            total = total + 0.5  # a loop may not change a type: the library refuses it

    out = np.zeros(1, np.int32)
    run(kernel, out, 3, grid=(5, ))
    assert out[0] == 5 and ways == ["library", "python"]


def test_blocks_have_no_truth_but_and_or_not_work():

    def kernel(x, out, B: tl.constexpr):
        print()
        i = tl.arange(0, B)
        a, b = i > 0, i < 3
        tl.store(out + i, (a and b) & (not (i == 2)))
        if tl.sum(i) == 6 and not tl.max(i, 0) == 2 or i:
            tl.store(out, 7)

    out = np.zeros(4, np.int32)
    run(kernel, out, out, B=4)
    np.testing.assert_array_equal(out, [7, 1, 0, 0])

    def wrong(x):
        print()
        if tl.arange(0, 4) > 2:
            tl.store(x, 1)

    with pytest.raises(InterpreterError, match="tl.where"):
        run(wrong, out)


def test_a_reduction_by_a_function_that_prints(capsys):

    @triton.jit
    def combine(a, b):
        print(a, b)
        return a * 2 + b

    def kernel(out, B: tl.constexpr):
        i = tl.arange(0, B)
        tl.store(out, tl.reduce(i, 0, combine))
        tl.store(out + 1 + i, tl.associative_scan(i, 0, combine))

    out = np.zeros(5, np.int32)
    run(kernel, out, B=4)
    np.testing.assert_array_equal(out, [11, 0, 1, 4, 11])
    assert capsys.readouterr().out.startswith("[0] [1]\n[1] [2]\n[4] [3]\n")


def test_a_function_of_a_reduction_means_what_its_names_mean_now(monkeypatch):
    monkeypatch.setitem(globals(), "WEIGHT", tl.constexpr(2))

    @triton.jit
    def combine(a, b):
        return a + b + WEIGHT

    def kernel(out):
        print(end="")
        tl.store(out, tl.reduce(tl.arange(0, 4), 0, combine))

    out = np.zeros(1, np.int32)
    run(kernel, out)
    assert out[0] == 12
    monkeypatch.setitem(globals(), "WEIGHT", tl.constexpr(1))
    run(kernel, out)
    assert out[0] == 9


def test_device_print_keeps_its_place_among_prints(capsys):

    def kernel(x):
        print("before")
        tl.device_print("x", tl.program_id(0))
        print("after")

    run(kernel, np.zeros(1, np.float32))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "before" and "x" in lines[1] and lines[-1] == "after"


def test_what_a_warm_up_gives_runs_too(capsys):

    def kernel(x, B: tl.constexpr):
        print(f"{tl.load(x + tl.arange(0, B))}")

    x = np.arange(2, dtype=np.float32)
    compiled = triton.jit(kernel).warmup(x, B=2, grid=(1, ))
    compiled[(2, )](x, 2)
    assert capsys.readouterr().out == "[0. 1.]\n[0. 1.]\n"


def test_functions_without_a_text_run_as_they_are():
    scope = {"tl": tl}
    exec(compile("def kernel(out, n):\n    tl.store(out, n * 2)\n", "<nowhere>", "exec"), scope)
    out = np.zeros(1, np.int32)
    run(scope["kernel"], out, 21)
    assert out[0] == 42
    run(lambda out: tl.store(out, tl.load(out) + 1), out)
    assert out[0] == 43


def test_launches_of_several_threads():
    from concurrent.futures import ThreadPoolExecutor

    def kernel(out, n, B: tl.constexpr):
        print(end="")
        for i in range(n):
            tl.store(out + tl.program_id(0) * B + tl.arange(0, B), tl.program_id(0) * 10 + i)

    def launch(n):
        out = np.zeros(16, np.int32)
        run(kernel, out, n, grid=(4, ), B=4)
        return out.reshape(4, 4)[:, 0]

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(launch, range(1, 13)))
    finally:
        sys.setswitchinterval(before)
    for n, result in enumerate(results, 1):
        np.testing.assert_array_equal(result, np.arange(4) * 10 + n - 1)


_DEBUGGED = """
import numpy as np, triton, triton.language as tl

@triton.jit
def kernel(x, out, B: tl.constexpr):
    values = tl.load(x + tl.arange(0, B))
    {stop}
    tl.store(out + tl.arange(0, B), values * 2)

out = np.zeros(4, np.float32)
kernel[(1, )](np.arange(4, dtype=np.float32), out, B=4)
print("out", out)
"""


@pytest.mark.parametrize("stop", ["breakpoint()", "import pdb; pdb.set_trace()"])
def test_a_debugger_stops_in_the_kernel(stop, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(_DEBUGGED.format(stop=stop))
    package = os.path.dirname(os.path.dirname(triton.__file__))
    run = subprocess.run([sys.executable, program], input="p values\np values + 1\np B\nw\nc\n", capture_output=True, text=True,
                         env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": package, "PYTHONBREAKPOINT": ""})  # yapf: disable
    assert run.returncode == 0, run.stderr
    assert "array([0., 1., 2., 3.], dtype=float32)" in run.stdout
    assert "array([1., 2., 3., 4.], dtype=float32)" in run.stdout
    assert "(Pdb) 4" in run.stdout and "program.py(" in run.stdout and "kernel()" in run.stdout
    assert "out [0. 2. 4. 6.]" in run.stdout


def test_a_debugger_that_is_attached_makes_kernels_run_as_python(ways):
    lines = set()

    def trace(frame, event, arg):
        if frame.f_code.co_name == "double":
            lines.add(frame.f_lineno - double.__code__.co_firstlineno)
        return trace

    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run(double, x, out, 4, B=4)
    finally:
        sys.settrace(before)
    assert ways == ["python"] and {1, 2, 3} <= lines
    np.testing.assert_array_equal(out, x * 2)


def test_tracebacks_have_the_columns_of_the_file():
    text = "def outer():\n    import triton, triton.language as tl\n    @triton.jit\n    def kernel(x):\n        print(x.nothing)\n    return kernel\n"
    import linecache
    linecache.cache["<columns>"] = (len(text), None, text.splitlines(keepends=True), "<columns>")
    scope = {}
    exec(compile(text, "<columns>", "exec"), scope)
    with pytest.raises(InterpreterError) as failure:
        scope["outer"]()[(1, )](np.zeros(1, np.float32))
    import traceback
    shown = "".join(traceback.format_exception(failure.value.__cause__))
    assert textwrap.dedent("""\
        print(x.nothing)""") in shown
    if sys.version_info >= (3, 11):
        assert "      ^^^^^^^^^" in shown
