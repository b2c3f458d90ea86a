import triton
import triton.language as tl

# tl.exp: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=exp(x)'
@triton.jit
def exp(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.exp(tl.load(x + i)))


# tl.exp2: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=exp2(x)'
@triton.jit
def exp2(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.exp2(tl.load(x + i)))


# tl.log: run x=rand:f32[8] out=empty:f32[8] --grid 1 --expect 'out=log(x)'
@triton.jit
def log(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.log(tl.load(x + i)))


# tl.log2: run x=rand:f32[8] out=empty:f32[8] --grid 1 --expect 'out=log2(x)'
@triton.jit
def log2(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.log2(tl.load(x + i)))


# tl.cos: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=cos(x)'
@triton.jit
def cos(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.cos(tl.load(x + i)))


# tl.sin: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=sin(x)'
@triton.jit
def sin(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.sin(tl.load(x + i)))


# tl.sqrt: run x=rand:f32[8] out=empty:f32[8] --grid 1 --expect 'out=sqrt(x)'
@triton.jit
def sqrt(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.sqrt(tl.load(x + i)))


# tl.sqrt_rn: run x=rand:f32[8] out=empty:f32[8] --grid 1 --expect 'out=sqrt(x)'
@triton.jit
def sqrt_rn(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.sqrt_rn(tl.load(x + i)))


# tl.rsqrt: run x=rand:f32[8] out=empty:f32[8] --grid 1 --expect 'out=rsqrt(x)' --tolerance 1e-3
@triton.jit
def rsqrt(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.rsqrt(tl.load(x + i)))


# tl.erf: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=erf(x)'
@triton.jit
def erf(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.erf(tl.load(x + i)))


# tl.floor: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=floor(x)'
@triton.jit
def floor(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.floor(tl.load(x + i)))


# tl.ceil: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=ceil(x)'
@triton.jit
def ceil(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.ceil(tl.load(x + i)))


# tl.abs: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=abs(x)'
@triton.jit
def abs(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.abs(tl.load(x + i)))


# tl.sigmoid: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=sigmoid(x)'
@triton.jit
def sigmoid(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.sigmoid(tl.load(x + i)))


# tl.fdiv: run x=randn:f32[8] y=full(3):f32[8] out=empty:f32[8] --grid 1 --expect 'out=x / y'
@triton.jit
def fdiv(x, y, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.fdiv(tl.load(x + i), tl.load(y + i)))


# tl.div_rn: run x=randn:f32[8] y=full(3):f32[8] out=empty:f32[8] --grid 1 --expect 'out=x / y'
@triton.jit
def div_rn(x, y, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.div_rn(tl.load(x + i), tl.load(y + i)))


# tl.minimum: run x=randn:f32[8] y=full(3):f32[8] out=empty:f32[8] --grid 1 --expect 'out=minimum(x, y)'
@triton.jit
def minimum(x, y, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.minimum(tl.load(x + i), tl.load(y + i)))


# tl.maximum: run x=randn:f32[8] y=full(3):f32[8] out=empty:f32[8] --grid 1 --expect 'out=maximum(x, y)'
@triton.jit
def maximum(x, y, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.maximum(tl.load(x + i), tl.load(y + i)))


# tl.fma: run x=randn:f32[8] y=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=x * y + x'
@triton.jit
def fma(x, y, out):
    i = tl.arange(0, 8)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, tl.fma(a, b, a))


# tl.cdiv: run x=arange:i32[8] out=empty:i32[8] --grid 1 --expect 'out=ceil(x / 3)'
@triton.jit
def cdiv(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.cdiv(tl.load(x + i), 3))


# tl.umulhi: run x=full(1073741824):i32[8] out=empty:i32[8] --grid 1 --expect 'out=x * 8 // 2**32'
@triton.jit
def umulhi(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.umulhi(tl.load(x + i), 8))


# tl.clamp: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=minimum(maximum(x, -0.5), 0.5)'
@triton.jit
def clamp(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.clamp(tl.load(x + i), -0.5, 0.5))


# tl.math.min: run x=randn:f32[8] y=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=minimum(x, y)'
@triton.jit
def min(x, y, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.math.min(tl.load(x + i), tl.load(y + i)))


# tl.math.max: run x=randn:f32[8] y=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=maximum(x, y)'
@triton.jit
def max(x, y, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.math.max(tl.load(x + i), tl.load(y + i)))
