"""What the tests of nereid.ops know of one call: arguments, the answer in float64, and by which arguments it can be differentiated."""
import numpy as np
from nereid import ops


class Case:

    def __init__(self, name, args, reference, differentiable=(), tolerance=2e-5, call=None):
        self.name, self.args, self.reference, self.differentiable, self.tolerance = name, args, reference, differentiable, tolerance
        self.call = call or getattr(ops, name)
        self.operation = getattr(getattr(ops, name), "operation", None)  # what torch knows

    @staticmethod
    def wide(value):
        return value.astype(np.float64) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value

    def __str__(self):
        words = ["x".join(map(str, value.shape)) if isinstance(value, np.ndarray) else str(value) for value in self.args]
        return f"{self.name}({', '.join(words)})"


def changed(function, index, shows=False):
    """Calls an operation that writes to some of its arguments on copies of these; they are what it gives, behind a result if it shows one. The others keep their strides, where it is known that they are only read."""
    operation = getattr(function, "operation", None)
    read = {i for i, each in enumerate(operation.parameters.values()) if not each.annotation.startswith("Changed")} if operation else set()

    def call(*args):
        args = [arg if i in read else arg.copy() if hasattr(arg, "copy") else arg.clone() if hasattr(arg, "clone") else arg for i, arg in enumerate(args)]
        result = function(*args)
        return (*([result] if shows else []), *(args[i] for i in index))

    return call
