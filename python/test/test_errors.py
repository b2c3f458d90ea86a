"""Errors: their classes, their text, and that they survive a pickle."""
import ast
import os
import pickle
import subprocess
import sys
import traceback

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct
from triton.runtime.errors import AutotunerError, InterpreterError, OutOfResources, PTXASError

SOURCE = "def kernel(x):\n    y = x\n    return z\n"


def test_message_shows_the_line():
    node = ast.parse(SOURCE).body[0].body[1].value
    error = CompilationError(SOURCE, node, "z is not defined")
    assert str(error) == "at 3:11:\ndef kernel(x):\n    y = x\n    return z\n           ^\nz is not defined"


def test_message_shows_the_last_lines_of_a_long_source():
    node = ast.Pass(lineno=30, col_offset=2)
    text = str(CompilationError("\n".join(f"line {i}" for i in range(1, 40)), node, "no"))
    assert "line 19\n" in text and "line 18\n" not in text and "line 30\n  ^\nno" in text


def test_message_without_source_or_place():
    assert str(CompilationError(None, ast.Pass(lineno=1, col_offset=0))) == "at 1:0:\n <source unavailable>"
    assert str(CompilationError("text", None, "no")) == "text\nno"
    assert str(CompilationError("", ast.Pass(lineno=0, col_offset=0), "no")).endswith("<source empty>\nno")


@pytest.mark.parametrize("error", [
    CompilationError("a", None, "b"), CompileTimeAssertionFailure("a", None, "b"), UnsupportedLanguageConstruct("a", None, "b"),
    OutOfResources(3, 2, "shared memory"), PTXASError("b"), AutotunerError("b"), InterpreterError("b")
], ids=lambda error: type(error).__name__)
def test_family_and_pickle(error):
    assert isinstance(error, triton.TritonError)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error)


def test_texts():
    assert str(OutOfResources(3, 2, "threads")).startswith("out of resource: threads, Required: 3, Hardware limit: 2.")
    assert str(PTXASError("bad")) == "PTXAS error: bad" and str(InterpreterError()) == ""
    assert triton.CompilationError is CompilationError and triton.OutOfResources is OutOfResources


PROGRAM = """
import triton
import triton.language as tl


@triton.jit
def inner(p):
    return tl.laod(p)


def make():

    @triton.jit
    def outer(x):
        i = tl.arange(0, 16)
        tl.store(x, inner(x + i))

    return outer


import numpy as np
try:
    make()[(1, )](np.zeros(16, np.float32))
except triton.CompilationError as error:
    caught = error
"""

MESSAGE = """{file}:8:15: error: `tl` has no `laod`
    return tl.laod(p)
              ^~~~
note: did you mean `load`?
{file}:16:21: note: in the call of `inner`
        tl.store(x, inner(x + i))
                    ^~~~~~~~~~~~
note: at 3:16: in the text of `outer`"""


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return str(file)


def caught_in(program):
    names = {}
    with open(program) as file:
        exec(compile(file.read(), program, "exec"), names)
    return names["caught"]


def test_places_are_those_of_the_file(program):
    error = caught_in(program)
    assert str(error) == MESSAGE.format(file=program)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_causes_are_there_and_not_printed(program):
    error = caught_in(program)
    assert isinstance(error.__cause__, CompilationError) and str(error.__cause__).startswith("at 2:14:\n")
    assert isinstance(error.__cause__.__cause__, AttributeError)
    text = "".join(traceback.format_exception(error))
    assert "direct cause" not in text and text.count("has no `laod`") == 1
    try:
        raise error from KeyError("mine")
    except CompilationError as raised:
        assert "KeyError: 'mine'" in "".join(traceback.format_exception(raised)) and isinstance(raised.__cause__, KeyError)


def test_uncaught_error_ends_in_its_message(program):
    with open(program, "a") as file:
        file.write("raise caught\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and done.stderr.endswith(MESSAGE.format(file=program) + "\n")
    assert done.stderr.count("Traceback") == 1


def helper(a):
    return a * 2


@triton.jit
def calls_a_function(x):
    tl.store(x, helper(tl.load(x)))


TABLE = np.arange(4)


@triton.jit
def reads_an_array(x):
    tl.store(x, TABLE[0])


def test_globals_that_a_kernel_cannot_see():
    x = np.zeros(4, np.float32)
    with pytest.raises(CompilationError, match="Cannot access global variable `helper`(.|\n)*decorate it with `@triton.jit`"):
        calls_a_function[(1, )](x)
    with pytest.raises(CompilationError, match="its type is `ndarray`; make it a constant"):
        reads_an_array[(1, )](x)


def test_type_of_torch():
    torch = pytest.importorskip("torch")

    @triton.jit
    def casts(x):
        tl.store(x, tl.load(x).to(torch.float16))

    with pytest.raises(CompilationError, match="got unknown value `torch.float16`(.|\n)*note: write `tl.float16`"):
        casts[(1, )](np.zeros(4, np.float32))


def test_tensor_for_a_constexpr():

    @triton.jit
    def fill(x, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), 1.0)

    x = np.zeros(4, np.float32)
    with pytest.raises(CompilationError, match="must be a constant integer, got `ndarray`(.|\n)*no tensor: were arguments swapped"):
        fill[(1, )](4, x)


def test_too_many_warps_are_passed_over_by_the_autotuner():
    from nereid._support import exception_of
    text = "error: a program has 1, 2, 4, 8, 16 or 32 warps on a GPU, not {} ({} threads, of which there are at most 1024)\nnote: change `num_warps`\n"
    many = exception_of([], 2, text.format(128, 4096), None, False)
    assert isinstance(many, OutOfResources) and (many.required, many.limit, many.name) == (4096, 1024, "threads")
    assert type(exception_of([], 2, text.format(3, 96), None, False)) is ValueError  # no machine has them


def test_a_bug_of_ours_is_no_mistake_of_the_user():
    import nereid
    from nereid._support import exception_of
    text = "error: internal error in Nereid: it made invalid code of `k`: after tile-x: no\nnote: this is a bug of ours; all that shows it again is in /tmp/a.txt\n"
    frames = [("def k(): pass", 1, 4, "internal error in Nereid", "", "")]
    for places in ([], frames):
        raised = exception_of(places, 5, text, None, False)
        assert type(raised) is nereid.InternalError and isinstance(raised, RuntimeError) and "/tmp/a.txt" in str(raised)


@triton.jit
def assembled(x, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=1))


def test_what_a_target_refuses_is_a_compilation_error_with_its_line():
    with pytest.raises(triton.CompilationError, match=r"(?s)error: inline assembly .*\n    tl.store\(x \+ i, tl.inline_asm.*\nnote: the interpreter runs it"):
        assembled[(1, )](np.zeros(16, np.int32), B=16)
