# modules.py: imports and module-level code that kernels depend on.
import triton
import triton.language as tl

# --- a function that an imported file does not have
import helper_functions
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, helper_functions.halve(tl.load(p)))
#                                ^~~~~ error: `helper_functions` has no `halve`

# --- a misspelt function of an imported file
import helper_functions
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, helper_functions.doubl(tl.load(p)))
#                                ^~~~~ error: `helper_functions` has no `doubl`
#   note: did you mean `double`?

# --- a name that cannot be imported from a file
from helper_functions import triple
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, triple(tl.load(p)))
#               ^~~~~~ error: `triple` is not known at compile time
#   note: cannot import name `triple` from `helper_functions`

# --- a mistake inside an imported function
#   elsewhere: helper_functions.py: error: `missing` is not defined
from helper_functions import broken
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, broken(tl.load(p)))
#               ^~~~~~~~~~~~~~~~~~ note: in the call of `broken`

# --- an imported file with a syntax error
import syntax_error
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, syntax_error.f(tl.load(p)))
#               ^~~~~~~~~~~~~~~~~~~~~~~~~~ error: `syntax_error.f` cannot be called in a kernel
#   note: it comes from `syntax_error`, which has syntax errors

# --- files that import each other
#   elsewhere: cycle_a.py: error: calls are nested more than 200 deep
#   note: recursion needs an end that is known at compile time
#   elsewhere: cycle_b.py: note: in the call of `first`
#   elsewhere: cycle_a.py: note: in the call of `second`
import cycle_a
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, cycle_a.first(tl.load(p)))
#               ^~~~~~~~~~~~~~~~~~~~~~~~~ note: in the call of `first`

# --- a module that is not there
import no_such_module
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, no_such_module.f(tl.load(p)))
#               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `no_such_module.f` cannot be called in a kernel
#   note: only functions of the language and `@triton.jit` functions can

# --- a name of the language that is not there
from triton.language import lod
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, lod(p))
#               ^~~ error: `lod` is not known at compile time
#   note: cannot import name `lod` from `triton.language`

# --- module-level code that never ends
# at any place
def spin():
    n = 0
    while True:
#   ^~~~~~~~~~~ error: compile-time evaluation takes more than 5000000 steps
#   note: is there an endless loop, one that unrolls very often, or a very large value?
        n += 1
    return n

SIZE = tl.constexpr(spin())
#                   ^~~~~~ note: in the call of `spin`
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, SIZE)

# --- a global that cannot be computed
SIZE = tl.constexpr(1 // 0)
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, SIZE)
#               ^~~~ error: `SIZE` is not known at compile time
#   note: division by zero

# --- a default that cannot be computed
import os
# sig: p=*i32
@triton.jit
def kernel(p, N: tl.constexpr = os.cpu_count()):
    tl.store(p, N)
#               ^ error: expected a tensor or a number, got unknown value `os.cpu_count()`

# --- a function whose condition is unknown at load time
# accepted
import torch
if torch.cuda.device_count() > 1:
    @triton.jit
    def scale(x):
        return x * 2

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, scale(tl.load(p)))

# --- a class attribute that is not there
class Config:
    SIZE = tl.constexpr(16)

# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, Config.LENGTH)
#                      ^~~~~~ error: `Config` has no attribute `LENGTH`

# --- a numpy function
import numpy as np
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, np.exp(tl.load(p)))
#               ^~~~~~~~~~~~~~~~~~ error: `numpy.exp` cannot be called in a kernel
#   note: write `tl.exp(…)`
#   note: only functions of the language and `@triton.jit` functions can
