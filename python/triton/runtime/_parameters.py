"""Parameters of kernels, and the names of arguments' types."""


class KernelParam:
    """A parameter of a kernel, with what its annotation and the decorator say."""

    def __init__(self, num, param, do_not_specialize, do_not_specialize_on_alignment):
        self.num = num
        self._param = param
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment

    @property
    def name(self):
        return self._param.name

    @property
    def annotation(self):
        given = self._param.annotation
        if given is self._param.empty or given is None:
            return ""
        return str(getattr(given, "__name__", given) if isinstance(given, type) else given)

    @property
    def annotation_type(self):
        text = self.annotation
        return text[1:] if text.startswith("*") else text if text and not self.is_constexpr else ""

    @property
    def is_constexpr(self):
        return "constexpr" in self.annotation

    @property
    def is_const(self):
        return "const" in self.annotation and not self.is_constexpr

    @property
    def default(self):
        return self._param.default

    @property
    def has_default(self):
        return self._param.default is not self._param.empty


def mangle_type(arg, specialize=False):
    """The name of an argument's type in a signature: `*fp32`, `i32`, …"""
    from ..backends.compiler import BaseBackend
    from ._specialization import native_specialize_impl
    return native_specialize_impl(BaseBackend, arg, False, specialize, specialize)[0]
