# descriptors.py: tensor descriptors, made in the kernel and passed from the host.
import triton
import triton.language as tl

# --- lists of different lengths
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n], [16, 16])

# --- a last stride that is not 1
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 2], [16, 16])

# --- a last stride that is known only at run time
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [1, n], [16, 16])

# --- a block whose rows are shorter than 16 bytes
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [16, 4])

# --- a block shape at run time
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [n, 16])

# --- more than five dimensions
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n, n, n, n, n], [n, n, n, n, n, 1], [1, 1, 1, 1, 1, 16])

# --- a base that is not a pointer
# sig: p=i64, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [16, 16])

# --- a padding that does not exist
# sig: p=*fp16, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [16, 16], padding_option="inf")

# --- padding with NaN of integers
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [16, 16], padding_option="nan")

# --- too few offsets for a load
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = d.load([0])

# --- offsets that are no list
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = d.load(0, 0)

# --- a float offset
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = d.load([0, 1.5])

# --- a stored block of another shape
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    d.store([0, 0], tl.zeros((16, 32), tl.float16))

# --- a store without a value
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    d.store([0, 0])

# --- a method that a descriptor does not have
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    d.prefetch([0, 0])

# --- a misspelt method of a descriptor
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = d.laod([0, 0])

# --- `tl.load` of a descriptor
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = tl.load(d)

# --- arithmetic on a descriptor
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = d + 1

# --- a gather from a block of several rows
# sig: d=tensordesc<fp16[16, 16]>
@triton.jit
def kernel(d):
    x = d.gather(tl.arange(0, 16), 0)

# --- a gather with a scalar row
# sig: d=tensordesc<fp16[1, 16]>
@triton.jit
def kernel(d):
    x = d.gather(3, 0)

# --- a gather of too few rows
# sig: d=tensordesc<fp16[1, 16]>
@triton.jit
def kernel(d):
    x = d.gather(tl.arange(0, 4), 0)

# --- a descriptor load of a pointer
# sig: p=*fp16
@triton.jit
def kernel(p):
    x = tl.load_tensor_descriptor(p, [0, 0])

# --- an atomic that floats do not have
# sig: d=tensordesc<fp32[16, 16]>
@triton.jit
def kernel(d):
    d.atomic_and([0, 0], tl.zeros((16, 16), tl.float32))
