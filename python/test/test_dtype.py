"""The types of the language on the host."""
import pickle

import numpy as np
import pytest
import triton.language as tl
from triton._utils import canonicalize_dtype, canonicalize_ptr_dtype

INTEGERS = [tl.int8, tl.int16, tl.int32, tl.int64, tl.uint8, tl.uint16, tl.uint32, tl.uint64]
FLOATS = [(tl.float16, np.float16), (tl.float32, np.float32), (tl.float64, np.float64)]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_agree_with_numpy(dtype):
    limits = np.iinfo(dtype.name)
    assert dtype.get_int_max_value() == limits.max and dtype.get_int_min_value() == limits.min
    assert dtype.int_bitwidth == limits.bits and dtype.itemsize == limits.bits // 8
    assert dtype.is_int() and not dtype.is_floating() and dtype.kind() == tl.dtype.KIND.INTEGRAL
    assert dtype.is_int_signed() == (limits.min < 0) and getattr(dtype, f"is_{dtype.name}")()


@pytest.mark.parametrize("dtype, reference", FLOATS, ids=str)
def test_floats_agree_with_numpy(dtype, reference):
    limits = np.finfo(reference)
    assert dtype.fp_mantissa_width == limits.nmant and dtype.primitive_bitwidth == limits.bits
    assert dtype.exponent_bias == limits.maxexp - 1
    assert dtype.is_standard_floating() and dtype.kind() == tl.dtype.KIND.FLOATING


def test_names():
    assert str(tl.float32) == "fp32" and repr(tl.float32) == "triton.language.float32"
    assert repr(tl.bfloat16) == "triton.language.bfloat16" and repr(tl.float8e4nv) == "triton.language.float8e4nv"
    assert eval("tl." + repr(tl.int8).rpartition(".")[2]) == tl.int8
    assert [dtype.mangle() for dtype in (tl.int32, tl.uint8, tl.int1, tl.bfloat16)] == ["i32", "u8", "u1", "bf16"]
    with pytest.raises(AssertionError):
        tl.dtype("int7")


def test_boolean_is_unsigned():
    assert tl.int1.is_bool() and tl.int1.is_int_unsigned() and tl.int1.kind() == tl.dtype.KIND.BOOLEAN
    assert tl.int1.get_int_max_value() == 1


def test_equality_and_hash():
    assert tl.dtype("fp32") == tl.float32 and tl.float32 == tl.constexpr(tl.float32) and tl.float32 != tl.float64
    assert {tl.dtype("fp32"): 1}[tl.float32] == 1
    assert pickle.loads(pickle.dumps(tl.pointer_type(tl.int8))) == tl.pointer_type(tl.int8)


def test_pointers_and_blocks():
    pointer = tl.pointer_type(tl.float16, const=True)
    assert pointer.is_ptr() and pointer.is_const() and pointer != tl.pointer_type(tl.float16)
    block = tl.block_type(tl.float16, [4, tl.constexpr(8)])
    assert block.is_block() and block.shape == (4, 8) and block.numel == 32 and block.nbytes == 64
    assert block.scalar == tl.float16 and block.with_element_ty(tl.int8) == tl.block_type(tl.int8, [4, 8])
    with pytest.raises(ValueError, match="power of 2"):
        tl.block_type(tl.float16, [3])
    with pytest.raises(TypeError):
        tl.block_type(tl.float16, [])
    with pytest.raises(TypeError):
        tl.pointer_type(int)


@pytest.mark.parametrize("text, expected", [("i32", tl.int32), ("u8", tl.uint8), ("i1", tl.int1), ("u1", tl.int1),
                                            ("fp8e5", tl.float8e5), ("*fp32", tl.pointer_type(tl.float32)),
                                            ("*ki64", tl.pointer_type(tl.int64, const=True))])
def test_types_of_signatures(text, expected):
    assert tl.str_to_ty(text, None) == expected


def test_other_types_of_signatures():
    assert tl.str_to_ty("constexpr", 3) == tl.constexpr_type(3)
    descriptor = tl.str_to_ty("tensordesc<fp16[64, 32]>", None)
    assert descriptor.block_type == tl.block_type(tl.float16, [64, 32])
    assert tl.str_to_ty(("i32", "*fp16"), None).types == [tl.int32, tl.pointer_type(tl.float16)]


def test_canonical_names():
    assert canonicalize_dtype(np.dtype("float32")) == "fp32" and canonicalize_dtype("torch.bfloat16") == "bf16"
    assert canonicalize_dtype(tl.float8e4nv) == "fp8e4nv" and canonicalize_ptr_dtype("int8", True) == "*ki8"
