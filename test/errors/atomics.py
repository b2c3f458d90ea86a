# atomics.py: read-modify-write operations on memory.
import triton
import triton.language as tl

# --- an atomic on a value
# sig: x=i32
@triton.jit
def kernel(x):
    tl.atomic_add(x, 1)
#                 ^ error: `atomic_add` needs a pointer, got i32

# --- an ordering that does not exist
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_add(p, 1, sem="seq_cst")
#                       ^~~~~~~~~~~~~ error: `sem` must be `acquire`, `release`, `acq_rel` or `relaxed`, got `seq_cst`

# --- a scope that does not exist
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_add(p, 1, scope="warp")
#                       ^~~~~~~~~~~~ error: `scope` must be `gpu`, `cta` or `sys`, got `warp`

# --- an ordering that is not text
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_add(p, 1, sem=1)
#                       ^~~~~ error: `sem` must be a string, got int

# --- a bitwise atomic on floats
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.atomic_and(p, 1.0)
#                 ^ error: `atomic_and` does not support f32
#   note: it works on integers

# --- another bitwise atomic on floats
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.atomic_xor(p, 1)
#                 ^ error: `atomic_xor` does not support f32
#   note: it works on integers

# --- an atomic on bytes
# sig: p=*i8
@triton.jit
def kernel(p):
    tl.atomic_add(p, 1)
#                 ^ error: `atomic_add` does not support i8
#   note: use 32-bit or 64-bit memory

# --- an atomic on 16-bit integers
# sig: p=*i16
@triton.jit
def kernel(p):
    tl.atomic_add(p, 1)
#                 ^ error: `atomic_add` does not support i16
#   note: use 32-bit or 64-bit memory

# --- an atomic on booleans
# sig: p=*i1
@triton.jit
def kernel(p):
    tl.atomic_or(p, True)
#                ^ error: `atomic_or` does not support i1
#   note: use 32-bit or 64-bit memory

# --- the maximum of half precision
# sig: p=*fp16
@triton.jit
def kernel(p):
    tl.atomic_max(p, 1.0)
#                 ^ error: `atomic_max` does not support f16
#   note: only `atomic_add` works on 16-bit floats

# --- a value of another shape
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_add(p + tl.arange(0, 16), tl.zeros((32,), tl.int32))
#                                       ^~~~~~~~~~~~~~~~~~~~~~~~~ error: cannot broadcast i32[32] to shape [16]: dimension 0 has extent 32, not 1 or 16

# --- a mask of another shape
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    tl.atomic_add(p + tl.arange(0, 16), 1, mask=tl.arange(0, 32) < n)
#                                          ^~~~~~~~~~~~~~~~~~~~~~~~~ error: cannot broadcast i1[32] to shape [16]: dimension 0 has extent 32, not 1 or 16

# --- a block value for a scalar pointer
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_add(p, tl.arange(0, 16))
#                    ^~~~~~~~~~~~~~~~ error: `val` is i32[16] but the pointer is a single pointer
#   note: add an offset of that shape to the pointer, or reduce the block first: `tl.sum(x)`

# --- a compare-and-swap with a mask
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_cas(p, 0, 1, mask=True)
#                          ^~~~~~~~~ error: `atomic_cas` has no parameter `mask`
#   note: `atomic_cas(pointer, cmp, val, sem=None, scope=None)` is the signature

# --- a compare-and-swap without a new value
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_cas(p, 0)
#   ^~~~~~~~~~~~~~~~~~~ error: `atomic_cas` needs the argument `val`
#   note: `atomic_cas(pointer, cmp, val, sem=None, scope=None)` is the signature

# --- an atomic through a pointer that is only read
# sig: p=*i32
@triton.jit
def kernel(p: tl.const):
    tl.atomic_add(p, 1)
#                 ^ error: `atomic_add` writes, but the pointer is to const

# --- an atomic that does not exist
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_sub(p, 1)
#      ^~~~~~~~~~ error: `tl` has no `atomic_sub`
#   note: add the negative value: `tl.atomic_add(p, -x)`

# --- an exchange of a string
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.atomic_xchg(p, "one")
#                     ^~~~~ error: expected a tensor or a number, got str

# --- a pointer to a pointer
# sig: p=**fp32, q=*fp32
@triton.jit
def kernel(p, q):
    tl.atomic_add(p, q)
#                 ^ error: `atomic_add` does not support *f32
#   note: cast the pointer to a pointer to `tl.int64`
