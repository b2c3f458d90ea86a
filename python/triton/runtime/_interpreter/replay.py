"""An operation step by step: each op that the library makes of it is a call of a method of `interpreter_builder`.

Visualizers replace such methods. What goes through is whatever they give back: handles, or objects of theirs that stand for
them, so nothing here looks into a handle.
"""
import numpy as np

from ...language import core as tl
from ...language._tensor import tensor
from .builder import interpreter_builder
from .handle import TensorHandle, _get_np_dtype
from .values import block_of, block_pointer, type_spelled

_ELEMENTS = {
    "i1": "int1", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "f16": "fp16", "bf16": "bf16", "f32": "fp32",
    "f64": "fp64", "f8E5M2": "fp8e5", "f8E4M3FN": "fp8e4nv", "f8E5M2FNUZ": "fp8e5b16", "f8E4M3FNUZ": "fp8e4b8",
}  # yapf: disable
_BINARY = dict(line.split() for line in """
arith.addi add
arith.addf fadd
arith.subi sub
arith.subf fsub
arith.muli mul
arith.mulf fmul
arith.divf fdiv
tile.div_rn precise_divf
arith.divsi sdiv
arith.divui udiv
arith.remsi srem
arith.remui urem
arith.remf frem
arith.shli shl
arith.shrsi ashr
arith.shrui lshr
arith.andi and
arith.ori or
arith.xori xor
arith.minsi minsi
arith.minui minui
arith.maxsi maxsi
arith.maxui maxui
arith.minimumf minimumf
arith.minnumf minnumf
arith.maximumf maximumf
arith.maxnumf maxnumf
tile.addptr addptr
tile.join join
""".strip().splitlines())
_UNARY = dict(line.split() for line in """
math.exp exp
math.exp2 exp2
math.log log
math.log2 log2
math.sin sin
math.cos cos
math.sqrt sqrt
tile.sqrt_rn precise_sqrt
math.rsqrt rsqrt
math.absf fabs
math.absi iabs
math.floor floor
math.ceil ceil
math.erf erf
tile.unsplat unsplat
tile.split split
""".strip().splitlines())
_CASTS = dict(line.split() for line in """
arith.extf fp_ext
arith.truncf fp_trunc
arith.sitofp si_to_fp
arith.uitofp ui_to_fp
arith.fptosi fp_to_si
arith.fptoui fp_to_ui
arith.bitcast bitcast
tile.int_to_ptr int_to_ptr
tile.ptr_to_int ptr_to_int
tile.ptr_cast bitcast
""".strip().splitlines())
_INTEGER_ORDER = "EQ NE SLT SLE SGT SGE ULT ULE UGT UGE".split()
_FLOAT_ORDER = [None, *"OEQ OGT OGE OLT OLE ONE".split(), None, *"UEQ UGT UGE ULT ULE UNE".split(), None, None]


class Unknown(Exception):
    """An op that no method of the builder stands for."""


def _call(name, *arguments):
    return getattr(interpreter_builder, f"create_{name}")(*arguments)


def _dtype(element, like=None):
    """The type of an element of the IR, which knows no signs: an integer is as its operand is."""
    if element.startswith("*"):
        return tl.pointer_type(_dtype(element[1:]))
    if element not in _ELEMENTS:
        raise Unknown(element)
    dtype = tl.dtype(_ELEMENTS[element])
    like = getattr(like, "dtype", None)
    like = getattr(like, "scalar", like)
    is_unsigned = isinstance(like, tl.dtype) and not like.is_ptr() and like.is_int_unsigned() and not like.is_int1()
    return tl.dtype(f"u{dtype.name}") if is_unsigned and dtype.is_int_signed() else dtype


def _type(result, like=None):
    element, shape = result
    return block_of(_dtype(element, like), tuple(shape))


def _constant(value, result):
    element, shape = result
    if not isinstance(value, (int, float)):
        raise Unknown("a constant of many values")
    dtype = _dtype(element)
    if dtype.is_bf16() or dtype.is_fp8():
        from .operation import compute
        scalar = compute("f(s, v, t)", ("f", "s", "v", "t"), (tl.full, [1], float(value), dtype)).handle
    else:
        scalar = TensorHandle(np.array([value], dtype=_get_np_dtype(dtype)), dtype)
    return _call("splat", block_of(dtype, tuple(shape)), scalar) if shape else scalar


def _step(name, operands, attributes, results):
    if name in _BINARY:
        return _call(_BINARY[name], *operands)
    if name in _UNARY:
        return _call(_UNARY[name], *operands)
    if name in _CASTS:
        return _call(_CASTS[name], operands[0], _type(results[0]))
    if name in ("arith.extsi", "arith.extui", "arith.trunci"):
        return _call("int_cast", operands[0], _type(results[0], operands[0]), name == "arith.extsi")
    special = _SPECIAL.get(name)
    if special is None:
        raise Unknown(name)
    return special(operands, attributes, results)


def _load(operands, attributes, results):
    has_mask, has_other = attributes["operandSegmentSizes"][1:]
    hints = attributes.get("cache"), attributes.get("evict"), "isVolatile" in attributes
    if not has_mask:
        return _call("load", operands[0], *hints)
    return _call("masked_load", operands[0], operands[1], operands[2] if has_other else None, *hints)


def _store(operands, attributes, results):
    hints = attributes.get("cache"), attributes.get("evict")
    if len(operands) == 2:
        return _call("store", *operands, *hints)
    return _call("masked_store", operands[0], operands[1], operands[2], *hints)


def _atomic(operands, attributes, results):
    if len(operands) == 2:
        mask = TensorHandle(np.ones(results[0][1] or (1, ), dtype=bool), tl.int1)
        operands = (*operands, mask)
    return _call("atomic_rmw", _word(attributes["kind"]), *operands, _word(attributes["sem"]), _word(attributes["scope"]))


def _word(attribute):
    """The word of an enum: `#tile.rmw<add>` or `#tile<rmw add>`."""
    return attribute.rstrip(">").replace("<", " ").split()[-1]


def _range(operands, attributes, results):
    bounds = attributes["start"], attributes["end"]
    make = interpreter_builder.create_make_range
    code = getattr(make, "__code__", None)
    takes_bounds_alone = code is not None and code.co_argcount == 2  # as visualizers for older versions write it
    return make(*bounds) if takes_bounds_alone else make(_type(results[0]), *bounds)


_SPECIAL = {
    "arith.constant": lambda operands, attributes, results: _constant(attributes["value"], results[0]),
    "arith.cmpi": lambda operands, attributes, results: _call(f"icmp{_INTEGER_ORDER[attributes['predicate']]}", *operands),
    "arith.cmpf": lambda operands, attributes, results: _call(f"fcmp{_FLOAT_ORDER[attributes['predicate']]}", *operands),
    "arith.select": lambda operands, attributes, results: _call("select", *operands),
    "arith.negf": lambda operands, attributes, results: interpreter_builder.unary_op(operands[0], np.negative),
    "math.fma": lambda operands, attributes, results: _call("fma", *operands),
    "tile.load": _load,
    "tile.store": _store,
    "tile.atomic_rmw": _atomic,
    "tile.atomic_cas": lambda operands, attributes, results: _call("atomic_cas", *operands, _word(attributes["sem"]), _word(attributes["scope"])),
    "tile.arange": _range,
    "tile.splat": lambda operands, attributes, results: _call("splat", _type(results[0], operands[0]), operands[0]),
    "tile.broadcast": lambda operands, attributes, results: _call("broadcast", operands[0], list(results[0][1])),
    "tile.expand_dims": lambda operands, attributes, results: _call("expand_dims", operands[0], attributes["axis"]),
    "tile.reshape": lambda operands, attributes, results: _call("reshape", operands[0], list(results[0][1]), "allowReorder" in attributes),
    "tile.trans": lambda operands, attributes, results: _call("trans", operands[0], list(attributes["order"])),
    "tile.dot": lambda operands, attributes, results: _call("dot", *operands, _word(attributes["precision"]) if "precision" in attributes else "ieee",
                                                            attributes.get("maxImpreciseAcc", 0)),
    "tile.hint": lambda operands, attributes, results: operands[0],
}  # yapf: disable


def is_known(steps):
    """Whether each op has a method of the builder."""
    names = {*_BINARY, *_UNARY, *_CASTS, *_SPECIAL, "arith.extsi", "arith.extui", "arith.trunci", "func.return"}
    return all(name in names and not regions for name, _, _, _, regions in steps)


def replay(steps, handles):
    """What the operation gives, as handles, from those of its operands."""
    values = list(handles)
    for name, numbers, attributes, results, _ in steps:
        operands = [values[number] for number in numbers]
        if name == "func.return":
            return operands
        made = _step(name, operands, attributes, results)
        values.extend(made if len(results) > 1 else [made] if results else [])


def made_of(description, handles):
    """The result that the library describes, of handles."""
    form, *rest = description
    if form == "constant":
        return rest[0]
    if form == "tuple":
        cls, items = rest
        made = [made_of(item, handles) for item in items]
        return tuple(made) if cls is None else cls(*made)
    if form == "block_pointer":
        return block_pointer([made_of(part, handles).handle for part in rest[0]], *rest)
    text, shape, number = rest
    dtype, handle = type_spelled(text), handles[number]
    if isinstance(handle, TensorHandle):  # the IR knows no signs
        data = np.ascontiguousarray(handle.data).astype(_get_np_dtype(dtype), copy=False)
        handle = TensorHandle(data.reshape(shape or (1, )), dtype, handle.attr)
    return tensor(handle, block_of(dtype, shape))
