import triton
import triton.language as tl

# tl.broadcast: run x=arange:f32[4] y=arange:f32[8] out=empty:f32[4,8] --grid 1 --expect 'out=x[:, None] + 10 * y[None, :]'
@triton.jit
def broadcast(x, y, out):
    i, j = tl.arange(0, 4), tl.arange(0, 8)
    column, row = tl.broadcast(tl.load(x + i)[:, None], tl.load(y + j)[None, :])
    tl.store(out + i[:, None] * 8 + j[None, :], column + 10 * row)


# tl.broadcast_to: run x=arange:f32[8] out=empty:f32[4,8] --grid 1 --expect 'out=x'
@triton.jit
def broadcast_to(x, out):
    i, j = tl.arange(0, 4), tl.arange(0, 8)
    tl.store(out + i[:, None] * 8 + j[None, :], tl.broadcast_to(tl.load(x + j)[None, :], (4, 8)))


# tl.expand_dims: run x=arange:f32[4] out=empty:f32[4,4] --grid 1 --expect 'out=x[:, None] - x[None, :]'
@triton.jit
def expand_dims(x, out):
    i = tl.arange(0, 4)
    values = tl.load(x + i)
    tl.store(out + i[:, None] * 4 + i[None, :], tl.expand_dims(values, 1) - tl.expand_dims(values, 0))


# tl.reshape: run x=randn:f32[16] out=empty:f32[4] --grid 1 --save out=rows.npy
@triton.jit
def reshape(x, out):
    rows = tl.reshape(tl.load(x + tl.arange(0, 16)), (4, 4))
    tl.store(out + tl.arange(0, 4), tl.sum(rows, axis=1))


# tl.view: run x=randn:f32[16] out=empty:f32[1] --grid 1 --expect 'out=sum(x)'
@triton.jit
def view(x, out):
    tile = tl.view(tl.load(x + tl.arange(0, 16)), (4, 4))  # in any order: good for what is reduced anyway
    tl.store(out, tl.sum(tile))


# tl.ravel: run x=randn:f32[4,4] out=empty:f32[1] --grid 1 --expect 'out=max(x)'
@triton.jit
def ravel(x, out):
    i = tl.arange(0, 4)
    tile = tl.load(x + i[:, None] * 4 + i[None, :])
    tl.store(out, tl.max(tl.ravel(tile), axis=0))


# tl.item: run x=full(3.5):f32[1] out=empty:f32[1] --grid 1 --expect 'out=x + 1'
@triton.jit
def item(x, out):
    only = tl.load(x + tl.arange(0, 1))
    tl.store(out, only.item() + 1)


# tl.squeeze: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=x'
@triton.jit
def squeeze(x, out):
    i = tl.arange(0, 8)
    row = tl.load(x + i[None, :])
    tl.store(out + i, tl.squeeze(row, 0))


# tl.unsqueeze: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=x * sum(x)'
@triton.jit
def unsqueeze(x, out):
    i = tl.arange(0, 8)
    values = tl.load(x + i)
    tl.store(out + i, tl.sum(tl.unsqueeze(values, 1) * tl.unsqueeze(values, 0), axis=1))


# tl.trans: run x=randn:f32[4,8] out=empty:f32[8,4] --grid 1 --expect 'out=x.T'
@triton.jit
def trans(x, out):
    i, j = tl.arange(0, 4), tl.arange(0, 8)
    tile = tl.load(x + i[:, None] * 8 + j[None, :])
    tl.store(out + j[:, None] * 4 + i[None, :], tl.trans(tile))


# tl.permute: run x=randn:f32[4,8] out=empty:f32[8,4] --grid 1 --expect 'out=x.T'
@triton.jit
def permute(x, out):
    i, j = tl.arange(0, 4), tl.arange(0, 8)
    tile = tl.load(x + i[:, None] * 8 + j[None, :])
    tl.store(out + j[:, None] * 4 + i[None, :], tl.permute(tile, (1, 0)))


# tl.join: run x=randn:f32[8] y=randn:f32[8] out=empty:f32[8,2] --grid 1 --save out=pairs.npy
@triton.jit
def join(x, y, out):
    i = tl.arange(0, 8)
    pairs = tl.join(tl.load(x + i), tl.load(y + i))
    tl.store(out + i[:, None] * 2 + tl.arange(0, 2)[None, :], pairs)


# tl.interleave: run x=zeros:f32[8] y=ones:f32[8] i=arange:f32[16] out=empty:f32[16] --grid 1 --expect 'out=i % 2'
@triton.jit
def interleave(x, y, i, out):
    j, k = tl.arange(0, 8), tl.arange(0, 16)
    tl.store(out + k, tl.interleave(tl.load(x + j), tl.load(y + j)))


# tl.split: run x=randn:f32[8,2] out=empty:f32[8] --grid 1 --expect 'out=x[:, 0] - x[:, 1]'
@triton.jit
def split(x, out):
    i = tl.arange(0, 8)
    left, right = tl.split(tl.load(x + i[:, None] * 2 + tl.arange(0, 2)[None, :]))
    tl.store(out + i, left - right)


# tl.cat: run x=randn:f32[8] out=empty:f32[16] --grid 1 --save out=both.npy
@triton.jit
def cat(x, out):
    i = tl.arange(0, 8)
    values = tl.load(x + i)
    tl.store(out + tl.arange(0, 16), tl.cat(values, -values, can_reorder=True))


# tl.flip: run x=arange:f32[8] out=empty:f32[8] --grid 1 --expect 'out=7 - x'
@triton.jit
def flip(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.flip(tl.load(x + i)))


# tl.gather: run x=arange:f32[8] out=empty:f32[8] --grid 1 --expect 'out=(x + 3) % 8'
@triton.jit
def gather(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.gather(tl.load(x + i), (i + 3) % 8, axis=0))
