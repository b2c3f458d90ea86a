# descriptors.py: tensor descriptors, made in the kernel and passed from the host.
import triton
import triton.language as tl

# --- lists of different lengths
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n], [16, 16])
#                                            ^~~ error: `strides` has 1 entries but `shape` has 2

# --- a last stride that is not 1
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 2], [16, 16])
#                                            ^~~~~~ error: the last stride of a descriptor must be the constant 1, got 2
#   note: a descriptor needs a tensor that is contiguous in its last dimension

# --- a last stride that is known only at run time
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [1, n], [16, 16])
#                                            ^~~~~~ error: the last stride of a descriptor must be the constant 1, got a run-time value
#   note: a descriptor needs a tensor that is contiguous in its last dimension

# --- a block whose rows are shorter than 16 bytes
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [16, 4])
#                                                    ^~~~~~~ error: descriptor block shape must have at least 16 bytes in the last dimension, got 4 elements of f16 (8 bytes)

# --- a block shape at run time
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [n, 16])
#                                                    ^~~~~~~ error: an extent of a shape must be a constant integer, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- more than five dimensions
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n, n, n, n, n], [n, n, n, n, n, 1], [1, 1, 1, 1, 1, 16])
#                                    ^~~~~~~~~~~~~~~~~~ error: a descriptor has 1 to 5 dimensions, got 6

# --- a base that is not a pointer
# sig: p=i64, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [16, 16])
#                                 ^ error: `make_tensor_descriptor` needs a single pointer, got i64

# --- a padding that does not exist
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [16, 16], padding_option="inf")
#                                                              ^~~~~~~~~~~~~~~~~~~~ error: `padding_option` must be `zero` or `nan`, got `inf`

# --- padding with NaN of integers
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [16, 16], padding_option="nan")
#                                                              ^~~~~~~~~~~~~~~~~~~~ error: `padding_option` `nan` needs a floating-point tensor, got i32

# --- too few offsets for a load
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = d.load([0])
#              ^~~ error: the descriptor has 2 dimensions, but 1 offsets are given

# --- offsets that are no list
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = d.load(0, 0)
#                 ^ error: too many arguments for `load`
#   note: `load(self, offsets)` is the signature

# --- a float offset
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = d.load([0, 1.5])
#       ^~~~~~~~~~~~~~~~ error: offsets of a descriptor must be integers, got f32

# --- a stored block of another shape
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    d.store([0, 0], tl.zeros((16, 32), tl.float16))
#                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `value` is f16[16, 32] but the descriptor's block is f16[16, 16]

# --- a store without a value
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    d.store([0, 0])
#   ^~~~~~~~~~~~~~~ error: `store` needs the argument `value`
#   note: `store(self, offsets, value)` is the signature

# --- a method that a descriptor does not have
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    d.prefetch([0, 0])
#     ^~~~~~~~ error: a value of type tensor descriptor of f16[16, 16] has no attribute `prefetch`

# --- a misspelt method of a descriptor
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = d.laod([0, 0])
#         ^~~~ error: a value of type tensor descriptor of f16[16, 16] has no attribute `laod`
#   note: did you mean `load`?

# --- `tl.load` of a descriptor
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = tl.load(d)
#               ^ error: `load` needs a pointer, got tensor descriptor

# --- arithmetic on a descriptor
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = d + 1
#       ^~~~~ error: `+` is not defined for tensor descriptor and int

# --- a gather from a block of several rows
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = d.gather(tl.arange(0, 16), 0)
#       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `gather` needs a descriptor whose block is one row, got f16[16, 16]

# --- a gather with a scalar row
# sig: d=tensordesc<fp16[1, 16]>
@triton.jit
def kernel(d):
    x = d.gather(3, 0)
#                ^ error: the rows must be a 1-D tensor of 32-bit integers, got i32

# --- a gather of too few rows
# sig: d=tensordesc<fp16[1, 16]>
@triton.jit
def kernel(d):
    x = d.gather(tl.arange(0, 4), 0)
#                ^~~~~~~~~~~~~~~ error: `gather` takes at least 8 rows, got 4

# --- a descriptor load of a pointer
# sig: p=*fp16
@triton.jit
def kernel(p):
    x = tl.load_tensor_descriptor(p, [0, 0])
#                                 ^ error: `load_tensor_descriptor` needs a tensor descriptor, got *f16
#   note: make one with `tl.make_tensor_descriptor`

# --- an atomic that floats do not have
# sig: d=tensordesc<fp32[16, 16]>
@triton.jit
def kernel(d):
    d.atomic_and([0, 0], tl.zeros((16, 16), tl.float32))
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `atomic_and` of a descriptor does not support f32
