"""What the changed text of a kernel calls (see rewriter.py)."""
import builtins

import numpy as np

from ...language import core as tl
from ...language.semantic import TritonSemantic
from .builder import interpreter_builder
from .calls import extremum
from .operation import evaluate
from .operators import to_tensor
from .values import LoopIndex

_EXTREMA = {builtins.min: tl.minimum, builtins.max: tl.maximum}


def _is_block(value):
    return isinstance(value, tl.tensor) and value.type.is_block()


class InterpreterSemantic(TritonSemantic):

    def __init__(self, builder):
        self.builder = builder

    def to_tensor(self, value, check_type=True):
        return to_tensor(value, check_type)

    def unpacked(self, value):
        """What goes to several names: each number becomes a scalar."""
        if type(value) in (tuple, list, tl.tuple):
            return [self.to_tensor(item, False) for item in value]
        return value

    def loop(self, iterable):
        return map(LoopIndex, iterable) if isinstance(iterable, builtins.range) else iterable

    def holds(self, condition):
        return bool(np.all(np.asarray(condition))) if _is_block(condition) else condition

    def negated(self, value):
        return evaluate("not a", ("a", ), (value, )) if _is_block(value) else not value

    def goes_on_and(self, left):
        return _is_block(left) or bool(left)

    def goes_on_or(self, left):
        return _is_block(left) or not left

    def joined_and(self, left, right):
        return evaluate("a and b", ("a", "b"), (left, right)) if _is_block(left) or _is_block(right) else right

    def joined_or(self, left, right):
        return evaluate("a or b", ("a", "b"), (left, right)) if _is_block(left) or _is_block(right) else right

    def extremum(self, function, *args, **kwargs):
        elementwise = _EXTREMA.get(function)
        return function(*args, **kwargs) if elementwise is None else extremum(function, elementwise, *args, **kwargs)


interpreter_semantic = InterpreterSemantic(interpreter_builder)
