"""Every function of the language is an object with a name, a signature and advice for host code that calls it."""
import inspect
import json
import os
import pickle
import subprocess

import pytest
import triton.language as tl
from triton.language._builtin import BuiltinFunction

FUNCTIONS = [name for name in tl.__all__ if isinstance(getattr(tl, name), BuiltinFunction)]


def test_all_names_exist():
    assert len(tl.__all__) >= 140 and len(FUNCTIONS) > 90


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    function = getattr(tl, name)
    assert function.__name__ == name and function.__doc__
    assert function.__nereid_path__ in (f"triton.language.{name}", f"triton.language.math.{name}")
    assert inspect.signature(function) is not None
    assert pickle.loads(pickle.dumps(function)) is function


def test_signatures_are_those_of_the_compiler():
    program = os.path.join(os.path.dirname(__file__), "..", "..", "build", "bin", "nereid")
    if not os.path.exists(program):
        pytest.skip("the program `nereid` is not built")
    rows = json.loads(subprocess.check_output([program, "info", "--builtins", "--json"]))["builtins"]
    known = {row["name"]: row["signature"] for row in rows}
    for name in FUNCTIONS:
        if f"tl.{name}" in known:
            function = getattr(tl, name)
            assert f"{name}({function._parameters})" == known[f"tl.{name}"]


def test_call_on_the_host():
    with pytest.raises(ValueError, match="Did you forget to add @triton.jit"):
        tl.load(None)
    with pytest.raises(RuntimeError, match="outside of the scope of a kernel"):
        tl.sum(None)
    with pytest.raises(RuntimeError, match="can only be used in @triton.jit"):
        iter(tl.range(3))


def test_members_of_tensor():
    assert tl.tensor.sum is tl.sum and tl.tensor.to.__name__ == "to"


def test_builtin_of_the_user():

    @tl.core.builtin
    def double(x, _semantic=None):
        return 2 * x

    assert tl.core.is_builtin(double) and double(3, _semantic=object()) == 6
    with pytest.raises(ValueError, match="Did you forget to add @triton.jit"):
        double(3)


def test_compile_time_functions_run_on_the_host():
    assert tl.standard._log2(8) == 3 and tl.standard._is_power_of_two(tl.constexpr(6)) is False
    assert tl.core.get_int_dtype(16, False) == tl.uint16


def test_aggregate():

    @tl.core._aggregate
    class Pair:
        first: tl.constexpr
        second: tl.constexpr

        def __init__(self, first, second):
            self.first = tl.constexpr(first)
            self.second = tl.constexpr(second)

        def total(self):
            return self.first + self.second

    pair = Pair(3, 4)
    assert pair.total().value == 7 and Pair.__name__ == "Pair"
    other = tl.aggregate_replace(pair, second=tl.constexpr(5))
    assert other.total().value == 8 and pair.total().value == 7
    with pytest.raises(TypeError, match="expects an aggregate instance"):
        tl.aggregate_replace(3)
    with pytest.raises(AttributeError, match="has no attribute"):
        pair.third = tl.constexpr(1)
    with pytest.raises(TypeError):
        pair.first = 5
