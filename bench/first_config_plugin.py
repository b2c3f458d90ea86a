"""pytest plugin: autotuned kernels take their first configuration, on both sides of a comparison: tests look at results, not at speed."""
from triton.runtime import autotuner

_init = autotuner.Autotuner.__init__


def _with_first(self, fn, arg_names, configs, *args, **kwargs):
    _init(self, fn, arg_names, configs[:1], *args, **kwargs)


autotuner.Autotuner.__init__ = _with_first
