"""Errors: their classes, their text, and that they survive a pickle."""
import ast
import pickle

import pytest
import triton
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
