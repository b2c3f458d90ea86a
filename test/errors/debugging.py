# debugging.py: device_print, device_assert, static_print, hints, inline assembly, library functions, random numbers.
import triton
import triton.language as tl
from triton.language.extra import libdevice

# --- `device_print` without a prefix
# sig: n=i32
@triton.jit
def kernel(n):
    tl.device_print(n)

# --- `device_print` of nothing
@triton.jit
def kernel():
    tl.device_print()

# --- `device_print` with a prefix that is not ASCII
# sig: n=i32
@triton.jit
def kernel(n):
    tl.device_print("größe", n)

# --- `device_print` of a string
# sig: n=i32
@triton.jit
def kernel(n):
    tl.device_print("n", "text")

# --- `device_print` with a run-time `hex`
# sig: n=i32
@triton.jit
def kernel(n):
    tl.device_print("n", n, hex=n)

# --- `device_assert` with a message that is no text
# sig: n=i32
@triton.jit
def kernel(n):
    tl.device_assert(n > 0, 5)

# --- `device_assert` without a condition
@triton.jit
def kernel():
    tl.device_assert()

# --- `static_print` with an unknown keyword
@triton.jit
def kernel():
    tl.static_print("a", separator=",")

# --- `debug_barrier` with an argument
@triton.jit
def kernel():
    tl.debug_barrier(1)

# --- inline assembly without its last arguments
@triton.jit
def kernel():
    tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [tl.arange(0, 16)])

# --- inline assembly that packs nothing
@triton.jit
def kernel():
    tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [tl.arange(0, 16)], dtype=tl.int32, is_pure=True, pack=0)

# --- inline assembly whose text is no text
@triton.jit
def kernel():
    tl.inline_asm_elementwise(1, "=r,r", [tl.arange(0, 16)], dtype=tl.int32, is_pure=True, pack=1)

# --- inline assembly without a result type
@triton.jit
def kernel():
    tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [tl.arange(0, 16)], dtype=5, is_pure=True, pack=1)

# --- inline assembly with fewer constraints than values
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r", [x, x], dtype=tl.int32, is_pure=True, pack=1)

# --- inline assembly with blocks that do not broadcast
@triton.jit
def kernel():
    x = tl.arange(0, 16)
    y = tl.arange(0, 32)
    tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,r", [x, y], dtype=tl.int32, is_pure=True, pack=1)

# --- a library function of the wrong type
# sig: p=*i32
@triton.jit
def kernel(p):
    tl.store(p, libdevice.tanh(tl.load(p)))

# --- a library function of half precision
# sig: p=*fp16
@triton.jit
def kernel(p):
    tl.store(p, libdevice.erf(tl.load(p)))

# --- a library function of mixed types
# sig: p=*fp32, q=*fp64
@triton.jit
def kernel(p, q):
    tl.store(p, libdevice.pow(tl.load(p), "2"))

# --- a library function with too few arguments
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, libdevice.pow(tl.load(p)))

# --- a misspelt library function
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, libdevice.tahn(tl.load(p)))

# --- an extern function with the wrong number of arguments
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.load(p)
    y = tl.core.extern_elementwise("", "", [x, x], {(tl.core.dtype("fp32"),): ("__nv_tanhf", tl.core.dtype("fp32"))}, is_pure=True)

# --- `rand` with a float seed
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, tl.rand(1.5, x))

# --- `rand` with float offsets
# sig: p=*fp32
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, tl.rand(1, x.to(tl.float32)))

# --- `randn` without offsets
# sig: p=*fp32
@triton.jit
def kernel(p):
    tl.store(p, tl.randn(7))

# --- `randint4x` unpacked into three
# sig: p=*i32
@triton.jit
def kernel(p):
    a, b, c = tl.randint4x(1, tl.arange(0, 16))
