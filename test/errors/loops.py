# loops.py: `for` and what it runs over.
import triton
import triton.language as tl

# --- a loop over a tensor
# sig: p=*i32
@triton.jit
def kernel(p):
    for x in tl.arange(0, 16):
#            ^~~~~~~~~~~~~~~~ error: cannot loop over a value of type i32[16]
#   note: a kernel loops over `range(…)`, `tl.range(…)`, `tl.static_range(…)` or a tuple
        tl.store(p, x)

# --- a loop over a number
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in n:
#            ^ error: cannot loop over a value of type i32
#   note: a kernel loops over `range(…)`, `tl.range(…)`, `tl.static_range(…)` or a tuple
        tl.store(p + i, 1)

# --- a loop over a string
# sig: p=*i32
@triton.jit
def kernel(p):
    for c in "abc":
#            ^~~~~ error: cannot loop over a value of type str
#   note: a kernel loops over `range(…)`, `tl.range(…)`, `tl.static_range(…)` or a tuple
        tl.store(p, 1)

# --- a loop over enumerate
# sig: p=*i32
@triton.jit
def kernel(p):
    for i, x in enumerate((1, 2)):
#               ^~~~~~~~~ error: the function `enumerate` of Python cannot be used in a kernel
#   note: loop over `range(n)` or `tl.static_range(n)`, and index the tuple
        tl.store(p + i, x)

# --- a float bound
# sig: p=*i32, n=fp32
@triton.jit
def kernel(p, n):
    for i in range(n):
#            ^~~~~~~~ error: the bounds of a loop must be integer scalars, but one is f32
#   note: divide integers with `//`, or convert it: `.to(tl.int32)`
        tl.store(p + i, 1)

# --- a bound that was divided
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n / 16):
#            ^~~~~~~~~~~~~ error: the bounds of a loop must be integer scalars, but one is f32
#   note: divide integers with `//`, or convert it: `.to(tl.int32)`
        tl.store(p + i, 1)

# --- a block bound
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in range(tl.arange(0, 16)):
#            ^~~~~~~~~~~~~~~~~~~~~~~ error: the bounds of a loop must be integer scalars, but one is i32[16]
#   note: all elements of a block are computed at once: a loop counts blocks
        tl.store(p + i, 1)

# --- a pointer bound
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in range(p):
#            ^~~~~~~~ error: the bounds of a loop must be integer scalars, but one is *i32
        tl.store(p + i, 1)

# --- a string bound
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in range("16"):
#            ^~~~~~~~~~~ error: expected a tensor or a number, got str
        tl.store(p + i, 1)

# --- a step of zero
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(0, n, 0):
#            ^~~~~~~~~~~~~~ error: the step of a range must not be zero
        tl.store(p + i, 1)

# --- a range without arguments
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in range():
#            ^~~~~~~ error: `range` takes one to three arguments, but 0 are given
        tl.store(p + i, 1)

# --- a range with four arguments
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in range(0, 1, 2, 3):
#            ^~~~~~~~~~~~~~~~~ error: `range` takes one to three arguments, but 4 are given
        tl.store(p + i, 1)

# --- a static range with a run-time bound
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in tl.static_range(n):
#                            ^ error: `tl.static_range` needs integers that are known at compile time, got i32
#   note: for run-time bounds, use `range` or `tl.range`
        tl.store(p + i, 1)

# --- a static range with a step of zero
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in tl.static_range(0, 4, 0):
#                                  ^ error: the step of `tl.static_range` must not be 0
        tl.store(p + i, 1)

# --- an unknown option of a range
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in tl.range(n, num_stage=2):
#                        ^~~~~~~~~~~ error: `range` has no parameter `num_stage`
#   note: did you mean `num_stages`?
        tl.store(p + i, 1)

# --- an option of a range at run time
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in tl.range(n, num_stages=n):
#                        ^~~~~~~~~~~~ error: `num_stages` of `tl.range` must be known at compile time
        tl.store(p + i, 1)

# --- `for … else`
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n):
#   ^~~~~~~~~~~~~~~~~~ error: `for … else` is not supported in a kernel
        tl.store(p + i, 1)
    else:
        tl.store(p, 0)

# --- `break`
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n):
        if tl.load(p + i) == 0:
            break
#           ^~~~~ error: `break` is not supported in a kernel
#   note: put the condition into a `while` loop, or mask the rest of the work

# --- `continue`
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n):
        if tl.load(p + i) == 0:
            continue
#           ^~~~~~~~ error: `continue` is not supported in a kernel
#   note: put the rest of the body under an `if`
        tl.store(p + i, 1)

# --- a variable that becomes a block in the loop
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    acc = 0
    for i in range(n):
        acc += tl.load(p + tl.arange(0, 16))
#       ^~~ error: `acc` is i32 before the loop, but becomes i32[16] in it
#   note: a variable keeps its shape through a loop: start with a block, as `tl.zeros` makes it
    tl.store(p, acc)

# --- a variable that becomes a float in the loop
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    acc = 0
    for i in range(n):
        acc += tl.load(p + i)
#       ^~~ error: `acc` is i32 before the loop, but becomes f32 in it
#   note: a variable keeps its type through a loop: cast the new value, or start with that type
    tl.store(p, acc)

# --- a variable that grows in the loop
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    acc = tl.zeros((16,), tl.float16)
    for i in range(n):
        acc = acc + tl.load(p + tl.arange(0, 16))
#       ^~~ error: `acc` is f16[16] before the loop, but becomes f32[16] in it
#   note: a variable keeps its type through a loop: cast the new value, or start with that type
    tl.store(p + tl.arange(0, 16), acc)

# --- a variable that becomes a pointer in the loop
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    q = n
    for i in range(n):
        q = p + i
#       ^ error: `q` is i32 before the loop, but becomes *f32 in it
#   note: a variable keeps its type through a loop: cast the new value, or start with that type
    tl.store(q, 1.0)

# --- a variable that changes its type in a while loop
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    while n > 0:
        n = n / 2
#       ^ error: `n` is i32 before the loop, but becomes f32 in it
#   note: a variable keeps its type through a loop: cast the new value, or start with that type
    tl.store(p, n)

# --- None that becomes a tensor in the loop
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    last = None
    for i in range(n):
        last = tl.load(p + i)
#       ^~~~ error: `last` is None before the loop, but becomes f32 in it
#   note: a variable keeps its type through a loop: cast the new value, or start with that type
    tl.store(p, last)

# --- several variables in a loop over a range
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i, j in range(n):
#               ^~~~~~~~ error: the variable of a loop must be a plain name
        tl.store(p + i, j)

# --- the variable of the loop is an element
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for p[0] in range(n):
#               ^~~~~~~~ error: the variable of a loop must be a plain name
        pass

# --- a constexpr that is assigned in the loop
# accepted
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n):
        k: tl.constexpr = i
        tl.store(p + k, 1)

# --- the variable of a loop where a constant is needed
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in range(4):
        x = tl.zeros((i,), tl.int32)
#                    ^~~~ error: an extent of a shape must be a constant integer, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- a comprehension over a range at run time
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    xs = [i * 2 for i in range(n)]
#                        ^~~~~~~~ error: a comprehension in a kernel runs over a tuple, not over range
#   note: a `for` loop takes bounds of run time; or give the number as a `tl.constexpr`

# --- nested comprehensions
# sig: p=*i32
@triton.jit
def kernel(p):
    xs = [i * j for i in (1, 2) for j in (3, 4)]
#        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: nested comprehensions are not supported in a kernel

# --- a comprehension with a run-time condition
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    xs = [i for i in (1, 2) if n > i]
#                              ^~~~~ error: the condition of a comprehension must be known at compile time

# --- an unroll factor that is too large
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in tl.range(0, n, loop_unroll_factor=10**9):
#                           ^~~~~~~~~~~~~~~~~~~~~~~~ error: `loop_unroll_factor` of `tl.range` is an integer from 0 to 1024, got 1000000000
        tl.store(p + i, i)

# --- an option that no loop can have
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in tl.range(0, n, num_stages=2**40):
#                           ^~~~~~~~~~~~~~~~ error: `num_stages` of `tl.range` is an integer from 0 to 1024, got 1099511627776
        tl.store(p + i, i)

# --- fewer stages than none
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in tl.range(0, n, num_stages=-1):
#                           ^~~~~~~~~~~~~ error: `num_stages` of `tl.range` is an integer from 0 to 1024, got -1
        tl.store(p + i, i)

# --- parts of stages
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in tl.range(0, n, num_stages=1.5):
#                           ^~~~~~~~~~~~~~ error: `num_stages` of `tl.range` is an integer from 0 to 1024, got float
        tl.store(p + i, i)

# --- a switch that is none
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in tl.range(0, n, flatten="a"):
#                           ^~~~~~~~~~~ error: `flatten` of `tl.range` is True or False, got str
        tl.store(p + i, i)

# --- nested loops that unroll to too much
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in tl.range(0, n, loop_unroll_factor=500):
#            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: unrolling this loop 500 times makes more than 32768 operations
#   note: use a smaller `loop_unroll_factor`
        for j in tl.range(0, n, loop_unroll_factor=500):
            tl.store(p + i + j, i)

# --- a static_range that is too long
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in tl.static_range(10**9):
#            ^~~~~~~~~~~~~~~~~~~~~~ error: a value of 1000000000 items is too large for compile-time evaluation (limit 1048576)
        tl.store(p + i, i)

# --- static_ranges that unroll to too much
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in tl.static_range(1000):
        for j in tl.static_range(1000):
            tl.store(p + i, i)
#                           ^ error: compile-time evaluation takes more than 5000000 steps
#   note: is there an endless loop, one that unrolls very often, or a very large value?

# --- a type that is another one from the second iteration on
# sig: p=*f32, n=i32
@triton.jit
def kernel(p, n):
    kind = tl.float32
    for i in range(n):
#            ^~~~~~~~ note: it loses its value in this loop
        tl.store(p, tl.full((), 3.7, kind).to(tl.float32))
#                                    ^~~~ error: `kind` may have no value here
        kind = tl.int8

# --- a string that a loop changes
# sig: p=*f32, n=i32
@triton.jit
def kernel(p, n):
    rounding = "nearest"
    while n > 0:
#         ^~~~~ note: it has a value only inside this loop
        rounding = "up"
        n -= 1
    if rounding == "up":
#      ^~~~~~~~ error: `rounding` may have no value here
        tl.store(p, 1.0)
