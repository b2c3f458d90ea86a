# debugging.py: device_print, device_assert, static_print, hints, inline assembly, library functions, random numbers.
import triton
import triton.language as tl
from triton.language.extra import libdevice

# --- `device_print` without a prefix
# sig: n=i32
@triton.jit
def kernel(n):
    tl.device_print(n)
#                   ^ error: `prefix` must be a string, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- `device_print` of nothing
@triton.jit
def kernel():
    tl.device_print()
#   ^~~~~~~~~~~~~~~~~ error: `device_print` needs the argument `prefix`
#   note: `device_print(prefix, *args, hex=False)` is the signature

# --- `device_print` with a prefix that is not ASCII
# sig: n=i32
@triton.jit
def kernel(n):
    tl.device_print("größe", n)
#                   ^~~~~~~~~ error: the prefix of `device_print` must be plain ASCII text

# --- `device_print` of a string
# sig: n=i32
@triton.jit
def kernel(n):
    tl.device_print("n", "text")
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: expected a tensor or a number, got str

# --- `device_print` with a run-time `hex`
# sig: n=i32
@triton.jit
def kernel(n):
    tl.device_print("n", n, hex=n)
#                           ^~~~~ error: `hex` must be a constant `True` or `False`, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- `device_assert` with a run-time message
# sig: n=i32
@triton.jit
def kernel(n):
    tl.device_assert(n > 0, n)
#                           ^ error: `msg` must be a string, got i32
#   note: it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`

# --- `device_assert` without a condition
@triton.jit
def kernel():
    tl.device_assert()
#   ^~~~~~~~~~~~~~~~~~ error: `device_assert` needs the argument `cond`
#   note: `device_assert(cond, msg="", mask=None)` is the signature

# --- `static_print` with an unknown keyword
@triton.jit
def kernel():
    tl.static_print("a", separator=",")
#                        ^~~~~~~~~~~~~ error: `static_print` has no parameter `separator`
#   note: `static_print(*values, sep=" ", end="\n", file=None, flush=False)` is the signature

# --- `debug_barrier` with an argument
@triton.jit
def kernel():
    tl.debug_barrier(1)
#                    ^ error: too many arguments for `debug_barrier`
#   note: `debug_barrier()` is the signature

# --- inline assembly without its last arguments
@triton.jit
def kernel():
    tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [tl.arange(0, 16)])
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `inline_asm_elementwise` needs the argument `dtype`
#   note: `inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack)` is the signature

# --- inline assembly that packs nothing
@triton.jit
def kernel():
    tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [tl.arange(0, 16)], dtype=tl.int32, is_pure=True, pack=0)
#                                                                                                          ^~~~~~ error: `pack` must be from 1 to 1024, got 0

# --- inline assembly that packs more than there is
@triton.jit
def kernel():
    tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [tl.arange(0, 16)], dtype=tl.int32, is_pure=True, pack=2**40)
#                                                                                                          ^~~~~~~~~~ error: `pack` must be from 1 to 1024, got 1099511627776

# --- inline assembly whose text is no text
@triton.jit
def kernel():
    tl.inline_asm_elementwise(1, "=r,r", [tl.arange(0, 16)], dtype=tl.int32, is_pure=True, pack=1)
#                             ^ error: `asm` must be a string, got int

# --- inline assembly without a result type
@triton.jit
def kernel():
    tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [tl.arange(0, 16)], dtype=5, is_pure=True, pack=1)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: `dtype` must be a type such as `tl.float32`, got int

# --- inline assembly with blocks that do not broadcast
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    y = tl.arange(0, 32)
    tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,r", [x, y], dtype=tl.int32, is_pure=True, pack=1)
#   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error: shapes [16] and [32] do not broadcast: dimension 0 has extents 16 and 32

# --- a library function of the wrong type
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, libdevice.tanh(tl.load(p)))
#                              ^~~~~~~~~~ error: `tanh` takes (f32) or (f64), got (i32)
#   note: convert the arguments first: `.to(tl.float32)`

# --- a library function of half precision
# sig: p=*fp16
@triton.jit
def kernel(p):
    tl.store(p, libdevice.erf(tl.load(p)))
#                             ^~~~~~~~~~ error: `erf` takes (f32) or (f64), got (f16)
#   note: convert the arguments first: `.to(tl.float32)`

# --- a library function of mixed types
# sig: p=*fp32, q=*fp64
@triton.jit
def kernel(p, q):
    tl.store(p, libdevice.pow(tl.load(p), "2"))
#                                         ^~~ error: expected a tensor or a number, got str

# --- a library function with too few arguments
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, libdevice.pow(tl.load(p)))
#               ^~~~~~~~~~~~~~~~~~~~~~~~~ error: `pow` needs the argument `arg1`
#   note: `pow(arg0, arg1)` is the signature

# --- a misspelt library function
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, libdevice.tahn(tl.load(p)))
#                         ^~~~ error: `libdevice` has no `tahn`
#   note: did you mean `tanh`?

# --- `rand` with a float seed
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, tl.rand(1.5, x))
#                   ^~~~~~~~~~~~~~~ error: static assertion failed: the seed must be an integer

# --- `randn` without offsets
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.randn(7))
#               ^~~~~~~~~~~ error: `randn` needs a value for `offset`

# --- `randint4x` unpacked into five
# sig: p=*i32
@triton.jit
def kernel(p):
    a, b, c, d, e = tl.randint4x(1, tl.arange(0, 16))
#   ^~~~~~~~~~~~~ error: cannot unpack 4 values into 5 names
