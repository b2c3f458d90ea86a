# shapes.py: shapes that are no shapes, and shapes that do not fit.
import triton
import triton.language as tl

# --- a range whose length is not a power of two
@triton.jit
def kernel():
    tl.arange(2, 7)

# --- a range that ends before it starts
@triton.jit
def kernel():
    tl.arange(16, 0)

# --- an empty range
@triton.jit
def kernel():
    tl.arange(8, 8)

# --- a range up to a run-time value
# sig: n=i32
@triton.jit
def kernel(n):
    tl.arange(0, n)

# --- a range up to a constant that was assigned to a plain variable
@triton.jit
def kernel():
    size = 64
    tl.arange(0, size)

# --- a range of floats
@triton.jit
def kernel():
    tl.arange(0.0, 16.0)

# --- a range that is too long
@triton.jit
def kernel():
    tl.arange(0, 2097152)

# --- a range with one argument
@triton.jit
def kernel():
    tl.arange(16)

# --- a shape that is not a power of two
@triton.jit
def kernel():
    tl.full((33,), 0, dtype=tl.int64)

# --- a shape of zero elements
@triton.jit
def kernel():
    tl.zeros((0, 16), tl.float32)

# --- a negative extent
@triton.jit
def kernel():
    tl.zeros((-16,), tl.float32)

# --- a shape of a run-time value
# sig: n=i32
@triton.jit
def kernel(n):
    tl.zeros((n,), tl.float32)

# --- a block size that is not a power of two
# sig: p=*fp32, BLOCK=100
@triton.jit
def kernel(p, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK)
    tl.store(p + x, 1.0)

# --- a block with too many elements
@triton.jit
def kernel():
    tl.zeros((2048, 1024), tl.float32)

# --- two vectors that broadcast to too many elements
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 4096)
    tl.store(p, tl.sum(x[:, None] + x[None, :]))

# --- a shape of floats
@triton.jit
def kernel():
    tl.zeros((16.0,), tl.float32)

# --- a shape in quotes
@triton.jit
def kernel():
    tl.zeros("16", tl.float32)

# --- a reshape to another number of elements
@triton.jit
def kernel():
    tl.reshape(tl.arange(0, 16), (4, 8))

# --- a reshape to a size that is not a power of two
@triton.jit
def kernel():
    tl.reshape(tl.arange(0, 16), (3, 5))

# --- a view to another number of elements
@triton.jit
def kernel():
    tl.view(tl.arange(0, 16), (2, 4))

# --- a broadcast of a dimension that is not 1
@triton.jit
def kernel():
    tl.broadcast_to(tl.arange(0, 16), (32,))

# --- a broadcast to fewer dimensions
@triton.jit
def kernel():
    tl.broadcast_to(tl.zeros((16, 16), tl.float32), (16,))

# --- `broadcast` of shapes that do not fit
@triton.jit
def kernel():
    tl.broadcast(tl.arange(0, 16), tl.arange(0, 8))

# --- a new axis that is out of range
@triton.jit
def kernel():
    tl.expand_dims(tl.arange(0, 16), 3)

# --- `expand_dims` of None
@triton.jit
def kernel():
    tl.expand_dims(None, -1)

# --- `expand_dims` with the same axis twice
@triton.jit
def kernel():
    tl.expand_dims(tl.arange(0, 16), (0, 0))

# --- an index into a block
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p, x[0])

# --- an index that is a variable
# sig: p=*i32, i=i32
@triton.jit
def kernel(p, i):
    x = tl.arange(0, 16)
    tl.store(p, x[i])

# --- a slice of a block
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p, tl.sum(x[0:8]))

# --- an index with an ellipsis
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)[..., None]

# --- an index with too many colons
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)[:, :]

# --- an index into a scalar
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, n[0])

# --- an index into a pointer
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, p[n])

# --- a permutation that repeats a dimension
@triton.jit
def kernel():
    tl.permute(tl.zeros((4, 8, 16), tl.float32), (0, 1, 1))

# --- a permutation with too few dimensions
@triton.jit
def kernel():
    tl.permute(tl.zeros((4, 8, 16), tl.float32), (1, 0))

# --- a permutation with a dimension out of range
@triton.jit
def kernel():
    tl.trans(tl.zeros((4, 8, 16), tl.float32), 0, 1, 3)

# --- the transpose of a vector
@triton.jit
def kernel():
    tl.trans(tl.arange(0, 16))

# --- `.T` of a vector
@triton.jit
def kernel():
    x = tl.arange(0, 16).T

# --- a join of different shapes
@triton.jit
def kernel():
    tl.join(tl.arange(0, 16), tl.arange(0, 8)[:, None])

# --- a split of a block whose last dimension is not 2
@triton.jit
def kernel():
    a, b = tl.split(tl.zeros((16, 4), tl.float32))

# --- a split of a scalar
# sig: n=i32
@triton.jit
def kernel(n):
    a, b = tl.split(n)

# --- an interleave of different shapes
@triton.jit
def kernel():
    tl.interleave(tl.zeros((4, 8), tl.float32), tl.zeros((4, 16), tl.float32))

# --- a concatenation of different shapes
@triton.jit
def kernel():
    tl.cat(tl.zeros((8,), tl.float32), tl.zeros((8, 2), tl.float32), can_reorder=True)

# --- a concatenation that would keep the order
@triton.jit
def kernel():
    tl.cat(tl.zeros((8,), tl.float32), tl.zeros((8,), tl.int32), can_reorder=True)

# --- `item` of a block
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, tl.arange(0, 16).item())

# --- a flip along a dimension that is not there
@triton.jit
def kernel():
    tl.flip(tl.arange(0, 16), 2)

# --- a squeeze of a dimension that is not 1
@triton.jit
def kernel():
    tl.squeeze(tl.zeros((16, 16), tl.float32), 0)

# --- a gather along a missing axis
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    tl.gather(x, x, 1)

# --- a gather with an index of floats
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    tl.gather(x, x.to(tl.float32), 0)

# --- a gather with an index of another rank
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    tl.gather(x, tl.zeros((4, 4), tl.int32), 0)

# --- `zeros_like` of a number
@triton.jit
def kernel():
    tl.zeros_like("x")

# --- `swizzle2d` without its group
@triton.jit
def kernel():
    tl.swizzle2d(1, 2, 3, 4)
