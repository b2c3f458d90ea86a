"""Surprise 15: the letters of real files. Überschrift, 行列, Ω."""
import triton
import triton.language as tl


# Σ x² — naïve
@triton.jit
def one_line(x): return x * x


@triton.jit
def letters(x,  # 入力
            y, n: tl.int64, scale: tl.float32, k: "i32", BLOCK: "tl.constexpr"):
	"""A docstring — with tabs below."""
	i = tl.arange(0, BLOCK)
	v = tl.load(x + i, \
	            mask=i < n,  # 末尾
	            other=0.0)
	if BLOCK > 1: v = one_line(v); w = v + \
	    k
	tl.store(y + i, w * \
		scale, mask=i < n)


@triton.jit
def annotated(x: "*fp32", y: tl.pointer_type(tl.float32), flag: tl.int1, small: tl.int8):
    r"""Raw \d docstring."""
    tl.store(y, tl.load(x) + small) ; tl.store(y + 1, 1.0 if flag else 0.0)
