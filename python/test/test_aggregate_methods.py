"""Methods of aggregates that are Python's: they get `_semantic`, may call the language, and may store to their object; those without it run as Python."""
import numpy as np
import pytest
import triton
import triton.language as tl


@tl.core._aggregate
class Counter:
    value: tl.tensor
    step: tl.constexpr

    def __init__(self, first, step, _semantic=None):
        self.value = tl.add(tl.arange(0, 4, _semantic=_semantic), first, _semantic=_semantic)
        self.step = tl.constexpr(step)

    def advance(self, by, _semantic=None):
        self.value = tl.add(self.value, by, _semantic=_semantic)

    def doubled(self, _semantic=None):
        return tl.add(self.value, self.value, _semantic=_semantic)

    @staticmethod
    def of(first):
        return Counter(first, 10)

    @triton.jit
    def __getitem__(self, factor):
        return self.value * factor

    @triton.jit
    def with_step(self):
        return self.doubled() + self.step


@triton.jit
def straight(out, n):
    counter = Counter(n, 3)
    alias = counter
    counter.advance(100)
    offsets = tl.arange(0, 4)
    tl.store(out + offsets, counter.value)
    tl.store(out + 4 + offsets, alias[2])
    tl.store(out + 8 + offsets, counter.with_step())
    tl.store(out + 12 + offsets, counter[n])


@triton.jit
def looped(out, n):
    counter, kept = Counter(0, 3), Counter(0, 3)
    for i in range(n):
        counter.advance(i)
        if i % 2 == 0:
            counter.advance(1000)
    i = 0
    while i < n:
        kept.advance(10)
        i += 1
    offsets = tl.arange(0, 4)
    tl.store(out + offsets, counter.value)
    tl.store(out + 4 + offsets, kept.value)


@pytest.mark.parametrize("device", ("cpu", "interp"))
def test_methods(device, monkeypatch):
    monkeypatch.setenv("NEREID_DEVICE", device)
    out = np.zeros(16, np.int32)
    straight[(1, )](out, 5)
    changed = np.arange(4) + 105
    assert out.tolist() == [*changed, *(2 * changed), *(2 * changed + 3), *(5 * changed)]
    looped[(1, )](out, 5)
    assert out[:8].tolist() == [*(np.arange(4) + 3010), *(np.arange(4) + 50)]


def test_a_method_of_python_that_calls_nothing():
    @triton.jit
    def kernel(out, n):
        counter = Box.of(n)
        tl.store(out, counter.value + counter.twice)

    out = np.zeros(1, np.int32)
    kernel[(1, )](out, 7)
    assert out[0] == 7 + 42


@tl.core._aggregate
class Box:
    value: tl.tensor
    twice: tl.constexpr

    def __init__(self, value, twice):
        self.value = value
        self.twice = twice

    @staticmethod
    def of(value):
        return Box(value, tl.constexpr(42))


@triton.jit
def stores_to_a_field(out, n):
    box = Box.of(n)
    box.value = n + 1
    tl.store(out, box.value)


@triton.jit
def stores_to_fields(out, n):
    box = Box.of(n)
    box.value, box.twice = n, n
    tl.store(out, box.value)


@pytest.mark.parametrize("kernel", (stores_to_a_field, stores_to_fields))
def test_a_kernel_does_not_store_to_fields(kernel):
    with pytest.raises(triton.CompilationError, match=r"aggregate_replace\(x, value=…\)"):
        kernel[(1, )](np.zeros(1, np.int32), 7)


@triton.jit
def extremes(out, a: tl.constexpr, b: tl.constexpr):
    tl.store(out, min(a, b) + 10 * max(a, b, 2))


def test_extremes_of_constants():
    out = np.zeros(1, np.float32)
    extremes[(1, )](out, 1.0, 3.0)
    assert out[0] == 31
    for wrong in (float("nan"), -0.0):
        with pytest.raises(triton.CompilationError, match="depends on the order of its arguments"):
            extremes[(1, )](out, 1.0, wrong)
