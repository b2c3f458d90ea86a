"""Correct kernels on which there must be no report: masks, padding, and lanes that are undefined but never used.
`# check:` gives the arguments of the kernel below it."""
import triton
import triton.language as tl


# check: x=randn:f32[101] y=randn:f32[101] z=zeros:f32[101] n=101 BLOCK=64 --grid 2
@triton.jit
def vector_add(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(z + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


# check: x=randn:f32[50] y=zeros:f32[1] n=50 --grid 1
@triton.jit
def sum_with_other(x, y, n):
    i = tl.arange(0, 64)
    tl.store(y, tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0))


# check: x=randn:f32[50] y=zeros:f32[1] n=50 --grid 1
@triton.jit
def sum_of_cleaned_lanes(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i, mask=i < n)
    tl.store(y, tl.sum(tl.where(i < n, value * value, 0.0), axis=0))


# check: x=randn:f32[3,50] y=zeros:f32[3,50] columns=50 --grid 3
@triton.jit
def softmax_over_minus_infinity(x, y, columns):
    c = tl.arange(0, 64)
    row = tl.load(x + tl.program_id(0) * columns + c, mask=c < columns, other=-float("inf"))
    top = tl.exp(row - tl.max(row, axis=0))
    tl.store(y + tl.program_id(0) * columns + c, top / tl.sum(top, axis=0), mask=c < columns)


# check: x=randn:f32[50] y=zeros:f32[64] n=50 --grid 1
@triton.jit
def undefined_lanes_thrown_away(x, y, n):
    i = tl.arange(0, 64)
    value = tl.exp(tl.load(x + i, mask=i < n)) * 3.0 + 1.0
    other = tl.where(i < n, value, -1.0)
    tl.store(y + i, other)


# check: index=randint(0,8):i32[50] table=randn:f32[8] y=zeros:f32[64] n=50 --grid 1
@triton.jit
def undefined_index_under_a_mask(index, table, y, n):
    i = tl.arange(0, 64)
    at = tl.load(index + i, mask=i < n)
    value = tl.load(table + at, mask=i < n, other=0.0)
    tl.store(y + i, value)


# check: x=randn:f32[64] y=zeros:f32[64] n=64 --grid 2
@triton.jit
def negative_neighbour_masked(x, y, n):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    left = tl.load(x + i - 1, mask=i > 0, other=0.0)
    right = tl.load(x + i + 1, mask=i < n - 1, other=0.0)
    tl.store(y + i, left + right)


# check: x=randn:f32[64] y=zeros:f32[64] n=0 --grid 1
@triton.jit
def everything_masked_out(x, y, n):
    i = tl.arange(0, 64)
    value = tl.load(x + 1000000 + i, mask=i < n)
    tl.store(y - 1000000 + i, value, mask=i < n)


# check: x=randn:f32[37,21] y=zeros:f32[21,37] M=37 N=21 --grid 2,1
@triton.jit
def block_pointers_with_boundary_checks(x, y, M, N):
    start = tl.program_id(0) * 32
    source = tl.make_block_ptr(x, (M, N), (N, 1), (start, 0), (32, 32), (1, 0))
    target = tl.make_block_ptr(y, (N, M), (M, 1), (0, start), (32, 32), (1, 0))
    tile = tl.load(source, boundary_check=(0, 1), padding_option="zero")
    tl.store(target, tl.trans(tile), boundary_check=(0, 1))


# check: x=randn:f32[37,20] y=zeros:f32[37,20] M=37 N=20 --grid 2,2
@triton.jit
def descriptors_over_the_edge(x, y, M, N):
    source = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[32, 16])
    target = tl.make_tensor_descriptor(y, shape=[M, N], strides=[N, 1], block_shape=[32, 16])
    at = [tl.program_id(0) * 32, tl.program_id(1) * 16]
    target.store(at, source.load(at) * 2.0)


# check: x=randn:f32[64] y=zeros:f32[64] n=64 --grid 2
@triton.jit
def flipped_with_negative_steps(x, y, n):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    tl.store(y + i, tl.load(x + (n - 1) - i))


# check: keep=ones:i1[64] x=randn:f32[64] y=zeros:f32[64] --grid 1
@triton.jit
def mask_from_memory(keep, x, y):
    i = tl.arange(0, 64)
    flag = tl.load(keep + i)
    tl.store(y + i, tl.load(x + i, mask=flag, other=0.0), mask=flag)


# check: x=randn:f32[40,21] y=zeros:f32[40] M=40 N=21 --grid 1
@triton.jit
def rows_summed_with_undefined_rows(x, y, M, N):
    r = tl.arange(0, 64)
    c = tl.arange(0, 32)
    value = tl.load(x + r[:, None] * N + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N), other=0.0)
    scale = tl.load(y + r, mask=r < M)
    tl.store(y + r, tl.sum(value, axis=1) + scale, mask=r < M)


# check: x=randn:f32[50] y=zeros:f32[50] n=50 --grid 1
@triton.jit
def scalar_load_under_a_true_mask(x, y, n):
    i = tl.arange(0, 64)
    first = tl.load(x, mask=n > 0)
    if first > 1000.0:
        first = 0.0
    tl.store(y + i, tl.load(x + i, mask=i < n) - first, mask=i < n)


# check: x=randn:f32[100] y=zeros:f32[100] n=100 --grid 5
@triton.jit
def programs_that_return_early(x, y, n):
    start = tl.program_id(0) * 32
    if start >= n:
        return
    i = start + tl.arange(0, 32)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


# check: x=randn:f32[20] y=zeros:f32[32] n=20 --grid 1
@triton.jit
def running_sum_before_the_padding(x, y, n):
    i = tl.arange(0, 32)
    total = tl.cumsum(tl.load(x + i, mask=i < n, other=0.0), axis=0)
    tl.store(y + i, total)


# check: a=randn:f16[20,40] b=randn:f16[40,24] c=zeros:f16[20,24] M=20 N=24 K=40 --grid 4
@triton.jit
def matmul_with_wrapped_rows(a, b, c, M, N, K):
    pid = tl.program_id(0)
    m = (pid // 2) * 16 + tl.arange(0, 16)
    n = (pid % 2) * 16 + tl.arange(0, 16)
    k = tl.arange(0, 16)
    left = a + (m % M)[:, None] * K + k[None, :]
    right = b + k[:, None] * N + (n % N)[None, :]
    total = tl.zeros((16, 16), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, 16)):
        inside = k < K - step * 16
        total = tl.dot(tl.load(left, mask=inside[None, :], other=0.0), tl.load(right, mask=inside[:, None], other=0.0), total)
        left += 16
        right += 16 * N
    tl.store(c + m[:, None] * N + n[None, :], total.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))
