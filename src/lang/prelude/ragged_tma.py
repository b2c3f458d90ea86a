# triton.tools.ragged_tma: blocks of one group of rows of a larger tensor, through a descriptor with two dimensions in
# front that move the group's end to where the descriptor's own bounds check drops what lies beyond. The strides of those
# dimensions make addresses wrap around 64 bits: 2^30 * (2^34 - stride) is -stride * 2^30.
import triton
import triton.language as tl


@triton.jit
def to_ragged_indices(batch_offset, batch_size, row):
    wrap: tl.constexpr = 0x40000000
    return wrap, batch_offset + batch_size, wrap - batch_size + row


@triton.jit
def _ragged_coordinates(batch_offset, batch_size, coords, ragged_dim: tl.constexpr):
    first, second, row = to_ragged_indices(batch_offset, batch_size, coords[ragged_dim])
    return [first, second] + coords[:ragged_dim] + [row] + coords[ragged_dim + 1:]


# Rows batch_offset … batch_offset + batch_size - 1; those beyond read as zero.
@triton.jit
def load_ragged(TMA, batch_offset, batch_size, coords, ragged_dim: tl.constexpr = 0):
    tl.static_assert(len(TMA.shape) == len(coords) + 2, "a ragged descriptor has two dimensions more than its blocks")
    block = TMA.load(_ragged_coordinates(batch_offset, batch_size, coords, ragged_dim))
    return tl.reshape(block, block.shape[2:])


@triton.jit
def store_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    TMA.store(_ragged_coordinates(batch_offset, batch_size, coords, ragged_dim), tl.reshape(data, [1, 1] + data.shape))


@triton.jit
def atomic_add_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    TMA.atomic_add(_ragged_coordinates(batch_offset, batch_size, coords, ragged_dim), tl.reshape(data, [1, 1] + data.shape))
