"""numpy_oracle.py: every reference.py of the course against numpy, on tensors as the unit's own tests describe them.

    python3 learn/numpy_oracle.py            # all units of course.json
    python3 learn/numpy_oracle.py day-03     # some of them

What numpy says stands in tables, numpy_references_*.py: REFERENCES[id] is a function of the arguments of a test that returns its
outputs by name. The tables share nothing with the kernels, so that a mistake in a reference is not repeated here.
"""
import ast
import glob
import importlib.util
import json
import os
import re
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "python"))

import numpy as np
from nereid_test import Checks, Expression, bf16_from_float, bf16_to_float, launch

TENSOR = re.compile(r"(?P<how>randn|rand|zeros|ones|empty|arange|full\((?P<value>[^)]*)\)|randint\((?P<low>-?\d+),\s*(?P<high>-?\d+)\))"
                    r":(?P<dtype>\w+)\[(?P<extents>[^\]]*)\](?P<turned>\.T)?$")
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
INTEGERS = {"i1": np.bool_, **{f"{kind[0]}{bits}": np.dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)}}


def references():
    """The tables of all files, as one."""
    table = {}
    for path in sorted(glob.glob(os.path.join(HERE, "numpy_references_*.py"))):
        spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        twice = table.keys() & module.REFERENCES.keys()
        assert not twice, f"{path}: there is a reference of {', '.join(twice)} in another file, too"
        table.update(module.REFERENCES)
    return table


def rounded(values, dtype):
    """Values that the learner's element type holds, as the reference gets them: float64 instead of any other float."""
    if dtype in INTEGERS:
        return np.asarray(values).astype(INTEGERS[dtype])
    if dtype == "bf16":
        return bf16_to_float(bf16_from_float(values)).astype(np.float64)
    return np.asarray(values).astype(FLOATS[dtype]).astype(np.float64)


def make_tensor(words, scalars, rng):
    how, dtype = words["how"].split("(")[0], words["dtype"]
    shape = [int(eval(extent, {}, dict(scalars))) for extent in words["extents"].split(",")]
    if how == "empty":  # a value that no result has
        values = np.full(shape, -99 if dtype in INTEGERS else np.nan)
    elif how == "arange":
        values = np.arange(np.prod(shape)).reshape(shape)
    elif how == "randint":
        values = rng.integers(int(words["low"]), int(words["high"]), shape)
    elif how in ("randn", "rand"):
        values = rng.standard_normal(shape) if how == "randn" else rng.random(shape)
    else:
        values = np.full(shape, {"zeros": 0.0, "ones": 1.0}.get(how) if how != "full" else float(words["value"]))
    values = rounded(values, dtype)
    return values.T if words["turned"] else values


def make_value(text):
    text = {"true": "True", "false": "False", "inf": "1e999"}.get(text, text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return Expression(text)


def make_arguments(texts, made, rng):
    """The arguments of a launch by name; tensors that an earlier launch has made are used again."""
    pairs = [text.partition("=")[::2] for text in texts]
    tensors = {name: TENSOR.match(text) for name, text in pairs}
    arguments = {name: make_value(text) for name, text in pairs if text and not tensors[name]}
    scalars = {name: value for name, value in arguments.items() if isinstance(value, (int, float))}
    for name, words in tensors.items():
        if name not in made and words:
            made[name] = make_tensor(words, scalars, rng)
    made.update({name: value for name, value in arguments.items() if not isinstance(value, Expression) or str(value) not in made})
    return {name: made.get(name, arguments.get(name)) for name, _ in pairs}


def compare(checks, unit, path, test, reference, rng):
    what, made = f"{unit} {test['name']}", {}
    steps = test.get("launches") or [dict(test, kernel=path["file_kernel"])]
    steps = [(step["kernel"], make_arguments(step["arguments"], made, rng), step["grid"]) for step in steps]
    before = types.SimpleNamespace(**{name: value.copy() if isinstance(value, np.ndarray) else value for name, value in made.items()})
    before.grid = steps[0][2]
    expected = reference(before)
    for kernel, arguments, grid in steps:
        launch(path["reference"], kernel, arguments, grid=grid, device="interp")
    checks.expect(set(expected) == set(path["outputs"]), f"{what}: numpy computes {sorted(expected)}, the unit has {sorted(path['outputs'])}")
    for name, values in expected.items():
        actual = made[name]
        values = np.broadcast_to(values, actual.shape) if np.size(values) != actual.size else np.reshape(values, actual.shape)
        if actual.dtype.kind == "f":
            checks.close(actual, values, f"{what}: {name}", rtol=1e-9, atol=1e-9)
        else:
            checks.equal(actual, values, f"{what}: {name}")


def test_unit(checks, unit, reference):
    folder = os.path.join(HERE, unit["folder"])
    with open(os.path.join(folder, "unit.json")) as file:
        description = json.load(file)
    description["reference"] = os.path.join(folder, "reference.py")
    for test in description["tests"]:
        rng = np.random.default_rng(21)
        with np.errstate(all="ignore"):
            checks.run(f"{unit['id']} {test['name']}", compare, checks, unit["id"], description, test, reference, rng)


def main():
    checks, table = Checks(), references()
    with open(os.path.join(HERE, "course.json")) as file:
        units = json.load(file)["units"]
    wanted = sys.argv[1:] or [unit["id"] for unit in units]
    for unit in units:
        if unit["id"] in wanted:
            if checks.expect(unit["id"] in table, f"{unit['id']}: no table of numpy's has it"):
                test_unit(checks, unit, table[unit["id"]])
    checks.exit()


if __name__ == "__main__":
    main()
