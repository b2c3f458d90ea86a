import triton
import triton.language as tl

# tl.rand: run x=randn:f32[8] out=empty:f32[8] seed=7 --grid 1 --save out=kept.npy
@triton.jit
def rand(x, out, seed):
    i = tl.arange(0, 8)
    keep = tl.rand(seed, i) > 0.5
    tl.store(out + i, tl.where(keep, 2 * tl.load(x + i), 0.0))  # dropout


# tl.randn: run out=empty:f32[8] seed=7 --grid 1 --save out=normal.npy
@triton.jit
def randn(out, seed):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.randn(seed, i))


# tl.randint: run out=empty:i32[8] seed=7 --grid 1 --save out=dice.npy
@triton.jit
def randint(out, seed):
    i = tl.arange(0, 8)
    tl.store(out + i, (tl.randint(seed, i) % 6 + 1).to(tl.int32))


# tl.randint4x, tl.rand4x, tl.randn4x: run bits=empty:i32[8] even=empty:f32[8] normal=empty:f32[8] seed=7 --grid 1 --save even=even.npy
@triton.jit
def four_at_a_time(bits, even, normal, seed):
    i = tl.arange(0, 8)
    a, b, c, d = tl.randint4x(seed, i)  # one run of the generator for all four
    tl.store(bits + i, (a ^ b ^ c ^ d).to(tl.int32, bitcast=True))
    a, b, c, d = tl.rand4x(seed, i)
    tl.store(even + i, (a + b + c + d) / 4)
    a, b, c, d = tl.randn4x(seed, i)
    tl.store(normal + i, (a + b + c + d) / 2)


# tl.philox: run out=empty:i32[8] seed=7 --grid 1 --save out=bits.npy
@triton.jit
def philox(out, seed):
    i = tl.arange(0, 8)
    zero = tl.zeros((8,), tl.int32)
    a, b, c, d = tl.philox(seed, i, zero, zero, zero)
    tl.store(out + i, (a ^ b ^ c ^ d).to(tl.int32, bitcast=True))


# tl.philox_impl: run out=empty:i32[8] --grid 1 --save out=bits.npy
@triton.jit
def philox_impl(out):
    i = tl.arange(0, 8)
    counter = i.to(tl.uint32)
    zero = counter ^ counter
    a, b, c, d = tl.philox_impl(counter, zero, zero, zero, zero + 1, zero + 2)  # the key is (1, 2)
    tl.store(out + i, (a ^ b ^ c ^ d).to(tl.int32, bitcast=True))


# tl.uint_to_uniform_float: run out=empty:f32[8] seed=7 --grid 1 --save out=even.npy
@triton.jit
def uint_to_uniform_float(out, seed):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.uint_to_uniform_float(tl.randint(seed, i)))


# tl.pair_uniform_to_normal: run out=empty:f32[16] seed=7 --grid 1 --save out=normal.npy
@triton.jit
def pair_uniform_to_normal(out, seed):
    i = tl.arange(0, 8)
    first, second = tl.pair_uniform_to_normal(tl.rand(seed, i), tl.rand(seed, i + 8))
    tl.store(out + i, first)
    tl.store(out + 8 + i, second)
