# constexprs.py: what must be known at compile time.
import triton
import triton.language as tl

# --- a run-time value as a constexpr stays one
# accepted
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    m: tl.constexpr = n * 4
    tl.store(p, m * tl.program_id(0) + m)

# --- a run-time value as a constexpr, where a constant must be
# sig: n=i32
@triton.jit
def kernel(n):
    m: tl.constexpr = n
    x = tl.arange(0, m)
#                    ^ error: `end` of `arange` must be a constant integer, got i32
#   note: make a tile of a fixed length, `tl.arange(0, BLOCK)` with `BLOCK: tl.constexpr`, and mask what is too much: `mask=offsets < n`

# --- a constexpr that is assigned again
@triton.jit
def kernel():
    m: tl.constexpr = 1
    m: tl.constexpr = 2
#   ^~~~~~~~~~~~~~~~~~~ error: `m` is already defined, and a constexpr cannot be assigned again

# --- a variable that becomes a constexpr
@triton.jit
def kernel():
    m = 1
    m: tl.constexpr = 2
#   ^~~~~~~~~~~~~~~~~~~ error: `m` is already defined, and a constexpr cannot be assigned again

# --- a constexpr that is an element
# sig: p=*i32
@triton.jit
def kernel(p):
    p[0]: tl.constexpr = 2
#   ^~~~~~~~~~~~~~~~~~~~~~ error: only a plain name can be a constexpr

# --- a run-time value in an f-string
# sig: n=i32
@triton.jit
def kernel(n):
    tl.static_print(f"n is {n}")
#                           ^ error: an f-string in a kernel can only show values known at compile time, but this is i32
#   note: print run-time values with `tl.device_print`

# --- `static_assert` that fails
# sig: BLOCK=64
@triton.jit
def kernel(BLOCK: tl.constexpr):
    tl.static_assert(BLOCK == 32, "BLOCK must be 32")
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: static assertion failed: BLOCK must be 32

# --- `static_assert` of an instance check
@triton.jit
def kernel():
    tl.static_assert(isinstance(0, tl.tensor))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: static assertion failed

# --- `static_assert` at run time
# sig: n=i32
@triton.jit
def kernel(n):
    tl.static_assert(n > 0)
#                    ^~~~~ error: `static_assert` needs a condition that is known at compile time, got a tensor of type i1
#   note: for run-time conditions, use `tl.device_assert`

# --- the axis of a program at run time
# sig: n=i32
@triton.jit
def kernel(n):
    pid = tl.program_id(n)
#                       ^ error: `axis` must be a constant integer, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- an axis that the grid does not have
@triton.jit
def kernel():
    pid = tl.program_id(3)
#                       ^ error: program_id axis must be 0, 1, or 2 but got 3

# --- a negative axis of the grid
@triton.jit
def kernel():
    pid = tl.num_programs(-1)
#                         ^~ error: program_id axis must be 0, 1, or 2 but got -1

# --- the axis of a reduction at run time
# sig: n=i32
@triton.jit
def kernel(n):
    x = tl.sum(tl.arange(0, 16), axis=n)
#                                ^~~~~~ error: `axis` must be a constant integer, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- a constexpr that is also not specialized
# sig: N=5
@triton.jit(do_not_specialize=["N"])
def kernel(N: tl.constexpr):
#          ^~~~~~~~~~~~~~~ error: parameter N marked as constexpr and listed in do_not_specialize
#   note: a constexpr always specializes the kernel: drop one of the two
    pass

# --- a constexpr parameter with a run-time argument
# sig: p=*i32, BLOCK=i32
@triton.jit
def kernel(p, BLOCK: tl.constexpr):
    tl.store(p + tl.arange(0, BLOCK), 1)
#                             ^~~~~ error: `end` of `arange` must be a constant integer, got i32
#   note: make a tile of a fixed length, `tl.arange(0, BLOCK)` with `BLOCK: tl.constexpr`, and mask what is too much: `mask=offsets < n`

# --- an annotation that is no constexpr
# accepted
# sig: N=i32
@triton.jit
def kernel(N: int = 1):
    pass

# --- defaults of parameters
# accepted
# sig: a=i32
@triton.jit
def kernel(a=1, B: tl.constexpr = ""):
    pass

# --- an index of a tuple at run time
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    sizes: tl.constexpr = (16, 32)
    tl.store(p, sizes[n])
#                     ^ error: a tuple can only be indexed with values known at compile time

# --- an index of a tuple that is out of range
# sig: p=*i32
@triton.jit
def kernel(p):
    sizes: tl.constexpr = (16, 32)
    tl.store(p, sizes[2])
#                     ^ error: tuple index 2 is out of range: it has 2 items

# --- a tuple with a key
# sig: p=*i32
@triton.jit
def kernel(p):
    sizes: tl.constexpr = (16, 32)
    tl.store(p, sizes["first"])
#                     ^~~~~~~ error: tuple indices must be integers or slices, not `str`

# --- a string that is stored
# sig: p=*i32, MODE="sum"
@triton.jit
def kernel(p, MODE: tl.constexpr):
    tl.store(p, MODE)
#               ^~~~ error: expected a tensor or a number, got str

# --- a string in a plain variable
# sig: p=*i32
@triton.jit
def kernel(p):
    mode = "sum"
    tl.store(p, mode)
#               ^~~~ error: expected a tensor or a number, got str

# --- an attribute that a constant does not have
# sig: p=*i32, N=16
@triton.jit
def kernel(p, N: tl.constexpr):
    tl.store(p, N.size)
#                 ^~~~ error: a value of type int has no attribute `size`

# --- a stride that is 1 in this launch
# sig: p=*fp32, stride=1
@triton.jit
def kernel(p, stride):
    tl.store(p + stride.to(tl.int64), 1.0)
#                       ^~ error: a value of type int has no attribute `to`
#   note: it is a constant: what is annotated `tl.constexpr` is one, and an argument that is 1
#   note: write `tl.cast(x, tl.int64)`, or let `do_not_specialize` name the parameter

# --- a power that is too large
# sig: p=*i32, N=1000000
@triton.jit
def kernel(p, N: tl.constexpr):
    tl.store(p, N ** N)
#               ^~~~~~ error: this integer needs more than 127 bits
#   note: compile-time integers are bounded

# --- a method that a string does not have
# sig: p=*i32, MODE="sum"
@triton.jit
def kernel(p, MODE: tl.constexpr):
    if MODE.startwith("s"):
#           ^~~~~~~~~ error: a value of type str has no attribute `startwith`
        tl.store(p, 1)

# --- `math` of a run-time value
import math
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, math.exp(tl.load(p)))
#                        ^~~~~~~~~~ error: `math.exp` works on values that are known at compile time, not on `f32`
#   note: write `tl.exp(…)`

# --- `math` of a negative number
import math
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, math.sqrt(-1.0))
#               ^~~~~~~~~~~~~~~ error: math domain error: `math.sqrt(-1.0)`

# --- `num_bins` at run time
# sig: n=i32
@triton.jit
def kernel(n):
    h = tl.histogram(tl.arange(0, 16), n)
#                                      ^ error: an extent of a shape must be a constant integer, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- the length of the unrolled loop is a tensor after an assignment
# sig: p=*i32, N=4
@triton.jit
def kernel(p, N: tl.constexpr):
    count = N * 2
    for i in tl.static_range(count):
#                            ^~~~~ error: `tl.static_range` needs integers that are known at compile time, got i32
#   note: for run-time bounds, use `range` or `tl.range`
        tl.store(p + i, 1)

# --- `next_power_of_2` of a run-time value
# sig: n=i32
@triton.jit
def kernel(n):
    x = tl.arange(0, triton.next_power_of_2(n))
#                                           ^ error: `triton.next_power_of_2` works on values that are known at compile time, not on `i32`
