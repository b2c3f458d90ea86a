import triton
import triton.language as tl

# tl.dot: run x=randn:f16[16,16] y=randn:f16[16,16] out=empty:f32[16,16] --grid 1 --expect 'out=x @ y'
@triton.jit
def dot(x, y, out):
    i = tl.arange(0, 16)
    place = i[:, None] * 16 + i[None, :]
    tl.store(out + place, tl.dot(tl.load(x + place), tl.load(y + place)))


# tl.dot_scaled: run x=randn:bf16[16,64] y=randint(0,100):u8[64,16] scale=full(127):u8[16,2] out=empty:f32[16,16] --grid 1 --save out=product.npy
@triton.jit
def dot_scaled(x, y, scale, out):
    i, k = tl.arange(0, 16), tl.arange(0, 64)
    left = tl.load(x + i[:, None] * 64 + k[None, :])
    right = tl.load(y + k[:, None] * 16 + i[None, :])  # fp8 in bytes; one scale for each 32 of them: 2 ** (scale - 127)
    factors = tl.load(scale + i[:, None] * 2 + tl.arange(0, 2)[None, :])
    tl.store(out + i[:, None] * 16 + i[None, :], tl.dot_scaled(left, None, "bf16", right, factors, "e4m3"))


# tl.dot_sparse: run values=randn:f16[16,16] places=full(148):u8[16,4] y=randn:f16[32,16] out=empty:f32[16,16] --grid 1 --save out=product.npy
@triton.jit
def dot_sparse(values, places, y, out):
    i, k = tl.arange(0, 16), tl.arange(0, 32)
    kept = tl.load(values + i[:, None] * 16 + i[None, :])  # two of every four elements along k
    where = tl.load(places + i[:, None] * 4 + tl.arange(0, 4)[None, :])  # which, two bits each: 148 is 0 and 1, then 1 and 2
    right = tl.load(y + k[:, None] * 16 + i[None, :])
    tl.store(out + i[:, None] * 16 + i[None, :], tl.dot_sparse(kept, where, right))


# tl.atomic_add: run x=arange:i32[8] out=zeros:i32[1] --grid 8 --expect 'out=sum(x)'
@triton.jit
def atomic_add(x, out):
    tl.atomic_add(out, tl.load(x + tl.program_id(0)))


# tl.atomic_max, tl.atomic_min: run x=arange:i32[8] high=zeros:i32[1] low=zeros:i32[1] --grid 8 --expect 'high=max(x)' --expect 'low=min(-x)'
@triton.jit
def atomic_max(x, high, low):
    value = tl.load(x + tl.program_id(0))
    tl.atomic_max(high, value)
    tl.atomic_min(low, -value)


# tl.atomic_and, tl.atomic_or, tl.atomic_xor: run common=full(15):i32[1] any=zeros:i32[1] odd=zeros:i32[1] --grid 3 --expect common=8 --expect any=15 --expect odd=15
@triton.jit
def atomic_bits(common, any, odd):
    mine = 8 + (1 << tl.program_id(0))
    tl.atomic_and(common, mine)
    tl.atomic_or(any, mine)
    tl.atomic_xor(odd, mine)


# tl.atomic_xchg: run x=full(5):i32[1] out=empty:i32[1] --grid 1 --expect 'out=x' --expect x=7
@triton.jit
def atomic_xchg(x, out):
    tl.store(out, tl.atomic_xchg(x, 7))


# tl.atomic_cas: run lock=zeros:i32[1] out=zeros:i32[1] --grid 4 --expect out=4
@triton.jit
def atomic_cas(lock, out):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out, tl.load(out) + 1)  # one program at a time
    tl.atomic_xchg(lock, 0)


# tl.atomic_load, tl.atomic_store: run flag=zeros:i32[1] data=zeros:f32[1] out=zeros:f32[1] --grid 2 --expect out=5
@triton.jit
def atomic_load(flag, data, out):
    if tl.program_id(0) == 0:
        tl.store(data, 5.0)
        tl.atomic_store(flag, 1)  # who sees it sees `data`, too
    else:
        while tl.atomic_load(flag) == 0:
            pass
        tl.store(out, tl.load(data))


# tl.atomic_poll: run flag=ones:i32[1] out=zeros:i32[1] --grid 1 --expect out=1
@triton.jit
def atomic_poll(flag, out):
    tl.atomic_poll(flag, 1)  # waits until another program has written 1
    tl.store(out, 1)


# tl.swizzle2d: run out=zeros:i32[4,4] --grid '(4, 4)' --save out=order.npy
@triton.jit
def swizzle2d(out):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), 4, 4, 2)  # groups of two rows
    tl.store(out + i * 4 + j, tl.program_id(0) * 4 + tl.program_id(1))


# tl.map_elementwise: run x=arange:i32[8] out=empty:i32[8] --grid 1 --expect 'out=where(x > 3, 2 * x, x)'
@triton.jit
def twice_large(value):
    if value > 3:
        return 2 * value
    return value


@triton.jit
def map_elementwise(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.map_elementwise(twice_large, tl.load(x + i)))


# tl.inline_asm_elementwise: compile -s '*fp32, *fp32' --target sm_90a --emit ptx
@triton.jit
def inline_asm_elementwise(x, out):
    i = tl.arange(0, 128)
    half = tl.inline_asm_elementwise("mul.f32 $0, $1, 0.5;", "=f,f", [tl.load(x + i)], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out + i, half)


# tl.extern_elementwise: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=exp(x)'
@tl.core.extern
def my_exp(value, _semantic=None):
    return tl.extern_elementwise("", "", [value], {(tl.float32,): ("__nv_expf", tl.float32)}, is_pure=True, _semantic=_semantic)


@triton.jit
def extern_elementwise(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, my_exp(tl.load(x + i)))
