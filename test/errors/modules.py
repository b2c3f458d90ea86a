# modules.py: imports and module-level code that kernels depend on.
import triton
import triton.language as tl

# --- a function that an imported file does not have
import helper_functions
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, helper_functions.halve(tl.load(p)))

# --- a misspelt function of an imported file
import helper_functions
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, helper_functions.doubl(tl.load(p)))

# --- a name that cannot be imported from a file
from helper_functions import triple
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, triple(tl.load(p)))

# --- a mistake inside an imported function
from helper_functions import broken
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, broken(tl.load(p)))

# --- an imported file with a syntax error
import syntax_error
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, syntax_error.f(tl.load(p)))

# --- files that import each other
import cycle_a
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, cycle_a.first(tl.load(p)))

# --- a module that is not there
import no_such_module
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, no_such_module.f(tl.load(p)))

# --- a name of the language that is not there
from triton.language import lod
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, lod(p))

# --- module-level code that never ends
def spin():
    n = 0
    while True:
        n += 1
    return n

SIZE = tl.constexpr(spin())
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

# --- a default that cannot be computed
import os
# sig: p=*i32
@triton.jit
def kernel(p, N: tl.constexpr = os.cpu_count()):
    tl.store(p, N)

# --- a function whose condition is unknown at load time
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

# --- a numpy function
import numpy as np
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, np.exp(tl.load(p)))
