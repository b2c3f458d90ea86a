"""Prefix scans of rows in one pass, by decoupled look-back: sum, product, maximum and minimum, the last two with their places, sums that begin anew at marked places, and h[t] = a[t] * h[t - 1] + b[t]. Floats are computed in fp32, integers in int64.

A row is cut into tiles of BLOCK elements, in LINES lines (one for each warp: it scans its line by itself), and a program takes the next tile of all by a ticket, so that those before it have begun whatever the order of programs. It publishes what its own tile amounts to, looks back over
the tiles before it until one has published all that lies before, publishes the same for itself, and writes its results. Every element is read once and written once.

What is published is a word of 64 bits: a number of 32 bits above a status, so that both are read and written at once. Numbers of 64 bits and pairs are two words, which count where their statuses are equal.

state: int64 zeros, two to count programs, then one for each tile, or two for integers and pairs. With RESTORE it is zeros again behind the launch. Grid: (rows * tiles of a row)."""
import triton
import triton.language as tl

OWN = tl.constexpr(1)  # what the tile alone amounts to
ALL = tl.constexpr(2)  # with all tiles of the row before it


@triton.jit
def add(x, y):
    return x + y


@triton.jit
def times(x, y):
    return x * y


@triton.jit
def larger(x, y):
    return tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def smaller(x, y):
    return tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def combined(x, y, KIND: tl.constexpr):
    if KIND == "sum":
        return add(x, y)
    elif KIND == "prod":
        return times(x, y)
    elif KIND == "max":
        return larger(x, y)
    else:
        return smaller(x, y)


@triton.jit
def reduced(x, AXIS: tl.constexpr, KIND: tl.constexpr):
    if KIND == "sum":
        return tl.reduce(x, AXIS, add)
    elif KIND == "prod":
        return tl.reduce(x, AXIS, times)
    elif KIND == "max":
        return tl.reduce(x, AXIS, larger)
    else:
        return tl.reduce(x, AXIS, smaller)


@triton.jit
def scanned(x, KIND: tl.constexpr, REVERSE: tl.constexpr):
    """Along lines."""
    if KIND == "sum":
        return tl.associative_scan(x, 1, add, reverse=REVERSE)
    elif KIND == "prod":
        return tl.associative_scan(x, 1, times, reverse=REVERSE)
    elif KIND == "max":
        return tl.associative_scan(x, 1, larger, reverse=REVERSE)
    else:
        return tl.associative_scan(x, 1, smaller, reverse=REVERSE)


@triton.jit
def lines_before(REVERSE: tl.constexpr, LINES: tl.constexpr):
    """[LINES, LINES]: whether a line of a tile comes before another one."""
    line = tl.arange(0, LINES)
    if REVERSE:
        return line[None, :] > line[:, None]
    else:
        return line[None, :] < line[:, None]


@triton.jit
def two_steps(a1, b1, a2, b2):
    """One step h = a * h + b that does what two do."""
    return a1 * a2, a2 * b1 + b2


@triton.jit
def begun_anew(head1, x1, head2, x2):
    return head1 | head2, tl.where(head2 != 0, x2, x1 + x2)


@triton.jit
def last(x, N: tl.constexpr):
    """The last of N numbers. A reduction may combine in any order, which only sums, maxima and minima allow: what pairs amount to is where their scan ends."""
    return tl.sum(tl.where(tl.arange(0, N) == N - 1, x, 0), axis=0)


@triton.jit
def last_of_lines(x):
    LINE: tl.constexpr = x.shape[1]
    return tl.sum(tl.where(tl.arange(0, LINE)[None, :] == LINE - 1, x, 0), axis=1)


@triton.jit
def of_line_before(x, nothing, LINES: tl.constexpr):
    """For each line the number of the one before it, `nothing` for the first."""
    line = tl.arange(0, LINES)
    return tl.where(line == 0, nothing, tl.sum(tl.where(line[None, :] == line[:, None] - 1, x[None, :], 0), axis=1))


@triton.jit
def publish(state_ptr, tile, tiles, low, high, status, WORDS: tl.constexpr):
    tl.atomic_xchg(state_ptr + tile, (low.to(tl.int64) << 32) | status, sem="relaxed")
    if WORDS == 2:
        tl.atomic_xchg(state_ptr + tiles + tile, (high.to(tl.int64) << 32) | status, sem="relaxed")


@triton.jit
def restore(state_ptr, tiles, WORDS: tl.constexpr):
    """The program that ends last clears what all have published: nobody reads it any more. `state_ptr` is behind the counters."""
    if tl.atomic_add(state_ptr - 1, 1, sem="acq_rel") == tiles - 1:
        for first in range(-2, WORDS * tiles, 1024):
            i = first + tl.arange(0, 1024)
            tl.store(state_ptr + i, tl.zeros((1024, ), tl.int64), mask=i < WORDS * tiles)


@triton.jit
def clear(state_ptr, n, BLOCK: tl.constexpr):
    """Zeros. Grid: (blocks)."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(state_ptr + i, tl.zeros((BLOCK, ), tl.int64), mask=i < n)


@triton.jit
def look_back(state_ptr, end, first, tiles, WORDS: tl.constexpr, WINDOW: tl.constexpr):
    """What the WINDOW tiles before `end` have published: which of them count (from the last one with ALL on), their numbers, whether none is missing, and where to go on."""
    tile = end - WINDOW + tl.arange(0, WINDOW)
    inside = tile >= first
    word = tl.atomic_add(state_ptr + tile, tl.zeros((WINDOW, ), tl.int64), mask=inside, sem="relaxed")
    status = word & 3
    low = (word >> 32).to(tl.int32)
    high = low
    if WORDS == 2:
        word = tl.atomic_add(state_ptr + tiles + tile, tl.zeros((WINDOW, ), tl.int64), mask=inside, sem="relaxed")
        status = tl.where(status == (word & 3), status, 0)
        high = (word >> 32).to(tl.int32)
    # The nearest tile that has published more than its own, or nothing: the last bit tells which, and that there is none.
    nearest = tl.max(tl.where(inside & (status != OWN), tile * 2 + (status == ALL).to(tl.int32), first * 2 - 1), axis=0)
    found = nearest >> 1
    return inside & (tile >= found), low, high, (nearest & 1) != 0, tl.where(found >= first, first, end - WINDOW)


@triton.jit
def tile_of_row(state_ptr, n_columns, BLOCK: tl.constexpr, LINES: tl.constexpr, REVERSE: tl.constexpr):
    """The next tile of all, the first one of its row, its row, its elements and which of them are there."""
    tile = tl.atomic_add(state_ptr, 1, sem="relaxed").to(tl.int32)
    tiles = tl.cdiv(n_columns, BLOCK)
    row = tile // tiles
    across = tile - row * tiles
    if REVERSE:
        across = tiles - 1 - across
    LINE: tl.constexpr = BLOCK // LINES
    columns = across * BLOCK + tl.arange(0, LINES)[:, None] * LINE + tl.arange(0, LINE)[None, :]
    return tile, (row * tiles).to(tl.int32), row.to(tl.int64), columns, columns < n_columns


@triton.jit
def scan(x_ptr, out_ptr, state_ptr, x_row_stride, out_row_stride, n_columns, KIND: tl.constexpr, BLOCK: tl.constexpr, LINES: tl.constexpr, WINDOW: tl.constexpr,
         REVERSE: tl.constexpr = False, RESTORE: tl.constexpr = False):
    """KIND: "sum", "prod", "max" or "min". REVERSE: from the end of each row. max and min take NaN for larger and smaller than all."""
    IS_FLOAT: tl.constexpr = x_ptr.dtype.element_ty.is_floating()
    WORDS: tl.constexpr = 1 if IS_FLOAT else 2
    TYPE: tl.constexpr = tl.float32 if IS_FLOAT else tl.int64
    if KIND == "sum" or KIND == "prod":
        nothing = tl.full((), 0 if KIND == "sum" else 1, TYPE)
    elif IS_FLOAT:
        nothing = tl.full((), -float("inf") if KIND == "max" else float("inf"), TYPE)
    else:
        nothing = tl.full((), -0x8000000000000000 if KIND == "max" else 0x7FFFFFFFFFFFFFFF, TYPE)
    tile, first, row, columns, inside = tile_of_row(state_ptr, n_columns, BLOCK, LINES, REVERSE)
    state_ptr += 2
    x = tl.load(x_ptr + row * x_row_stride + columns, mask=inside, other=0).to(TYPE)
    if KIND != "sum":
        x = tl.where(inside, x, nothing)
    lines = reduced(x, 1, KIND)
    own = reduced(lines, 0, KIND)
    tiles = tl.num_programs(0)
    if tile > first:
        if IS_FLOAT:
            publish(state_ptr, tile, tiles, own.to(tl.int32, bitcast=True), 0, OWN, WORDS)
        else:
            publish(state_ptr, tile, tiles, own.to(tl.int32), (own >> 32).to(tl.int32), OWN, WORDS)
    x = scanned(x, KIND, REVERSE)  # while others publish
    earlier = reduced(tl.where(lines_before(REVERSE, LINES), lines[None, :], nothing), 1, KIND)
    before = nothing
    end = tile
    while end > first:
        counts, low, high, is_whole, rest = look_back(state_ptr, end, first, tiles, WORDS, WINDOW)
        if is_whole:
            if IS_FLOAT:
                values = low.to(tl.float32, bitcast=True)
            else:
                values = (high.to(tl.int64) << 32) | (low.to(tl.int64) & 0xFFFFFFFF)
            before = combined(reduced(tl.where(counts, values, nothing), 0, KIND), before, KIND)
            end = rest
    total = combined(before, own, KIND)
    if IS_FLOAT:
        publish(state_ptr, tile, tiles, total.to(tl.int32, bitcast=True), 0, ALL, WORDS)
    else:
        publish(state_ptr, tile, tiles, total.to(tl.int32), (total >> 32).to(tl.int32), ALL, WORDS)
    x = combined(combined(before, earlier, KIND)[:, None], x, KIND)
    tl.store(out_ptr + row * out_row_stride + columns, x.to(out_ptr.dtype.element_ty), mask=inside)
    if RESTORE:
        restore(state_ptr, tiles, WORDS)


@triton.jit
def larger_of(x1, i1, x2, i2):
    """The larger number with its place, a NaN before all, the later one of equals: in whatever order."""
    takes = tl.where((x1 != x1) | (x2 != x2), (x2 != x2) & ((x1 == x1) | (i2 > i1)), (x2 > x1) | ((x2 == x1) & (i2 > i1)))
    return tl.where(takes, x2, x1), tl.where(takes, i2, i1)


@triton.jit
def smaller_of(x1, i1, x2, i2):
    takes = tl.where((x1 != x1) | (x2 != x2), (x2 != x2) & ((x1 == x1) | (i2 > i1)), (x2 < x1) | ((x2 == x1) & (i2 > i1)))
    return tl.where(takes, x2, x1), tl.where(takes, i2, i1)


@triton.jit
def picked(x1, i1, x2, i2, KIND: tl.constexpr):
    if KIND == "max":
        return larger_of(x1, i1, x2, i2)
    else:
        return smaller_of(x1, i1, x2, i2)


@triton.jit
def picked_along(x, i, AXIS: tl.constexpr, KIND: tl.constexpr):
    if KIND == "max":
        return tl.reduce((x, i), AXIS, larger_of)
    else:
        return tl.reduce((x, i), AXIS, smaller_of)


@triton.jit
def scan_places(x_ptr, out_ptr, places_ptr, state_ptr, x_row_stride, out_row_stride, n_columns, KIND: tl.constexpr, BLOCK: tl.constexpr, LINES: tl.constexpr, WINDOW: tl.constexpr, RESTORE: tl.constexpr = False):
    """Maxima or minima so far (KIND) and where they stand, int64 with the rows of out: the last of equal ones; a NaN comes before all. Floats, and integers of up to 32 bits. Two words a tile."""
    IS_FLOAT: tl.constexpr = x_ptr.dtype.element_ty.is_floating()
    if IS_FLOAT:
        nothing = tl.full((), -float("inf") if KIND == "max" else float("inf"), tl.float32)
    else:
        nothing = tl.full((), -0x80000000 if KIND == "max" else 0x7FFFFFFF, tl.int32)
    tile, first, row, columns, inside = tile_of_row(state_ptr, n_columns, BLOCK, LINES, False)
    state_ptr += 2
    x = tl.load(x_ptr + row * x_row_stride + columns, mask=inside, other=0).to(nothing.dtype)
    x = tl.where(inside, x, nothing)
    i = tl.where(inside, columns, -1)
    lines, line_places = picked_along(x, i, 1, KIND)
    own, own_place = picked_along(lines, line_places, 0, KIND)
    tiles = tl.num_programs(0)
    if tile > first:
        publish(state_ptr, tile, tiles, own.to(tl.int32, bitcast=True), own_place, OWN, 2)
    is_before = lines_before(False, LINES)
    earlier, earlier_places = picked_along(tl.where(is_before, lines[None, :], nothing), tl.where(is_before, line_places[None, :], -1), 1, KIND)
    before = nothing
    place = tl.full((), -1, tl.int32)
    end = tile
    while end > first:
        counts, low, high, is_whole, rest = look_back(state_ptr, end, first, tiles, 2, WINDOW)
        if is_whole:
            window, window_place = picked_along(tl.where(counts, low.to(nothing.dtype, bitcast=True), nothing), tl.where(counts, high, -1), 0, KIND)
            before, place = picked(window, window_place, before, place, KIND)
            end = rest
    total, total_place = picked(before, place, own, own_place, KIND)
    publish(state_ptr, tile, tiles, total.to(tl.int32, bitcast=True), total_place, ALL, 2)
    earlier, earlier_places = picked(earlier, earlier_places, before, place, KIND)
    if KIND == "max":
        x, i = tl.associative_scan((x, i), 1, larger_of)
    else:
        x, i = tl.associative_scan((x, i), 1, smaller_of)
    x, i = picked(earlier[:, None], earlier_places[:, None], x, i, KIND)
    tl.store(out_ptr + row * out_row_stride + columns, x.to(out_ptr.dtype.element_ty), mask=inside)
    tl.store(places_ptr + row * out_row_stride + columns, i.to(tl.int64), mask=inside)
    if RESTORE:
        restore(state_ptr, tiles, 2)


@triton.jit
def scan_segments(x_ptr, heads_ptr, out_ptr, state_ptr, x_row_stride, heads_row_stride, out_row_stride, n_columns, BLOCK: tl.constexpr, LINES: tl.constexpr, WINDOW: tl.constexpr,
                  RESTORE: tl.constexpr = False):
    """Sums of floats that begin anew where heads, of integers, is not 0. A tile with such a place waits for nobody: what it amounts to is all that counts behind it."""
    tile, first, row, columns, inside = tile_of_row(state_ptr, n_columns, BLOCK, LINES, False)
    state_ptr += 2
    x = tl.load(x_ptr + row * x_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
    heads = (tl.load(heads_ptr + row * heads_row_stride + columns, mask=inside, other=0) != 0).to(tl.int32)
    heads, x = tl.associative_scan((heads, x), 1, begun_anew)
    line_heads, lines = tl.associative_scan((last_of_lines(heads), last_of_lines(x)), 0, begun_anew)
    has_head = last(line_heads, LINES)
    own = last(lines, LINES)
    tiles = tl.num_programs(0)
    ends = (tile == first) | (has_head != 0)
    publish(state_ptr, tile, tiles, own.to(tl.int32, bitcast=True), 0, tl.where(ends, ALL, OWN).to(tl.int64), 1)
    earlier_heads = of_line_before(line_heads, 0, LINES)
    earlier = of_line_before(lines, 0.0, LINES)
    before = tl.full((), 0.0, tl.float32)
    end = tile
    while end > first:
        counts, low, high, is_whole, rest = look_back(state_ptr, end, first, tiles, 1, WINDOW)
        if is_whole:
            before += tl.sum(tl.where(counts, low.to(tl.float32, bitcast=True), 0.0), axis=0)
            end = rest
    if ends == 0:
        publish(state_ptr, tile, tiles, (before + own).to(tl.int32, bitcast=True), 0, ALL, 1)
    earlier = tl.where(earlier_heads != 0, earlier, before + earlier)
    tl.store(out_ptr + row * out_row_stride + columns, tl.where(heads != 0, x, earlier[:, None] + x).to(out_ptr.dtype.element_ty), mask=inside)
    if RESTORE:
        restore(state_ptr, tiles, 1)


@triton.jit
def scan_steps(a_ptr, b_ptr, initial_ptr, h_ptr, state_ptr, a_row_stride, b_row_stride, h_row_stride, n_columns, BLOCK: tl.constexpr, LINES: tl.constexpr, WINDOW: tl.constexpr,
               RESTORE: tl.constexpr = False):
    """h[t] = a[t] * h[t - 1] + b[t] along rows; initial, one number a row or None for 0, is h before the first step."""
    tile, first, row, columns, inside = tile_of_row(state_ptr, n_columns, BLOCK, LINES, False)
    state_ptr += 2
    a = tl.load(a_ptr + row * a_row_stride + columns, mask=inside, other=1.0).to(tl.float32)
    b = tl.load(b_ptr + row * b_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
    a, b = tl.associative_scan((a, b), 1, two_steps)
    lines_a, lines_b = tl.associative_scan((last_of_lines(a), last_of_lines(b)), 0, two_steps)
    own_a = last(lines_a, LINES)
    own_b = last(lines_b, LINES)
    tiles = tl.num_programs(0)
    if tile > first:
        publish(state_ptr, tile, tiles, own_a.to(tl.int32, bitcast=True), own_b.to(tl.int32, bitcast=True), OWN, 2)
    earlier_a = of_line_before(lines_a, 1.0, LINES)
    earlier_b = of_line_before(lines_b, 0.0, LINES)
    before_a = tl.full((), 1.0, tl.float32)
    before_b = tl.full((), 0.0, tl.float32)
    end = tile
    while end > first:
        counts, low, high, is_whole, rest = look_back(state_ptr, end, first, tiles, 2, WINDOW)
        if is_whole:
            windows_a, windows_b = tl.associative_scan((tl.where(counts, low.to(tl.float32, bitcast=True), 1.0), tl.where(counts, high.to(tl.float32, bitcast=True), 0.0)), 0, two_steps)
            before_a, before_b = two_steps(last(windows_a, WINDOW), last(windows_b, WINDOW), before_a, before_b)
            end = rest
    total_a, total_b = two_steps(before_a, before_b, own_a, own_b)
    publish(state_ptr, tile, tiles, total_a.to(tl.int32, bitcast=True), total_b.to(tl.int32, bitcast=True), ALL, 2)
    state = before_b
    if initial_ptr is not None:
        state += before_a * tl.load(initial_ptr + row).to(tl.float32)
    states = earlier_a * state + earlier_b  # before each line
    tl.store(h_ptr + row * h_row_stride + columns, (a * states[:, None] + b).to(h_ptr.dtype.element_ty), mask=inside)
    if RESTORE:
        restore(state_ptr, tiles, 2)
