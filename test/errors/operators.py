# operators.py: operators on values that they do not work on.
import triton
import triton.language as tl

# --- a number and a string
@triton.jit
def kernel():
    0 + "a"
#   ^~~~~~~ error: `+` is not defined for int and str

# --- a shift of a float constant
@triton.jit
def kernel():
    1.0 << 1
#   ^~~~~~~~ error: `<<` is not defined for float and int

# --- `not` of a tuple
@triton.jit
def kernel():
    not (0, 0)
#   ^~~~~~~~~~ error: `not` of a tuple is not supported in a kernel
#   note: compare its length: `len(x) == 0`

# --- a shift of a float tensor
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p) << 1)
#               ^~~~~~~~~~~~~~~ error: invalid operands of type f32 for `<<`
#   note: cast to an integer type, or reinterpret with `.to(type, bitcast=True)`

# --- a bitwise and of floats
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.load(p)
    tl.store(p, x & x)
#               ^~~~~ error: invalid operands of type f32 for `&`
#   note: cast to an integer type, or reinterpret with `.to(type, bitcast=True)`

# --- the floor division of floats
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p) // 2.0)
#               ^~~~~~~~~~~~~~~~~ error: invalid operands of type f32 for `//`
#   note: use `tl.floor(x / y)`

# --- the division of a signed by an unsigned integer
# sig: p=*i32, q=*u32
@triton.jit
def kernel(p, q):
    tl.store(p, tl.load(p) // tl.load(q))
#               ^~~~~~~~~~~~~~~~~~~~~~~~ error: cannot use division with i32 and u32 because they have different signedness
#   note: cast one of them

# --- the remainder of a signed and an unsigned integer
# sig: p=*i32, q=*u32
@triton.jit
def kernel(p, q):
    tl.store(p, tl.load(p) % tl.load(q))
#               ^~~~~~~~~~~~~~~~~~~~~~~ error: cannot use division with i32 and u32 because they have different signedness
#   note: cast one of them

# --- `**` on tensors
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p) ** 2)
#               ^~~~~~~~~~~~~~~ error: `**` is not defined for tensors
#   note: multiply, or call `pow` of `tl.extra.libdevice`

# --- `@` on tensors
@triton.jit
def kernel():
    a = tl.zeros((16, 16), tl.float16)
    c = a @ a
#       ^~~~~ error: `@` is not supported in a kernel
#   note: write `tl.dot(a, b)`

# --- unary plus
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, +tl.load(p))
#               ^~~~~~~~~~~ error: unary `+` is not defined for tensors
#   note: leave it out

# --- the complement of a float
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, ~tl.load(p))
#               ^~~~~~~~~~~ error: `~` is not defined for type f32

# --- the negation of a pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(-p, 0.0)
#            ^~ error: unary `-` is not defined for type *f32

# --- `not` of an integer block
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, not x)
#                   ^~~~~ error: `not` is defined for booleans, got i32[16]
#   note: compare: `x == 0`

# --- `and` of integers
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.store(p + x, 1, mask=x and n)
#                           ^~~~~~~ error: `and`, `or` work on booleans, got i32[16]
#   note: compare: `x != 0`

# --- the sum of two pointers
# sig: p=*fp32, q=*fp32
@triton.jit
def kernel(p, q):
    tl.store(p + q, 0.0)
#            ^~~~~ error: two pointers cannot be added
#   note: add what they point to: `tl.load(a) + tl.load(b)`; to compute with addresses, cast both to `tl.int64`

# --- the difference of two pointers
# sig: p=*fp32, q=*fp32, out=*i64
@triton.jit
def kernel(p, q, out):
    tl.store(out, p - q)
#                 ^~~~~ error: two pointers cannot be subtracted
#   note: add what they point to: `tl.load(a) + tl.load(b)`; to compute with addresses, cast both to `tl.int64`

# --- a pointer times two
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p * 2, 0.0)
#            ^~~~~ error: operands of types *f32 and i32 do not go together
#   note: a pointer takes part only in `+`, `-`, comparisons and `tl.where`; what it points to is `tl.load(p)`

# --- a pointer plus a float
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p + 1.5, 0.0)
#            ^~~~~~~ error: operands of types *f32 and f32 do not go together
#   note: an offset is an integer

# --- a number minus a pointer
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(1 - p, 0.0)
#            ^~~~~ error: a pointer cannot be subtracted from a number

# --- a pointer compared with a float
# sig: p=*fp32
@triton.jit
def kernel(p):
    if p < 1.5:
#      ^~~~~~~ error: a pointer cannot be compared with f32
#   note: compare what it points to: `tl.load(p)`; if it should be a number, pass a number
        tl.store(p, 0.0)

# --- a negative number meets an unsigned tensor
# sig: p=*u32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p) + -1)
#               ^~~~~~~~~~~~~~~ error: the negative number `-1` meets an unsigned tensor of type u32
#   note: cast the tensor to a signed type first

# --- a number that does not fit the tensor
# sig: p=*i8
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p) + 1000)
#               ^~~~~~~~~~~~~~~~~ error: the number `1000` is out of range for the tensor's type i8
#   note: cast the tensor to a wider type first

# --- two kinds of fp8 meet in fp16
# accepted
# sig: p=*fp8e5, q=*fp8e4nv, out=*fp32
@triton.jit
def kernel(p, q, out):
    tl.store(out, tl.load(p) + tl.load(q).to(tl.float8e4b8, bitcast=True))

# --- a chained comparison
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    tl.store(p + x, 1, mask=0 <= x < n)
#                           ^~~~~~~~~~ error: a chained comparison is not supported in a kernel
#   note: write `(a < b) & (b < c)`

# --- `in` on tensors
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    if n in (1, 2, 3):
#      ^~~~~~~~~~~~~~ error: `in` is not supported on run-time values
        tl.store(p, 1)

# --- `not in` on tensors
# sig: p=*i32, n=i32
@triton.jit
def kernel(p, n):
    if n not in (1, 2, 3):
#      ^~~~~~~~~~~~~~~~~~ error: `in` is not supported on run-time values
        tl.store(p, 1)

# --- a division by zero at compile time
# sig: p=*i32, N=0
@triton.jit
def kernel(p, N: tl.constexpr):
    tl.store(p, 16 // N)
#               ^~~~~~~ error: division by zero

# --- a remainder by zero at compile time
# sig: p=*i32, N=0
@triton.jit
def kernel(p, N: tl.constexpr):
    tl.store(p, 16 % N)
#               ^~~~~~ error: division by zero

# --- a negative shift at compile time
# sig: p=*i32, N=-1
@triton.jit
def kernel(p, N: tl.constexpr):
    tl.store(p, 16 << N)
#               ^~~~~~~ error: negative shift count

# --- a string plus a tensor
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, "a" + tl.load(p))
#               ^~~~~~~~~~~~~~~~ error: expected a tensor or a number, got str

# --- None plus a number
# sig: p=*fp32, bias=None
@triton.jit
def kernel(p, bias):
    tl.store(p, tl.load(p) + bias)
#               ^~~~~~~~~~~~~~~~~ error: expected a tensor or a number, got None
#   note: `None` is not a value at run time; was an argument left out?

# --- None as an operand of constants
# sig: p=*fp32, bias=None
@triton.jit
def kernel(p, bias):
    tl.store(p, 1 + bias)
#               ^~~~~~~~ error: `+` is not defined for int and None
#   note: was an argument left out?

# --- a tuple plus a tensor
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, (1.0, 2.0) + tl.load(p))
#               ^~~~~~~~~~~~~~~~~~~~~~~ error: expected a tensor or a number, got tuple
#   note: a tuple has no arithmetic; work on its items

# --- a type plus a number
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.float32 + 1)
#               ^~~~~~~~~~~~~~ error: `+` is not defined for dtype and int

# --- a function as an operand
@triton.jit
def one():
    return 1.0

# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.load(p) + one)
#               ^~~~~~~~~~~~~~~~ error: expected a tensor or a number, got function
#   note: a function has to be called: write `f(…)`

# --- blocks of different lengths
# sig: p=*i32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16) + tl.arange(0, 32)
#       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: shapes [16] and [32] do not broadcast: dimension 0 has extents 16 and 32
    tl.store(p, x)

# --- blocks that do not broadcast in the second dimension
# sig: p=*i32
@triton.jit
def kernel(p):
    a = tl.zeros((16, 32), tl.int32)
    b = tl.zeros((16, 64), tl.int32)
    tl.store(p, tl.sum(a + b))
#                      ^~~~~ error: shapes [16, 32] and [16, 64] do not broadcast: dimension 1 has extents 32 and 64

# --- a product of matrices, element by element
# sig: p=*i32
@triton.jit
def kernel(p):
    a = tl.zeros((16, 32), tl.int32)
    b = tl.zeros((32, 64), tl.int32)
    tl.store(p, tl.sum(a * b))
#                      ^~~~~ error: shapes [16, 32] and [32, 64] do not broadcast: dimension 0 has extents 16 and 32
#   note: a product of matrices is `tl.dot(a, b)`

# --- a value for each row that lies along the columns
# sig: p=*i32
@triton.jit
def kernel(p):
    a = tl.zeros((16, 32), tl.int32)
    tl.store(p, tl.sum(a + tl.arange(0, 16)))
#                      ^~~~~~~~~~~~~~~~~~~~ error: shapes [16, 32] and [16] do not broadcast: dimension 1 has extents 32 and 16
#   note: `[:, None]` behind the block of [16] makes one value for each row of it

# --- a comparison of a tensor with a string
# sig: p=*fp32, MODE="relu"
@triton.jit
def kernel(p, MODE: tl.constexpr):
    if tl.load(p) == MODE:
#      ^~~~~~~~~~~~~~~~~~ error: a text cannot be compared with f32
#   note: text is known at compile time only: the other side must be a `tl.constexpr`
        tl.store(p, 0.0)

# --- an augmented assignment with a wrong operand
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.load(p)
    x <<= 1
#   ^~~~~~~ error: invalid operands of type f32 for `<<`
#   note: cast to an integer type, or reinterpret with `.to(type, bitcast=True)`
    tl.store(p, x)

# --- an integer of more than 64 bits
# sig: p=*i64
@triton.jit
def kernel(p):
    tl.store(p, 36893488147419103232)
#               ^~~~~~~~~~~~~~~~~~~~ error: integer `36893488147419103232` does not fit in 64 bits

# --- None in an ordering
# sig: p=*i32, n=None
@triton.jit
def kernel(p, n):
    i = tl.arange(0, 16)
    tl.store(p + i, i, mask=i < n)
#                           ^~~~~ error: expected a tensor or a number, got None
#   note: `None` is not a value at run time; was an argument left out?

# --- None on the left of an ordering
# sig: p=*i32, n=None
@triton.jit
def kernel(p, n):
    tl.store(p, 1, mask=n >= tl.program_id(0))
#                       ^~~~~~~~~~~~~~~~~~~~~ error: expected a tensor or a number, got None
#   note: `None` is not a value at run time; was an argument left out?

# --- an integer compared with a pointer
# sig: p=*i32, n=*i64
@triton.jit
def kernel(p, n):
    i = tl.arange(0, 16)
    tl.store(p + i, i, mask=i < n)
#                           ^~~~~ error: a pointer cannot be compared with i32[16]
#   note: compare what it points to: `tl.load(p)`; if it should be a number, pass a number

# --- a pointer compared with zero
# sig: p=*i32
@triton.jit
def kernel(p):
    if p != 0:
#      ^~~~~~ error: a pointer cannot be compared with i32
#   note: compare what it points to: `tl.load(p)`; if it should be a number, pass a number
        tl.store(p, 1)
