"""Expressions of --expect against numpy: a kernel that does nothing, with what numpy gives as the tensor that is compared. expressions.py FOLDER"""
import os
import subprocess
import sys

import numpy as np

FOLDER = sys.argv[1]
KERNEL = os.path.join(FOLDER, "nothing.py")
with open(KERNEL, "w", encoding="utf-8") as file:
    file.write("import triton\n\n\n@triton.jit\ndef nothing(x, y, z, out, n):\n    pass\n")
random = np.random.default_rng(3)
x, y, z = random.normal(size=(4, 6)), np.abs(random.normal(size=(6, 4))), random.normal(size=(2, 1, 6))
n = 3


def softmax(a, axis=-1):
    powers = np.exp(a - a.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


NAMES = {name: getattr(np, name) for name in ("exp exp2 log log2 log1p expm1 sqrt sin cos tan tanh abs floor ceil trunc round maximum minimum where sum mean max min".split())}
NAMES |= {"softmax": softmax, "rsqrt": lambda a: 1 / np.sqrt(a), "sigmoid": lambda a: 1 / (1 + np.exp(-a)), "True": True, "None": None, "x": x, "y": y, "z": z, "n": n}
EXPRESSIONS = ["x + y.T * 2 - -n", "x @ y", "x / (y.T + 1) ** 2", "x // 0.3 % 2.5", "z @ y", "x[:2, None, :] * z", "x[1:n, -1]", "x[None, 2, :4]", "(x > 0) * x + (x <= 0) * 0.1",
               "where(x == x, x, y.T)", "sum(x)", "sum(x, axis=0) + n", "x.mean(axis=-1, keepdims=True)", "max(x, 1) - min(x, axis=1)", "softmax(z, axis=0)",
               "maximum(x, 0) - minimum(x, y.T)", "exp(x) + exp2(x) + expm1(x)", "log(y) + log2(y) + log1p(y) + sqrt(y) + rsqrt(y)", "sin(x) * cos(x) + tan(x) + tanh(x)",
               "abs(x) + floor(x) + ceil(x) + trunc(x) + round(x) + sigmoid(x)", "mean(z)", "4 * (x != x) + 2 * (x >= 0) + 1 * (x < 1)", "1.5", "z.T"]
for name, value in (("x", x), ("y", y), ("z", z)):
    np.save(os.path.join(FOLDER, f"{name}.npy"), value)
for expression in EXPRESSIONS:
    want = np.asarray(eval(expression, globals(), NAMES), dtype="f8")  # pylint: disable=eval-used
    np.save(os.path.join(FOLDER, "want.npy"), np.atleast_1d(want))
    words = [f"{name}={FOLDER}/{name}.npy" for name in "xyz"] + [f"out={FOLDER}/want.npy", f"n={n}"]
    done = subprocess.run(["nereid", "run", KERNEL, *words, "--grid", "0", "--device", "interp", "--tolerance", "1e-12", "--expect", f"out={expression}"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, (expression, done.stdout, done.stderr)
