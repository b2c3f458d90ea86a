"""Kernels in Gluon: they can be defined, and say at their launch that they cannot run."""
from ...runtime.jit import KernelInterface, constexpr_function  # noqa: F401


class GluonJITFunction(KernelInterface):
    """A kernel in Gluon."""

    def __init__(self, fn):
        self.fn = fn
        self.__name__, self.__doc__, self.__module__ = fn.__name__, fn.__doc__, fn.__module__
        self.arg_names = list(fn.__code__.co_varnames[:fn.__code__.co_argcount])

    def is_gluon(self):
        return True

    def run(self, *args, **kwargs):
        raise NotImplementedError(f"`{self.__name__}` is written in Gluon, which nereid does not compile: "
                                  "write it with `triton.jit` and `triton.language`")

    warmup = __call__ = run


def jit(fn=None, **options):
    """Decorator for a kernel in Gluon."""
    return GluonJITFunction if fn is None else GluonJITFunction(fn)


class GluonASTSource:
    """What `triton.compile` would take for a kernel in Gluon."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        raise NotImplementedError(f"`{fn.__name__}` is written in Gluon, which nereid does not compile: "
                                  "write it with `triton.jit` and `triton.language`")
