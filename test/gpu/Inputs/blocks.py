"""Products of blocks that tensor descriptors name."""
import triton
import triton.language as tl


@triton.jit
def block_matmul(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    row = tl.program_id(0) * BLOCK_M
    column = tl.program_id(1) * BLOCK_N
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        total = tl.dot(a.load([row, k]), b.load([column, k]).T, total)
    c.store([row, column], total.to(c_ptr.dtype.element_ty))


@triton.jit
def persistent(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * tiles_n, tl.num_programs(0), flatten=True):
        row = tile // tiles_n * BLOCK_M
        column = tile % tiles_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(tl.cdiv(K, BLOCK_K)):
            total = tl.dot(a.load([row, k * BLOCK_K]), b.load([column, k * BLOCK_K]).T, total)
        c.store([row, column], total.to(tl.float16))


@triton.jit
def in_place(a_ptr, c_ptr, N, BLOCK: tl.constexpr):
    """What is loaded is also stored: TMA would not keep the order."""
    a = tl.make_tensor_descriptor(a_ptr, shape=[N, N], strides=[N, 1], block_shape=[BLOCK, BLOCK])
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, N, BLOCK):
        tile = a.load([0, k])
        total = tl.dot(tile, tile, total)
        a.store([0, k], total.to(tl.float16))


@triton.jit
def twice(a_ptr, c_ptr, N, APART: tl.constexpr, BLOCK: tl.constexpr):
    """Two stores of one tensor: the engine keeps no order, so they must lie apart."""
    a = tl.make_tensor_descriptor(a_ptr, shape=[N, N], strides=[N, 1], block_shape=[BLOCK, BLOCK])
    c = tl.make_tensor_descriptor(c_ptr, shape=[N, N], strides=[N, 1], block_shape=[BLOCK, BLOCK])
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    column = tl.program_id(0) * BLOCK * 2
    for k in range(0, N, BLOCK):
        tile = a.load([0, k])
        total = tl.dot(tile, tile, total)
    c.store([0, column], total.to(tl.float16))
    c.store([0, column + APART], (total + 1).to(tl.float16))


@triton.jit
def specialized(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    i, j = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in tl.range(0, K, BLOCK_K, warp_specialize=True):
        sums = tl.dot(a.load([i, k]), b.load([j, k]).T, sums)
    c.store([i, j], sums.to(tl.float16))


@triton.jit
def places_matmul(x_ptr, w_ptr, out_ptr, batch, height, width, K, N, n_stride, h_stride, w_stride, out_n, out_h, out_w, P: tl.constexpr, H: tl.constexpr, W: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The places of a picture, a block of three axes, are the rows of a product."""
    x = tl.make_tensor_descriptor(x_ptr, [batch, height, width, K], [n_stride, h_stride, w_stride, 1], [P, H, W, BK])
    w = tl.make_tensor_descriptor(w_ptr, [N, K], [K, 1], [BN, BK])
    out = tl.make_tensor_descriptor(out_ptr, [batch, height, width, N], [out_n, out_h, out_w, 1], [P, H, W, BN])
    for tile in tl.range(tl.program_id(0), tl.cdiv(batch, P), tl.num_programs(0)):
        total = tl.zeros((P * H * W, BN), tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(x.load([tile * P, -1, 2, k]).reshape(P * H * W, BK), w.load([0, k]).T, total)
        out.store([tile * P, 0, 0, 0], total.to(tl.float16).reshape(P, H, W, BN))
