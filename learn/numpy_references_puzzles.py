"""numpy_references_puzzles.py: what numpy says to the puzzles. An entry gets the arguments of a test (t.x_ptr is an array, t.n a number)
and returns the outputs by name, in any shape of the right size."""
import numpy as np


def puzzle_01(t):
    return {"out_ptr": np.full(t.n, t.value)}


def puzzle_02(t):
    return {"out_ptr": t.x_ptr}


def puzzle_03(t):
    return {"out_ptr": t.x_ptr[::-1]}


def puzzle_04(t):
    return {"out_ptr": np.roll(t.x_ptr, t.k)}


def puzzle_05(t):
    return {"out_ptr": np.add.outer(t.x_ptr, t.y_ptr)}


def puzzle_06(t):
    return {"out_ptr": [t.x_ptr[first:first + t.BLOCK].max() for first in range(0, t.n, t.BLOCK)]}


def puzzle_07(t):
    return {"out_ptr": t.x_ptr[t.top:t.top + t.height, t.left:t.left + t.width]}


def puzzle_08(t):
    return {"out_ptr": t.x_ptr * t.row_ptr + t.column_ptr[:, None]}


def puzzle_09(t):
    return {"out_ptr": t.x_ptr.sum(1)}


def puzzle_10(t):
    return {"out_ptr": np.cumsum(t.x_ptr, axis=1)}


def puzzle_11(t):
    valid = (t.index_ptr >= 0) & (t.index_ptr < t.m)
    return {"out_ptr": np.where(valid, t.table_ptr[np.where(valid, t.index_ptr, 0)], 0.0)}


def puzzle_12(t):
    return {"out_ptr": t.x_ptr.reshape(-1, t.hands).T}


def puzzle_13(t):
    return {"counts_ptr": np.bincount(t.x_ptr, minlength=8)}


def puzzle_14(t):
    padded = np.append(t.x_ptr, np.zeros(t.taps))
    return {"out_ptr": [padded[i:i + t.taps] @ t.w_ptr for i in range(t.n)]}


def puzzle_15(t):
    padded = np.pad(t.x_ptr, 1)
    return {"out_ptr": np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).mean((2, 3))}


def puzzle_16(t):
    weights = np.exp(t.x_ptr - t.x_ptr.max(1, keepdims=True))
    return {"out_ptr": weights / weights.sum(1, keepdims=True)}


def puzzle_17(t):
    return {"c_ptr": t.a_ptr @ t.b_ptr}


def puzzle_18(t):
    weights = np.stack([t.packed_ptr & 15, t.packed_ptr >> 4], axis=2).reshape(t.N, t.K).astype(int) - 8
    return {"out_ptr": t.scale_ptr * (weights @ t.x_ptr)}


def puzzle_19(t):
    scores = float(np.float32(t.scale)) * np.einsum("hd,hnd->hn", t.q_ptr, t.k_ptr)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return {"out_ptr": np.einsum("hn,hnd->hd", weights / weights.sum(1, keepdims=True), t.v_ptr)}


def puzzle_20(t):
    return {"out_ptr": t.x_ptr.T}


def puzzle_21(t):
    return {"out_ptr": t.x_ptr.argmax(1)}


def puzzle_22(t):
    turned = (t.x_ptr[:, 0::2] + 1j * t.x_ptr[:, 1::2]) * np.exp(1j * t.angle_ptr)
    return {"out_ptr": np.stack([turned.real, turned.imag], axis=2)}


def puzzle_23(t):
    kept = t.x_ptr[t.x_ptr > 0]
    return {"out_ptr": np.append(kept, np.zeros(t.n - kept.size)), "count_ptr": [kept.size]}


def puzzle_24(t):
    around = sum(np.roll(t.x_ptr, (down, right), (0, 1)) for down in (-1, 0, 1) for right in (-1, 0, 1)) - t.x_ptr
    return {"out_ptr": (around == 3) | ((t.x_ptr == 1) & (around == 2))}


REFERENCES = {name.replace("_", "-"): function for name, function in list(globals().items()) if name.startswith("puzzle_")}
