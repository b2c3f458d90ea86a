# memory.py: loads and stores.
import triton
import triton.language as tl

# --- a load from an integer
# sig: p=i64
@triton.jit
def kernel(p):
    tl.load(p)

# --- a load from a float
# sig: x=fp32
@triton.jit
def kernel(x):
    tl.load(x)

# --- a load from None
# sig: p=None
@triton.jit
def kernel(p):
    tl.load(p)

# --- a load from a tuple
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load((p, p))

# --- a store to an integer
# sig: p=i64
@triton.jit
def kernel(p):
    tl.store(p, 1.0)

# --- a block mask for a scalar pointer
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.load(p, mask=x < n)

# --- a block value for a scalar pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.zeros((16,), tl.float32))

# --- a mask of another shape
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    y = tl.arange(0, 32)
    tl.load(p + x, mask=y < n)

# --- an integer mask
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.load(p + x, mask=x)

# --- a value in place of the mask
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.load(p + x, 0.0)

# --- `other` without a mask
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.load(p + x, other=0.0)

# --- `other` of another shape
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.load(p + x, mask=x < n, other=tl.zeros((32,), tl.float32))

# --- `other` in quotes
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.load(p + x, mask=x < n, other="zero")

# --- a stored value of another shape
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, tl.zeros((32,), tl.float32))

# --- a stored value with more dimensions
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, tl.zeros((16, 16), tl.float32))

# --- a stored mask of another shape
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.store(p + x, 1.0, mask=tl.arange(0, 8) < n)

# --- a store of None
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, None)

# --- a store of a tuple
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, (1.0, 2.0))

# --- a store of a type
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.float32)

# --- a store of a function
@triton.jit
def one():
    return 1.0

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, one)

# --- a store through a pointer that is only read
# sig: p=*fp32
@triton.jit
def kernel(p: tl.const):
    tl.store(p, 1.0)

# --- a cache modifier that does not exist
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p, cache_modifier=".cc")

# --- a cache modifier of stores on a load
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p, cache_modifier=".wb")

# --- a cache modifier of loads on a store
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, 1.0, cache_modifier=".ca")

# --- an eviction policy that does not exist
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p, eviction_policy="evict_later")

# --- a cache modifier that is not text
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p, cache_modifier=1)

# --- `volatile` at run time
# sig: p=*fp32, v=i32
@triton.jit
def kernel(p, v):
    tl.load(p, volatile=v)

# --- `boundary_check` on an ordinary pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p + tl.arange(0, 16), boundary_check=(0,))

# --- `padding_option` on an ordinary pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.load(p + tl.arange(0, 16), padding_option="zero")

# --- a pointer to a pointer is no float
# sig: p=*fp32
@triton.jit
def kernel(p):
    q = tl.load(p)
    tl.load(q + tl.arange(0, 16))

# --- a value read from memory as a pointer, without a cast
# sig: table=*i64
@triton.jit
def kernel(table):
    base = tl.load(table)
    tl.store(base + tl.arange(0, 16), 1.0)

# --- a block of pointers that is not a pointer of blocks
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    y = tl.arange(0, 32)
    tl.load(p + x + y)
