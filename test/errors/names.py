# names.py: names that are not there, or not there on every path.
import triton
import triton.language as tl

# --- a misspelt local variable
# sig: p=*fp32, BLOCK=64
@triton.jit
def kernel(p, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(p + ofsets, 0.0)

# --- a name that nothing resembles
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, quux)

# --- a variable is read before its first assignment
@triton.jit
def kernel():
    a += 1

# --- a misspelt function of the language
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.laod(p)

# --- a name that the language does not have
@triton.jit
def kernel():
    pid = tl.thread_id(0)

# --- a misspelt parameter
# sig: x_ptr=*fp32, n_elements=i32
@triton.jit
def kernel(x_ptr, n_elements):
    tl.store(x_ptr, n_element)

# --- a variable that is set in one branch only
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
        y = 1.0
    tl.store(p, y)

# --- a variable that is set in the else branch only
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
        pass
    else:
        y = 1.0
    tl.store(p, y)

# --- a variable that is set in a loop only
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    for i in range(n):
        y = tl.load(p + i)
    tl.store(p, y)

# --- the variable of a loop, after the loop
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
        last = k
        k = k - 1
    tl.store(p, last)

# --- a plain global variable
LIMIT = 42
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, LIMIT)

# --- a global that is only annotated as constexpr
LIMIT: tl.constexpr = 42
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, LIMIT)

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

# --- a global that is not known at compile time
import torch
DEVICES = torch.cuda.device_count()
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, DEVICES)

# --- a name of a host library
import torch
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, torch.tensor(1.0))

# --- a name of the helper that calls do not see
@triton.jit
def helper(x):
    return x + hidden

# sig: p=*fp32
@triton.jit
def kernel(p):
    hidden = 1.0
    tl.store(p, helper(2.0))

# --- the import of the language under another name
# sig: p=*fp32
@triton.jit
def kernel(p):
    language.store(p, 1.0)

# --- a misspelt name of a module's attribute
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.math.exp3(tl.load(p)))

# --- an attribute that a tensor does not have
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).size)

# --- a method that a tensor does not have
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, x.astype(tl.float32))

# --- a misspelt method of a tensor
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p, x.summ())

# --- a misspelt type
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).to(tl.flaot32))

# --- a type that the language does not have
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p).to(tl.int4))

# --- a name that was lost in one of two nested branches
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    if n > 0:
        if n > 1:
            y = 1.0
        else:
            z = 2.0
    else:
        y = 3.0
    tl.store(p, y)

# --- Python's name that kernels do not have
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, sum((1, 2, 3)))

# --- Python's open
@triton.jit
def kernel():
    open("file")
