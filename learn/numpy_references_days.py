"""numpy_references_days.py: what numpy says to days 1 to 18. An entry gets the arguments of a test (t.x_ptr is an array, t.n a number)
and returns the outputs by name, in any shape of the right size."""
import numpy as np


def day_01(t):
    return {"out_ptr": np.arange(t.out_ptr.size) ** 2}


def day_02(t):
    return {"out_ptr": t.x_ptr.reshape(2, t.BLOCK).sum(axis=0)}


def day_03(t):
    return {"out_ptr": t.x_ptr + np.append(t.x_ptr[1:], 0)}


def day_04(t):
    return {"out_ptr": 2 * t.x_ptr + 1}


def day_05(t):
    return {"out_ptr": t.x_ptr * 1.8 + 32}


def day_06(t):
    return {"out_ptr": np.einsum("bij,b->bij", t.x_ptr, t.factor_ptr)}


def day_07(t):
    return {"out_ptr": t.x_ptr / 2}


def day_08(t):
    return {"out_ptr": np.stack([t.x_ptr, t.y_ptr, t.z_ptr]).sum(axis=0)}


def day_09(t):
    return {"out_ptr": t.x_ptr * t.scale_ptr + t.shift_ptr[:, np.newaxis]}


def day_10(t):
    return {"sum_ptr": t.x_ptr.sum(), "max_ptr": t.x_ptr.max()}


def day_11(t):
    return {"mean_ptr": t.x_ptr.mean(axis=1), "variance_ptr": t.x_ptr.var(axis=1), "largest_ptr": t.x_ptr.argmax(axis=1)}


def day_12(t):
    return {"mean_ptr": t.x_ptr.mean(axis=1), "lse_ptr": np.logaddexp.reduce(t.x_ptr, axis=1)}


def softmax(x):
    shares = np.exp(x - x.max(axis=-1, keepdims=True))
    return shares / shares.sum(axis=-1, keepdims=True)


def day_13(t):
    return {"out_ptr": softmax(t.x_ptr)}


def day_14(t):
    return {"out_ptr": softmax(t.x_ptr)}


def strided(array, shape, *strides):
    """Memory, looked at with other extents and strides (in elements)."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return np.lib.stride_tricks.as_strided(flat, shape, [stride * flat.itemsize for stride in strides])


def day_15(t):
    result = np.empty_like(t.out_ptr)
    strided(result, (t.columns, t.rows), t.out_stride_row, t.out_stride_column)[:] = strided(t.x_ptr, (t.rows, t.columns), t.x_stride_row, t.x_stride_column).T
    return {"out_ptr": result}


def day_16(t):
    return {"c_ptr": t.a_ptr @ t.b_ptr}


day_17 = day_18 = day_16
REFERENCES = {name.replace("_", "-"): function for name, function in list(globals().items()) if name.startswith("day_")}
