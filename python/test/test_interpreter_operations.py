"""Kernels that run as Python compute what the library computes, bit by bit: the meaning of the language exists once."""
import numpy as np
import pytest

import triton
import triton.language as tl
from triton import knobs
from triton.tools.tensor_descriptor import TensorDescriptor

N = 16


def arithmetic(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.load(x + i), tl.load(y + i)
    c = -a + b * 2 - 3 / (a + 20) + a % (b + 20)
    tl.store(out + i, c.to(tl.float32))


def integers(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = (tl.load(x + i) * 8).to(tl.int32), (tl.load(y + i) * 8).to(tl.int16)
    c = (a & b) + (a | 3) - (a ^ b) + (a << 2) + (a >> 1) + ~a + a // (b + 100) + a % 7
    d = tl.where((a < b) | (a >= 3), c, -1) + tl.minimum(a, b) + tl.maximum(b, 2) + tl.abs(a) + tl.cdiv(a, 3)
    tl.store(out + i, d.to(tl.float32) + tl.umulhi(a.to(tl.uint32), a.to(tl.uint32)).to(tl.float32))


def halves(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i).to(tl.float16)
    b = tl.load(y + i).to(tl.bfloat16)
    c = a * 0.5 + b.to(tl.float16) / 3
    d = (b + 1).to(tl.float8e5).to(tl.float32) + b.to(tl.float32, bitcast=False)
    tl.store(out + i, c.to(tl.float32) + d + a.to(tl.int16, bitcast=True).to(tl.float32))


def elementwise(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.abs(tl.load(x + i)) + 0.5
    b = tl.exp(a) + tl.exp2(a) + tl.log(a) + tl.log2(a) + tl.sin(a) + tl.cos(a) + tl.sqrt(a) + tl.rsqrt(a) + tl.erf(a)
    b += tl.floor(a) + tl.ceil(a) + tl.fma(a, a, b) + tl.sigmoid(a) + tl.clamp(a, 0.0, 1.0) + tl.fdiv(a, b) + tl.math.sqrt_rn(a)
    tl.store(out + i, b)


def shapes(x, y, out, B: tl.constexpr):
    i = tl.arange(0, 4)
    a = tl.load(x + i[:, None] * 4 + i[None, :])
    b = tl.trans(a) + a.T + tl.permute(a, (1, 0)) + tl.reshape(tl.ravel(a), (4, 4)) + a.reshape(2, 8).reshape(4, 4)
    b += tl.broadcast_to(tl.expand_dims(i, 0), (4, 4)) + tl.full((4, 4), 2, tl.float32) + tl.zeros_like(a) + tl.flip(a)
    left, right = tl.split(tl.join(a, b))
    c = tl.interleave(left, right)
    d = tl.sum(tl.cat(tl.ravel(a), tl.ravel(b), can_reorder=True), 0)
    e = tl.gather(a, tl.broadcast_to((3 - i)[None, :], (4, 4)), 1)
    tl.store(out + i[:, None] * 4 + i[None, :], left + right + tl.sum(c, 1)[:, None] + d + e)


def reductions(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    m = tl.reshape(a, (4, B // 4))
    value, index = tl.max(m, 1, return_indices=True)
    total = tl.sum(a) + tl.max(a, 0) + tl.min(a, axis=0) + tl.argmax(a, 0) + tl.argmin(a, axis=0) + tl.sum(value * index)
    total += tl.xor_sum(i) + a.sum(axis=0) + tl.sum(tl.sum(m, 0, keep_dims=True))
    b = tl.cumsum(a) + tl.cumprod(a * 0.1 + 1, 0) + tl.cumsum(a, 0, reverse=True) + tl.sort(a) + tl.softmax(a)
    tl.store(out + i, b + total + tl.histogram(i, B))


@triton.jit
def weighted(a, b):
    return a * 0.5 + b


@triton.jit
def first_larger(value, index, other, other_index):
    keep = (value > other) | ((value == other) & (index < other_index))
    return tl.where(keep, value, other), tl.where(keep, index, other_index)


def combined(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    largest, where = tl.reduce((a, i), 0, first_larger)
    tl.store(out + i, tl.associative_scan(a, 0, weighted) + tl.reduce(a, 0, weighted) + largest + where)


def products(x, y, out, B: tl.constexpr):
    m, k = tl.arange(0, 4), tl.arange(0, 16)
    a, b = tl.load(x + (m[:, None] + k[None, :]) % B), tl.load(y + (k[:, None] * 3 + m[None, :]) % B)
    c = tl.dot(a, b, input_precision="ieee") + tl.dot(a.to(tl.float16), b.to(tl.float16), tl.zeros((4, 4), tl.float32))
    tl.store(out + m[:, None] * 4 + m[None, :], c)


def loops(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    total = tl.zeros((B, ), tl.float32)
    for k in range(3):
        for j in tl.range(0, 2, num_stages=2):
            total += tl.load(x + i) * k + j
    for k in tl.static_range(2):
        total += k
    n = 0
    while n < 3:
        n += 1
    total = total + n if n == 3 else total
    tl.store(out + i, total + max(n, 2) + tl.load(y + (i + k) % B))


def memory(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    mask = i < B - 3
    a = tl.load(x + i, mask=mask, other=-1.0)
    tl.atomic_add(out + i % 4, a, mask=mask)
    old = tl.atomic_max(out + 8, 3.0) + tl.atomic_xchg(out + 9, 5.0)
    tl.store(out + 4 + i % 4, a + old, mask=i >= B - 4)
    tl.store(out + 10, tl.load(x) + tl.load(out + 9))


def block_pointers(x, y, out, B: tl.constexpr):
    p = tl.make_block_ptr(x, (4, 3), (4, 1), (0, 0), (2, 4), (1, 0))
    q = tl.make_block_ptr(out, (4, 4), (4, 1), (0, 0), (2, 4), (1, 0))
    for k in range(2):
        tl.store(q, tl.load(p, boundary_check=(0, 1), padding_option="zero") + k)
        p, q = tl.advance(p, (2, 0)), q.advance((2, 0))


def descriptors(x, y, out, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[4, 4], strides=[4, 1], block_shape=[2, 4])
    target = tl.make_tensor_descriptor(out, shape=[4, 4], strides=[4, 1], block_shape=[2, 4])
    for k in range(0, 4, 2):
        target.store([k, 0], source.load([k, 0]) * 2 + k)


def randoms(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.rand(7, i) + tl.randn(3, i) + tl.randint(1, i).to(tl.float32))


_KERNELS = [arithmetic, integers, halves, elementwise, shapes, reductions, combined, products, loops, memory, block_pointers,
            descriptors, randoms]  # yapf: disable


def launch(kernel, *args, python, monkeypatch, **constants):
    from triton.runtime._interpreter import mode
    monkeypatch.setattr(knobs.runtime, "interpret", True)
    monkeypatch.setattr(mode, "always_python", python)
    triton.jit(kernel)[(1, )](*args, **constants)


@pytest.mark.parametrize("kernel", _KERNELS, ids=lambda kernel: kernel.__name__)
def test_same_as_the_library(kernel, monkeypatch):
    random = np.random.default_rng(0)
    x, y = (random.standard_normal(N).astype(np.float32) for _ in range(2))
    results = []
    for python in (False, True):
        out = np.zeros(N, np.float32)
        launch(kernel, x, y, out, B=N, python=python, monkeypatch=monkeypatch)
        results.append(out)
    np.testing.assert_array_equal(results[0].view(np.uint32), results[1].view(np.uint32))


def test_small_products(monkeypatch):
    """Matrix units of GPUs take no fewer columns; where a kernel runs as Python, any product is one."""

    def kernel(x, out):
        i = tl.arange(0, 2)
        a = tl.load(x + i[:, None] * 2 + i[None, :])
        tl.store(out + i[:, None] * 2 + i[None, :], tl.dot(a, a))

    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    launch(kernel, x, out, python=True, monkeypatch=monkeypatch)
    np.testing.assert_array_equal(out.reshape(2, 2), x.reshape(2, 2) @ x.reshape(2, 2))


def test_arguments_are_what_they_are_in_a_compiled_kernel(monkeypatch):

    def kernel(out, n, large, f, flag, none, pair, wide: tl.int64, C: tl.constexpr):
        tl.store(out, n + pair[0] + C)
        if none is None and flag:
            tl.store(out + 1, f.to(tl.float64))
        tl.store(out + 2, large)
        tl.static_assert(wide.dtype == tl.int64 and n.dtype == tl.int32 and f.dtype == tl.float32)
        tl.store(pair[1], wide)

    for python in (False, True):
        out, other = np.zeros(3, np.float64), np.zeros(1, np.int64)
        launch(kernel, out, 3, 2**40, 0.1, True, None, (4, other), 5, C=6, python=python, monkeypatch=monkeypatch)
        np.testing.assert_array_equal(out, [13, np.float32(0.1), 2**40])
        assert other[0] == 5


def test_descriptors_of_the_host(monkeypatch):

    def kernel(source, target):
        target.store([0, 0], source.load([2, 0]) + 1)

    x = np.arange(16, dtype=np.float32).reshape(4, 4)
    for python in (False, True):
        out = np.zeros((2, 4), np.float32)
        launch(kernel, TensorDescriptor.from_tensor(x, [2, 4]), TensorDescriptor.from_tensor(out, [2, 4]), python=python,
               monkeypatch=monkeypatch)  # yapf: disable
        np.testing.assert_array_equal(out, x[2:] + 1)
