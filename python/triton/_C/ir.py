"""The bindings of Triton's IR, as far as programs walk through a kernel to see what it writes to: nereid's ops under Triton's
names. Nothing can be built or changed through them."""


class context:
    """Where Triton's IR lives; nereid's compiler has its own."""


def load_dialects(context):
    pass


class _Numbered:

    def __init__(self, number):
        self._number = number

    def id(self):
        return self._number


class value(_Numbered):
    """What an op makes or takes."""


class region(_Numbered):
    """The blocks inside of an op."""


class block(_Numbered):
    """Ops in a row, with arguments of their own."""

    def __init__(self, number, parent, arguments):
        super().__init__(number)
        self._parent, self._arguments = parent, arguments

    def get_num_arguments(self):
        return len(self._arguments)

    def get_argument(self, index):
        return value(self._arguments[index])

    def get_parent(self):
        return region(self._parent)


class operation:
    """One op of a kernel."""

    def __init__(self, name, operands, results, regions, block, block_region, block_arguments, symbol, is_pure):
        self._name, self._operands, self._results, self._regions = name, operands, results, regions
        self._block = block, block_region, block_arguments
        self._symbol, self._is_pure = symbol, is_pure

    def get_name(self):
        return self._name

    def get_num_operands(self):
        return len(self._operands)

    def get_operand(self, index):
        return value(self._operands[index])

    def get_num_results(self):
        return len(self._results)

    def get_result(self, index):
        return value(self._results[index])

    def get_num_regions(self):
        return len(self._regions)

    def get_region(self, index):
        return region(self._regions[index])

    def get_block(self):
        return block(*self._block) if self._block[0] else None

    def get_str_attr(self, name):
        return self._symbol if name == "sym_name" and self._symbol else None

    def get_flat_symbol_ref_attr(self, name):
        return None  # calls are inlined

    def get_bool_attr(self, name):
        return self._is_pure if name == "pure" else None


class module:
    """A kernel for the types of a source."""

    def __init__(self, source, options):
        self._source = source
        self._ops = source.fn._types_ops(source.argument_types(), options)

    def walk(self, visit):
        """Calls `visit(op)` for all ops, those inside of others first."""
        for op in self._ops:
            visit(operation(*op))

    def verify(self):
        return True  # the compiler has

    def __str__(self):
        return self._source.fn._types_text(self._source.argument_types(), {}, "cpu", "ttir")


def __getattr__(name):
    raise AttributeError(f"`triton._C.libtriton.ir.{name}` does not exist in nereid: kernels are compiled in its own library; compile "
                         "with `triton.compile` and read the texts in `.asm`")
