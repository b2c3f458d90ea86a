"""numpy_references_stages.py: what numpy says to the exercises of stages 1 and 2; entries as in numpy_references_days.py."""
import numpy as np


def logistic(x):
    return 1 / (1 + np.exp(-x))


ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "leaky": lambda x: np.where(x >= 0, x, 0.01 * x),
    "sigmoid": logistic,
    "silu": lambda x: x * logistic(x),
    "gelu": lambda x: 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3))),
}


def every(array, stride, n):
    """n elements at a distance of `stride`, of which 0 is one."""
    return array.reshape(-1)[np.arange(n) * stride]


def view(array, rows, columns, row_stride, column_stride):
    """A matrix in memory that is described by its strides, of which 0 is one."""
    places = np.arange(rows)[:, np.newaxis] * row_stride + np.arange(columns) * column_stride
    return array.reshape(-1)[places]


def smallest(values):
    return values.min() if values.size else np.inf


def softmax(x, axis):
    """Where there is nothing but minus infinity, 0."""
    top = x.max(axis=axis, keepdims=True)
    shares = np.exp(x - np.where(np.isinf(top), 0, top))
    total = shares.sum(axis=axis, keepdims=True)
    return shares / np.where(total == 0, 1, total)


REFERENCES = {
    "stage-1/add": lambda t: {"out_ptr": t.x_ptr + t.y_ptr},
    "stage-1/multiply": lambda t: {"x_ptr": t.x_ptr * t.factor},
    "stage-1/subtract": lambda t: {"out_ptr": every(t.x_ptr, t.x_stride, t.n) - every(t.y_ptr, t.y_stride, t.n)},
    "stage-1/fma": lambda t: {"out_ptr": t.x_ptr * t.y_ptr + t.z_ptr},
    "stage-1/sum": lambda t: {"out_ptr": t.x_ptr.sum()},
    "stage-1/max": lambda t: {"out_ptr": t.x_ptr.max(axis=1)},
    "stage-1/min": lambda t: {"out_ptr": [smallest(row[:length]) for row, length in zip(t.x_ptr, t.length_ptr)]},
    "stage-1/argmax": lambda t: {"out_ptr": t.x_ptr.argmax(axis=1)},
    "stage-1/argmin": lambda t: {"out_ptr": t.columns - 1 - t.x_ptr[:, ::-1].argmin(axis=1)},
    "stage-1/variance-two-pass": lambda t: {"out_ptr": t.x_ptr.var(axis=1, ddof=t.correction)},
    "stage-1/variance-welford": lambda t: {"out_ptr": t.x_ptr.var(axis=1)},
    "stage-1/transpose": lambda t: {"x_ptr": t.x_ptr.T},
    "stage-1/elementwise-2d": lambda t: {"out_ptr": view(t.x_ptr, t.rows, t.columns, t.x_stride_row, t.x_stride_column)
                                         + view(t.y_ptr, t.rows, t.columns, t.y_stride_row, t.y_stride_column)},
    "stage-1/activations": lambda t: {"out_ptr": ACTIVATIONS[t.KIND](t.x_ptr)},
    "stage-2/matmul-naive": lambda t: {"c_ptr": view(t.a_ptr, t.M, t.K, t.a_stride_m, t.a_stride_k) @ view(t.b_ptr, t.K, t.N, t.b_stride_k, t.b_stride_n)},
    "stage-2/matmul-grouped": lambda t: {"c_ptr": np.maximum(t.a_ptr @ t.b_ptr + t.bias_ptr, 0)},
    "stage-2/autotune": lambda t: {"out_ptr": (t.x_ptr**2).sum(axis=1)},
    "stage-2/strided": lambda t: {"out_ptr": t.x_ptr.sum(axis=0)},
    "stage-2/softmax-rows": lambda t: {"out_ptr": softmax(view(t.x_ptr, t.rows, t.columns, t.stride, 1), 1)},
    "stage-2/softmax-columns": lambda t: {"out_ptr": softmax(t.x_ptr, 0)},
    "stage-2/softmax-online": lambda t: {"out_ptr": t.x_ptr - np.logaddexp.reduce(t.x_ptr, axis=1, keepdims=True)},
}
