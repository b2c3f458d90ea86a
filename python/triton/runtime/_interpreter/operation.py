"""One operation of the language on values that exist: compiled for the kinds of its operands, kept, and computed."""
import sys
import threading
from bisect import bisect

import numpy as np

from nereid import _native

from ...language import core as tl
from .builder import interpreter_builder
from .values import handles_of, kind_of, result_maker, spec_of

_MOST_OPERATIONS = 20000


_kept = {}  # by options, then by the text and the kinds of operands


class _Thread(threading.local):
    """What the thread is doing."""
    surroundings = None  # the launch whose program it runs
    options = (4, False, True)  # num_warps, debug, sanitize_overflow
    kept = _kept.setdefault(options, {})  # operations that were compiled with them
    kept_steps = {}  # the same with their steps, while a visualizer looks on


thread = _Thread()


def set_options(num_warps=4, debug=False, sanitize_overflow=True):
    """What operations of this thread are compiled with, beyond their operands."""
    thread.options = (num_warps, bool(debug), bool(sanitize_overflow))
    thread.kept, thread.kept_steps = _kept.setdefault(thread.options, {}), {}


class _Plan:
    """A compiled operation, with how its results are made."""

    __slots__ = ("native", "outputs", "make", "makes_addresses")

    def __init__(self, expression, names, values, with_steps=False):
        text = f"def operation({', '.join(names)}):\n    return {expression}\n"
        specs = [spec_of(value) for value in values]
        self.native = _native.operation(text, specs, *thread.options, with_steps)
        self.outputs = []
        self.make = result_maker(self.native.result, self.outputs)
        from_pointer = any(spec[0] != "constant" and "*" in str(spec) and "**" not in str(spec) for spec in specs)
        self.makes_addresses = "*" in str(self.native.result) and not from_pointer

    def run(self, arrays):
        around = thread.surroundings
        if around is None:
            around = thread.surroundings = _native.Surroundings((1, 1, 1), ())
        outputs = [np.empty(shape, dtype) for shape, dtype in self.outputs]
        try:
            printed = self.native.run(arrays, outputs, around)
        except TypeError:  # somebody has put an array of another layout into a handle
            printed = self.native.run(list(map(np.ascontiguousarray, arrays)), outputs, around)
        if printed is not None:
            sys.stdout.write(printed)
        if self.makes_addresses:
            around.trust_addresses()
        return self.make(outputs)


def evaluate(expression, names, values):
    """The value of an expression of the language over named operands; step by step where a visualizer looks on."""
    if interpreter_builder.is_stepped:
        return _stepwise(expression, names, values)
    return compute(expression, names, values)


def _stepwise(expression, names, values):
    from . import replay
    arrays = []
    key = (expression, *[kind_of(value, arrays) for value in values])
    plan = thread.kept_steps.get(key)
    if plan is None:
        plan = thread.kept_steps[key] = _Plan(expression, names, values, with_steps=True)
    handles = [handle for value in values for handle in handles_of(value)]
    if replay.is_known(plan.native.steps):
        return replay.made_of(plan.native.result, replay.replay(plan.native.steps, handles))
    if len(arrays) != len(handles):
        raise NotImplementedError(f"`{expression}` has no steps that a visualizer could follow without values")
    return plan.run(arrays)


def compute(expression, names, values):
    arrays = []
    key = (expression, *[kind_of(value, arrays) for value in values])
    kept = thread.kept
    plan = kept.get(key)
    if plan is None:
        if len(kept) >= _MOST_OPERATIONS:
            kept.clear()
        plan = kept[key] = _Plan(expression, names, values)
    return plan.run(arrays)


# ---- Numbers. The type depends on the range that a number is in, so one of each range is asked for.
_RANGES = [-2**63, -2**31, 0, 2**31, 2**32, 2**63, 2**64]
_LARGEST_FLOAT = float(np.finfo(np.float32).max)
_SMALLEST_FLOAT = float(np.finfo(np.float32).tiny)
_number_types = {}


def scalar_type(value):
    """The type that a number of Python has in a kernel."""
    if isinstance(value, bool):
        return tl.int1
    if isinstance(value, int):
        key = bisect(_RANGES, value)
    else:
        size = abs(value)
        key = f"{size >= _SMALLEST_FLOAT}{size <= _LARGEST_FLOAT}{size == 0.0}{size == np.inf}{value != value}"
    found = _number_types.get(key)
    if found is None:
        found = _number_types[key] = evaluate("f(x)", ("f", "x"), (tl.to_tensor, value)).dtype
    return found
