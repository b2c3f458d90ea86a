# aggregates.py: tuples, named tuples, aggregates and classes.
import triton
import triton.language as tl
from typing import NamedTuple

# --- an index past the end of a tuple
# sig: p=*i32
@triton.jit
def kernel(p):
    t = (1, 2)
    tl.store(p, t[2])

# --- a tuple as an operand of minus
# sig: p=*i32
@triton.jit
def kernel(p):
    t = (1, 2) - (3, 4)

# --- an attribute of a tuple
# sig: p=*i32
@triton.jit
def kernel(p):
    t = (1, 2)
    tl.store(p, t.first)

# --- an argument that is a tuple with too few items
# sig: p=*i32, t=(i32, i32)
@triton.jit
def kernel(p, t):
    a, b, c = t

# --- a field that a named tuple does not have
class Point(NamedTuple):
    x: int
    y: int

# sig: p=*i32
@triton.jit
def kernel(p):
    q = Point(1, 2)
    tl.store(p, q.z)

# --- a named tuple with too few values
class Point(NamedTuple):
    x: int
    y: int

# sig: p=*i32
@triton.jit
def kernel(p):
    q = Point(1)

# --- a named tuple with an unknown field
class Point(NamedTuple):
    x: int
    y: int

# sig: p=*i32
@triton.jit
def kernel(p):
    q = Point(x=1, z=2)

# --- an object of a plain class
class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b

# sig: p=*i32
@triton.jit
def kernel(p):
    pair = Pair(1, 2)

# --- a field that an aggregate does not have
@triton.language.core._aggregate
class Pair:
    a: tl.tensor
    b: tl.tensor

    @triton.constexpr_function
    def __init__(self, a, b):
        self.a = a
        self.b = b

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    pair = Pair(n, n)
    tl.store(p, pair.c)

# --- an aggregate with too few arguments
@triton.language.core._aggregate
class Pair:
    a: tl.tensor
    b: tl.tensor

    @triton.constexpr_function
    def __init__(self, a, b):
        self.a = a
        self.b = b

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    pair = Pair(n)

# --- an aggregate that changes its type in a branch
@triton.language.core._aggregate
class Box:
    a: tl.tensor

    @triton.constexpr_function
    def __init__(self, a):
        self.a = a

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    box = Box(n)
    if n > 0:
        box = Box(tl.arange(0, 16))
    tl.store(p, tl.sum(box.a))

# --- a tuple that changes its length in a loop
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    t = (n, n)
    for i in range(n):
        t = t + (i,)
    tl.store(p, t[0])

# --- a tuple times a run-time value
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    t = (1, 2) * n

# --- a comparison of a tuple with a tensor
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    if (n, n) < (1, 2):
        tl.store(p, 1)
