"""Non-maximum suppression: of boxes in the order of their scores, those that overlap none that is kept before them. First all pairs are compared, one bit each; then one program goes through the boxes 32 at a time with the bits of what
is removed."""
import triton
import triton.language as tl


@triton.jit
def load_box(boxes_ptr, order_ptr, i, n):
    box = tl.load(order_ptr + i, mask=i < n, other=0).to(tl.int64) * 4
    return (tl.load(boxes_ptr + box, mask=i < n, other=0.0).to(tl.float32), tl.load(boxes_ptr + box + 1, mask=i < n, other=0.0).to(tl.float32),
            tl.load(boxes_ptr + box + 2, mask=i < n, other=0.0).to(tl.float32), tl.load(boxes_ptr + box + 3, mask=i < n, other=0.0).to(tl.float32))


@triton.jit
def overlaps(boxes_ptr, order_ptr, words_ptr, n, n_words, threshold, BLOCK: tl.constexpr):
    """Bit b of words[i, w]: whether the boxes i and j = 32 w + b > i, counted in order, overlap by more than a share `threshold` of what they cover together. boxes [n, 4]: left, top, right, bottom; order: int32 or int64;
    words: int32 [n, n_words]. Grid: (blocks of n, n_words)."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bit = tl.arange(0, 32)
    j = tl.program_id(1) * 32 + bit
    left, top, right, bottom = load_box(boxes_ptr, order_ptr, i, n)
    other_left, other_top, other_right, other_bottom = load_box(boxes_ptr, order_ptr, j, n)
    width = tl.minimum(right[:, None], other_right[None, :]) - tl.maximum(left[:, None], other_left[None, :])
    height = tl.minimum(bottom[:, None], other_bottom[None, :]) - tl.maximum(top[:, None], other_top[None, :])
    shared = tl.maximum(width, 0.0) * tl.maximum(height, 0.0)
    area = (right - left) * (bottom - top)
    other_area = (other_right - other_left) * (other_bottom - other_top)
    hides = (shared > threshold * (area[:, None] + other_area[None, :] - shared)) & (j[None, :] > i[:, None]) & (j < n)[None, :]
    word = tl.sum(tl.where(hides, (1 << bit)[None, :], 0), axis=1)
    tl.store(words_ptr + i.to(tl.int64) * n_words + tl.program_id(1), word, mask=i < n)


@triton.jit
def either(a, b):
    return a | b


@triton.jit
def select(words_ptr, order_ptr, keep_ptr, number_ptr, n, n_words, BLOCK_W: tl.constexpr):
    """keep: the numbers of the boxes that stay, in order; number[0]: how many. BLOCK_W >= n_words. One program."""
    word = tl.arange(0, BLOCK_W)
    lane = tl.arange(0, 32)
    removed = tl.zeros((BLOCK_W, ), tl.int32)
    count = tl.full((), 0, tl.int32)
    for block in range(0, n_words):
        i = block * 32 + lane
        among = tl.load(words_ptr + i.to(tl.int64) * n_words + block, mask=i < n, other=0)  # who hides whom among these 32
        gone = tl.sum(tl.where(word == block, removed, 0), axis=0)
        for j in range(0, 32):
            hidden = tl.sum(tl.where(lane == j, among, 0), axis=0)
            gone = tl.where(((gone >> j) & 1) == 0, gone | hidden, gone)
        stays = (((gone >> lane) & 1) == 0) & (i < n)
        rows = tl.load(words_ptr + i.to(tl.int64)[:, None] * n_words + word[None, :], mask=stays[:, None] & (word < n_words)[None, :], other=0)
        removed = removed | tl.reduce(rows, 0, either)
        place = count + tl.cumsum(stays.to(tl.int32), axis=0) - 1
        tl.store(keep_ptr + place, tl.load(order_ptr + i, mask=i < n, other=0).to(keep_ptr.dtype.element_ty), mask=stays)
        count += tl.sum(stays.to(tl.int32), axis=0)
    tl.store(number_ptr, count)
