"""peer_sources.py: modules with Triton kernels from checkouts of other libraries, without what those libraries need besides: packages are opened without running what they import at once, and what is not there can be imported and not
called. Used by peer_calls.py.

    load("/checkout/of/mamba", "mamba_ssm.ops.triton.ssd_combined", bare=("mamba_ssm", "mamba_ssm.ops", "mamba_ssm.ops.triton"))"""
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types


class Absent(types.ModuleType):
    """Names of it are things that are false, can be called and asked for more."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


class Nothing:

    def __call__(self, *given, **named):
        return given[0] if len(given) == 1 and callable(given[0]) and not named else self  # as a decorator it changes nothing

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __bool__(self):
        return False

    def __lt__(self, other):
        return False

    __gt__ = __le__ = __ge__ = __lt__


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Of one checkout: `bare` packages are empty, `only` (if given) are the modules that are read; others of the package are absent."""

    def __init__(self, root, package, bare, only, given):
        self.root, self.package, self.bare, self.only, self.given = root, package, bare, only, given

    def find_spec(self, name, path=None, target=None):
        if name != self.package and not name.startswith(self.package + "."):
            return None
        place = os.path.join(self.root, *name.split("."))
        if name in self.bare:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        if self.only is not None and name not in self.only:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return importlib.machinery.PathFinder.find_spec(name, [os.path.dirname(place)])

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        module.__path__ = [os.path.join(self.root, *module.__name__.split("."))]
        vars(module).update(self.given.get(module.__name__, {}))


def load(root, name, bare=(), only=None, given=None, absent=()):
    """A module of a checkout. `given` are names for modules that are absent, `absent` other packages that it imports and need not be there."""
    package = name.split(".")[0]
    for other in absent:
        if importlib.util.find_spec(other) is None:
            sys.meta_path.insert(0, Finder("", other, (), (), {}))
    if not any(isinstance(each, Finder) and each.package == package for each in sys.meta_path):
        sys.meta_path.insert(0, Finder(root, package, set(bare), None if only is None else set(only), given or {}))
    return importlib.import_module(name)
