# first_pointers.py: what people try first with pointers, masks and elements of tiles, and what to write instead.
import triton
import triton.language as tl

# --- a pointer with an index
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    i = tl.program_id(0)
    x = x_ptr[i]
#             ^ error: unsupported tensor index: i32
#   note: a pointer is no array: write `tl.load(pointer + offsets)`, with `offsets` such as a number or `tl.arange(0, BLOCK)`

# --- a pointer with a slice
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = x_ptr[0:16]
#             ^~~~ error: unsupported tensor index: a slice with bounds
#   note: a pointer is no array: write `tl.load(pointer + offsets)`, with `offsets` such as a number or `tl.arange(0, BLOCK)`

# --- assignment through an index
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    i = tl.program_id(0)
    x_ptr[i] = 1.0
#   ^~~~~~~~ error: assignment to an element is not supported in a kernel
#   note: a pointer is no array: write `tl.store(x_ptr + offsets, value)`

# --- an element of a tile
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.store(x_ptr, x[0])
#                     ^ error: unsupported tensor index: int
#   note: a tensor is indexed by `:` and `None`
#   note: pick elements with `tl.gather`, or load them from memory

# --- an element of a tile by a loop variable
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    x = tl.load(x_ptr + tl.arange(0, 16))
    for i in range(n):
        tl.store(x_ptr, x[i])
#                         ^ error: unsupported tensor index: i32
#   note: a tensor is indexed by `:` and `None`
#   note: pick elements with `tl.gather`, or load them from memory

# --- assignment to an element of a tile
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.zeros([16], tl.float32)
    x[0] = 1.0
#   ^~~~ error: assignment to an element is not supported in a kernel
#   note: tiles are values: build the new one with `tl.where`, or store to memory with `tl.store`

# --- a slice of a tile
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.store(x_ptr + tl.arange(0, 8), x[:8])
#                                       ^~ error: unsupported tensor index: a slice with bounds
#   note: a tensor is indexed by `:` and `None`
#   note: pick elements with `tl.gather`, or load them from memory

# --- range over the length of a pointer
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    for i in range(len(x_ptr)):
#                      ^~~~~ error: `len` counts the items of a tuple, got *f32
#   note: a pointer has no length: pass the number of elements as a parameter
        tl.store(x_ptr + i, 0.0)

# --- a loop over a pointer
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    for x in x_ptr:
#            ^~~~~ error: cannot loop over a value of type *f32
#   note: a kernel loops over `range(…)`, `tl.range(…)`, `tl.static_range(…)` or a tuple
        tl.store(x, 0.0)

# --- the shape of a pointer
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    n = x_ptr.shape[0]
#                   ^ error: a pointer or a single number has no extents
#   note: a kernel gets the address of a tensor: pass its extents as parameters
    tl.store(x_ptr, n)

# --- size of a pointer
# sig: x_ptr=*fp32
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, x_ptr.numel())
#                   ^~~~~~~~~~~~~ error: a value of type int cannot be called
#   note: leave out the `()`: `x.numel` and `x.shape` are values

# --- a mask that is a number
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i, mask=i)
#                          ^~~~~~ error: `mask` must be boolean, got i32[16]
#   note: compare: `offsets < n`; offsets themselves are added to the pointer: `p + offsets`

# --- a mask of another shape
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i, mask=tl.arange(0, 32) < n)
#                          ^~~~~~~~~~~~~~~~~~~~~~~~~ error: `mask` is i1[32] but the pointer is *f32[16]
#   note: both need the same shape

# --- a mask for one element
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    x = tl.load(x_ptr, mask=tl.arange(0, 32) < n)
#                      ^~~~~~~~~~~~~~~~~~~~~~~~~ error: `mask` is i1[32] but the pointer is a single pointer
#   note: add an offset of that shape to the pointer

# --- a load of a number
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    x = tl.load(n)
#               ^ error: `load` needs a pointer, got i32
#   note: offsets are added to a pointer, which comes from a parameter: `tl.load(p + offsets)`

# --- a load of offsets
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    x = tl.load(tl.arange(0, 16))
#               ^~~~~~~~~~~~~~~~ error: `load` needs a pointer, got i32[16]
#   note: offsets are added to a pointer, which comes from a parameter: `tl.load(p + offsets)`

# --- a load of a load
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    x = tl.load(tl.load(x_ptr))
#               ^~~~~~~~~~~~~~ error: `load` needs a pointer, got f32

# --- load with pointer and offset apart
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    x = tl.load(x_ptr, tl.arange(0, 16))
#                      ^~~~~~~~~~~~~~~~ error: `mask` must be boolean, got i32[16]
#   note: compare: `offsets < n`; offsets themselves are added to the pointer: `p + offsets`

# --- a store with arguments swapped
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i)
    tl.store(x, x_ptr + i)
#            ^ error: `store` needs a pointer, got f32[16]
#   note: the pointer comes first: `tl.store(pointer, value)`

# --- a store without a value
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    tl.store(x_ptr)
#   ^~~~~~~~~~~~~~~ error: `store` needs the argument `value`
#   note: `store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy="")` is the signature

# --- a store of a tile to one place
# sig: x_ptr=*fp32, n=i32
@triton.jit
def kernel(x_ptr, n):
    tl.store(x_ptr, tl.arange(0, 16))
#                   ^~~~~~~~~~~~~~~~ error: `value` is i32[16] but the pointer is a single pointer
#   note: add an offset of that shape to the pointer

# --- two pointers added
# sig: x_ptr=*fp32, y_ptr=*fp32
@triton.jit
def kernel(x_ptr, y_ptr):
    tl.store(x_ptr, x_ptr + y_ptr)
#                   ^~~~~~~~~~~~~ error: two pointers cannot be added
#   note: add what they point to: `tl.load(a) + tl.load(b)`; to compute with addresses, cast both to `tl.int64`

# --- a pointer times a number
# sig: x_ptr=*fp32, y_ptr=*fp32
@triton.jit
def kernel(x_ptr, y_ptr):
    tl.store(y_ptr, x_ptr * 2)
#                   ^~~~~~~~~ error: operands of types *f32 and i32 do not go together
#   note: a pointer takes part only in `+`, `-`, comparisons and `tl.where`; what it points to is `tl.load(p)`

