# names.py: names that are not there, or not there on every path.
import triton
import triton.language as tl

# --- a misspelt local variable
# sig: p=*fp32, BLOCK=64
@triton.jit
def kernel(p, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(p + ofsets, 0.0)
#                ^~~~~~ error: `ofsets` is not defined
#   note: did you mean `offsets`?

# --- a name that nothing resembles
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, quux)
#               ^~~~ error: `quux` is not defined

# --- a variable is read before its first assignment
@triton.jit
def kernel():
    a += 1
#   ^ error: `a` is not defined

# --- a misspelt function of the language
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.laod(p)
#          ^~~~ error: `tl` has no `laod`
#   note: did you mean `load`?

# --- a name that the language does not have
@triton.jit
def kernel():
    pid = tl.thread_id(0)
#            ^~~~~~~~~ error: `tl` has no `thread_id`
#   note: a program works on whole blocks: `tl.program_id(axis)` and `tl.arange` say which

# --- a misspelt parameter
# sig: x_ptr=*fp32, n_elements=i32
@triton.jit
def kernel(x_ptr, n_elements):
    tl.store(x_ptr, n_element)
#                   ^~~~~~~~~ error: `n_element` is not defined
#   note: did you mean `n_elements`?

# --- a variable that is set in one branch only
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
#      ^~~~~ note: it is assigned only in one branch of this `if`
        y = 1.0
    tl.store(p, y)
#               ^ error: `y` may have no value here

# --- a variable that is set in the else branch only
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
#      ^~~~~ note: it is assigned only in one branch of this `if`
        pass
    else:
        y = 1.0
    tl.store(p, y)
#               ^ error: `y` may have no value here

# --- a variable that is set in a loop only
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n):
#            ^~~~~~~~ note: it has a value only inside this loop
        y = tl.load(p + i)
    tl.store(p, y)
#               ^ error: `y` may have no value here

# --- the variable of a loop, after the loop
# accepted
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n):
        pass
    tl.store(p, i)

# --- a variable that is set in a while loop only
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    k = n
    while k > 0:
#         ^~~~~ note: it has a value only inside this loop
        last = k
        k = k - 1
    tl.store(p, last)
#               ^~~~ error: `last` may have no value here

# --- a plain global variable
LIMIT = 42
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, LIMIT)
#               ^~~~~ error: cannot access global variable `LIMIT` in a kernel
#   note: make it a constant: `LIMIT = tl.constexpr(42)`, or pass it as a parameter

# --- a global that is only annotated as constexpr
LIMIT: tl.constexpr = 42
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, LIMIT)
#               ^~~~~ error: cannot access global variable `LIMIT` in a kernel
#   note: make it a constant: `LIMIT = tl.constexpr(42)`, or pass it as a parameter

# --- a global made with tl.constexpr
# accepted
LIMIT = tl.constexpr(42)
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, LIMIT)

# --- a global that names a type
# accepted
INDEX = tl.pointer_type(tl.int32)
@triton.jit
def kernel():
    a = INDEX

# --- a global as the default of a parameter
# accepted
LIMIT = 42
# sig: a=i32
@triton.jit
def kernel(a=LIMIT):
    pass

# --- a plain global of another kind: a list
SIZES = [16, 32]
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, SIZES[0])
#               ^~~~~ error: cannot access global variable `SIZES` in a kernel
#   note: make it a constant: `SIZES = tl.constexpr([16, 32])`, or pass it as a parameter

# --- a global that is not known at compile time
import torch
DEVICES = torch.cuda.device_count()
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, DEVICES)
#               ^~~~~~~ error: `DEVICES` is not known at compile time
#   note: it comes from `torch.cuda.device_count()`

# --- a name of a host library
import torch
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, torch.tensor(1.0))
#               ^~~~~~~~~~~~~~~~~ error: `torch.tensor` cannot be called in a kernel
#   note: make a tile with `tl.arange`, `tl.zeros` or `tl.full`, or load it from memory
#   note: only functions of the language and `@triton.jit` functions can

# --- a name of the helper that calls do not see
@triton.jit
def helper(x):
    return x + hidden
#              ^~~~~~ error: `hidden` is not defined

# sig: p=*fp32
@triton.jit
def kernel(p):
    hidden = 1.0
    tl.store(p, helper(2.0))
#               ^~~~~~~~~~~ note: in the call of `helper`

# --- the import of the language under another name
# sig: p=*fp32
@triton.jit
def kernel(p):
    language.store(p, 1.0)
#   ^~~~~~~~ error: `language` is not defined

# --- a misspelt name of a module's attribute
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.math.exp3(tl.load(p)))
#                       ^~~~ error: `tl.math` has no `exp3`
#   note: did you mean `exp2`?

# --- an attribute that a tensor does not have
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).size)
#                          ^~~~ error: a value of type f32 has no attribute `size`
#   note: write `x.numel`, or `x.shape`

# --- a method that a tensor does not have
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, x.astype(tl.float32))
#                     ^~~~~~ error: a value of type i32[16] has no attribute `astype`
#   note: write `x.to(dtype)`

# --- a misspelt method of a tensor
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p, x.summ())
#                 ^~~~ error: a value of type i32[16] has no attribute `summ`
#   note: did you mean `sum`?

# --- a misspelt type
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).to(tl.flaot32))
#                                ^~~~~~~ error: `tl` has no `flaot32`
#   note: did you mean `float32`?

# --- a type that the language does not have
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).to(tl.int4))
#                                ^~~~ error: `tl` has no `int4`
#   note: write `tl.int8`, and unpack two values from each byte

# --- a name that was lost in one of two nested branches
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
#      ^~~~~ note: it is assigned only in one branch of this `if`
        if n > 1:
            y = 1.0
        else:
            z = 2.0
    else:
        y = 3.0
    tl.store(p, y)
#               ^ error: `y` may have no value here

# --- Python's name that kernels do not have
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, sum((1, 2, 3)))
#               ^~~ error: the function `sum` of Python cannot be used in a kernel
#   note: write `tl.sum(x, axis)` for the elements of a block

# --- Python's any
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.load(p + tl.arange(0, 16))
    if any(x > 3):
#      ^~~ error: the function `any` of Python cannot be used in a kernel
#   note: write `tl.max(x.to(tl.int32), axis) != 0` for the elements of a block
        tl.store(p, 1)

# --- Python's reversed
# sig: p=*i32
@triton.jit
def kernel(p):
    for i in reversed(range(3)):
#            ^~~~~~~~ error: the function `reversed` of Python cannot be used in a kernel
#   note: count down: `range(n - 1, -1, -1)`
        tl.store(p + i, i)

# --- Python's open
@triton.jit
def kernel():
    open("file")
#   ^~~~ error: the function `open` of Python cannot be used in a kernel
#   note: move this to the host, or to a `@triton.constexpr_function`
