"""`@triton.jit`: Python functions whose source text nereid's library compiles and runs.

The native base class (`nereid._native.Kernel`) binds, specializes and launches; what a launch needs of Python is here:
the source, the scopes that its names are found in, hooks, and the object that stands for compiled code.
"""
import sys
import threading
import weakref
from functools import cached_property

from nereid import _native

from .. import knobs
from ._async_compile import active_mode
from ._tensors import MockTensor, TensorWrapper, reinterpret  # noqa: F401

# How often the text of a function was replaced: digests that were made before may be stale.
_replaced_texts = 0
_functions = weakref.WeakValueDictionary()  # all there are, by their address: their hash changes with their text


def _digest(text):
    """SHA-256 in hexadecimal digits, without the modules that hashlib brings along (OpenSSL's take milliseconds to load)."""
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256  # until Python 3.11
        except ImportError:
            from hashlib import sha256
    return sha256(text.encode()).hexdigest()


def _source_of(fn):
    """The lines of a function with its decorators, the number of the first one, its text from `def` on, and that line's number."""
    import inspect
    import re
    import textwrap
    lines = None
    # Every text that `exec` runs has the name <string>: the lines that Python has under it may be another's.
    if getattr(getattr(fn, "__code__", None), "co_filename", "") != "<string>":
        try:
            lines, first = inspect.getsourcelines(fn)
        except (OSError, TypeError):
            pass
    if lines is None:
        lines, first = _executed_source(fn, inspect)
    if lines is None:
        raise ValueError("@jit functions should be defined in a Python file: the source of "
                         f"`{getattr(fn, '__qualname__', fn)}` is not available{_why_not_available(fn)}")
    text = textwrap.dedent("".join(lines))
    start = re.search(r"^def\s+\w+\s*\(", text, re.MULTILINE)
    if start is None:
        raise ValueError(f"`{fn.__qualname__}` is not defined by `def`, so it cannot be a @jit function")
    return lines, first, text[start.start():], first + text.count("\n", 0, start.start())


def _code_objects(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from _code_objects(constant)


def _texts_at_hand():
    """Texts that a function without a file may come from: what `python -c` was given, and the variables of those who call."""
    import linecache
    yield "".join(linecache.getlines("<string>"))
    if "-c" in sys.orig_argv[:-1]:
        yield sys.orig_argv[sys.orig_argv.index("-c") + 1]
    frame = sys._getframe(2)
    for _ in range(12):
        frame = frame.f_back
        if frame is None:
            break
        yield from list(frame.f_locals.values())


def _executed_source(fn, inspect):
    """The lines of a function that `exec` or `python -c` made: from a text at hand that compiles to the very code of the function."""
    wanted = getattr(fn, "__code__", None)
    for text in _texts_at_hand() if wanted else ():
        if not isinstance(text, str) or f"def {wanted.co_name}" not in text:
            continue
        try:
            compiled = compile(text, wanted.co_filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        if any(code == wanted for code in _code_objects(compiled)):
            lines = text.splitlines(keepends=True)
            return inspect.getblock(lines[wanted.co_firstlineno - 1:]), wanted.co_firstlineno
    return None, 0


def _why_not_available(fn):
    """What to do about it, by where the function was written."""
    place = fn.__code__.co_filename if hasattr(fn, "__code__") else ""
    if place == "<stdin>":
        return ("; Python keeps no text of what it reads from standard input: put it into a file"
                " (an interactive Python from 3.13 on and IPython keep it)")
    if place == "<string>":
        return ("; `exec` keeps no text: give it a file's name, `exec(compile(text, path, \"exec\"), …)`, or write a file and import it")
    return ""


def _full_name(fn):
    return f"{fn.__module__}.{fn.__qualname__}"


get_full_name = _full_name


_parsing = threading.Lock()


def parse_source(text):
    """`ast.parse` by one thread at a time: two at once fail in some CPython 3.11 (gh-106905)."""
    import ast
    with _parsing:
        return ast.parse(text)


class JITCallable:
    """A function that the compiler knows by its text."""

    def _take(self, fn):
        self.fn = fn
        self._file_name = fn.__code__.co_filename
        self._fn_name = _full_name(fn)
        self._hash_lock = threading.RLock()
        self.hash = None
        self._seen_texts = 0
        _functions[id(self)] = self
        self.used_global_vals = {}
        self.__doc__, self.__name__, self.__qualname__ = fn.__doc__, fn.__name__, fn.__qualname__
        self.__globals__, self.__module__ = fn.__globals__, fn.__module__

    def _read_source(self):
        self.raw_src, self.starting_line_number, self._src, self._first_line = _source_of(self.fn)

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
                self.hash = _digest(text)
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
        for other in list(_functions.values()):
            other._forget()

    def _set_src(self, text):
        raise AttributeError("Cannot set attribute 'src' directly. Use '_unsafe_update_src()' and reset the callers.")

    src = property(lambda self: self._src, _set_src)


class KernelInterface:
    """What `kernel[grid](…)` needs: a method `run`."""

    def prepare(self, *args, **kwargs):
        """May begin to compile what a call like this one will need."""

    def warmup(self, *args, grid, **kwargs):
        return self.run(*MockTensor.wrap_dtypes(args), grid=grid, warmup=True, **kwargs)

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError("run not implemented")

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


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


class _Handle:
    """Code that a launch compiled: which one of its function it is."""

    def __init__(self, fn, number, interpreted):
        self.fn, self.number, self.interpreted = fn, number, interpreted
        facts = fn._gpu_facts(number)
        self.on_gpu = facts is not None
        if facts:
            registers, spills, self.shared, most_threads, self.threads, *self.addresses = facts
        else:
            # A processor has no registers to share out and no limit of threads: these are what host code may divide by.
            registers, spills, most_threads = 1, 0, 1024
            self.addresses = id(self), id(self)
        self.resources = registers, spills, most_threads

    def stages(self):
        if self.on_gpu:
            return ["ttir", "ttgir", "llir", "ptx", "cubin"]
        return ["ttir"] if self.interpreted else ["ttir", "ttgir", "llir", "asm"]

    def stage(self, name):
        return self.fn._stage(self.number, name)

    def run(self, grid_0, grid_1, grid_2, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *args):
        if enter_hook is not None:
            enter_hook(launch_metadata)
        if self.interpreted:
            self.fn._run_interpreted((grid_0, grid_1, grid_2), args, {})
        else:  # the GPU's streams are addresses; None: torch's current one
            self.fn._launch_compiled(self.number, (grid_0, grid_1, grid_2), args, stream if self.on_gpu else None)
        if exit_hook is not None:
            exit_hook(launch_metadata)


class _Heard(type):
    """Programs that replace `JITFunction.run`, as tools that watch launches do, are heard."""

    def __setattr__(cls, name, value):
        super().__setattr__(name, value)
        if name == "run":
            knobs_changed()

    def __delattr__(cls, name):
        super().__delattr__(name)
        if name == "run":
            knobs_changed()


class JITFunction(JITCallable, _native.Kernel, KernelInterface, metaclass=_Heard):
    """A kernel, or a function that kernels call. `kernel[grid](…)` compiles it for the arguments and runs it."""

    def __init__(self, fn, version=None, do_not_specialize=None, do_not_specialize_on_alignment=None, debug=None,
                 noinline=None, repr=None, launch_metadata=None):
        self._take(fn)
        self._read_source()
        self.module = fn.__module__
        self.version = version
        self.do_not_specialize = do_not_specialize or []
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment or []
        self.debug = debug
        self.noinline = noinline
        self._repr = repr
        self.launch_metadata = launch_metadata
        self.kernel = None
        self.pre_run_hooks = []
        self._is_warmup = False
        self._as_python = None  # the same as a function that kernels call which run as Python
        self._interpret = False
        self._plain()

    # A plain kernel is launched without any Python code; hooks, debugging and a `run` of its own make it not plain.
    def _plain(self):
        has_own_run = "run" in self.__dict__ or type(self).run is not JITFunction.run
        self._set_plain(not self.debug and not self.pre_run_hooks and not self._interpret and not has_own_run)

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name == "run":
            self._plain()

    # Kept: a function that came from another process has no Python function any more.
    @cached_property
    def arg_names(self):
        if self._has_own_signature():
            return list(self.signature.parameters)
        code = self.fn.__code__
        return list(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x04)])

    @cached_property
    def params(self):
        def listed(names, number, name):
            return number in names or name in names

        return [
            KernelParam(number, parameter, listed(self.do_not_specialize, number, name),
                        listed(self.do_not_specialize_on_alignment, number, name))
            for number, (name, parameter) in enumerate(self.signature.parameters.items())
        ]

    def __getstate__(self):
        """For pickles: what describes the function; compiled code and locks stay in their process."""
        if self.fn is not None:
            self.arg_names, self.params
        left = ("_hash_lock", "_device_caches", "pre_run_hooks")
        return {name: value for name, value in self.__dict__.items() if name not in left}

    def __setstate__(self, state):
        self.__dict__.update(state, _hash_lock=threading.RLock(), pre_run_hooks=[])
        _functions[id(self)] = self
        self._plain()

    @cached_property
    def constexprs(self):
        return [parameter.num for parameter in self.params if parameter.is_constexpr]

    def repr(self, specialization):
        return self._fn_name if self._repr is None else self._repr(specialization)

    def is_gluon(self):
        return False

    def add_pre_run_hook(self, hook):
        """Calls `hook(*args, **kwargs)` before every launch."""
        assert callable(hook)
        self.pre_run_hooks.append(hook)
        self._plain()

    @property
    def device_caches(self):
        """What was compiled so far, by device: each a tuple whose first item maps keys to kernels."""
        if "_device_caches" not in self.__dict__:
            from ._compile_hooks import DeviceCaches
            self._device_caches = DeviceCaches(self)
        return self._device_caches

    def _compiled(self, number, arguments, num_warps, num_stages, num_ctas, key, is_cached=False):
        """The object for code that was compiled just now."""
        from ..backends.compiler import BaseBackend
        from ..compiler.compiler import ASTSource, LaunchedKernel, make_backend
        from ._compile_hooks import call_compile_hooks, keep
        from .driver import driver
        handle = _Handle(self, number, self._interpret)
        target = driver.active.get_current_target()
        backend = make_backend(target)
        parsed = backend.parse_options({**arguments, "num_warps": num_warps, "num_ctas": num_ctas, "num_stages": num_stages,
                                        "debug": bool(arguments.get("debug", self.debug))})  # yapf: disable
        options = {name: parsed.__dict__[name] for name in ("num_warps", "num_ctas", "num_stages", "enable_fp_fusion",
                                                            "launch_cooperative_grid", "extern_libs")}  # yapf: disable
        metadata = {**parsed.__dict__, "target": target,
                    **BaseBackend.metadata_of(backend, {"name": self._specialized_name(arguments)}, parsed)}  # yapf: disable
        digest = _digest(f"{self._src}{key}")
        if handle.on_gpu:
            metadata.update(shared=handle.shared, num_warps=handle.threads // 32)
        compiled = LaunchedKernel(ASTSource(self, {}), handle, metadata, digest)
        keep(self, driver.active.get_current_device(), key, compiled)
        if knobs.runtime.jit_cache_hook is not None or knobs.runtime.jit_post_compile_hook is not None:
            call_compile_hooks(self, key, arguments, options, self._is_warmup)
        if knobs.compilation.dump_ir or knobs.compilation.listener:
            from ..compiler.compiler import report_compilation
            report_compilation(compiled, bool(is_cached))
        return compiled

    def _specialized_name(self, arguments):
        """The name of the kernel for these arguments, where the decorator has a `repr`."""
        if self._repr is None:
            return self.__name__
        from types import SimpleNamespace
        constexprs = set(self.constexprs)
        signature, constants = {}, {}
        for number, name in enumerate(self.arg_names):
            value = arguments.get(name)
            is_constant = number in constexprs or value is None or (isinstance(value, int) and not isinstance(value, bool) and value == 1)
            signature[name] = "constexpr" if is_constant else mangle_type(value)
            if is_constant:
                constants[name] = value
        return self._repr(SimpleNamespace(name=self.__name__, signature=signature, constants=constants))

    def run(self, *args, grid, warmup, **kwargs):
        if self._is_plain():
            return self._launch(grid, args, kwargs, bool(warmup))
        runtime = knobs.runtime
        kwargs["debug"] = bool(kwargs.get("debug", self.debug) or runtime.debug)
        if not knobs.language.default_fp_fusion:
            kwargs.setdefault("enable_fp_fusion", False)
        if knobs.language.fp32_default:
            kwargs.setdefault("default_dot_input_precision", knobs.language.fp32_default)
        if runtime.override_arch:
            kwargs.setdefault("arch", runtime.override_arch)
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        mode = active_mode.get()
        if mode is not None and not warmup:
            mode.finish_done()
        if self._interpret and not warmup:
            return self._run_interpreted(grid, args, kwargs)
        if warmup or not (runtime.launch_enter_hook.calls or runtime.launch_exit_hook.calls or
                          runtime.kernel_load_start_hook.calls or runtime.kernel_load_end_hook.calls):
            return self._launch(grid, args, kwargs, bool(warmup))
        compiled = self._launch(grid, args, kwargs, True)
        compiled._init_handles()
        if callable(grid):
            grid = grid(dict(zip(self.arg_names, args), **kwargs))
        about = compiled.launch_metadata(grid, None, *self._values(args, kwargs))
        runtime.launch_enter_hook(about)
        self._launch(grid, args, kwargs, False)
        runtime.launch_exit_hook(about)
        return compiled

    def _values(self, args, kwargs):
        """One for each parameter: as given, else its default."""
        parameters = self.signature.parameters
        return (*args, *(kwargs.get(name, parameters[name].default) for name in self.arg_names[len(args):]))

    def _metadata_for_profile(self, compiled, grid, arguments):
        """What `launch_metadata` says of a launch, for a profile."""
        return dict(self.launch_metadata(grid, compiled.metadata, arguments))

    def _run_interpreted(self, grid, args, kwargs):
        return self._on_host(args, kwargs, lambda args, kwargs: self._launch(grid, args, kwargs, False))

    def count(self, grid, args, kwargs, target, device_row):
        """What a launch does, in numbers: JSON."""
        return self._on_host(args, kwargs, lambda args, kwargs: self._count(grid, args, kwargs, target, device_row))

    def check(self, grid, args, kwargs):
        """What the sanitizer finds in a launch, as text; empty where it finds nothing."""
        return self._on_host(args, kwargs, lambda args, kwargs: self._check(grid, args, kwargs))

    def view(self, grid, args, kwargs, target):
        """The page about a launch, as text."""
        from ._describe import argument_text
        texts = {name: argument_text(value) for name, value in [*zip(self.arg_names, args), *kwargs.items()]}
        return self._on_host(args, kwargs, lambda args, kwargs: self._view(grid, args, kwargs, target, texts))

    def _on_host(self, args, kwargs, run):
        """The interpreter works in the memory of the host: tensors of other devices go there and back."""
        from ._host_memory import to_devices, to_host
        args_hst, kwargs_hst = to_host(args, kwargs)
        result = run(tuple(args_hst), kwargs_hst)
        to_devices(args, args_hst, kwargs, kwargs_hst)
        return result

    def prepare(self, *args, grid=None, warmup=False, **kwargs):
        """On a GPU, begins to compile for these arguments on another thread; the call itself then waits for the rest."""
        kwargs["debug"] = bool(kwargs.get("debug", self.debug) or knobs.runtime.debug)
        self._prepare(args, kwargs)

    def warmup(self, *args, grid, **kwargs):
        """Compiles for the arguments (a dtype stands for a tensor of it) and runs nothing."""
        args = MockTensor.wrap_dtypes(args)
        mode = active_mode.get()
        if mode is not None:
            from ._compile_hooks import warm_up_later
            return warm_up_later(mode, self, args, grid, kwargs)
        self._is_warmup = True
        try:
            return self.run(*args, grid=grid, warmup=True, **kwargs)
        finally:
            self._is_warmup = False

    def preload(self, specialization_data):
        """Compiles what a `jit_cache_hook` was told of, without arguments."""
        from ._compile_hooks import preload
        return preload(self, specialization_data)

    def __call__(self, *args, **kwargs):
        from ..language import _builtin
        if _builtin.evaluator is not None:  # by a kernel that runs as Python
            if self._as_python is None:
                self._as_python = _interpreted_class()(self.fn)
            return self._as_python(*args, **kwargs)
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel: "
                           f"launch it with a grid, `{self.__name__}[grid](…)`")

    def __repr__(self):
        return f"JITFunction({self.module}:{self.fn.__qualname__})"


_OWN_RUN = JITFunction.run


def knobs_changed():
    """Whether launches may skip Python: no hook is set, and no option that every launch looks at."""
    runtime = knobs.runtime
    chains = (runtime.launch_enter_hook, runtime.launch_exit_hook, runtime.kernel_load_start_hook, runtime.kernel_load_end_hook)
    changes_code = (runtime.debug or runtime.override_arch or not knobs.language.default_fp_fusion or
                    knobs.language.fp32_default)
    is_hooked = (active_mode.get() is not None or any(getattr(chain, "calls", chain) for chain in chains) or
                 JITFunction.run is not _OWN_RUN)
    _native.set_plain(not changes_code and not is_hooked)


def _interpreted_class():
    try:
        from .interpreter import InterpretedFunction
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"TRITON_INTERPRET=1 needs {error.name}: pip install {error.name}") from error
    return InterpretedFunction


def jit(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None,
        do_not_specialize_on_alignment=None, debug=None, noinline=None):
    """Decorator: the function is compiled from its source when it is launched with a grid."""

    def decorate(fn):
        if not hasattr(fn, "__code__"):
            what = "stands right above `def`, below the other decorators of triton" if isinstance(fn, KernelInterface) else "takes a function"
            raise TypeError(f"`@triton.jit` {what}; got {fn!r}")
        make = _interpreted_class() if knobs.runtime.interpret else JITFunction
        return make(fn, version=version, do_not_specialize=do_not_specialize,
                    do_not_specialize_on_alignment=do_not_specialize_on_alignment, debug=debug, noinline=noinline,
                    repr=repr, launch_metadata=launch_metadata)

    return decorate(fn) if fn is not None else decorate


_INTEGERS = {int}


class ConstexprFunction(JITCallable):
    """A Python function of constants, which the compiler calls while it compiles."""

    __triton_constexpr_function__ = True

    def __init__(self, fn):
        self._take(fn)

    def __getattr__(self, name):  # its source is read when somebody asks for it
        if name not in ("raw_src", "starting_line_number", "_src", "_first_line"):
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


def mangle_type(arg, specialize=False):
    """The name of an argument's type in a signature: `*fp32`, `i32`, …"""
    if hasattr(arg, "data_ptr"):
        from .._utils import canonicalize_dtype
        return f"*{canonicalize_dtype(arg.dtype)}"
    if isinstance(arg, bool):
        return "u1"
    if isinstance(arg, int):
        return "i32" if -2**31 <= arg < 2**31 else "i64" if arg < 2**63 else "u64"
    return "fp32" if isinstance(arg, float) else "constexpr"


def connect():
    """Tells the native side of the classes that it must know; when the language is loaded."""
    from nereid import _support

    from ..language._constexpr import constexpr
    from ..language._dtype import dtype
    _native.set_types(constexpr, dtype, _support)
    knobs_changed()  # the environment may have set some


# What Triton's module of this name also has, and where it is here.
_ELSEWHERE = {
    **dict.fromkeys(("JitFunctionInfo", "serialize_specialization_data"), "triton.runtime._compile_hooks"),
    **dict.fromkeys(("find_paths_if", "get_iterable_path", "is_namedtuple", "type_canonicalisation_dict"), "triton._utils"),
    "native_specialize_impl": "triton.runtime._specialization", "driver": "triton.runtime", "get_cache_key": "triton.runtime.cache",
    "BaseBackend": "triton.backends.compiler", "get_cache_invalidating_env_vars": "triton._C.libtriton",
}  # yapf: disable


def __getattr__(name):
    if name not in _ELSEWHERE:
        raise AttributeError(f"module 'triton.runtime.jit' has no attribute '{name}'")
    from importlib import import_module
    return getattr(import_module(_ELSEWHERE[name]), name)
