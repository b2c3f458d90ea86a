"""Functions that the compiler knows by their text: what kernels and `@triton.constexpr_function` share, and the latter."""
import threading
import weakref
from functools import cached_property

from ._source import parse_source, source_of

# How often the text of a function was replaced: digests that were made before may be stale.
_replaced_texts = 0
functions = weakref.WeakValueDictionary()  # all there are, by their address: their hash changes with their text


def digest(text):
    """SHA-256 in hexadecimal digits, without the modules that hashlib brings along (OpenSSL's take milliseconds to load)."""
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256  # until Python 3.11
        except ImportError:
            from hashlib import sha256
    return sha256(text.encode()).hexdigest()


def _full_name(fn):
    return f"{fn.__module__}.{fn.__qualname__}"


get_full_name = _full_name


class JITCallable:
    """A function that the compiler knows by its text."""

    def _take(self, fn):
        self.fn = fn
        self._taken_from = fn.__code__.co_filename
        self._fn_name = _full_name(fn)
        self._hash_lock = threading.RLock()
        self.hash = None
        self._seen_texts = 0
        functions[id(self)] = self
        self.used_global_vals = {}
        self.__doc__, self.__name__, self.__qualname__ = fn.__doc__, fn.__name__, fn.__qualname__
        self.__globals__, self.__module__ = fn.__globals__, fn.__module__

    def _read_source(self):
        self.raw_src, self.starting_line_number, self._src, _ = source_of(self.fn)

    # Where errors and lines of code say that the text stands. Programs that replace it may say so, too: by `raw_src`,
    # `starting_line_number` and the function's code.
    @property
    def _file_name(self):
        return self._taken_from if self.fn is None else self.fn.__code__.co_filename

    @property
    def _first_line(self):
        before = (number for number, line in enumerate(self.raw_src) if line.lstrip().startswith("def "))
        return self.starting_line_number + next(before, 0)

    @cached_property
    def signature(self):
        import inspect
        return inspect.signature(self.fn)

    def _has_own_signature(self):
        """Whether the function says that it has other parameters than its code shows, as one whose text is replaced does."""
        return "__signature__" in self.fn.__dict__ or "__wrapped__" in self.fn.__dict__

    def _defaults(self):
        """The default values of parameters, by name."""
        fn = self.fn
        if self._has_own_signature():
            parameters = self.signature.parameters.values()
            return {parameter.name: parameter.default for parameter in parameters if parameter.default is not parameter.empty}
        positional, values = fn.__code__.co_varnames[:fn.__code__.co_argcount], fn.__defaults__ or ()
        return {**dict(zip(positional[len(positional) - len(values):], values)), **(fn.__kwdefaults__ or {})}

    def _scopes(self):
        """Where the names of the text are found: what the function captured, then its globals."""
        captured = {}
        for name, cell in zip(self.fn.__code__.co_freevars, self.fn.__closure__ or ()):
            try:
                captured[name] = cell.cell_contents
            except ValueError:
                pass  # not assigned yet
        return captured, self.__globals__

    def get_capture_scope(self):
        captured, names = self._scopes()
        return names | captured

    @property
    def cache_key(self):
        """Equal for functions that compile to the same code: a digest of the text and of all that its names stand for."""
        with self._hash_lock:
            if self.hash is None:
                if self._seen_texts != _replaced_texts:
                    self._seen_texts = _replaced_texts
                    self._forget()
                text = f"{self._src}{self.starting_line_number}{self._fingerprint()}"
                self.hash = digest(text)
            return self.hash

    def __hash__(self):
        return hash((self._fn_name, self._src))

    def __eq__(self, other):
        return self is other

    def __deepcopy__(self, memo):
        if self.fn is not None:
            return self  # as any function
        # Its Python function was taken away, as torch.compile does before it writes a kernel to its cache: what is left is copied.
        copied = type(self).__new__(type(self))
        copied.__setstate__(self.__getstate__())
        return copied

    def parse(self):
        import ast
        tree = parse_source(self._src)
        assert len(tree.body) == 1 and isinstance(tree.body[0], ast.FunctionDef)
        return tree

    @property
    def type(self):
        from ..language.core import constexpr_type
        return constexpr_type(self)

    def _unsafe_update_src(self, new_src):
        """Replaces the text; functions that call this one must be reset by the caller."""
        global _replaced_texts
        _replaced_texts += 1
        self.hash = None
        self._src = new_src
        # A kernel that was given this function as a constant has code with the old text.
        for other in list(functions.values()):
            other._forget()

    def _set_src(self, text):
        raise AttributeError("Cannot set attribute 'src' directly. Use '_unsafe_update_src()' and reset the callers.")

    src = property(lambda self: self._src, _set_src)


_INTEGERS = {int}


class ConstexprFunction(JITCallable):
    """A Python function of constants, which the compiler calls while it compiles."""

    __triton_constexpr_function__ = True

    def __init__(self, fn):
        self._take(fn)

    def __getattr__(self, name):  # its source is read when somebody asks for it
        if name not in ("raw_src", "starting_line_number", "_src"):
            raise AttributeError(f"'ConstexprFunction' object has no attribute '{name}'")
        self._read_source()
        return self.__dict__[name]

    def _unsafe_update_src(self, new_src):
        super()._unsafe_update_src(new_src)
        # It is called while kernels are compiled: the new text takes the place of the function.
        names = dict(self.__globals__)
        exec(compile(new_src, self._file_name, "exec"), names)
        self.fn = names[self.__name__]

    def _forget(self):
        pass

    def _fingerprint(self):
        from nereid._support import stable_text
        text = stable_text(self)
        if text is None:
            raise RuntimeError(f"Unsupported function referenced: `{self.__name__}` depends on more than constants and functions of constants")
        return text

    def __get__(self, instance, owner=None):
        import functools
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args, _semantic=None, _generator=None, **kwargs):
        if _semantic is None and not kwargs and set(map(type, args)) == _INTEGERS:
            return self.fn(*args)  # `cdiv` of a grid: once a launch
        from ..language._constexpr import _unwrap_if_constexpr, constexpr
        result = self.fn(*map(_unwrap_if_constexpr, args), **{name: _unwrap_if_constexpr(value) for name, value in kwargs.items()})
        return result if _semantic is None else constexpr(result)


def constexpr_function(fn):
    """Decorator: a function that host code calls as always, and kernels with constants, while they are compiled."""
    return ConstexprFunction(fn)
