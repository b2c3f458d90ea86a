"""Parameters of kernels, and the names of arguments' types."""
from .._utils import type_canonicalisation_dict

_KNOWN = frozenset(type_canonicalisation_dict.values())


def spelled(annotation):
    """An annotation of a parameter as a signature has it, where it is a type; else as its own text (`tensor` for `tl.tensor`)."""
    if isinstance(annotation, str):
        text = annotation.strip()
        if text.startswith("const ") and "*" in text:
            return "*k" + spelled(text.removeprefix("const ")).removeprefix("*")
        if text.endswith("*"):
            return "*" + spelled(text[:-1])
        if text.startswith("*"):
            return "*" + spelled(text[1:])
        if text.startswith("tl."):
            return spelled(text.removeprefix("tl."))
    elif hasattr(annotation, "element_ty") and hasattr(annotation, "is_ptr") and annotation.is_ptr():
        return "*" + spelled(annotation.element_ty)
    else:
        text = annotation.__name__ if isinstance(annotation, type) else str(getattr(annotation, "name", annotation))
    return type_canonicalisation_dict.get(text.replace("_t", ""), text)


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
        """What stands beside the name, in the words of signatures: `i64` for `tl.int64`, `*fp32` for "float*"; "" for nothing."""
        given = self._param.annotation
        return "" if given is self._param.empty or not given else spelled(given)

    @property
    def annotation_type(self):
        """The annotation where it says a type that arguments have, else ""."""
        text = self.annotation
        element = text[2:] if text.startswith("*k") else text.removeprefix("*")
        return text if element in _KNOWN else ""

    @property
    def is_constexpr(self):
        return "constexpr" in self.annotation

    @property
    def is_const(self):
        return not self.is_constexpr and ("const" in self.annotation or self.annotation.startswith("*k"))

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
