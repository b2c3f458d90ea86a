"""What a kernel was compiled with may change later: code is made anew, or the launch is an error, but old code never runs in silence."""
import dataclasses
import os
import subprocess
import sys
import threading
import types
from typing import NamedTuple

import numpy as np
import pytest
import triton
import triton.language as tl


@pytest.fixture
def x():
    return np.zeros(4, np.int64)


@triton.jit
def store(x, VALUE: tl.constexpr):
    tl.store(x, VALUE)


@triton.jit
def store_first(x, PAIR: tl.constexpr):
    tl.store(x, PAIR[0])


@triton.jit
def store_field(x, PAIR: tl.constexpr):
    tl.store(x, PAIR.a)


@triton.jit
def store_size(x, OPTIONS: tl.constexpr):
    tl.store(x, OPTIONS.size)


def test_the_value_of_a_constexpr(x):
    value = tl.constexpr(5)
    for kernel, argument in ((store, value), (store_first, (value, 1)), (store_first, [value])):
        value.value = 5
        kernel[(1, )](x, argument)
        assert x[0] == 5
        value.value = 6
        kernel[(1, )](x, argument)
        assert x[0] == 6


class Forward(NamedTuple):
    a: int
    b: int


class Backward(NamedTuple):
    b: int
    a: int


def test_named_tuples_with_the_same_items(x):
    for pair in (Forward(1, 2), Backward(1, 2), Forward(1, 2)):
        store_field[(1, )](x, pair)
        assert x[0] == pair.a
    with pytest.raises(triton.CompilationError):
        store_field[(1, )](x, (1, 2))


@dataclasses.dataclass
class Options:
    size: int


class Everywhere:
    size = 5


@pytest.mark.parametrize("options", [Options(5), Everywhere], ids=["object", "class"])
def test_attributes_of_an_argument(x, options):
    for options.size in (5, 6, 6, 7, 5):
        store_size[(1, )](x, options)
        assert x[0] == options.size


def test_attributes_of_several_arguments(x):
    first, second = Options(1), Options(2)
    for options in (first, second, first, second):
        options.size += 10
        store_size[(1, )](x, options)
        assert x[0] == options.size


PROGRAM = """
import numpy as np
import triton
import triton.language as tl

class Options:
    size = SIZE

@triton.jit
def store_size(x, OPTIONS: tl.constexpr):
    tl.store(x, OPTIONS.size)

x = np.zeros(4, np.int64)
store_size[(1, )](x, Options)
print(x[0])
"""


def test_attributes_of_an_argument_in_another_process(tmp_path):
    """Code on disk has no part in it: the name of a class says nothing of what it holds."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TRITON_CACHE_DIR": str(tmp_path)}
    for size in ("5", "6"):
        (tmp_path / "program.py").write_text(PROGRAM.replace("SIZE", size))
        process = subprocess.run([sys.executable, tmp_path / "program.py"], env=environment, capture_output=True, text=True)
        assert process.stdout == f"{size}\n", process.stderr


class Shared:
    size = tl.constexpr(5)


@triton.jit
def store_shared(x):
    tl.store(x, Shared.size)


def test_attributes_of_a_global(x):
    store_shared[(1, )](x)
    Shared.size = tl.constexpr(6)
    store_shared[(1, )](x)
    assert x[0] == 6
    Shared.size.value = 7
    store_shared[(1, )](x)
    assert x[0] == 7


settings = types.ModuleType("settings")
settings.size = tl.constexpr(5)


@triton.jit
def store_setting(x):
    tl.store(x, settings.size)


def test_names_of_a_module(x):
    store_setting[(1, )](x)
    settings.size = tl.constexpr(6)
    store_setting[(1, )](x)
    assert x[0] == 6


def test_variables_of_an_enclosing_function(x):
    size = tl.constexpr(5)

    @triton.jit
    def kernel(x):
        tl.store(x, size)

    kernel[(1, )](x)
    size = tl.constexpr(6)
    kernel[(1, )](x)
    assert x[0] == 6


SIZES = tl.constexpr([5])
NESTED = tl.constexpr(({"size": [5]}, ))


@triton.jit
def store_from_list(x):
    tl.store(x, SIZES[0])


@triton.jit
def store_from_nested(x):
    tl.store(x, NESTED[0]["size"][0])


@pytest.mark.parametrize("kernel, sizes", [(store_from_list, SIZES.value), (store_from_nested, NESTED.value[0]["size"])], ids=["list", "nested"])
def test_what_a_global_list_holds(x, kernel, sizes):
    kernel[(1, )](x)
    kernel[(1, )](x)
    assert x[0] == 5
    sizes[0] = 6
    with pytest.raises(RuntimeError, match="has changed since we compiled this kernel, from constexpr.*5.*6"):
        kernel[(1, )](x)
    sizes[0] = 5
    kernel[(1, )](x)


@triton.jit
def store_number(x, n):
    tl.store(x, n)


def test_code_that_was_forgotten(x):
    """Its number belongs to no other code: 3 as a float would be written into memory of integers."""
    floats = np.zeros(4, np.float64)
    old = store_number[(1, )](floats, 3)
    store_number.device_caches.clear()
    store_number[(1, )](x, 3)
    with pytest.raises(RuntimeError, match="the kernel has changed since this code was compiled"):
        old[(1, 1, 1)](floats, 4)
    assert floats[0] == 3 and x[0] == 3


@triton.jit
def wait_for(flag):
    tl.store(flag + 1, 1)
    i = 0
    while i < 1:
        i = tl.load(flag, volatile=True)
    tl.store(flag + 2, 7)


def test_code_that_is_forgotten_while_it_runs():
    flag = np.zeros(3, np.int32)
    thread = threading.Thread(target=lambda: wait_for[(2, )](flag, timeout=60))
    thread.start()
    while not flag[1]:
        pass
    wait_for.device_caches.clear()
    with pytest.raises(RuntimeError, match="the kernel was changed while a launch of it is at work"):
        wait_for[(1, )](np.ones(3, np.int32))
    flag[0] = 1
    thread.join()
    assert flag[2] == 7
    wait_for[(1, )](np.ones(3, np.int32))


def test_a_grid_that_changes_its_arguments():
    """As in Triton, what it leaves is what the kernel gets; memory that it frees is not touched."""

    def grow(arguments):
        arguments["x"].resize(1 << 20, refcheck=False)
        return (1, )

    for size in (4, 1 << 16):
        array = np.zeros(size, np.int64)
        store_number[grow](array, 3)
        assert array.size == 1 << 20 and array[0] == 3


def test_a_grid_that_forgets_its_kernel(x):

    def forget(_):
        store_number.device_caches.clear()
        return (1, )

    for n in range(3):
        store_number[forget](x, n + 2)
        assert x[0] == n + 2
