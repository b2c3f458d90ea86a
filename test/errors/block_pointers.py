# block_pointers.py: tl.make_block_ptr, tl.advance, boundary_check.
import triton
import triton.language as tl

# --- lists of different lengths
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n, n), (n, 1), (0,), (16, 16), (1, 0))

# --- an order that is no permutation
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n, n), (n, 1), (0, 0), (16, 16), (1, 1))

# --- a block shape at run time
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n, n), (n, 1), (0, 0), (n, 16), (1, 0))

# --- a block shape that is not a power of two
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n, n), (n, 1), (0, 0), (24, 16), (1, 0))

# --- a base that is not a pointer
# sig: p=fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))

# --- a base that is a block of pointers
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p + tl.arange(0, 16), (n,), (1,), (0,), (16,), (0,))

# --- a shape of floats
# sig: p=*fp32, n=fp32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))

# --- no order
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,))

# --- a mask on a block pointer
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.load(b, mask=tl.arange(0, 16) < n)

# --- a boundary check of a dimension that is not there
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.load(b, boundary_check=(1,))

# --- a boundary check of one dimension twice
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
    tl.load(b, boundary_check=(0, 0))

# --- a padding that does not exist
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.load(b, boundary_check=(0,), padding_option="one")

# --- padding with NaN of integers
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.load(b, boundary_check=(0,), padding_option="nan")

# --- an advance with too many offsets
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    b = tl.advance(b, (16, 0))

# --- an advance of an ordinary pointer
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.advance(p, (16,))

# --- arithmetic on a block pointer
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    b = b + 16

# --- a stored value of another shape
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.store(b, tl.zeros((32,), tl.float32))

# --- another block pointer in the loop
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    for i in range(n):
        b = tl.make_block_ptr(p, (n,), (1,), (0,), (32,), (0,))

# --- an atomic on a block pointer
# sig: p=*fp32, n=i32
@triton.jit
def kernel(p, n):
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.atomic_add(b, 1.0)
