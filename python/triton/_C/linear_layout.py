"""`LinearLayout`: maps between named coordinates that are linear over bits, as Triton's tools have them.

A layout says for each bit of each input where it goes: `bases` of an input is a list of output coordinates, one for each of its bits,
and the outputs of several bits are added by exclusive or.
"""


def _bits(size, what):
    if size < 1 or size & (size - 1):
        raise ValueError(f"the size of {what} must be a power of 2, got {size}")
    return size.bit_length() - 1


class LinearLayout:
    """`bases`: by input, a list of tuples of output coordinates; `out_dims`: sizes by output."""

    def __init__(self, bases, out_dims):
        self._bases = {name: [tuple(base) for base in inner] for name, inner in bases.items()}
        self._out = dict(out_dims)
        for name, size in self._out.items():
            _bits(size, f"`{name}`")
        for name, inner in self._bases.items():
            for base in inner:
                if len(base) != len(self._out) or any(not 0 <= at < size for at, size in zip(base, self._out.values())):
                    raise ValueError(f"a base of `{name}`, {list(base)}, does not lie in outputs of sizes {self._out}")

    # Constructors.
    @staticmethod
    def identity_1d(size, inDim, outDim):
        return LinearLayout.strided_1d(size, 1, inDim, outDim)

    @staticmethod
    def strided_1d(size, stride, inDim, outDim):
        _bits(stride, "the stride")
        return LinearLayout({inDim: [(stride << bit, ) for bit in range(_bits(size, f"`{inDim}`"))]}, {outDim: size * stride})

    @staticmethod
    def zeros_1d(size, inDim, outDim, outDimSize=1):
        return LinearLayout({inDim: [(0, )] * _bits(size, f"`{inDim}`")}, {outDim: outDimSize})

    @staticmethod
    def from_bases(bases, out_dim_names, out_dim_sizes=None, require_surjective=True):
        """`bases` is a list of (input, list of bases). Without sizes outputs are as large as their bases need."""
        bases = dict(bases)
        if out_dim_sizes is None:
            columns = zip(*[base for inner in bases.values() for base in inner]) if any(bases.values()) else [()] * len(out_dim_names)
            out_dim_sizes = [1 << max(column, default=0).bit_length() for column in columns]
        layout = LinearLayout(bases, zip(out_dim_names, out_dim_sizes))
        if require_surjective and not layout.is_surjective():
            raise ValueError(f"the bases do not reach all of {layout._out}: pass `require_surjective=False` where that is meant")
        return layout

    # What it has.
    @property
    def bases(self):
        return [(name, [list(base) for base in inner]) for name, inner in self._bases.items()]

    @property
    def out_dims(self):
        return list(self._out.items())

    @property
    def num_in_dims(self):
        return len(self._bases)

    @property
    def num_out_dims(self):
        return len(self._out)

    def get_in_dim_names(self):
        return list(self._bases)

    def get_out_dim_names(self):
        return list(self._out)

    def get_in_dim_size(self, name):
        return 1 << len(self._bases[name])

    def get_out_dim_size(self, name):
        return self._out[name]

    def get_shared_view(self, useHWPointOfView=False):
        raise NotImplementedError("nereid draws layouts with `nereid view`; `LinearLayout` has no picture of its own")

    get_distributed_view = get_shared_view

    def get_matrix_view(self):
        """A row of bits for each bit of the outputs, a column for each bit of the inputs, lowest first."""
        columns = self._columns()
        rows = sum(_bits(size, "") for size in self._out.values())
        return [[column >> row & 1 for column in columns] for row in range(rows)]

    def _packed(self, base):
        """All outputs of a base in one number, the first in the lowest bits."""
        value = shift = 0
        for at, size in zip(base, self._out.values()):
            value |= at << shift
            shift += _bits(size, "")
        return value

    def _unpacked(self, value):
        base = []
        for size in self._out.values():
            base.append(value & (size - 1))
            value >>= _bits(size, "")
        return tuple(base)

    def _columns(self):
        return [self._packed(base) for inner in self._bases.values() for base in inner]

    # Questions.
    def _rank(self):
        pivots = {}
        for column in self._columns():
            while column and column.bit_length() in pivots:
                column ^= pivots[column.bit_length()]
            if column:
                pivots[column.bit_length()] = column
        return len(pivots)

    def is_surjective(self):
        return 1 << self._rank() == self._size(self._out.values())

    def is_injective(self):
        return self._rank() == len(self._columns())

    def is_invertible(self):
        return self.is_surjective() and self.is_injective()

    @staticmethod
    def _size(sizes):
        product = 1
        for size in sizes:
            product *= size
        return product

    def apply(self, inputs):
        """The outputs by name for inputs by name."""
        if set(inputs) != set(self._bases):
            raise ValueError(f"expected values for {list(self._bases)}, got {list(inputs)}")
        value = 0
        for name, inner in self._bases.items():
            if not 0 <= inputs[name] < 1 << len(inner):
                raise ValueError(f"`{name}` is {inputs[name]}, but has {1 << len(inner)} values")
            for bit, base in enumerate(inner):
                if inputs[name] >> bit & 1:
                    value ^= self._packed(base)
        return dict(zip(self._out, self._unpacked(value)))

    # Combinations.
    def __mul__(self, other):
        """The direct sum: inputs and outputs of the same name get the other layout's bits above their own."""
        outputs = {name: self._out.get(name, 1) * other._out.get(name, 1) for name in {**self._out, **other._out}}
        bases = {name: [] for name in {**self._bases, **other._bases}}
        for layout, scale in ((self, {}), (other, self._out)):
            for name, inner in layout._bases.items():
                for base in inner:
                    at = dict(zip(layout._out, base))
                    bases[name].append(tuple(at.get(output, 0) * scale.get(output, 1) for output in outputs))
        return LinearLayout(bases, outputs)

    def compose(self, outer):
        """First this one, then `outer`, whose inputs are this one's outputs."""
        if set(self._out) != set(outer._bases):
            raise ValueError(f"the outputs {list(self._out)} are not the inputs {list(outer._bases)} of the other layout")
        through = {name: [tuple(outer.apply(dict(zip(self._out, base))).values()) for base in inner] for name, inner in self._bases.items()}
        return LinearLayout(through, outer._out)

    def invert(self):
        """The layout from outputs to inputs."""
        if not self.is_invertible():
            raise ValueError("the layout is not invertible")
        return self._solve([1 << bit for bit in range(len(self._columns()))], self._out)

    def invert_and_compose(self, outer):
        """For each input of this layout, the input of `outer` that has the same output."""
        if set(self._out) != set(outer._out):
            raise ValueError(f"the outputs {list(self._out)} and {list(outer._out)} differ")
        if not outer.is_surjective():
            raise ValueError("the other layout does not reach all of its outputs")
        order = {name: i for i, name in enumerate(self._out)}
        wanted = [outer._packed([base[order[name]] for name in outer._out]) for inner in self._bases.values() for base in inner]
        return outer._solve(wanted, {name: 1 << len(inner) for name, inner in self._bases.items()})

    def _solve(self, wanted, from_sizes):
        """The layout whose inputs have `from_sizes` and whose bit i gives the smallest input of this layout with output `wanted[i]`."""
        pivots = {}  # by highest bit: (output, the inputs that make it)
        for i, column in enumerate(self._columns()):
            source = 1 << i
            while column and column.bit_length() in pivots:
                other, others = pivots[column.bit_length()]
                column, source = column ^ other, source ^ others
            if column:
                pivots[column.bit_length()] = column, source
        sizes = {name: 1 << len(inner) for name, inner in self._bases.items()}
        solved = []
        for value in wanted:
            source = 0
            while value:
                other, others = pivots[value.bit_length()]
                value, source = value ^ other, source ^ others
            solved.append(LinearLayout({}, sizes)._unpacked(source))
        bases, start = {}, 0
        for name, size in from_sizes.items():
            count = _bits(size, "")
            bases[name] = solved[start:start + count]
            start += count
        return LinearLayout(bases, sizes)

    def __eq__(self, other):
        return isinstance(other, LinearLayout) and self._bases == other._bases and self._out == other._out

    __hash__ = None

    def __repr__(self):
        return f"LinearLayout({self.bases}, {self.out_dims})"
