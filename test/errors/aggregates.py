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
#                 ^ error: tuple index 2 is out of range: it has 2 items

# --- a tuple as an operand of minus
# sig: p=*i32
@triton.jit
def kernel(p):
    t = (1, 2) - (3, 4)
#       ^~~~~~~~~~~~~~~ error: `-` is not defined for tuple and tuple

# --- an attribute of a tuple
# sig: p=*i32
@triton.jit
def kernel(p):
    t = (1, 2)
    tl.store(p, t.first)
#                 ^~~~~ error: a value of type tuple(i32, i32) has no attribute `first`

# --- an argument that is a tuple with too few items
# sig: p=*i32, t=(i32, i32)
@triton.jit
def kernel(p, t):
    a, b, c = t
#   ^~~~~~~ error: cannot unpack 2 values into 3 names

# --- a field that a named tuple does not have
class Point(NamedTuple):
    x: int
    y: int

# sig: p=*i32
@triton.jit
def kernel(p):
    q = Point(1, 2)
    tl.store(p, q.z)
#                 ^ error: a value of type tuple(i32, i32) has no attribute `z`

# --- a named tuple with too few values
class Point(NamedTuple):
    x: int
    y: int

# sig: p=*i32
@triton.jit
def kernel(p):
    q = Point(1)
#       ^~~~~~~~ error: `Point` needs a value for the field `y`

# --- a named tuple with an unknown field
class Point(NamedTuple):
    x: int
    y: int

# sig: p=*i32
@triton.jit
def kernel(p):
    q = Point(x=1, z=2)
#                  ^~~ error: `Point` has no field `z`

# --- an object of a plain class
class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b

# sig: p=*i32
@triton.jit
def kernel(p):
    pair = Pair(1, 2)
#          ^~~~~~~~~~ error: a kernel cannot make a `Pair`
#   note: only `@triton.aggregate` classes and named tuples can be made in a kernel

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
#                    ^ error: a value of type Pair(a: i32, b: i32) has no attribute `c`

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
#          ^~~~~~~ error: `__init__` needs an argument for `b`

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
#       ^~~ error: mismatched type for box: it is Box(a: i32[16]) if the condition holds, but Box(a: i32) otherwise
#   note: both branches must give `box` the same type
    tl.store(p, tl.sum(box.a))

# --- a tuple that changes its length in a loop
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    t = (n, n)
    for i in range(n):
        t = t + (i,)
#       ^ error: `t` is tuple(i32, i32) before the loop, but becomes tuple(i32, i32, i32) in it
#   note: a variable keeps its type through a loop: cast the new value, or start with that type
    tl.store(p, t[0])

# --- a tuple times a run-time value
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    t = (1, 2) * n
#       ^~~~~~~~~~ error: expected a tensor or a number, got tuple
#   note: a tuple has no arithmetic; work on its items

# --- a comparison of a tuple with a tensor
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    if (n, n) < (1, 2):
#      ^~~~~~~~~~~~~~~ error: `<` is not supported between `i32` and `int`
        tl.store(p, 1)

# --- an assignment to a field
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
    box.a = n + 1
#   ^~~~~ error: assignment to an attribute is not supported in a kernel
#   note: make a changed copy: `x = tl.aggregate_replace(x, a=…)`
    tl.store(p, box.a)

# --- a method that changes an aggregate without a name
@triton.language.core._aggregate
class Box:
    a: tl.tensor

    def __init__(self, a):
        self.a = a

    def add(self, n, _semantic=None):
        self.a = tl.add(self.a, n, _semantic=_semantic)

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    Box(n).add(n)
#   ^~~~~~~~~~ error: this method changes an aggregate that has no name here
#   note: give it a name first: `x = …`

# --- a method that changes an aggregate that a tuple has, too
@triton.language.core._aggregate
class Box:
    a: tl.tensor

    def __init__(self, a):
        self.a = a

    def add(self, n, _semantic=None):
        self.a = tl.add(self.a, n, _semantic=_semantic)
        return self.a

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    box = Box(n)
    pair = (box, n)
    box.add(1)
#   ^~~~~~~ error: this method changes an aggregate that is a part of `pair`, too
#   note: give it one name
    tl.store(p, pair[0].a)

# --- a method that changes what another name stands for on one path
@triton.language.core._aggregate
class Box:
    a: tl.tensor

    def __init__(self, a):
        self.a = a

    def add(self, n, _semantic=None):
        self.a = tl.add(self.a, n, _semantic=_semantic)
        return self.a

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    box, other = Box(n), Box(n + 1)
    chosen = box
    if n > 3:
        chosen = other
    chosen.add(1)
#   ^~~~~~~~~~ error: this method changes an aggregate that may be `box`, too
#   note: give it one name
    tl.store(p, box.a)

# --- a method that changes one of two names in a loop
@triton.language.core._aggregate
class Box:
    a: tl.tensor

    def __init__(self, a):
        self.a = a

    def add(self, n, _semantic=None):
        self.a = tl.add(self.a, n, _semantic=_semantic)
        return self.a

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    box = Box(n)
    alias = box
    for i in range(n):
        box.add(1)
#       ^~~~~~~ error: this method changes an aggregate that may be `alias`, too
#   note: give it one name
    tl.store(p, alias.a)

# --- two names that become one aggregate in a loop
@triton.language.core._aggregate
class Box:
    a: tl.tensor

    def __init__(self, a):
        self.a = a

    def add(self, n, _semantic=None):
        self.a = tl.add(self.a, n, _semantic=_semantic)
        return self.a

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    box, last = Box(n), Box(n)
    for i in range(n):
#            ^~~~~~~~ error: `box` and `last` are one aggregate from the second iteration on, and the loop changes it
#   note: give it one name
        box.add(1)
        last = box
    tl.store(p, last.a)

# --- a method that changes an aggregate in a conditional expression
@triton.language.core._aggregate
class Box:
    a: tl.tensor

    def __init__(self, a):
        self.a = a

    def add(self, n, _semantic=None):
        self.a = tl.add(self.a, n, _semantic=_semantic)
        return self.a

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    box = Box(n)
    x = box.add(1) if n > 3 else n
#                     ^~~~~ error: a method changes `box` in one branch of a conditional expression
#   note: write it as `if` and `else`
    tl.store(p, box.a + x)

# --- a bound method that changes its aggregate in a loop
@triton.language.core._aggregate
class Box:
    a: tl.tensor

    def __init__(self, a):
        self.a = a

    def add(self, n, _semantic=None):
        self.a = tl.add(self.a, n, _semantic=_semantic)
        return self.a

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    box = Box(n)
    add = box.add
    for i in range(n):
        add(1)
#       ^~~ error: this method changes an aggregate that is a part of `add`, too
#   note: give it one name
    tl.store(p, box.a)

# --- a constant field that changes in a loop
@triton.language.core._aggregate
class Steps:
    count: tl.constexpr

    def __init__(self, count):
        self.count = count

    def double(self, _semantic=None):
        self.count = tl.constexpr(self.count.value * 2)

# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    steps = Steps(tl.constexpr(1))
    for i in range(n):
        steps.double()
#       ^~~~~~~~~~~~ error: `steps` is Steps(count: int) before the loop, but becomes Steps(count: i32) in it
#   note: a variable keeps its type through a loop: cast the new value, or start with that type
    tl.store(p, steps.count)

# --- the smallest of constants with a NaN
# sig: p=*f32
@triton.jit
def kernel(p):
    tl.store(p, min(1.0, float("nan")))
#                        ^~~~~~~~~~~~ error: `min` of nan depends on the order of its arguments
#   note: write `tl.minimum`, which says what NaN and -0.0 give
