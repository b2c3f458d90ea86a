# atomics.py: read-modify-write operations on memory.
import triton
import triton.language as tl

# --- an atomic on a value
# sig: x=i32
@triton.jit
def kernel(x):
    tl.atomic_add(x, 1)

# --- an ordering that does not exist
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_add(p, 1, sem="seq_cst")

# --- a scope that does not exist
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_add(p, 1, scope="warp")

# --- an ordering that is not text
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_add(p, 1, sem=1)

# --- a bitwise atomic on floats
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.atomic_and(p, 1.0)

# --- another bitwise atomic on floats
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.atomic_xor(p, 1)

# --- an atomic on bytes
# sig: p=*i8
@triton.jit
def kernel(p):
    tl.atomic_add(p, 1)

# --- an atomic on 16-bit integers
# sig: p=*i16
@triton.jit
def kernel(p):
    tl.atomic_add(p, 1)

# --- an atomic on booleans
# sig: p=*i1
@triton.jit
def kernel(p):
    tl.atomic_or(p, True)

# --- the maximum of half precision
# sig: p=*fp16
@triton.jit
def kernel(p):
    tl.atomic_max(p, 1.0)

# --- a value of another shape
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_add(p + tl.arange(0, 16), tl.zeros((32,), tl.int32))

# --- a mask of another shape
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.atomic_add(p + tl.arange(0, 16), 1, mask=tl.arange(0, 32) < n)

# --- a block value for a scalar pointer
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_add(p, tl.arange(0, 16))

# --- a compare-and-swap with a mask
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_cas(p, 0, 1, mask=True)

# --- a compare-and-swap without a new value
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_cas(p, 0)

# --- an atomic through a pointer that is only read
# sig: p=*i32
@triton.jit
def kernel(p: tl.const):
    tl.atomic_add(p, 1)

# --- an atomic that does not exist
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_sub(p, 1)

# --- an exchange of a string
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_xchg(p, "one")

# --- a pointer to a pointer
# sig: p=**fp32, q=*fp32
@triton.jit
def kernel(p, q):
    tl.atomic_add(p, q)
