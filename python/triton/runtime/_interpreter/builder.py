"""`interpreter_builder`: where the program stands in its grid, and the steps that operations are made of.

Nobody calls the steps unless a visualizer has replaced one: then each operation goes through them, one method for each op
that the library makes of it (replay.py). What a step does by itself is the operation of the language that is that one op.
"""
import threading
from dataclasses import dataclass
from types import MethodType

import numpy as np

from ...language import core as tl
from ...language import math
from .handle import TensorHandle, _get_np_dtype

_FUNCTIONS = {**vars(math), **vars(tl)}  # as they are before anybody replaces one


@dataclass(frozen=True)
class InterpreterOptions:
    extern_libs: dict = None
    debug: bool = False
    sanitize_overflow: bool = True
    arch: str = None
    supported_fp8_dtypes: tuple = ("fp8e5", "fp8e5b16", "fp8e4nv", "fp8e4b8", "fp8e4b15")
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple = ("tf32", "tf32x3", "ieee")
    max_num_imprecise_acc_default: int = 0
    backend_name: str = "interpreter"


def _computed(expression, functions=(), **operands):
    """An operation on handles, past all hooks; functions of the language are named in the text by their own names."""
    from .operation import compute
    from .values import tensor_of
    values = []
    for value in operands.values():
        if isinstance(value, TensorHandle):
            is_scalar = value.data.size == 1 and value.data.ndim <= 1 and not value.attr.get("is_block")
            value = tensor_of(np.ascontiguousarray(value.data), value.dtype, () if is_scalar else None)
        values.append(value)
    named = {name: _FUNCTIONS[name] for name in functions}
    result = compute(expression, (*named, *operands), (*named.values(), *values))
    if isinstance(result, tuple):
        return tuple(item.handle for item in result)
    return None if result is None else result.handle


def _as_mask(mask, like):
    """A mask of a step: a handle, or an array that a visualizer has made of one."""
    data = np.asarray(mask.data if isinstance(mask, TensorHandle) else mask)
    return TensorHandle(np.broadcast_to(data.astype(bool), like.data.shape), tl.int1)


# numpy's function that stands for a step, and the text of the operation.
_BINARY = {
    np.add: "a + b", np.subtract: "a - b", np.multiply: "a * b", np.divide: "a / b", np.fmod: "a % b", np.left_shift: "a << b",
    np.right_shift: "a >> b", np.bitwise_and: "a & b", np.bitwise_or: "a | b", np.bitwise_xor: "a ^ b", np.less: "a < b",
    np.less_equal: "a <= b", np.greater: "a > b", np.greater_equal: "a >= b", np.equal: "a == b", np.not_equal: "a != b",
    np.minimum: "minimum(a, b)", np.maximum: "maximum(a, b)",
}  # yapf: disable
_UNARY = {np.cos: "cos", np.exp: "exp", np.exp2: "exp2", np.abs: "abs", np.floor: "floor", np.ceil: "ceil", np.log: "log",
          np.log2: "log2", np.sqrt: "sqrt", np.sin: "sin"}  # yapf: disable


# What is set for each launch or program; all else that is set is a step of somebody else's.
_OWN_ATTRIBUTES = {"arch", "options", "codegen_fns", "place", "set_grid_dim", "set_grid_idx", "is_stepped"}


class _Place(threading.local):
    """Where the program of a thread stands."""
    index = None
    grid = None


class InterpreterBuilder:

    grid_idx = property(lambda self: self.place.index)
    grid_dim = property(lambda self: self.place.grid)

    def __init__(self):
        self.place = _Place()
        self.is_stepped = False
        self.arch = None
        self.options = InterpreterOptions()
        self.codegen_fns = {"min_dot_size": lambda left, right: (1, 1, 1)}

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if name not in _OWN_ATTRIBUTES:
            self.look_for_steps()

    def __delattr__(self, name):
        object.__delattr__(self, name)
        self.look_for_steps()

    def look_for_steps(self):
        """Operations go through the steps where one of them was replaced."""

        def is_own(name, value):  # a visualizer puts back what it has found
            return type(value) is MethodType and value.__func__ is _STEPS.get(name)

        self.is_stepped = (not all(name in _OWN_ATTRIBUTES or is_own(name, value) for name, value in vars(self).items())
                           or any(vars(InterpreterBuilder).get(name) is not step for name, step in _STEPS.items()))

    # ---- The grid.

    def set_grid_dim(self, nx, ny, nz):
        self.place.grid = (nx, ny, nz)

    def set_grid_idx(self, x, y, z):
        for name, index, extent in zip("xyz", (x, y, z), self.grid_dim):
            if not 0 <= index < extent:
                raise ValueError(f"program {name} = {index} is outside of a grid with {extent}")
        self.place.index = (x, y, z)

    def create_get_program_id(self, axis):
        return TensorHandle(np.array([self.grid_idx[axis]], dtype=np.int32), tl.int32)

    def create_get_num_programs(self, axis):
        return TensorHandle(np.array([self.grid_dim[axis]], dtype=np.int32), tl.int32)

    # ---- Memory.

    def create_load(self, ptr, cache_modifier, eviction_policy, is_volatile):
        mask = TensorHandle(np.ones_like(ptr.data, dtype=bool), tl.int1)
        return self.create_masked_load(ptr, mask, None, cache_modifier, eviction_policy, is_volatile)

    def create_store(self, ptr, value, cache_modifier, eviction_policy):
        mask = TensorHandle(np.ones_like(ptr.data, dtype=bool), tl.int1)
        return self.create_masked_store(ptr, value, mask, cache_modifier, eviction_policy)

    def create_masked_load(self, ptrs, mask, other, cache_modifier, eviction_policy, is_volatile):
        dtype = ptrs.dtype.element_ty
        if other is None:
            other = TensorHandle(np.zeros(ptrs.data.shape, dtype=_get_np_dtype(dtype)), dtype)
        return _computed("load(p, m, o)", ("load", ), p=ptrs, m=_as_mask(mask, ptrs), o=other)

    def create_masked_store(self, ptrs, value, mask, cache_modifier, eviction_policy):
        return _computed("store(p, v, m)", ("store", ), p=ptrs, v=value, m=_as_mask(mask, ptrs))

    def create_addptr(self, ptr, offset):
        return _computed("p + o", p=ptr, o=offset)

    def create_atomic_rmw(self, rmw_op, ptr, val, mask, sem, scope):
        name = f"atomic_{getattr(rmw_op, 'name', rmw_op).lower().lstrip('fu')}"
        return _computed(f"{name}(p, v, m, sem, scope)", (name, ), p=ptr, v=val, m=_as_mask(mask, ptr), sem=sem, scope=scope)

    def create_atomic_cas(self, ptr, cmp, val, sem, scope):
        return _computed("atomic_cas(p, c, v, sem, scope)", ("atomic_cas", ), p=ptr, c=cmp, v=val, sem=sem, scope=scope)

    # ---- Elementwise.

    def binary_op(self, lhs, rhs, op):
        text = _BINARY.get(op)
        if text is None:
            return TensorHandle(op(lhs.data, rhs.data), lhs.dtype)
        return _computed(text, ("minimum", ) if "minimum" in text else ("maximum", ) if "maximum" in text else (), a=lhs, b=rhs)

    def unary_op(self, arg, op):
        if op is np.negative:
            return _computed("-a", a=arg)
        name = _UNARY.get(op)
        return TensorHandle(op(arg.data), arg.dtype) if name is None else _computed(f"{name}(a)", (name, ), a=arg)

    def ternary_op(self, lhs, rhs, other, op):
        if op is not np.where:
            return TensorHandle(op(lhs.data, rhs.data, other.data), other.dtype)
        return _computed("where(c, a, b)", ("where", ), c=lhs, a=rhs, b=other)

    def create_idiv(self, lhs, rhs):
        return _computed("a // b", a=lhs, b=rhs)

    def create_ashr(self, lhs, rhs):
        return self.binary_op(lhs, rhs, np.right_shift)

    def create_umulhi(self, lhs, rhs):
        return _computed("umulhi(a, b)", ("umulhi", ), a=lhs, b=rhs)

    def create_fma(self, x, y, z):
        return _computed("fma(x, y, z)", ("fma", ), x=x, y=y, z=z)

    def create_fabs(self, arg):
        return self.unary_op(arg, np.abs)

    def create_erf(self, arg):
        return _computed("erf(a)", ("erf", ), a=arg)

    def create_rsqrt(self, arg):
        return _computed("rsqrt(a)", ("rsqrt", ), a=arg)

    # ---- Types.

    def cast_impl(self, src, dst_type):
        return _computed("a.to(t)", a=src, t=dst_type.scalar)

    def create_fp_to_fp(self, src, dst_type, rounding_mode):
        return _computed("a.to(t, fp_downcast_rounding=r)", a=src, t=dst_type.scalar, r=rounding_mode)

    def create_bitcast(self, src, dst_type):
        return _computed("a.to(t, bitcast=True)", a=src, t=dst_type.scalar)

    create_int_to_ptr = create_ptr_to_int = create_bitcast

    # ---- Shapes.

    def create_make_range(self, *type_and_bounds):
        start, stop = type_and_bounds[-2:]  # until Triton 3.2 there was no type
        return _computed("arange(a, b)", ("arange", ), a=start, b=stop)

    def create_splat(self, ret_ty, arg):
        return TensorHandle(np.full(ret_ty.shape, arg.data.reshape(-1)[0], dtype=arg.data.dtype), arg.dtype)

    def create_unsplat(self, arg):
        return TensorHandle(arg.data.reshape(-1)[:1], arg.dtype)

    def create_broadcast(self, arg, shape):
        return TensorHandle(np.broadcast_to(arg.data, shape), arg.dtype)

    def create_expand_dims(self, arg, axis):
        return TensorHandle(np.expand_dims(arg.data, axis), arg.dtype)

    def create_reshape(self, arg, shape, allow_reorder):
        return TensorHandle(arg.data.reshape(shape), arg.dtype)

    def create_trans(self, arg, perm):
        return TensorHandle(np.transpose(arg.data, perm), arg.dtype)

    def create_join(self, lhs, rhs):
        return TensorHandle(np.stack([lhs.data, rhs.data], axis=-1), lhs.dtype)

    def create_split(self, val):
        return tuple(TensorHandle(val.data[..., i], val.dtype) for i in (0, 1))

    def create_cat(self, lhs, rhs):
        return TensorHandle(np.concatenate([lhs.data, rhs.data]), lhs.dtype)

    # ---- Products.

    def create_dot(self, a, b, d, input_precision, max_num_imprecise_acc):
        return _computed("dot(a, b, d, input_precision=p, out_dtype=t)", ("dot", ), a=a, b=b, d=d, p=input_precision, t=d.dtype)

    # ---- What visualizers look for, and no operation here is made of.

    def create_make_block_ptr(self, base, shape, strides, offsets, block_shape, order):
        from .handle import BlockPointerHandle
        return BlockPointerHandle(base, shape, strides, [offset.clone() for offset in offsets], block_shape, order)

    def create_advance(self, ptr, offsets):
        moved = [_computed("a + b", a=old, b=offset) for old, offset in zip(ptr.offsets, offsets)]
        return self.create_make_block_ptr(ptr.base, ptr.shape, ptr.strides, moved, ptr.block_shape, ptr.order)

    def create_tensor_pointer_load(self, ptr, boundary_check, padding_option, cache_modifier, eviction_policy, is_volatile):
        pointers, inside = ptr.materialize_pointers(boundary_check)
        return self.create_masked_load(pointers, TensorHandle(inside, tl.int1), None, cache_modifier, eviction_policy, is_volatile)

    def create_tensor_pointer_store(self, ptr, value, boundary_check, cache_modifier, eviction_policy):
        pointers, inside = ptr.materialize_pointers(boundary_check)
        return self.create_masked_store(pointers, value, TensorHandle(inside, tl.int1), cache_modifier, eviction_policy)


def _add_steps():
    binary = {
        np.add: "fadd add", np.subtract: "fsub sub", np.multiply: "fmul mul", np.divide: "fdiv precise_divf",
        np.fmod: "frem srem urem", np.left_shift: "shl", np.right_shift: "lshr", np.bitwise_and: "and",
        np.bitwise_or: "or", np.bitwise_xor: "xor", np.minimum: "minsi minui minimumf minnumf",
        np.maximum: "maxsi maxui maximumf maxnumf", np.less: "icmpSLT icmpULT fcmpOLT fcmpULT",
        np.less_equal: "icmpSLE icmpULE fcmpOLE fcmpULE", np.greater: "icmpSGT icmpUGT fcmpOGT fcmpUGT",
        np.greater_equal: "icmpSGE icmpUGE fcmpOGE fcmpUGE", np.equal: "icmpEQ fcmpOEQ fcmpUEQ",
        np.not_equal: "icmpNE fcmpONE fcmpUNE",
    }  # yapf: disable
    unary = {np.cos: "cos", np.exp: "exp", np.exp2: "exp2", np.abs: "iabs", np.floor: "floor", np.ceil: "ceil",
             np.log: "log", np.log2: "log2", np.sqrt: "sqrt precise_sqrt", np.sin: "sin"}  # yapf: disable
    for op, names in binary.items():
        for name in names.split():
            setattr(InterpreterBuilder, f"create_{name}", lambda self, lhs, rhs, op=op: self.binary_op(lhs, rhs, op))
    for op, names in unary.items():
        for name in names.split():
            setattr(InterpreterBuilder, f"create_{name}", lambda self, arg, op=op: self.unary_op(arg, op))
    for name in "si_to_fp ui_to_fp fp_to_si fp_to_ui fp_ext fp_trunc".split():
        setattr(InterpreterBuilder, f"create_{name}", lambda self, src, dst_type: self.cast_impl(src, dst_type))
    InterpreterBuilder.create_int_cast = lambda self, src, dst_type, is_signed: self.cast_impl(src, dst_type)
    InterpreterBuilder.create_sdiv = InterpreterBuilder.create_udiv = lambda self, lhs, rhs: self.create_idiv(lhs, rhs)
    InterpreterBuilder.create_select = lambda self, condition, lhs, rhs: self.ternary_op(condition, lhs, rhs, np.where)


_add_steps()
_STEPS = {name: step for name, step in vars(InterpreterBuilder).items() if name.startswith("create_") or name.endswith(("_op", "_impl"))}
interpreter_builder = InterpreterBuilder()
