"""A launch of a kernel that runs as Python."""
import inspect
import os
import threading

import numpy as np

from nereid import _native

from ...compiler.errors import CompilationError
from ...language import _builtin
from ...language import core as tl
from ...language._constexpr import _unwrap_if_constexpr
from ...tools.tensor_descriptor import TensorDescriptor
from .._host_memory import to_devices, to_host, tuple_like
from ..errors import InterpreterError
from ..jit import JITFunction, TensorWrapper
from . import operation
from .builder import interpreter_builder
from .calls import call
from .operators import install
from .rewriter import ASTTransformer, FunctionRewriter
from .values import scalar, tensor_of, type_spelled

_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
install()


_MISSING = object()  # in place of an attribute that an object does not have itself


class _LangPatchScope:
    """Functions of the language compute what they are called with, as long as there is a scope that is not restored."""

    _lock = threading.Lock()
    _open = 0

    def __init__(self):
        self._changes = []
        self._count(1)

    @classmethod
    def _count(cls, change):
        with cls._lock:
            cls._open += change
            _builtin.evaluator = call if cls._open else None

    def set_attr(self, obj, name, value):
        self._changes.append((obj, name, vars(obj).get(name, _MISSING)))
        setattr(obj, name, value)

    def restore(self):
        self._count(-1)
        for obj, name, value in reversed(self._changes):
            delattr(obj, name) if value is _MISSING else setattr(obj, name, value)
        self._changes.clear()


def _patch_lang(fn):
    interpreter_builder.look_for_steps()
    return _LangPatchScope()


def _patch_builtin(package, builder, scope):
    """Functions of the language need no change to be called: see `_patch_lang`."""


def _patch_lang_core(language, scope):
    """Nor do types, loops and assertions."""


def _patch_lang_tensor(tensor, scope):
    """Nor do the operators of tiles."""


_tuple_create = tuple_like


def _unwrap_tensor(tensor):
    return tensor.base if isinstance(tensor, TensorWrapper) else tensor


def _rewrap_tensor(tensor, original_tensor):
    return TensorWrapper(tensor, original_tensor.dtype) if isinstance(original_tensor, TensorWrapper) else tensor


def _implicit_cvt(arg):
    """An argument as the kernel sees it: numbers are scalars, tensors pointers."""
    if isinstance(arg, np.generic):
        arg = arg.item()
    if isinstance(arg, bool):
        return scalar(arg)
    if isinstance(arg, int):
        name = "int32" if -2**31 <= arg < 2**31 else "int64" if arg < 2**63 else "uint64"
        return tensor_of(np.array([arg], dtype=name), tl.dtype(name), ())
    if isinstance(arg, float):
        with np.errstate(over="ignore"):
            return tensor_of(np.array([arg], dtype=np.float32), tl.float32, ())
    if isinstance(arg, tuple):
        return _tuple_create(arg, map(_implicit_cvt, arg))
    if isinstance(arg, TensorDescriptor):
        shape, strides, block = ([_unwrap_if_constexpr(extent) for extent in extents] for extents in (arg.shape, arg.strides, arg.block_shape))
        return call(tl.make_tensor_descriptor, (_implicit_cvt(arg.base), ), {
            "shape": [_implicit_cvt(int(extent)) for extent in shape],
            "strides": [*[_implicit_cvt(int(stride)).to(tl.int64) for stride in strides[:-1]], 1],
            "block_shape": list(map(int, block)), "padding_option": arg.padding})  # yapf: disable
    found = _native.memory(arg)
    if found is None:
        return arg
    dtype = tl.pointer_type(type_spelled(found[2]), const=found[4])
    return tensor_of(np.array([found[0]], dtype=np.uint64), dtype, ())


def _annotated(value, annotation):
    """A scalar in the type that its parameter is annotated with."""
    if isinstance(annotation, str):
        name = annotation.rpartition(".")[2]
        from ..._utils import type_canonicalisation_dict
        if name not in type_canonicalisation_dict:
            return value
        annotation = tl.str_to_ty(type_canonicalisation_dict[name], None)
    is_scalar = isinstance(value, tl.tensor) and not value.type.is_block() and not value.dtype.is_ptr()
    return value.to(annotation) if is_scalar and isinstance(annotation, tl.dtype) else value


def _memories(name, arg):
    """The memory behind an argument, by name: accesses are held against it."""
    if isinstance(arg, TensorDescriptor):
        arg = arg.base
    if isinstance(arg, tuple):
        return [memory for i, item in enumerate(arg) for memory in _memories(f"{name}[{i}]", item)]
    found = _native.memory(arg)
    return [(name, found[0], found[1], found[3])] if found and found[1] else []


def _is_constexpr(annotation):
    return annotation is tl.constexpr or (isinstance(annotation, str) and annotation.rpartition(".")[2] == "constexpr")


def without_own_frames(error):
    """The error with a traceback that ends in the code of the user, not in ours."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    while len(frames) > 1 and frames[-1].tb_frame.f_code.co_filename.startswith(_HERE):
        frames.pop()
    while len(frames) > 1 and frames[0].tb_frame.f_code.co_filename.startswith(_HERE):
        frames.pop(0)
    frames[-1].tb_next = None
    return error.with_traceback(frames[0])


class GridExecutor:
    """Calls a function once for each program of a grid."""

    def __init__(self, fn, arg_names, grid, pre_run_hooks=[]):
        self.fn = fn
        self.arg_names = arg_names
        self.grid = grid
        self.pre_run_hooks = pre_run_hooks
        self.constexprs = [name for name in arg_names if _is_constexpr(fn.__annotations__.get(name))]

    def _init_args_hst(self, args_dev, kwargs):
        return to_host(args_dev, kwargs)

    def _restore_args_dev(self, args_dev, args_hst, kwargs, kwargs_hst):
        to_devices(args_dev, args_hst, kwargs, kwargs_hst)

    def _arguments(self, args_hst, kwargs_hst):
        """What the function is called with, and the memory that it may touch."""
        given = inspect.signature(self.fn).bind(*args_hst, **kwargs_hst)
        given.apply_defaults()
        memories, values = [], {}
        for name, arg in given.arguments.items():
            if name not in self.constexprs:
                memories += _memories(name, arg)
                arg = _annotated(_implicit_cvt(arg), self.fn.__annotations__.get(name))
            values[name] = arg
        given.arguments.update(values)
        return given, memories

    def __call__(self, *args_dev, **kwargs):
        options = {name: kwargs.get(name, default) for name, default in (("num_warps", 4), ("debug", False), ("sanitize_overflow", True))}
        parameters = inspect.signature(self.fn).parameters
        kwargs = {name: value for name, value in kwargs.items() if name in parameters}
        args_hst, kwargs_hst = self._init_args_hst(args_dev, kwargs)
        for hook in self.pre_run_hooks:
            hook(*args_hst, **kwargs_hst)
        scope = _patch_lang(self.fn)
        before = operation.thread.surroundings
        operation.set_options(**options)
        try:
            given, memories = self._arguments(args_hst, kwargs_hst)
            grid = self.grid(dict(given.arguments)) if callable(self.grid) else self.grid
            self._run_programs(given, _native.grid_extents(grid), memories)
        finally:
            operation.thread.surroundings = before
            scope.restore()
        self._restore_args_dev(args_dev, args_hst, kwargs, kwargs_hst)

    def _run_programs(self, given, grid, memories):
        around = operation.thread.surroundings = _native.Surroundings(grid, memories)
        interpreter_builder.set_grid_dim(*grid)
        try:
            for x in range(grid[0]):
                for y in range(grid[1]):
                    for z in range(grid[2]):
                        around.move_to((x, y, z))
                        interpreter_builder.set_grid_idx(x, y, z)
                        self.fn(*given.args, **given.kwargs)
        except Exception as error:
            from bdb import BdbQuit
            from ... import knobs
            if isinstance(error, BdbQuit) or knobs.compilation.front_end_debugging:
                raise
            raise InterpreterError(repr(error)) from without_own_frames(error)


class InterpretedFunction(JITFunction):
    """A kernel, or a function of kernels, in interpreter mode."""

    rewritten_fn = {}  # the functions that run, by those that were written

    def __init__(self, fn, **kwargs):
        super().__init__(fn, **kwargs)
        self.kwargs = kwargs
        self.rewriter = FunctionRewriter(fn)
        self._changes = None
        self.not_compiled = set()  # kinds of launches that the library refuses
        self._interpret = True
        self._plain()

    def _read_source(self):
        try:
            super()._read_source()
        except ValueError:  # a lambda, or a function whose text is nowhere: it runs as it is
            self.raw_src, self.starting_line_number, self._src = [], 0, ""

    def rewrite(self):
        changes = tuple(vars(ASTTransformer).items())  # others may add to them
        if self.fn not in self.rewritten_fn or self._changes != changes:
            self.rewritten_fn[self.fn] = self.rewriter.rewrite_ast()
            self._changes = changes
        return self.rewritten_fn[self.fn]

    def run(self, *args, grid, warmup, **kwargs):
        try:
            return super().run(*args, grid=grid, warmup=warmup, **kwargs)
        except (CompilationError, TypeError):
            if not warmup:
                raise
            return None  # nothing is compiled: it will run as Python

    def _run_interpreted(self, grid, args, kwargs):
        from .mode import launch
        return launch(self, grid, args, kwargs, lambda: self.run_in_library(args, grid, kwargs))

    def run_in_library(self, args, grid, kwargs):
        return super()._run_interpreted(grid, args, kwargs)

    def run_as_python(self, args, grid, kwargs):
        return GridExecutor(self.rewrite(), self.arg_names, grid)(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        if _builtin.evaluator is None:
            return super().__call__(*args, **kwargs)
        return self.rewrite()(*args, **kwargs)

    def __get__(self, instance, owner=None):
        import types
        return types.MethodType(self, instance) if isinstance(instance, tl.base_value) else self
