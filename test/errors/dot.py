# dot.py: tl.dot and tl.dot_scaled.
import triton
import triton.language as tl

# --- inner extents that differ
@triton.jit
def kernel():
    a = tl.zeros((16, 32), tl.float16)
    b = tl.zeros((16, 32), tl.float16)
    tl.dot(a, b)
#   ^~~~~~~~~~~~ error: `dot` multiplies M x K with K x N, but the extents of K are 32 and 16: f16[16, 32] and f16[16, 32]
#   note: transpose one of them with `tl.trans`

# --- operands of different types
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float16)
    b = tl.zeros((16, 16), tl.float32)
    tl.dot(a, b)
#             ^ error: `dot` needs two operands of one type, got f16 and f32
#   note: cast one: `.to(tl.float16)`

# --- operands of one dimension
@triton.jit
def kernel():
    a = tl.zeros((16,), tl.float16)
    tl.dot(a, a)
#   ^~~~~~~~~~~~ error: `dot` needs two tensors of one rank, 2 or more, got f16[16] and f16[16]
#   note: the product of two vectors is `tl.sum(a * b)`

# --- scalar operands
# sig: x=fp32
@triton.jit
def kernel(x):
    tl.dot(x, x)
#   ^~~~~~~~~~~~ error: `dot` needs two tensors of one rank, 2 or more, got f32 and f32

# --- operands of different rank
@triton.jit
def kernel():
    a = tl.zeros((4, 16, 16), tl.float16)
    b = tl.zeros((16, 16), tl.float16)
    tl.dot(a, b)
#   ^~~~~~~~~~~~ error: `dot` needs two tensors of one rank, 2 or more, got f16[4, 16, 16] and f16[16, 16]

# --- batches that differ
@triton.jit
def kernel():
    a = tl.zeros((4, 16, 16), tl.float16)
    b = tl.zeros((2, 16, 16), tl.float16)
    tl.dot(a, b)
#   ^~~~~~~~~~~~ error: `dot` needs equal batch extents, got f16[4, 16, 16] and f16[2, 16, 16]

# --- an inner extent that is too small for 16 bits
@triton.jit
def kernel():
    a = tl.zeros((8, 8), tl.float16)
    tl.dot(a, a)
#   ^~~~~~~~~~~~ error: input shapes should have M >= 1, N >= 1 and K >= 16 for a dot of f16, but K is 8
#   note: use a larger block along K, or `tl.sum(a[:, :, None] * b[None, :, :], axis=1)`

# --- an inner extent that is too small for 8 bits
@triton.jit
def kernel():
    a = tl.zeros((8, 8), tl.int8)
    tl.dot(a, a)
#   ^~~~~~~~~~~~ error: input shapes should have M >= 1, N >= 1 and K >= 32 for a dot of i8, but K is 8
#   note: use a larger block along K, or `tl.sum(a[:, :, None] * b[None, :, :], axis=1)`

# --- an inner extent that is too small for fp8
@triton.jit
def kernel():
    a = tl.zeros((8, 8), tl.float8e5)
    tl.dot(a, a)
#   ^~~~~~~~~~~~ error: input shapes should have M >= 1, N >= 1 and K >= 32 for a dot of fp8e5, but K is 8
#   note: use a larger block along K, or `tl.sum(a[:, :, None] * b[None, :, :], axis=1)`

# --- 32-bit integers
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.int32)
    tl.dot(a, a)
#          ^ error: `dot` multiplies i8, u8, fp8, f16, bf16, f32 or f64, got i32[16, 16]
#   note: cast it: `.to(tl.float16)`

# --- booleans
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.int1)
    tl.dot(a, a)
#          ^ error: `dot` multiplies i8, u8, fp8, f16, bf16, f32 or f64, got i1[16, 16]
#   note: cast it: `.to(tl.float16)`

# --- an accumulator of another shape
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, tl.zeros((16, 32), tl.float32))
#                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `acc` is f32[16, 32] but the product is f32[16, 16]
#   note: make the accumulator with `tl.zeros` of that shape and type

# --- an accumulator of another type
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, tl.zeros((16, 16), tl.int32))
#                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `acc` is i32[16, 16] but a product of f16 is added in f16 or f32

# --- a precision that does not exist
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, input_precision="fp32")
#                ^~~~~~~~~~~~~~~~~~~~~~ error: `input_precision` must be `tf32`, `tf32x3`, `ieee`, `bf16x3` or `bf16x6`, got `fp32`

# --- two ways to say the precision
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, input_precision="ieee", allow_tf32=True)
#                                        ^~~~~~~~~~~~~~~ error: only one of `input_precision` and `allow_tf32` can be given
#   note: `allow_tf32=True` is `input_precision="tf32"`

# --- a result of bfloat16
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.bfloat16)
    tl.dot(a, a, out_dtype=tl.bfloat16)
#                ^~~~~~~~~~~~~~~~~~~~~ error: `dot` cannot accumulate in bf16
#   note: use `tl.float32` and cast the result: `.to(tl.bfloat16)`

# --- too many imprecise accumulations
@triton.jit
def kernel():
    a = tl.zeros((64, 64), tl.float8e5)
    tl.dot(a, a, max_num_imprecise_acc=128)
#                ^~~~~~~~~~~~~~~~~~~~~~~~~ error: max_num_imprecise_acc (128) must be <= K (64)

# --- an fp8 type of another vendor, e5b16
@triton.jit
def kernel():
    a = tl.zeros((64, 64), tl.float8e5b16)
    tl.dot(a, a)
#          ^ error: `dot` of fp8e5b16 is not supported in this architecture: it needs an AMD GPU
#   note: on NVIDIA GPUs, use `tl.float8e5` or `tl.float8e4nv`

# --- an fp8 type of another vendor, e4b8
@triton.jit
def kernel():
    a = tl.zeros((64, 64), tl.float8e4b8)
    tl.dot(a, a)
#          ^ error: `dot` of fp8e4b8 is not supported in this architecture: it needs an AMD GPU
#   note: on NVIDIA GPUs, use `tl.float8e5` or `tl.float8e4nv`

# --- a misspelt keyword
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, input_precison="ieee")
#                ^~~~~~~~~~~~~~~~~~~~~ error: `dot` has no parameter `input_precison`
#   note: did you mean `input_precision`?

# --- a pointer as an operand
# sig: p=*fp16
@triton.jit
def kernel(p):
    r = tl.arange(0, 16)
    q = p + r[:, None] * 16 + r[None, :]
    tl.dot(q, q)
#          ^ error: `dot` multiplies i8, u8, fp8, f16, bf16, f32 or f64, got *f16[16, 16]
#   note: cast it: `.to(tl.float16)`

# --- a scale of another shape
@triton.jit
def kernel():
    a = tl.full((32, 64), 0, tl.uint8)
    b = tl.full((64, 32), 0, tl.uint8)
    wrong = tl.full((32, 4), 0, tl.uint8)
    scale = tl.full((32, 2), 0, tl.uint8)
    acc = tl.full((32, 32), 0.0, tl.float32)
    tl.dot_scaled(a, wrong, "e5m2", b, scale, "e5m2", acc, False, True, True, tl.float32)
#                    ^~~~~ error: lhs_scale must be a tensor of shape [32, 2]. Got ['32', '4']
#   note: one scale for each group of 32 elements along K; the right scale is N x K/32, not transposed

# --- a format that does not exist
@triton.jit
def kernel():
    a = tl.full((32, 64), 0, tl.uint8)
    b = tl.full((64, 32), 0, tl.uint8)
    scale = tl.full((32, 2), 0, tl.uint8)
    tl.dot_scaled(a, scale, "e3m4", b, scale, "e5m2")
#                           ^~~~~~ error: the format must be `e2m1`, `e4m3`, `e5m2`, `bf16` or `fp16`, got `e3m4`

# --- a format that the element type does not have
@triton.jit
def kernel():
    a = tl.full((32, 64), 0, tl.float32)
    b = tl.full((64, 32), 0, tl.uint8)
    scale = tl.full((32, 2), 0, tl.uint8)
    tl.dot_scaled(a, scale, "e5m2", b, scale, "e5m2")
#                 ^ error: format `e5m2` needs elements of type fp8e5 or u8, got f32

# --- a scaled product without a format
@triton.jit
def kernel():
    a = tl.full((32, 64), 0, tl.uint8)
    b = tl.full((64, 32), 0, tl.uint8)
    scale = tl.full((32, 2), 0, tl.uint8)
    tl.dot_scaled(a, scale, b, scale)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `dot_scaled` needs the argument `rhs_scale`
#   note: `dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, rhs_k_pack=True, out_dtype=float32)` is the signature

# --- the accumulator changes its type in the loop
# sig: n=i32
@triton.jit
def kernel(n):
    a = tl.zeros((16, 16), tl.float16)
    acc = tl.zeros((16, 16), tl.float16)
    for k in range(n):
        acc += tl.dot(a, a)
#       ^~~ error: `acc` is f16[16, 16] before the loop, but becomes f32[16, 16] in it
#   note: a variable keeps its type through a loop: cast the new value, or start with that type
