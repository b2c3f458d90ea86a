"""What the oracle programs of the tutorials and of the surprises share: a list of cases, launches as host code writes them,
comparison, and the run over all cases with its total."""
import ast
import itertools
import time
import traceback

import numpy as np

import nereid_test

CASES = []  # (file's key, label, function of a KernelFile)
LAUNCH_OPTIONS = ("num_warps", "num_stages", "num_ctas", "shuffle_seed", "threads", "reachable", "check", "debug")


def case(key, *variants):
    """Registers a function as a case of a kernel file, once for each dictionary of keyword arguments."""
    def register(function):
        for variant in variants or ({},):
            words = " ".join(f"{name}={value}" for name, value in variant.items())
            CASES.append((key, f"{function.__name__} {words}".strip(), lambda file, variant=variant: function(file, **variant)))
        return function
    return register


class KernelFile:
    """A file of kernels. It remembers which of them were launched. With `check`, every launch is under the checker."""

    def __init__(self, path, check=False):
        self.path, self.check = path, check
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        self.functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
                          and any("triton.jit" in ast.unparse(decorator) for decorator in node.decorator_list)}
        self.launched = set()

    def launch(self, kernel, grid, *arguments, **keywords):
        """`kernel[grid](*arguments, **keywords)`; what device_print wrote comes back."""
        self.launched.update([kernel, *(value for value in keywords.values() if isinstance(value, nereid_test.Expression))])
        parameters = [parameter.arg for parameter in self.functions[kernel].args.args]
        options = {name: keywords.pop(name) for name in LAUNCH_OPTIONS if name in keywords and name not in parameters}
        options.setdefault("check", self.check)
        named = dict(zip(parameters, arguments), **keywords)
        return nereid_test.launch(self.path, kernel, named, grid, **options)

    def never_run(self):
        """The jit functions that were neither launched nor named by one that was."""
        reached, waiting = set(), list(self.launched)
        while waiting:
            name = waiting.pop()
            if name in self.functions and name not in reached:
                reached.add(name)
                waiting += [node.id for node in ast.walk(self.functions[name]) if isinstance(node, ast.Name)]
        return sorted(self.functions.keys() - reached)


def expect_close(got, want, absolute, relative=0.0, what="result"):
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        raise AssertionError(f"{what}: shape {got.shape}, expected {want.shape}")
    if got.dtype.kind == "f" or want.dtype.kind == "f":
        wrong = ~(np.abs(got.astype(np.float64) - want) <= absolute + relative * np.abs(want.astype(np.float64)))
    else:
        wrong = got != want
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise AssertionError(f"{what}: {int(wrong.sum())} of {wrong.size} differ, first at {at}: {got[at]}, expected {want[at]}")


def expect_equal(got, want, what="result"):
    expect_close(got, want, 0.0, 0.0, what)


def cdiv(a, b):
    return -(-a // b)


def run_case(label, function, file):
    start = time.perf_counter()
    print(f"RUN: {label}", flush=True)
    try:
        function(file)
    except Exception as problem:  # one wrong case must not hide the others
        place = "" if isinstance(problem, (AssertionError, nereid_test.NereidError)) else traceback.format_exc(limit=-1)
        print(f"FAILED: {label}: {problem}\n{place}".rstrip(), flush=True)
        return False
    print(f"ok   {label} ({time.perf_counter() - start:.2f} s)", flush=True)
    return True


def run_cases(paths, pattern=""):
    """Runs the cases over the files that `paths` names by key, each plainly and under the checker, which must find nothing;
    prints a line for each and the total; the exit status. Without a pattern, a jit function that no case reaches is a failure."""
    files, passed, failed = {}, 0, 0
    for check, (key, label, function) in itertools.product((False, True), CASES):
        label = f"{key:02} {label}" + (" under the checker" if check else "")
        if pattern not in label:
            continue
        if (key, check) not in files:
            files[key, check] = KernelFile(paths[key], check)
        ok = run_case(label, function, files[key, check])
        passed, failed = passed + ok, failed + (not ok)
    for key in () if pattern else sorted(paths):
        missing = files[key, False].never_run() if (key, False) in files else ["any kernel"]
        passed, failed = passed + (not missing), failed + bool(missing)
        if missing:
            print(f"FAILED: {key:02} no case runs {', '.join(missing)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
