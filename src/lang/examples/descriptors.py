import triton
import triton.language as tl

# tl.make_tensor_descriptor, descriptor.load, descriptor.store: run x=randn:f32[16,32] out=empty:f32[16,32] --grid '(2, 2)' --expect 'out=2 * x'
@triton.jit
def make_tensor_descriptor(x, out):
    source = tl.make_tensor_descriptor(x, shape=[16, 32], strides=[32, 1], block_shape=[8, 16])
    target = tl.make_tensor_descriptor(out, shape=[16, 32], strides=[32, 1], block_shape=[8, 16])
    place = [tl.program_id(0) * 8, tl.program_id(1) * 16]
    target.store(place, 2 * source.load(place))


# tl.load_tensor_descriptor, tl.store_tensor_descriptor: run x=randn:f32[16,32]@[8,16] out=empty:f32[16,32]@[8,16] --grid '(2, 2)' --expect 'out=x + 1'
@triton.jit
def load_tensor_descriptor(x, out):
    place = [tl.program_id(0) * 8, tl.program_id(1) * 16]
    tl.store_tensor_descriptor(out, place, tl.load_tensor_descriptor(x, place) + 1)


# descriptor.atomic_add: run out=zeros:f32[8,16]@[8,16] --grid 3 --expect out=3
@triton.jit
def descriptor_atomic_add(out):
    out.atomic_add([0, 0], tl.full((8, 16), 1.0, tl.float32))


# descriptor.atomic_max, descriptor.atomic_min: run high=zeros:i32[8,16]@[8,16] low=zeros:i32[8,16]@[8,16] --grid 4 --expect high=3 --expect low=-3
@triton.jit
def descriptor_atomic_max(high, low):
    mine = tl.zeros((8, 16), tl.int32) + tl.program_id(0)
    high.atomic_max([0, 0], mine)
    low.atomic_min([0, 0], -mine)


# descriptor.atomic_and, descriptor.atomic_or, descriptor.atomic_xor: run common=full(15):i32[8,16]@[8,16] any=zeros:i32[8,16]@[8,16] odd=zeros:i32[8,16]@[8,16] --grid 3 --expect common=8 --expect any=15 --expect odd=15
@triton.jit
def descriptor_atomic_bits(common, any, odd):
    mine = tl.zeros((8, 16), tl.int32) + (8 + (1 << tl.program_id(0)))
    common.atomic_and([0, 0], mine)
    any.atomic_or([0, 0], mine)
    odd.atomic_xor([0, 0], mine)


# descriptor.gather: run x=randn:f32[16,16]@[1,16] rows=arange:i32[8] out=empty:f32[8,16] --grid 1 --expect 'out=x[:8]'
@triton.jit
def descriptor_gather(x, rows, out):
    i = tl.arange(0, 8)
    picked = x.gather(tl.load(rows + i), 0)
    tl.store(out + i[:, None] * 16 + tl.arange(0, 16)[None, :], picked)


# descriptor.scatter: run x=randn:f32[8,16] rows=arange:i32[8] out=zeros:f32[8,16]@[1,16] --grid 1 --expect 'out=x'
@triton.jit
def descriptor_scatter(x, rows, out):
    i = tl.arange(0, 8)
    values = tl.load(x + i[:, None] * 16 + tl.arange(0, 16)[None, :])
    out.scatter(values, tl.load(rows + i), 0)


# tl._experimental_make_tensor_descriptor: run x=randn:f32[8,16] out=empty:f32[8,16] --grid 1 --expect 'out=x'
@triton.jit
def experimental_make_tensor_descriptor(x, out):
    source = tl._experimental_make_tensor_descriptor(x, shape=[8, 16], strides=[16, 1], block_shape=[8, 16])
    target = tl._experimental_make_tensor_descriptor(out, shape=[8, 16], strides=[16, 1], block_shape=[8, 16])
    target.store([0, 0], source.load([0, 0]))


# triton.tools.ragged_tma.to_ragged_indices: run end=empty:i32[1] left=empty:i32[1] --grid 1 --expect end=12 --expect left=5
import triton.tools.ragged_tma as ragged_tma


@triton.jit
def to_ragged_indices(end, left):
    rows, last, row = ragged_tma.to_ragged_indices(4, 8, 3)  # row 3 of the slice that has 8 rows from row 4 on
    tl.store(end, last)
    tl.store(left, rows - row)


# triton.tools.ragged_tma.load_ragged, triton.tools.ragged_tma.store_ragged: run x=randn:f32[32,16] out=zeros:f32[32,16] --grid 1 --device interp --save out=rows.npy
import triton.tools.ragged_tma as ragged_tma


@triton.jit
def describe(pointer):
    return tl.make_tensor_descriptor(pointer, shape=[0x7fff0000, 0x7fff0000, 0x40000000, 16], strides=[2**34 - 16, 16, 16, 1], block_shape=[1, 1, 8, 16])


@triton.jit
def load_ragged(x, out):
    rows = ragged_tma.load_ragged(describe(x), 4, 5, [0, 0])  # the slice has 5 rows from row 4 on; the block has 8
    ragged_tma.store_ragged(describe(out), 4, 5, [0, 0], rows)


# triton.tools.ragged_tma.atomic_add_ragged: run out=zeros:f32[32,16] --grid 3 --device interp --save out=sums.npy
import triton.tools.ragged_tma as ragged_tma


@triton.jit
def atomic_add_ragged(out):
    described = tl.make_tensor_descriptor(out, shape=[0x7fff0000, 0x7fff0000, 0x40000000, 16], strides=[2**34 - 16, 16, 16, 1],
                                          block_shape=[1, 1, 8, 16])
    ragged_tma.atomic_add_ragged(described, 4, 5, [0, 0], tl.full((8, 16), 1.0, tl.float32))
