# triton.tools.ragged_tma: rows of one slice of a tensor, through a descriptor that the host made for it. The descriptor
# has two extra leading dimensions. Their strides move the start of the slice to the end of a dimension of 2**30 rows, so
# that the bounds check of the descriptor is the bounds check of the slice.
import triton
import triton.language as tl


@triton.jit
def to_ragged_indices(slice_off, slice_size, row):
    """Where a row of a slice is in a descriptor of slices: its first three coordinates."""
    rows: tl.constexpr = 1 << 30
    return rows, slice_off + slice_size, rows - slice_size + row


@triton.jit
def _ragged_coords(slice_off, slice_size, coords, ragged_dim: tl.constexpr):
    first, second, row = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    return [first, second] + coords[:ragged_dim] + [row] + coords[ragged_dim + 1:]


@triton.jit
def load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    """Read a block of one slice of rows; what is beyond its end is 0."""
    tl.static_assert(len(TMA.shape) == len(coords) + 2, "the descriptor must have two dimensions more than the coordinates")
    data = TMA.load(_ragged_coords(slice_off, slice_size, coords, ragged_dim))
    return tl.reshape(data, data.shape[2:])


@triton.jit
def store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Write a block into one slice of rows; what is beyond its end is left out."""
    TMA.store(_ragged_coords(slice_off, slice_size, coords, ragged_dim), tl.reshape(data, [1, 1] + data.shape))


@triton.jit
def atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Add a block to one slice of rows; what is beyond its end is left out."""
    TMA.atomic_add(_ragged_coords(slice_off, slice_size, coords, ragged_dim), tl.reshape(data, [1, 1] + data.shape))
