import triton
import triton.language as tl

# tl.program_id: run out=zeros:i32[4] --grid 4 --expect 'out=2'
@triton.jit
def program_id(out):
    tl.store(out + tl.program_id(0), 2)


# tl.num_programs: run out=zeros:i32[3] --grid 3 --expect 'out=3'
@triton.jit
def num_programs(out):
    tl.store(out + tl.program_id(0), tl.num_programs(0))


# tl.load: run x=arange:f32[6] out=zeros:f32[8] n=6 --grid 1 --save out=loaded.npy
@triton.jit
def load(x, out, n):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=-1.0))


# tl.store: run x=arange:f32[6] n=6 --grid 1 --expect 'x=2 * x'
@triton.jit
def store(x, n):
    i = tl.arange(0, 8)
    tl.store(x + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


# tl.arange: run out=zeros:i32[8] x=arange:i32[8] --grid 1 --expect 'out=x + 3'
@triton.jit
def arange(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.load(x + i) + 3)


# tl.full: run out=zeros:f32[4,4] --grid 1 --expect out=2.5
@triton.jit
def full(out):
    i = tl.arange(0, 4)
    tl.store(out + i[:, None] * 4 + i[None, :], tl.full((4, 4), 2.5, tl.float32))


# tl.zeros: run x=ones:f32[4,8] out=empty:f32[8] --grid 1 --expect 'out=sum(x, axis=0)'
@triton.jit
def zeros(x, out):
    i = tl.arange(0, 8)
    total = tl.zeros((8,), tl.float32)
    for row in range(4):
        total += tl.load(x + row * 8 + i)
    tl.store(out + i, total)


# tl.zeros_like: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=maximum(x, 0)'
@triton.jit
def zeros_like(x, out):
    i = tl.arange(0, 8)
    values = tl.load(x + i)
    tl.store(out + i, tl.where(values > 0, values, tl.zeros_like(values)))


# tl.make_block_ptr: run x=randn:f32[8,8] out=empty:f32[8,8] --grid 1 --expect 'out=x'
@triton.jit
def make_block_ptr(x, out):
    source = tl.make_block_ptr(x, shape=(8, 8), strides=(8, 1), offsets=(0, 0), block_shape=(8, 8), order=(1, 0))
    target = tl.make_block_ptr(out, shape=(8, 8), strides=(8, 1), offsets=(0, 0), block_shape=(8, 8), order=(1, 0))
    tl.store(target, tl.load(source))


# tl.advance: run x=randn:f32[8,16] out=empty:f32[8] --grid 1 --expect 'out=sum(x, axis=1)'
@triton.jit
def advance(x, out):
    block = tl.make_block_ptr(x, shape=(8, 16), strides=(16, 1), offsets=(0, 0), block_shape=(8, 4), order=(1, 0))
    total = tl.zeros((8,), tl.float32)
    for _ in range(4):
        total += tl.sum(tl.load(block), axis=1)
        block = tl.advance(block, (0, 4))
    tl.store(out + tl.arange(0, 8), total)
