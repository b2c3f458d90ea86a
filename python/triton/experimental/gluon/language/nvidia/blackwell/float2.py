"""Two floats in one register."""
from ......language._builtin import define_functions

define_functions(globals(), """
pack(x, axis) | Pairs along an axis.
unpack(x, axis) | Pairs back to elements.
pack2(x0, x1) | Two tensors to pairs.
unpack2(x) | Pairs to two tensors.
full_like(x, fill_value) | Pairs of one value.
fma(a, b, c) | a * b + c.
""")


class Float2Tensor:
    """A tensor of pairs."""
