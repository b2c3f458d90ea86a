#!/usr/bin/python3
"""The fifteen surprises that real kernels hold for an implementer: kernels of Inputs/, each file one surprise, run against
numpy.

    surprises_oracle.py [--only PATTERN]
"""
import argparse
import glob
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "python")]

from cases import case, expect_close, expect_equal, run_cases  # noqa: E402
from nereid_test import Expression, Module  # noqa: E402

random = np.random.default_rng(15)


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


def expect_rounded(got, want):
    """Equal, but for `a * b + c`, which a GPU rounds once."""
    expect_close(got, want, 0.0, 3e-7 if os.environ.get("NEREID_DEVICE", "").startswith("cuda") else 0.0)


def blank(*shape, dtype=np.float32):
    return np.full(shape, 77, dtype)


@case(1)
def block_pointer_matmul(file, M=37, N=21, K=43):
    a, b, c = normal(M, K), normal(N, K), blank(M, N)
    file.launch("block_pointer_matmul", (3, 2), a, b, c, M, N, K, BLOCK=16, DEPTH=32)
    expect_close(c, a.astype(np.float64) @ b.T, 1e-4)


@case(1)
def old_mathematics(file, n=27):
    from math import erf
    x, y = normal(n), blank(5, n)
    file.launch("old_mathematics", (1,), x, y, n, BLOCK=32)
    exact = x.astype(np.float64)
    want = [np.tanh(exact), np.tanh(exact), np.abs(exact) ** 1.5, [erf(value) for value in exact], np.log1p(np.abs(exact))]
    expect_close(y, np.array(want), 1e-6, 1e-6)


@case(1)
def transposed_dot(file):
    a, b, c = normal(16, 16), normal(16, 16), blank(2, 16, 16)
    file.launch("transposed_dot", (1,), a, b, c)
    a, b = a.astype(np.float64), b.astype(np.float64)
    expect_close(c, np.array([a @ b.T, a.T @ b]), 1e-5)


@case(2)
def broadcast_logic(file):
    x, y, out = normal(8), normal(16), blank(4, 8, 16, dtype=np.int32)
    file.launch("broadcast_logic", (1,), x, y, out)
    p, q = x[:, None] > 0, y[None, :] > 0
    expect_equal(out, np.array([p & q, p | q, ~p & q, (p & q) | ~(p | q)]).astype(np.int32))


@case(2)
def masked_logic(file, n=50, low=7):
    x, y = normal(64), blank(64)
    file.launch("masked_logic", (1,), x, y, n, low, BLOCK=64)
    i = np.arange(64)
    expect_equal(y, np.where(i < n, np.where(i >= low, x, -1), 77).astype(np.float32))


@case(2, {"kind": "all"}, {"kind": "some"}, {"kind": "none"})
def combined(file, kind):
    x = {"all": np.ones(32), "some": np.arange(32) - 16, "none": -np.ones(32)}[kind].astype(np.float32)
    y = blank(2, dtype=np.int32)
    file.launch("combined", (1,), x, y)
    expect_equal(y, np.array([(x > 0).all(), (x > 0).any()]).astype(np.int32))


@case(3, {"wide": True}, {"wide": False})
def parameters_rebound(file, wide, n=64, stride=70, step=3):
    x, y = normal(2, stride), blank(2, n)
    file.launch("parameters_rebound", (2,), x, y, n, stride, STEP=step, WIDE=wide)
    want = blank(2, n)
    width, factor = (64, 3) if wide else (32, 5)
    want[:, :width] = x[:, :width] * np.float32(factor) + np.float32(step + 1) + np.float32((n - 1) // step)
    expect_close(y, want, 1e-5)


@case(3, {"n": 1}, {"n": 5})
def constexpr_in_a_loop(file, n):
    y = blank(1, dtype=np.int32)
    file.launch("constexpr_in_a_loop", (1,), y, N=n)
    expect_equal(y, np.array([sum(k * 10 if k % 2 == 0 else k for k in range(n)) + n], np.int32))


@case(4, {"mode": "double"}, {"mode": "half"})
def dead_branches(file, mode):
    x, y = normal(32), blank(32)
    file.launch("dead_branches", (1,), x, y, MODE=mode)
    expect_equal(y, x * np.float32(2 if mode == "double" else 0.5))


@case(4, {"double": True}, {"double": False})
def after_the_return(file, double):
    x, y = normal(32), blank(32)
    file.launch("after_the_return", (1,), x, y, DOUBLE=double)
    expect_equal(y, x * np.float32(2 if double else 1))


@case(5, *({"bias": bias, "scale": scale} for bias in (True, False) for scale in (True, False)))
def optional_arguments(file, bias, scale):
    x, y = normal(32), blank(32)
    b, s = normal(32) if bias else None, normal(1) if scale else None
    file.launch("optional_arguments", (1,), x, b, s, y)
    want = x + b if bias else x
    expect_equal(y, want * s[0] if scale else want)


@case(5, {"bias": True}, {"bias": False})
def optional_in_a_function(file, bias):
    x, y, b = normal(32), blank(32), normal(32)
    file.launch("optional_in_a_function", (1,), x, y, **({"bias": b} if bias else {}))
    expect_equal(y, x + b if bias else x)


@case(6, *({"kind": kind, "out": out} for kind in ("float32", "float16", "float64") for out in ("float32", "float16", "float64")))
def types_of_pointers(file, kind, out):
    x, y = normal(32), blank(32, dtype=out)
    file.launch("types_of_pointers", (1,), x, y, KIND=Expression(f"tl.{kind}"))
    want = x.astype(kind)
    if out == "float16":
        want = want * np.asarray(2, kind)
    if kind == "float32":
        want = want + np.float32(1)
    expect_equal(y, want.astype("float64" if kind == "float64" else "float32").astype(out))


@case(6, {"kind": "int8"}, {"kind": "float32"}, {"kind": "uint16"}, {"kind": "float64"})
def properties_of_types(file, kind):
    dtype, y = np.dtype(kind), blank(6, dtype=np.int32)
    file.launch("properties_of_types", (1,), np.zeros(4, dtype), y)
    expect_equal(y, np.array([dtype.itemsize * 8, dtype.kind == "f", dtype.kind in "iu", dtype.itemsize, kind == "int8", True], np.int32))


@case(7, {"name": "relu"}, {"name": "silu"}, {"name": ""}, {"name": "other"})
def activated(file, name):
    x, y = normal(32), blank(32)
    file.launch("activated", (1,), x, y, ACTIVATION=name)
    exact = x.astype(np.float64)
    expect_close(y, {"relu": np.maximum(exact, 0), "silu": exact / (1 + np.exp(-exact)), "": -exact}.get(name, exact), 1e-6)


@case(8, *({"function": function, "n": n} for function in ("double", "square", None) for n in (3, 6)))
def function_arguments(file, function, n):
    x, y = normal(32), blank(32)
    file.launch("activated", (1,), x, y, F=Expression(function) if function else None, n=n)
    want = {"double": x * 2, "square": x * x, None: x}[function]
    for k in range(n):
        want = want + np.float32(k)
    expect_rounded(y, want)


@case(8)
def many_arguments(file):
    x, y = normal(32), blank(32)
    file.launch("many_arguments", (1,), x, y)
    expect_rounded(y, (x + x * np.float32(2)) + x * np.float32(3))


@case(8)
def named_tuples(file):
    x, y = normal(32), blank(32)
    file.launch("named_tuples", (1,), x, y)
    expect_rounded(y, x * np.float32(10) - x)


@case(8)
def largest(file):
    x, y = np.round(normal(32)), blank(2)
    file.launch("largest", (1,), x, y)
    expect_equal(y, np.array([x.max(), x.argmax()], np.float32))


@case(8)
def tuple_arguments(file):
    inputs, y = tuple(normal(3, 32)), blank(32)
    file.launch("tuple_arguments", (1,), inputs, y, (2.0, 0.5, 4.0))
    expect_close(y, inputs[0] * 2 + inputs[1] * 0.5 + inputs[2] * 4, 1e-5)


@case(9)
def computed_constants(file):
    y = blank(10)
    file.launch("computed_constants", (1,), y, N=4051)
    want = [4, 0, 5, 1, 8104, np.finfo(np.float32).min, np.finfo(np.float16).min, np.pi / 2, 2, 2]
    expect_equal(y, np.array(want, np.float32))


@case(9)
def built_instruction(file):
    # Inline assembly runs on a GPU alone: the text that the function built must stand in the compiled kernel.
    x, y = blank(32, dtype=np.uint32), blank(32, dtype=np.uint32)
    text = Module.load(file.path).compile("built_instruction", {"x": x, "y": y})
    file.launched.add("built_instruction")
    if "add.u32 $0, $1, $2;" not in text:
        raise AssertionError(f"the instruction is not in the compiled kernel:\n{text}")


@case(10)
def own_launch_options(file):
    y = blank(3, dtype=np.int32)
    file.launch("own_launch_options", (1,), y, 10, num_warps=8, num_stages=2)
    expect_equal(y, np.array([45, 8, 2], np.int32))


@case(10, {"n": 20, "block": 32, "warps": 8}, {"n": 9, "block": 16, "warps": 2})
def decided_by_heuristics(file, n, block, warps):
    y = blank(40, dtype=np.int32)
    file.launch("decided_by_heuristics", (1,), y, n)
    expect_equal(y, np.where(np.arange(40) < n, warps * 100 + block, 77).astype(np.int32))


@case(10)
def decided_by_a_configuration(file, n=37):
    y = blank(40, dtype=np.int32)
    file.launch("decided_by_a_configuration", "lambda meta: (triton.cdiv(n, meta['BLOCK']), )", y, n)
    expect_equal(y, np.where(np.arange(40) < n, 316, 77).astype(np.int32))


@case(11)
def from_a_table(file):
    arrays, out = [normal(n) for n in (5, 32, 17)], blank(32)
    table = np.array([array.ctypes.data for array in arrays], np.int64)
    sizes = np.array([len(array) for array in arrays], np.int32)
    file.launch("from_a_table", (1,), table, sizes, out, GROUPS=3, BLOCK=32, reachable=arrays)
    want = np.zeros(32, np.float32)
    for array in arrays:
        want[:len(array)] += array
    expect_equal(out, want)


@case(11)
def there_and_back(file):
    x, y = normal(32), blank(64)
    file.launch("there_and_back", (1,), x, y)
    expect_equal(y, np.concatenate([x, x.view(np.uint8)[:32].astype(np.float32)]))


@case(12)
def private_names(file, n=32):
    x, y = normal(n), blank(n // 2 + 1)
    file.launch("private_names", (1,), x, y, N=n)
    expect_equal(y, np.append(np.maximum(x[:n // 2], x[n // 2:]), np.float32(5 + 7)))


@case(12, {"first": 3.0, "second": 1.0}, {"first": -2.0, "second": 6.0})
def sorting_network(file, first, second):
    x, y = np.array([first, second], np.float32), blank(4)
    file.launch("sorting_network", (1,), x, y)
    expect_equal(y, np.array([min(x), max(x), max(x), min(x)]))


@case(12)
def core_spellings(file):
    x, y = normal(32), blank(32)
    file.launch("core_spellings", (1,), x, y)
    expect_equal(y, np.where(x > 0, x, x - 1 - 1))


@case(13)
def large_literals(file):
    y = blank(5, dtype=np.int64)
    file.launch("large_literals", (1,), y)
    expect_equal(y, np.array([2**31, 2**32 - 1, 2**63 - 1, 2**40, 2**32 + 3000000000]))


@case(13)
def unsigned_literals(file):
    x, y = random.integers(0, 2**63, 32, dtype=np.uint64), blank(32, dtype=np.uint64)
    file.launch("unsigned_literals", (1,), x, y)
    expect_equal(y, (x ^ x >> np.uint64(33)) * np.uint64(0xFF51AFD7ED558CCD) & np.uint64(0xFFFFFFFFFFFFFFFE))


@case(13, {"a": -7, "b": 2}, {"a": 7, "b": -2}, {"a": -8, "b": 3})
def divisions(file, a, b):
    x, d = random.integers(-100, 100, 32, dtype=np.int32), random.integers(1, 9, 32, dtype=np.int32) * random.choice([-1, 1], 32).astype(np.int32)
    y = blank(162, dtype=np.int32)
    file.launch("divisions", (1,), x, d, y, A=a, B=b)
    def quotient(p, q):
        return np.trunc(p / q).astype(np.int32)
    want = [quotient(x, d), x - quotient(x, d) * d, [a // b, a % b], quotient(x, 4), x - quotient(x, 4) * 4, x >> 1]
    expect_equal(y, np.concatenate(want))


@case(14, {"order": None}, {"order": 3})
def behind_a_lock(file, order):
    x, total, lock = normal(9, 16), np.zeros(16, np.float32), np.zeros(1, np.int32)
    file.launch("behind_a_lock", (9,), lock, total, x, **({"shuffle_seed": order} if order else {}))
    expect_close(total, x.astype(np.float64).sum(axis=0), 1e-5)
    expect_equal(lock, np.zeros(1, np.int32))


@case(14, {"order": None}, {"order": 3})
def look_back_scan(file, order):
    x, y, state = random.integers(-50, 50, 7 * 32, dtype=np.int32), blank(7 * 32, dtype=np.int64), np.zeros(7, np.int64)
    file.launch("look_back_scan", (7,), x, y, state, BLOCK=32, **({"shuffle_seed": order} if order else {}))
    expect_equal(y, np.cumsum(x, dtype=np.int64))


@case(14)
def backwards_chain(file):
    flag, y = np.zeros(6, np.int32), np.zeros(6, np.int32)
    file.launch("backwards_chain", (6,), flag, y)
    expect_equal(y, np.arange(6, 0, -1, dtype=np.int32))


@case(14)
def through_memory(file):
    x, scratch, y = normal(32), blank(32), blank(32)
    file.launch("through_memory", (1,), x, scratch, y)
    expect_equal(y, x[::-1])


@case(15)
def letters(file, n=20):
    x, y = normal(32), blank(32)
    file.launch("letters", (1,), x, y, n, 0.5, 3, BLOCK=32)
    expect_close(y, np.where(np.arange(32) < n, (x * x + 3) * 0.5, 77), 1e-6)


@case(15, {"flag": True, "small": -3}, {"flag": False, "small": 5})
def annotated(file, flag, small):
    x, y = normal(1), blank(2)
    file.launch("annotated", (1,), x, y, flag, small)
    expect_equal(y, np.array([x[0] + np.float32(small), 1 if flag else 0], np.float32))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    paths = {int(os.path.basename(path)[1:3]): path for path in glob.glob(os.path.join(HERE, "Inputs", "s*.py"))}
    return run_cases(paths, parser.parse_args().only)


if __name__ == "__main__":
    sys.exit(main())
