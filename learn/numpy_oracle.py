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
from nereid_test import Checks, Descriptor, Expression, bf16_from_float, bf16_to_float, launch

TENSOR = re.compile(r"(?P<how>randn|rand|zeros|ones|empty|arange|full\((?P<value>[^)]*)\)|randint\((?P<low>-?\d+),\s*(?P<high>-?\d+)\))"
                    r":(?P<dtype>\w+)\[(?P<extents>[^\]]*)\](?P<turned>\.T)?(?:@\[(?P<block>[^\]]*)\])?$")
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
INTEGERS = {"i1": np.bool_, **{f"{kind[0]}{bits}": np.dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)}}
PYTHON = {"cdiv": lambda a, b: -(-a // b), "next_power_of_2": lambda n: 1 << max(n - 1, 0).bit_length(), "min": min, "max": max,
          "true": True, "false": False, "inf": float("inf"), "__builtins__": {}}


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


def evaluate(text, scalars):
    """A number, a tuple or a string; what is not known here (a function of the kernel's file) is left to Nereid."""
    try:
        return eval(text, PYTHON, dict(scalars))
    except (NameError, SyntaxError):
        return Expression(text)


def rounded(values, dtype):
    """Values that the learner's element type holds, as the reference gets them: float64 instead of any other float."""
    if dtype in INTEGERS:
        return np.asarray(values).astype(INTEGERS[dtype])
    if dtype == "bf16":
        return bf16_to_float(bf16_from_float(values)).astype(np.float64)
    return np.asarray(values).astype(FLOATS[dtype]).astype(np.float64)


def make_tensor(words, scalars, scale, rng):
    how, dtype = words["how"].split("(")[0], words["dtype"]
    extents = evaluate(words["extents"], scalars)
    shape = extents if isinstance(extents, tuple) else (extents, )
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
    values = rounded(values if scale == 1 else values * scale, dtype)
    return values.T if words["turned"] else values


def make_arguments(test, rng):
    """The tensors and scalars of a test by name, in which an expression may use the scalars, and the blocks of descriptors."""
    pairs = [text.partition("=")[::2] for text in test.get("arguments", [])]
    scalars, tensors, blocks = {}, {}, {}
    for name, text in pairs:
        if not TENSOR.match(text):
            scalars[name] = evaluate(text, scalars)
    for name, text in pairs:
        if words := TENSOR.match(text):
            tensors[name] = make_tensor(words, scalars, test.get("scale", {}).get(name, 1), rng)
            if words["block"]:
                blocks[name] = list(evaluate(words["block"] + ",", scalars))
    return scalars, tensors, blocks


def parameters(path, kernel):
    with open(path) as file:
        functions = [node for node in ast.parse(file.read()).body if isinstance(node, ast.FunctionDef) and node.name == kernel]
    return [argument.arg for argument in functions[0].args.args]


def launches(unit, test):
    """(kernel, arguments of its own, grid) of each launch of the reference."""
    own = test.get("reference", unit.get("reference", {}))
    steps = own.get("launches") or ([own] if "kernel" in own else test.get("launches") or [{}])
    for step in steps:
        yield (step.get("kernel", unit["file_kernel"]), own.get("arguments", []) + (step.get("arguments", []) if step is not own else []),
               own.get("grid") or step.get("grid") or test["grid"])


def run_reference(unit, test, scalars, tensors, blocks):
    for kernel, changes, grid in launches(unit, test):
        known = {**scalars, **tensors}
        for name, text in (change.partition("=")[::2] for change in changes):
            known[name] = tensors[text] if text in tensors else evaluate(text, scalars)
        wanted = {name: known[name] for name in parameters(unit["file"], kernel) if name in known}
        wanted.update({name: Descriptor(wanted[name], blocks[name]) for name in blocks.keys() & wanted.keys()})
        extents = evaluate(grid, {name: value for name, value in known.items() if not isinstance(value, np.ndarray)})
        launch(unit["file"], kernel, wanted, grid=extents, device="cpu")


def compare(checks, what, unit, test, reference):
    scalars, tensors, blocks = make_arguments(test, np.random.default_rng(test.get("seed", 0)))
    copies = {name: values.copy() for name, values in tensors.items()}
    expected = reference(types.SimpleNamespace(**scalars, **copies))
    run_reference(unit, test, scalars, tensors, blocks)
    checks.expect(set(expected) == set(unit["outputs"]), f"{what}: numpy computes {sorted(expected)}, the unit has {sorted(unit['outputs'])}")
    for name, values in expected.items():
        actual, values = tensors[name], np.reshape(values, tensors[name].shape)
        if actual.dtype.kind == "f":
            checks.close(actual, values, f"{what}: {name}", rtol=1e-9, atol=1e-9)
        else:
            checks.equal(actual, values, f"{what}: {name}")


def test_unit(checks, name, folder, reference):
    with open(os.path.join(folder, "unit.json")) as file:
        unit = json.load(file)
    unit["file"] = os.path.join(folder, "reference.py")
    for test in unit["tests"]:
        what = f"{name} {test['name']}"
        with np.errstate(all="ignore"):
            checks.run(what, compare, checks, what, unit, test, reference)


def main():
    checks, table = Checks(), references()
    with open(os.path.join(HERE, "course.json")) as file:
        units = json.load(file)["units"]
    wanted = sys.argv[1:] or [unit["id"] for unit in units]
    for unit in units:
        if unit["id"] in wanted and checks.expect(unit["id"] in table, f"{unit['id']}: no table of numpy's has it"):
            test_unit(checks, unit["id"], os.path.join(HERE, unit["folder"]), table[unit["id"]])
    checks.exit()


if __name__ == "__main__":
    main()
