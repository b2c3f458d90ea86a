"""Descriptors of tensors that control flow passes on."""
import nereid
import numpy as np
import pytest

import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def walk(a, b, out, n, FORM: tl.constexpr, BLOCK: tl.constexpr):
    desc = tl.make_tensor_descriptor(a, shape=[4, n], strides=[n, 1], block_shape=[4, BLOCK])
    to = tl.make_tensor_descriptor(out, shape=[4, n], strides=[n, 1], block_shape=[4, BLOCK])
    if FORM == "for":
        for i in range(0, n, BLOCK):
            if i == 2 * BLOCK:
                desc = tl.make_tensor_descriptor(b, shape=[4, n], strides=[n, 1], block_shape=[4, BLOCK])
            to.store([0, i], desc.load([0, i]))
    elif FORM == "while":
        i = 0
        while i < n:
            to.store([0, i], desc.load([0, i]))
            i += BLOCK
            if i == 2 * BLOCK:
                desc = tl.make_tensor_descriptor(b, shape=[4, n], strides=[n, 1], block_shape=[4, BLOCK])
    elif FORM == "nested":
        for i in range(0, n, 2 * BLOCK):
            for j in range(i, i + 2 * BLOCK, BLOCK):
                to.store([0, j], desc.load([0, j]))
            desc = tl.make_tensor_descriptor(b, shape=[4, n], strides=[n, 1], block_shape=[4, BLOCK])


@pytest.mark.parametrize("form", ["for", "while", "nested"])
def test_carried(form):
    a = np.arange(4 * 64, dtype="float32").reshape(4, 64)
    b = -a
    out = np.zeros_like(a)
    walk[(1, )](a, b, out, 64, form, 16)
    np.testing.assert_array_equal(out, np.concatenate([a[:, :32], b[:, 32:]], axis=1))


@triton.jit
def choose(a, b, out, first, n):
    if first > 0:
        desc = tl.make_tensor_descriptor(a, shape=[4, n], strides=[16, 1], block_shape=[4, 16], padding_option="nan")
    else:
        desc = tl.make_tensor_descriptor(b, shape=[2, n], strides=[16, 1], block_shape=[4, 16], padding_option="nan")
    tl.store(out + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :], desc.load([0, 0]))


@pytest.mark.parametrize("first", [5, -5])
def test_chosen(first):
    a = np.arange(64, dtype="float32").reshape(4, 16)
    out = np.zeros_like(a)
    choose[(1, )](a, -a, out, first, 12)
    expected = np.full_like(a, np.nan)
    expected[:, :12] = a[:, :12] if first > 0 else -a[:, :12]
    if first <= 0:
        expected[2:] = np.nan
    np.testing.assert_array_equal(out, expected)


@triton.jit
def alternate(desc, other, out, n: tl.constexpr):
    for i in range(n):
        tl.store(out + i * 16 + tl.arange(0, 16), desc.load([i, 0]).reshape([16]))
        desc, other = other, desc


def test_swapped_arguments():
    from triton.tools.tensor_descriptor import TensorDescriptor
    a = np.arange(64, dtype="float32").reshape(4, 16)
    out = np.zeros_like(a)
    alternate[(1, )](TensorDescriptor(a, [4, 16], [16, 1], [1, 16]), TensorDescriptor(-a, [4, 16], [16, 1], [1, 16]), out, 4)
    np.testing.assert_array_equal(out, a * np.array([[1], [-1], [1], [-1]]))


@triton.jit
def copy_rows(source, out, first):
    tl.store(out + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :], source.load([first, 0]))


def test_a_descriptor_larger_than_its_base():
    """It would read what belongs to others, in silence."""
    base, out = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((4, 16), np.float32)
    copy_rows[(1, )](TensorDescriptor(base, [8, 16], [16, 1], [4, 16]), out, 4)
    np.testing.assert_array_equal(out, base[4:])
    for shape, strides in (([9, 16], [16, 1]), ([2, 16], [2**40, 1]), ([2**31 - 1, 2**31 - 1], [2**60, 1]), ([8, 17], [16, 1])):
        wrong = TensorDescriptor(base, shape, strides, [4, 16])
        for call in (lambda: copy_rows[(1, )](wrong, out, 4), lambda: nereid.check(copy_rows, (1, ), wrong, out, 4), lambda: nereid.count(copy_rows, (1, ), wrong, out, 4)):
            with pytest.raises(ValueError, match="the shape and strides of the descriptor reach over .* bytes, but its base has only 512"):
                call()
    part = base[2:4]  # a view may be left for the array that it is part of
    copy_rows[(1, )](TensorDescriptor(part, [6, 16], [16, 1], [4, 16]), out, 2)
    np.testing.assert_array_equal(out, base[4:])


def test_roundings_of_descriptors():
    a = np.zeros((4, 16), dtype="float32")
    assert TensorDescriptor.from_tensor(a, [1, 16], round_f32_to_tf32=False) == TensorDescriptor.from_tensor(a, [1, 16])
    with pytest.raises(NotImplementedError, match="leave it out"):
        TensorDescriptor.from_tensor(a, [1, 16], round_f32_to_tf32=True)
