# unsupported.py: Python that a kernel cannot contain. Each message says what to write instead where there is something.
import triton
import triton.language as tl

# --- a nested function
@triton.jit
def kernel():
    def inner(x):
#   ^~~~~~~~~~~~~ error: a nested function is not supported in a kernel
#   note: move it out of the kernel and decorate it with `@triton.jit`
        return x
    inner(1)

# --- a lambda
@triton.jit
def kernel():
    f = lambda x: x + 1
#       ^~~~~~~~~~~~~~~ error: a lambda is not supported in a kernel
#   note: move it out of the kernel, as a function decorated with `@triton.jit`

# --- a class
@triton.jit
def kernel():
    class Pair:
#   ^~~~~~~~~~~ error: a class is not supported in a kernel
#   note: move it out of the kernel and decorate it with `@triton.aggregate`
        pass

# --- try
# sig: p=*i32
@triton.jit
def kernel(p):
    try:
#   ^~~~ error: `try` is not supported in a kernel
#   note: check conditions with `tl.static_assert` at compile time, or with `tl.device_assert` at run time
        tl.store(p, 1)
    except ValueError:
        pass

# --- raise
@triton.jit
def kernel():
    raise ValueError("no")
#   ^~~~~~~~~~~~~~~~~~~~~~ error: `raise` is not supported in a kernel
#   note: check conditions with `tl.static_assert` at compile time, or with `tl.device_assert` at run time

# --- an import
@triton.jit
def kernel():
    import math
#   ^~~~~~~~~~~ error: `import` is not supported in a kernel
#   note: move it to the top of the file

# --- a from import
@triton.jit
def kernel():
    from math import pi
#   ^~~~~~~~~~~~~~~~~~~ error: `import` is not supported in a kernel
#   note: move it to the top of the file

# --- global
@triton.jit
def kernel():
    global counter
#   ^~~~~~~~~~~~~~ error: `global` is not supported in a kernel
#   note: pass values as parameters, and return what changes

# --- nonlocal
def make():
    x = 0
    @triton.jit
    def kernel():
        nonlocal x
#       ^~~~~~~~~~ error: `nonlocal` is not supported in a kernel
#   note: pass values as parameters, and return what changes
    return kernel

# --- del
@triton.jit
def kernel():
    x = 1
    del x
#   ^~~~~ error: `del` is not supported in a kernel
#   note: leave it out: names need no end

# --- a dict
@triton.jit
def kernel():
    d = {"a": 1}
#       ^~~~~~~~ error: a dict is not supported in a kernel
#   note: write a tuple, or a named tuple

# --- a set
@triton.jit
def kernel():
    s = {1, 2}
#       ^~~~~~ error: a set is not supported in a kernel
#   note: write a tuple

# --- a set comprehension
@triton.jit
def kernel():
    s = {x for x in (1, 2)}
#       ^~~~~~~~~~~~~~~~~~~ error: a set comprehension is not supported in a kernel
#   note: write a tuple

# --- a dict comprehension
@triton.jit
def kernel():
    s = {x: x for x in (1, 2)}
#       ^~~~~~~~~~~~~~~~~~~~~~ error: a dict comprehension is not supported in a kernel
#   note: write a tuple, or a named tuple

# --- a generator expression
@triton.jit
def kernel():
    s = list(x for x in (1, 2))
#           ^~~~~~~~~~~~~~~~~~~ error: a generator expression is not supported in a kernel
#   note: write a list: `[… for … in …]`

# --- yield
@triton.jit
def kernel():
    yield 1
#   ^~~~~~~ error: `yield` is not supported in a kernel

# --- await
@triton.jit
async def kernel():
    await something
#   ^~~~~~~~~~~~~~~ error: `await` is not supported in a kernel

# --- match
# sig: n=i32
@triton.jit
def kernel(n):
    match n:
#   ^~~~~~~~ error: `match` is not supported in a kernel
#   note: write `if`, `elif` and `else`
        case 0:
            pass

# --- a type alias
@triton.jit
def kernel():
    type Index = int
#   ^~~~~~~~~~~~~~~~ error: a type alias is not supported in a kernel

# --- async for
@triton.jit
async def kernel():
    async for x in y:
#   ^~~~~~~~~~~~~~~~~ error: `async for` is not supported in a kernel
        pass

# --- async with
@triton.jit
async def kernel():
    async with y:
#   ^~~~~~~~~~~~~ error: `async with` is not supported in a kernel
        pass

# --- a return inside `with`
# sig: p=*i32
@triton.jit
def kernel(p):
    with tl.scope("a"):
#   ^~~~~~~~~~~~~~~~~~~ error: `return` inside `with` is not supported
        return
    tl.store(p, 1)

# --- two targets in one assignment
@triton.jit
def kernel():
    a = b = 1
#   ^~~~~~~~~ error: several targets in one assignment are not supported in a kernel
#   note: write one assignment for each name

# --- a starred target
@triton.jit
def kernel():
    a, *b = 1, 2, 3
#      ^~ error: a starred target is not supported in a kernel
#   note: name every item

# --- an assignment to an element of a block
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    x[0] = 1
#   ^~~~ error: assignment to an element is not supported in a kernel
#   note: tiles are values: build the new one with `tl.where`, or store to memory with `tl.store`

# --- an augmented assignment to an element
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    x[0] += 1
#   ^~~~ error: assignment to an element is not supported in a kernel
#   note: tiles are values: build the new one with `tl.where`, or store to memory with `tl.store`

# --- an assignment to an attribute of a block
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    x.name = 1
#   ^~~~~~ error: assignment to an attribute is not supported in a kernel

# --- an assignment through a pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    p[0] = 1.0
#   ^~~~ error: assignment to an element is not supported in a kernel
#   note: a pointer is no array: write `tl.store(p + offsets, value)`

# --- an append to a list
@triton.jit
def kernel():
    xs = [1, 2]
    xs.append(3)
#      ^~~~~~ error: a value of type tuple(i32, i32) has no attribute `append`
#   note: a list in a kernel is a tuple: in a `tl.static_range` loop write `items = items + (x, )`
#   note: values that are counted at run time go into a tile, or to memory with `tl.store`

# --- keyword parameters of a function
@triton.jit
def helper(x, **options):
    return x

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, helper(1))
#               ^~~~~~~~~ error: `helper` has a parameter `**options`, which is not supported in a kernel
#   note: list its parameters one by one

# --- a bytes literal
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, b"a")
#               ^~~~ error: expected a tensor or a number, got unknown value `bytes`

# --- a complex number
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, 1j)
#               ^~ error: expected a tensor or a number, got unknown value `a complex number`

# --- an ellipsis as a value
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, ...)
#               ^~~ error: expected a tensor or a number, got ellipsis

# --- a walrus in a branch of a conditional expression
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, (x := 1) if n > 0 else 2)
#                ^~~~~~ error: `:=` is not supported in a branch of a conditional expression
#   note: assign in a line of its own

# --- the condition of a `while` with a walrus
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    while (n := n - 1) > 0:
#          ^~~~~~~~~~ error: `:=` is not supported in the condition of a `while`
#   note: assign in a line of its own
        tl.store(p, n)

# --- a walrus in a comprehension
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, tl.sum([(x := i) for i in (1, 2)][0]))
#                        ^~~~~~ error: `:=` is not supported in a comprehension
#   note: assign in a line of its own

# --- the name of a `with`
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    with tl.arange(0, 4) as n:
#                           ^ error: `with … as` is not supported in a kernel
        tl.store(p, n)

# --- a `with` of a value
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    with n:
#        ^ error: a kernel cannot enter this with `with`
#   note: it takes calls, such as `with pl.scope("name"):`
        tl.store(p, n)
