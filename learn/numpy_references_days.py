"""numpy_references_days.py: what numpy says to days 1 to 18. An entry gets the arguments of a test (t.x_ptr is an array, t.n a number, t.grid
the text of the grid) and returns the outputs by name, in any shape of the right size."""
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


REFERENCES = {name.replace("_", "-"): function for name, function in list(globals().items()) if name.startswith("day_")}
