# RUN: nereid run %s:changes "o=zeros:i32[16]" n=5 --grid 1 --device interp --save o=%t.npy && %python -c "import numpy; print(numpy.load('%t.npy').tolist())" | FileCheck %s
# RUN: nereid run %s:changes "o=zeros:i32[16]" n=5 --grid 1 --device cpu --save o=%t.npy && %python -c "import numpy; print(numpy.load('%t.npy').tolist())" | FileCheck %s
# A method that changes its object is seen wherever Python would see it: in the condition of a loop, and by another name that is given in it.
# What no name of its own could follow is an error (test/errors/aggregates.py).
import triton
import triton.language as tl


@tl.core._aggregate
class Counter:
    value: tl.tensor

    def __init__(self, value):
        self.value = value

    def advance(self, by, _semantic=None):
        self.value = tl.add(self.value, by, _semantic=_semantic)

    def next(self, _semantic=None):
        self.value = tl.add(self.value, 1, _semantic=_semantic)
        return self.value


# CHECK: [20, 14, 21, 5, 10, 15, 6, 5, 25, 0, 0, 0, 0, 0, 0, 0]
@triton.jit
def changes(o, n):
    waits = Counter(n)
    x = 0
    while waits.next() < 20:
        x += 1
    tl.store(o, waits.value)
    tl.store(o + 1, x)
    both = Counter(n)
    x = 0
    while both.next() < 20:
        both.advance(2)
        x += 1
    tl.store(o + 2, both.value)
    tl.store(o + 3, x)
    renamed = Counter(n)
    for i in range(n):
        other = renamed
        other.advance(1)
    tl.store(o + 4, renamed.value)
    nested = Counter(n)
    for i in range(2):
        j = 0
        while j < n:
            again = nested
            if j % 2 == 0:
                again.advance(1)
            else:
                nested.advance(1)
            j += 1
    tl.store(o + 5, nested.value)
    one = Counter(n)
    alias = one
    one.advance(1)
    tl.store(o + 6, alias.value)
    # A jit function gets the values, as in Triton.
    tl.store(o + 8, advanced(Counter(n)))
    kept = Counter(n)
    advanced(kept)
    tl.store(o + 7, kept.value)


@triton.jit
def advanced(counter):
    counter.advance(20)
    return counter.value
