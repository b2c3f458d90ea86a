"""Loops of kernels: `tl.range`, `tl.static_range`, `tl.condition`."""
import builtins

from . import _builtin
from ._constexpr import _unwrap_if_constexpr, base_value, constexpr


class _iterator(base_value):

    def _refuse(self):
        raise RuntimeError(f"tl.{type(self).__name__} can only be used in @triton.jit'd functions")

    def __iter__(self):
        numbers = self._numbers()
        return iter(numbers) if isinstance(self, static_range) else map(_loop_index, numbers)

    def __next__(self):
        self._refuse()

    def _numbers(self):
        if _builtin.evaluator is None:
            self._refuse()
        return builtins.range(*map(_unwrap_if_constexpr, (self.start, self.end, self.step)))

    def __len__(self):
        return len(self._numbers())

    def _set_bounds(self, arg1, arg2, step):
        self.start, self.end = (constexpr(0), arg1) if arg2 is None else (arg1, arg2)
        self.step = constexpr(1) if step is None else step


class static_range(_iterator):
    """A loop that is unrolled at compile time: `for i in tl.static_range(4)`."""

    __nereid_path__ = "triton.language.static_range"

    def __init__(self, arg1, arg2=None, step=None):
        for role, value in (("start", arg1), ("end", arg2), ("step", step)):
            # Where a kernel runs as Python, constants are plain numbers.
            assert value is None or isinstance(value, constexpr) or _builtin.evaluator is not None, (
                f"{value} used as tl.static_range {role} value is not a constexpr")
        self._set_bounds(arg1, arg2, step)


class range(_iterator):
    """A loop with hints for the compiler: `for i in tl.range(0, n, num_stages=3)`."""

    __nereid_path__ = "triton.language.range"

    def __init__(self, arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None,
                 disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False):
        self._set_bounds(arg1, arg2, step)
        self.num_stages = num_stages
        self.loop_unroll_factor = loop_unroll_factor
        self.disallow_acc_multi_buffer = disallow_acc_multi_buffer
        self.flatten = flatten
        self.warp_specialize = warp_specialize
        self.disable_licm = disable_licm


class condition(base_value):
    """The condition of a `while` loop with hints: `while tl.condition(x < n, disable_licm=True)`."""

    __nereid_path__ = "triton.language.condition"

    def __init__(self, arg1, disable_licm=False):
        self.condition = arg1
        self.disable_licm = disable_licm

    def __bool__(self):
        return bool(self.condition)


def _loop_index(number):
    from ..runtime._interpreter.values import LoopIndex
    return LoopIndex(number)
