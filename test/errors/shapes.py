# shapes.py: shapes that are no shapes, and shapes that do not fit.
import triton
import triton.language as tl

# --- a range whose length is not a power of two
@triton.jit
def kernel():
    tl.arange(2, 7)
#   ^~~~~~~~~~~~~~~ error: arange's range must be a power of 2
#   note: it is 5
#   note: round up with `triton.next_power_of_2` and mask what is too much
#   note: or allow every extent, which Triton does not: `any_extent=True` of a launch, no `--strict-triton`

# --- a range that ends before it starts
@triton.jit
def kernel():
    tl.arange(16, 0)
#                 ^ error: `end` of `arange` must be greater than `start`, got 16 and 0

# --- an empty range
@triton.jit
def kernel():
    tl.arange(8, 8)
#                ^ error: `end` of `arange` must be greater than `start`, got 8 and 8

# --- a range that starts below 0
@triton.jit
def kernel():
    tl.arange(-5, 3)
#             ^~ error: `start` of `arange` must not be negative, got -5
#   note: count from 0 and add to the result: `tl.arange(0, N) + start`

# --- a range that no 32-bit integer counts
@triton.jit
def kernel():
    tl.arange(4294967296, 4294967304)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `arange` gives 32-bit integers, but its bounds are 4294967296 and 4294967304

# --- a range up to a run-time value
# sig: n=i32
@triton.jit
def kernel(n):
    tl.arange(0, n)
#                ^ error: `end` of `arange` must be a constant integer, got i32
#   note: make a tile of a fixed length, `tl.arange(0, BLOCK)` with `BLOCK: tl.constexpr`, and mask what is too much: `mask=offsets < n`

# --- a range up to a constant that was assigned to a plain variable
@triton.jit
def kernel():
    size = 64
    tl.arange(0, size)
#                ^~~~ error: `end` of `arange` must be a constant integer, got i32
#   note: what is assigned to a name is a value of run time: annotate a new name, `half: tl.constexpr = BLOCK // 2`

# --- a range of floats
@triton.jit
def kernel():
    tl.arange(0.0, 16.0)
#             ^~~ error: `start` of `arange` must be a constant integer, got float
#   note: `0.0` is a float: divide with `//`, or convert it with `int(…)`

# --- a range that is too long
@triton.jit
def kernel():
    tl.arange(0, 2097152)
#   ^~~~~~~~~~~~~~~~~~~~~ error: a tensor holds at most 1048576 elements, but `arange` makes 2097152

# --- a range with one argument
@triton.jit
def kernel():
    tl.arange(16)
#   ^~~~~~~~~~~~~ error: `arange` needs the argument `end`
#   note: `arange(start, end)` is the signature

# --- a shape that is not a power of two
@triton.jit
def kernel():
    tl.full((33,), 0, dtype=tl.int64)
#           ^~~~~ error: shape element 0 must be a power of 2
#   note: it is 33
#   note: round up with `triton.next_power_of_2` and mask what is too much
#   note: or allow every extent, which Triton does not: `any_extent=True` of a launch, no `--strict-triton`

# --- a shape of zero elements
@triton.jit
def kernel():
    tl.zeros((0, 16), tl.float32)
#            ^~~~~~~ error: an extent of a shape must be at least 1, got 0

# --- a negative extent
@triton.jit
def kernel():
    tl.zeros((-16,), tl.float32)
#            ^~~~~~ error: an extent of a shape must be at least 1, got -16

# --- a shape of a run-time value
# sig: n=i32
@triton.jit
def kernel(n):
    tl.zeros((n,), tl.float32)
#            ^~~~ error: an extent of a shape must be a constant integer, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- a block size that is not a power of two
# sig: p=*fp32, BLOCK=100
@triton.jit
def kernel(p, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK)
#       ^~~~~~~~~~~~~~~~~~~ error: arange's range must be a power of 2
#   note: it is 100
#   note: round up with `triton.next_power_of_2` and mask what is too much
#   note: or allow every extent, which Triton does not: `any_extent=True` of a launch, no `--strict-triton`
    tl.store(p + x, 1.0)

# --- a block with too many elements
@triton.jit
def kernel():
    tl.zeros((2048, 1024), tl.float32)
#            ^~~~~~~~~~~~ error: a tensor holds at most 1048576 elements

# --- two vectors that broadcast to too many elements
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 4096)
    tl.store(p, tl.sum(x[:, None] + x[None, :]))
#                      ^~~~~~~~~~~~~~~~~~~~~~~ error: broadcasting [4096, 1] with [1, 4096] gives 16777216 elements; a tensor holds at most 1048576

# --- a shape of floats
@triton.jit
def kernel():
    tl.zeros((16.0,), tl.float32)
#            ^~~~~~~ error: an extent of a shape must be a constant integer, got float
#   note: `16.0` is a float: divide with `//`, or convert it with `int(…)`

# --- a shape in quotes
@triton.jit
def kernel():
    tl.zeros("16", tl.float32)
#            ^~~~ error: an extent of a shape must be a constant integer, got str

# --- a reshape to another number of elements
@triton.jit
def kernel():
    tl.reshape(tl.arange(0, 16), (4, 8))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: cannot reshape i32[16] (16 elements) to [4, 8] (32 elements)

# --- a reshape to a size that is not a power of two
@triton.jit
def kernel():
    tl.reshape(tl.arange(0, 16), (3, 5))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: shape element 0 must be a power of 2
#   note: it is 3
#   note: round up with `triton.next_power_of_2` and mask what is too much
#   note: or allow every extent, which Triton does not: `any_extent=True` of a launch, no `--strict-triton`

# --- a view to another number of elements
@triton.jit
def kernel():
    tl.view(tl.arange(0, 16), (2, 4))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: cannot reshape i32[16] (16 elements) to [2, 4] (8 elements)

# --- a broadcast of a dimension that is not 1
@triton.jit
def kernel():
    tl.broadcast_to(tl.arange(0, 16), (32,))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: cannot broadcast i32[16] to shape [32]: dimension 0 has extent 16, not 1 or 32

# --- a broadcast to fewer dimensions
@triton.jit
def kernel():
    tl.broadcast_to(tl.zeros((16, 16), tl.float32), (16,))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: cannot broadcast f32[16, 16] to shape [16]: it has 2 dimensions, not 1
#   note: insert dimensions with `[:, None]` or `expand_dims`

# --- `broadcast` of shapes that do not fit
@triton.jit
def kernel():
    tl.broadcast(tl.arange(0, 16), tl.arange(0, 8))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: shapes [16] and [8] do not broadcast: dimension 0 has extents 16 and 8

# --- a new axis that is out of range
@triton.jit
def kernel():
    tl.expand_dims(tl.arange(0, 16), 3)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: invalid axis 3: `axis` must be in -2 to 1

# --- `expand_dims` of None
@triton.jit
def kernel():
    tl.expand_dims(None, -1)
#                  ^~~~ error: expected a tensor or a number, got None
#   note: `None` is not a value at run time; was an argument left out?

# --- `expand_dims` with the same axis twice
@triton.jit
def kernel():
    tl.expand_dims(tl.arange(0, 16), (0, 0))
#                                    ^~~~~~ error: duplicate axes, normalized axes = [0, 0]

# --- an index into a block
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p, x[0])
#                 ^ error: unsupported tensor index: int
#   note: a tensor is indexed by `:` and `None`
#   note: pick elements with `tl.gather`, or load them from memory

# --- an index that is a variable
# sig: p=*i32, i=i32
@triton.jit
def kernel(p, i):
    x = tl.arange(0, 16)
    tl.store(p, x[i])
#                 ^ error: unsupported tensor index: i32
#   note: a tensor is indexed by `:` and `None`
#   note: pick elements with `tl.gather`, or load them from memory

# --- a slice of a block
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p, tl.sum(x[0:8]))
#                        ^~~ error: unsupported tensor index: a slice with bounds
#   note: a tensor is indexed by `:` and `None`
#   note: pick elements with `tl.gather`, or load them from memory

# --- an index with an ellipsis
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)[..., None]
#                        ^~~~~~~~~ error: unsupported tensor index: ellipsis
#   note: a tensor is indexed by `:` and `None`
#   note: pick elements with `tl.gather`, or load them from memory

# --- an index with too many colons
# accepted
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)[:, :]

# --- an index into a scalar
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, n[0])
#                 ^ error: unsupported tensor index: int
#   note: a tensor is indexed by `:` and `None`
#   note: pick elements with `tl.gather`, or load them from memory

# --- an index into a pointer
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.store(p, p[n])
#                 ^ error: unsupported tensor index: i32
#   note: a pointer is no array: write `tl.load(pointer + offsets)`, with `offsets` such as a number or `tl.arange(0, BLOCK)`

# --- a permutation that repeats a dimension
@triton.jit
def kernel():
    tl.permute(tl.zeros((4, 8, 16), tl.float32), (0, 1, 1))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: dimensions must be a permutation of 0 to 2, got [0, 1, 1]

# --- a permutation with too few dimensions
@triton.jit
def kernel():
    tl.permute(tl.zeros((4, 8, 16), tl.float32), (1, 0))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: a permutation of f32[4, 8, 16] needs 3 dimensions, got 2

# --- a permutation with a dimension out of range
@triton.jit
def kernel():
    tl.trans(tl.zeros((4, 8, 16), tl.float32), 0, 1, 3)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: dimensions must be a permutation of 0 to 2, got [0, 1, 3]

# --- the transpose of a vector
@triton.jit
def kernel():
    tl.trans(tl.arange(0, 16))
#            ^~~~~~~~~~~~~~~~ error: `trans` needs at least 2 dimensions, got i32[16]

# --- `.T` of a vector
@triton.jit
def kernel():
    x = tl.arange(0, 16).T
#                        ^ error: `.T` transposes a 2-D tensor, got i32[16]
#   note: call `tl.trans` or `tl.permute` with the dimensions

# --- a join of different shapes
@triton.jit
def kernel():
    tl.join(tl.arange(0, 16), tl.arange(0, 8))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: shapes [16] and [8] do not broadcast: dimension 0 has extents 16 and 8

# --- a split of a block whose last dimension is not 2
@triton.jit
def kernel():
    a, b = tl.split(tl.zeros((16, 4), tl.float32))
#                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `split` needs a last dimension of extent 2, got f32[16, 4]

# --- a split of a scalar
# sig: n=i32
@triton.jit
def kernel(n):
    a, b = tl.split(n)
#                   ^ error: `split` needs a last dimension of extent 2, got i32

# --- an interleave of different shapes
@triton.jit
def kernel():
    tl.interleave(tl.zeros((4, 8), tl.float32), tl.zeros((4, 16), tl.float32))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: shapes [4, 8] and [4, 16] do not broadcast: dimension 1 has extents 8 and 16

# --- a concatenation of different shapes
@triton.jit
def kernel():
    tl.cat(tl.zeros((8,), tl.float32), tl.zeros((8, 2), tl.float32), can_reorder=True)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `cat` needs two tensors of one rank, got f32[8] and f32[8, 2]

# --- a concatenation of different types
@triton.jit
def kernel():
    tl.cat(tl.zeros((8,), tl.float32), tl.zeros((8,), tl.int32), can_reorder=True)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `cat` needs two tensors of one type, got f32 and i32
#   note: cast one of them with `.to`

# --- `item` of a block
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, tl.arange(0, 16).item())
#               ^~~~~~~~~~~~~~~~~~~~~~~ error: expected a scalar or a tensor of one element, got i32[16]

# --- a flip along a dimension that is not there
@triton.jit
def kernel():
    tl.flip(tl.arange(0, 16), 2)
#                             ^ error: invalid axis 2: `dim` must be in -1 to 0

# --- a squeeze of a dimension that is not 1
@triton.jit
def kernel():
    tl.squeeze(tl.zeros((16, 16), tl.float32), 0)
#                                              ^ error: `squeeze` drops a dimension of extent 1, but dimension 0 has extent 16

# --- a gather along a missing axis
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    tl.gather(x, x, 1)
#                   ^ error: invalid axis 1: `axis` must be in -1 to 0

# --- a gather with an index of floats
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    tl.gather(x, x.to(tl.float32), 0)
#                ^~~~~~~~~~~~~~~~ error: `index` must be a tensor of integers, got f32[16]

# --- a gather with an index of another rank
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    tl.gather(x, tl.zeros((4, 4), tl.int32), 0)
#                ^~~~~~~~~~~~~~~~~~~~~~~~~~ error: `src` and `index` must have one rank, got i32[16] and i32[4, 4]

# --- `zeros_like` of a number
@triton.jit
def kernel():
    tl.zeros_like("x")
#                 ^~~ error: expected a tensor or a number, got str

# --- `swizzle2d` without its group
@triton.jit
def kernel():
    tl.swizzle2d(1, 2, 3, 4)
#   ^~~~~~~~~~~~~~~~~~~~~~~~ error: `swizzle2d` needs a value for `size_g`

# --- too many axes at once
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.full((1,) * 33, 1, tl.int32)
#               ^~~~~~~~~ error: a tensor has at most 32 axes, not 33
    tl.store(p, tl.sum(x))

# --- too many axes, one by one
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.full([1], 1, tl.int32)
    for i in tl.static_range(40):
        x = x[:, None]
#             ^~~~~~~ error: a tensor has at most 32 axes, not 33
    tl.store(p, tl.sum(x))

# --- too many axes by joining
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.full([1], 1, tl.int32)
    for i in tl.static_range(40):
        x = tl.join(x, x)
#           ^~~~~~~~~~~~~ error: a tensor holds at most 1048576 elements
    tl.store(p, tl.sum(x))
