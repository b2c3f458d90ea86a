"""Settings as attributes: each has an environment variable, and host code may set it too.

A knob is a descriptor in a class of knobs. Reading one gives what host code set, else what the environment says, else the
default. Setting one also sets the variable, so that child processes see the same.
"""
import os
import sys
from contextlib import contextmanager


class Env:
    """The type of `env`: a knob that is set to it reads its variable again."""


env = Env()
_UNSET = object()
TRUE_WORDS, _FALSE = ("1", "true", "y", "yes", "on"), ("0", "false", "n", "no", "off", "")


def getenv(key, default=None):
    value = os.environ.get(key)
    return default if value is None else value.strip()


def getenv_bool(key, default):
    value = getenv(key)
    if value is None:
        return default
    if value.lower() not in TRUE_WORDS + _FALSE:
        raise RuntimeError(f"Unable to use {key}={value}: expected one of 1, true, y, yes, on, 0, false, n, no, off")
    return value.lower() in TRUE_WORDS


def notify_launches():
    """Launches skip Python as long as no hook and no setting asks for it: they are told of every change."""
    jit = sys.modules.get("triton.runtime.jit")
    if hasattr(jit, "knobs_changed"):
        jit.knobs_changed()


def toenv(value):
    """(the text of a variable for this value, ) or (None, ) for one that is removed; None where it has no text."""
    if value is None:
        return (None, )
    if isinstance(value, bool):
        return ("1" if value else "0", )
    return (str(value), ) if isinstance(value, (int, str)) else None


def setenv(key, value):
    """Sets a variable, or removes it for None, where knobs are handed on to child processes."""
    from . import knobs
    if not knobs.propagate_env:
        return
    if value is None:
        os.environ.pop(key, None)
    else:
        os.environ[key] = str(value)


def _set_variable(key, value):
    text = toenv(value)
    if text is not None:
        setenv(key, text[0])


class env_base:
    """A knob: `get` reads the environment, `transform` turns what was set into what is read."""

    def __init__(self, key, default=None):
        self.key = key
        self.default = default

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, group, owner=None):
        if group is None:
            return self
        value = group.__dict__.get(self.name, _UNSET)
        return self.get() if value is _UNSET else self.transform(value)

    def __set__(self, group, value):
        if isinstance(value, Env):
            group.__dict__.pop(self.name, None)
        else:
            group.__dict__[self.name] = value
            _set_variable(self.key, value)

    def __delete__(self, group):
        group.__dict__.pop(self.name, None)

    def get(self):
        return getenv(self.key, self.default)

    def transform(self, value):
        return value


class env_str(env_base):
    pass


class env_opt_str(env_base):
    pass


class env_str_callable_default(env_base):
    """A string whose default depends on other knobs."""

    def get(self):
        value = getenv(self.key)
        return self.default() if value is None else value


class env_bool(env_base):

    def __init__(self, key, default=False):
        super().__init__(key, default)

    def get(self):
        return getenv_bool(self.key, self.default)


class env_opt_bool(env_base):

    def get(self):
        return getenv_bool(self.key, None)


class env_int(env_base):

    def __init__(self, key, default=0):
        super().__init__(key, default)

    def get(self):
        value = getenv(self.key)
        try:
            return self.default if value is None else int(value)
        except ValueError as error:
            raise RuntimeError(f"Unable to use {self.key}={value}: expected int") from error


class env_class(env_base):
    """A class named as MODULE:CLASS that must descend from a class with a given name."""

    def __init__(self, key, type):
        super().__init__(key)
        self.type = type

    def get(self):
        value = getenv(self.key)
        if value is None:
            return None
        module, colon, name = value.partition(":")
        if not colon:
            raise RuntimeError(f"Unable to read {self.key}: '{value}' isn't of the form MODULE:CLASS")
        from importlib import import_module
        found = getattr(import_module(module), name)
        if all(base.__name__ != self.type for base in found.mro()):
            raise RuntimeError(f"Unable to use '{value}' from {self.key}: not of type '{self.type}'")
        return found


class NvidiaTool:
    """A program of the CUDA toolkit, and its version."""

    _known = {}

    def __init__(self, path, version):
        self.path = path
        self.version = version

    @classmethod
    def from_path(cls, path):
        """The tool at a path, or None where that is no such tool."""
        if path not in cls._known:
            cls._known[path] = cls._probe(path)
        return cls._known[path]

    @classmethod
    def _probe(cls, path):
        import re
        import subprocess
        try:
            text = subprocess.check_output([path, "--version"], stderr=subprocess.STDOUT).decode()
        except (subprocess.CalledProcessError, OSError):
            return None
        found = re.search(r"release (\d+\.\d+)", text)
        return cls(path, found.group(1)) if found else None


class env_nvidia_tool(env_base):
    """A tool: where the variable says, beside this package, or on PATH. Kernels need none of them."""

    def __init__(self, binary):
        super().__init__(f"TRITON_{binary.upper().replace('-', '_')}_PATH")
        self.binary = binary
        self.default_path = os.path.join(os.path.dirname(__file__), "backends", "nvidia", "bin", binary)

    def get(self):
        return self.transform(getenv(self.key))

    def transform(self, path):
        from shutil import which
        for candidate in (path, self.default_path, which(self.binary)):
            tool = candidate and NvidiaTool.from_path(candidate)
            if tool:
                return tool
        raise RuntimeError(f"Cannot find {self.binary}: set {self.key} to its path; nereid itself does not need it")


class base_knobs:
    """A group of knobs."""

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        notify_launches()

    def __delattr__(self, name):
        super().__delattr__(name)
        notify_launches()

    @property
    def knob_descriptors(self):
        return {name: knob for name, knob in type(self).__dict__.items() if isinstance(knob, env_base)}

    @property
    def knobs(self):
        return {name: getattr(self, name) for name in self.knob_descriptors}

    def copy(self):
        twin = type(self)()
        twin.__dict__.update(self.__dict__)
        return twin

    def reset(self):
        for name in self.knob_descriptors:
            delattr(self, name)
        return self

    @contextmanager
    def scope(self):
        """In a `with` statement: what is set inside, here and in the environment, is undone at its end."""
        values = dict(self.__dict__)
        variables = {knob.key: os.environ.get(knob.key) for knob in self.knob_descriptors.values()}
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(values)
            for key, value in variables.items():
                if value is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = value
            notify_launches()


class HookChain:
    """Functions of the user that are called one after the other."""

    def __init__(self, reversed=False):
        self.calls = []
        self.reversed = reversed

    def add(self, func):
        if func not in self.calls:
            self.calls.append(func)
            notify_launches()

    def remove(self, func):
        if func in self.calls:
            self.calls.remove(func)
            notify_launches()

    def __call__(self, *args, **kwargs):
        for call in self.calls[::-1] if self.reversed else self.calls:
            call(*args, **kwargs)
