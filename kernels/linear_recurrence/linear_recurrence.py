"""h[t] = a[t] * h[t - 1] + b[t] along the length of [batch, length, channels], forward and backward, in fp32 inside: the core of gated recurrences and
state spaces. A scan of (a, b) pairs makes a block of steps at a time; long sequences are cut into chunks that run in parallel, behind a scan of what
each chunk does to a state."""
import triton
import triton.language as tl


@triton.jit
def two_steps(a1, b1, a2, b2):
    """One step that does what two do."""
    return a1 * a2, a2 * b1 + b2


@triton.jit
def load_steps(a_ptr, b_ptr, t, channels, length, n_channels, last, REVERSE: tl.constexpr):
    """a and b of some steps; the step that changes nothing behind the last one. REVERSE: from the end, with the a of the step after."""
    inside = (t < last)[:, None] & (channels < n_channels)[None, :]
    if REVERSE:
        row = length - 1 - t
        a_row = row + 1
        a_inside = inside & (a_row < length)[:, None]
    else:
        row = t
        a_row = t
        a_inside = inside
    a = tl.load(a_ptr + a_row.to(tl.int64)[:, None] * n_channels + channels[None, :], mask=a_inside, other=1.0).to(tl.float32)
    b = tl.load(b_ptr + row.to(tl.int64)[:, None] * n_channels + channels[None, :], mask=inside, other=0.0).to(tl.float32)
    return a, b, row, inside


@triton.jit
def recurrence_chunks(a_ptr, b_ptr, chunk_a_ptr, chunk_b_ptr, length, n_channels, chunk, BLOCK_T: tl.constexpr, BLOCK_C: tl.constexpr,
                      REVERSE: tl.constexpr = False):
    """What a chunk of steps does to a state h: chunk_a * h + chunk_b, fp32 [batch, chunks, channels]. All contiguous. Grid: (blocks of channels, chunks,
    batch)."""
    channels = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    a_ptr += tl.program_id(2).to(tl.int64) * length * n_channels
    b_ptr += tl.program_id(2).to(tl.int64) * length * n_channels
    start = tl.program_id(1) * chunk
    last = tl.minimum(start + chunk, length)
    product = tl.full((BLOCK_C, ), 1.0, tl.float32)
    state = tl.zeros((BLOCK_C, ), tl.float32)
    for first in range(start, last, BLOCK_T):
        a, b, _, _ = load_steps(a_ptr, b_ptr, first + tl.arange(0, BLOCK_T), channels, length, n_channels, last, REVERSE)
        # Not a reduction, which may combine in any order: steps have one.
        steps_a, steps_b = tl.associative_scan((a, b), 0, two_steps)
        ends = (tl.arange(0, BLOCK_T) == BLOCK_T - 1)[:, None]
        all_a, all_b = tl.sum(tl.where(ends, steps_a, 0.0), axis=0), tl.sum(tl.where(ends, steps_b, 0.0), axis=0)
        state = all_a * state + all_b
        product *= all_a
    at = (tl.program_id(2).to(tl.int64) * tl.num_programs(1) + tl.program_id(1)) * n_channels + channels
    tl.store(chunk_a_ptr + at, product, mask=channels < n_channels)
    tl.store(chunk_b_ptr + at, state, mask=channels < n_channels)


@triton.jit
def linear_recurrence(a_ptr, b_ptr, initial_ptr, states_ptr, h_ptr, length, n_channels, chunk, BLOCK_T: tl.constexpr, BLOCK_C: tl.constexpr,
                      REVERSE: tl.constexpr = False):
    """h from a and b, all contiguous. initial [batch, channels] is the state before the first step, or None for 0; states [batch, chunks, channels] are those behind
    each chunk, or None where there is one chunk. Grid: (blocks of channels, chunks, batch). REVERSE: h[t] = a[t + 1] * h[t + 1] + b[t], which is the
    gradient of b if b is that of h."""
    channels = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    batch = tl.program_id(2).to(tl.int64)
    a_ptr += batch * length * n_channels
    b_ptr += batch * length * n_channels
    h_ptr += batch * length * n_channels
    start = tl.program_id(1) * chunk
    last = tl.minimum(start + chunk, length)
    state = tl.zeros((BLOCK_C, ), tl.float32)
    if initial_ptr is not None:
        is_first = (channels < n_channels) & (start == 0)
        state = tl.load(initial_ptr + batch * n_channels + channels, mask=is_first, other=0.0).to(tl.float32)
    if states_ptr is not None:
        is_later = (channels < n_channels) & (start > 0)
        before = (batch * tl.num_programs(1) + tl.program_id(1) - 1) * n_channels + channels
        state += tl.load(states_ptr + before, mask=is_later, other=0.0)
    for first in range(start, last, BLOCK_T):
        step = tl.arange(0, BLOCK_T)
        a, b, row, inside = load_steps(a_ptr, b_ptr, first + step, channels, length, n_channels, last, REVERSE)
        all_a, all_b = tl.associative_scan((a, b), 0, two_steps)
        h = all_a * state[None, :] + all_b
        tl.store(h_ptr + row.to(tl.int64)[:, None] * n_channels + channels[None, :], h.to(h_ptr.dtype.element_ty), mask=inside)
        state = tl.sum(tl.where((step == BLOCK_T - 1)[:, None], h, 0.0), axis=0)


@triton.jit
def recurrence_gradient_of_a(grad_b_ptr, h_ptr, initial_ptr, grad_a_ptr, length, n_channels, BLOCK: tl.constexpr):
    """grad_a[t] = grad_b[t] * h[t - 1], all contiguous. Grid: (blocks of length * channels, batch)."""
    batch = tl.program_id(1).to(tl.int64)
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < tl.cast(length, tl.int64) * n_channels
    start = batch * length * n_channels
    before = tl.load(h_ptr + start + i - n_channels, mask=inside & (i >= n_channels), other=0.0).to(tl.float32)
    if initial_ptr is not None:
        before += tl.load(initial_ptr + batch * n_channels + i, mask=inside & (i < n_channels), other=0.0).to(tl.float32)
    result = tl.load(grad_b_ptr + start + i, mask=inside, other=0.0).to(tl.float32) * before
    tl.store(grad_a_ptr + start + i, result.to(grad_a_ptr.dtype.element_ty), mask=inside)
