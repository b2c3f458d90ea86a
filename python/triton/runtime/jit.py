"""`@triton.jit`: Python functions whose source text nereid's library compiles and runs.

The native base class (`nereid._native.Kernel`) binds, specializes and launches; what a launch needs of Python is here
(hooks, options, and the object that stands for compiled code) and in `_callable` (the text, and the scopes that its names are found in).
"""
import threading
from functools import cached_property

from nereid import _native

from .. import knobs
from ._async_compile import active_mode
from ._callable import ConstexprFunction, JITCallable, constexpr_function, digest, functions, get_full_name  # noqa: F401
from ._parameters import KernelParam, mangle_type
from ._tensors import MockTensor, TensorWrapper, reinterpret  # noqa: F401


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
        functions[id(self)] = self
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
        from ..compiler.compiler import ASTSource, LaunchedKernel, make_backend, wants_report
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
        if handle.on_gpu:
            metadata.update(shared=handle.shared, num_warps=handle.threads // 32)
        compiled = LaunchedKernel(ASTSource(self, {}), handle, metadata, self._hash_of(key))
        keep(self, driver.active.get_current_device(), key, compiled)
        if knobs.runtime.jit_cache_hook is not None or knobs.runtime.jit_post_compile_hook is not None:
            call_compile_hooks(self, key, arguments, options, self._is_warmup)
        if wants_report():
            from ..compiler.compiler import report_compilation
            report_compilation(compiled, bool(is_cached))
        return compiled

    def _override(self, key):
        """The file that takes the place of the code for a key, where TRITON_KERNEL_OVERRIDE asks for it."""
        if not knobs.compilation.override:
            return None
        from .cache import overriding_file
        return overriding_file(self._hash_of(key), self.__name__)

    def _hash_of(self, key):
        """Names the code for a key, in folders of dumps and overrides."""
        return digest(f"{self._src}{key}")

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

    def _knob_options(self):
        """What the knobs say of code, as options of a launch. Asked for whatever is compiled: a program may have changed the environment
        since the last launch, which nobody hears of."""
        options = {}
        if knobs.runtime.debug:
            options["debug"] = True
        if not knobs.language.default_fp_fusion:
            options["enable_fp_fusion"] = False
        if knobs.language.fp32_default:
            options["default_dot_input_precision"] = knobs.language.fp32_default
        if knobs.language.any_extent:
            options["any_extent"] = True
        if knobs.compilation.disable_line_info:
            options["line_info"] = False
        if knobs.nvidia.ptxas_options:
            options["ptx_options"] = knobs.nvidia.ptxas_options
        if knobs.runtime.override_arch:
            options["arch"] = knobs.runtime.override_arch
        return options

    def run(self, *args, grid, warmup, **kwargs):
        if self._is_plain():
            return self._launch(grid, args, kwargs, bool(warmup))
        runtime = knobs.runtime
        kwargs["debug"] = bool(kwargs.get("debug", self.debug))
        options = self._knob_options()
        kwargs = {**options, **kwargs, "debug": kwargs["debug"] or "debug" in options}
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

    def create_binder(self):
        """(kernels, keys, target, back end, binder) of the device that is current: see `create_function_from_signature`."""
        from ..compiler.compiler import make_backend
        from ._specialization import create_function_from_signature
        from .driver import driver
        target = driver.active.get_current_target()
        backend = make_backend(target)
        return {}, {}, target, backend, create_function_from_signature(self.signature, self.params, backend)

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
        raise _builtin.FunctionOutside("Cannot call @triton.jit'd outside of the scope of a kernel: "
                                       f"launch it with a grid, `{self.__name__}[grid](…)`")

    def __repr__(self):
        return f"JITFunction({self.module}:{self.fn.__qualname__})"


_OWN_RUN = JITFunction.run


def knobs_changed():
    """Whether launches may skip Python: no hook is set, and no option that every launch looks at."""
    runtime = knobs.runtime
    chains = (runtime.launch_enter_hook, runtime.launch_exit_hook, runtime.kernel_load_start_hook, runtime.kernel_load_end_hook)
    changes_code = (runtime.debug or runtime.override_arch or not knobs.language.default_fp_fusion or
                    knobs.language.fp32_default or knobs.language.any_extent)
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
    **dict.fromkeys(("create_function_from_signature", "native_specialize_impl"), "triton.runtime._specialization"), "DependenciesFinder": "triton.runtime._dependencies", "driver": "triton.runtime", "get_cache_key": "triton.runtime.cache",
    **dict.fromkeys(("Any", "Callable", "Dict", "Generic", "Iterable", "Optional", "Tuple", "TypeVar", "overload"), "typing"),
    "BaseBackend": "triton.backends.compiler", "get_cache_invalidating_env_vars": "triton._C.libtriton",
}  # yapf: disable


def __getattr__(name):
    if name == "T":  # what annotations of the decorators are written with
        from typing import TypeVar
        return globals().setdefault("T", TypeVar("T"))
    if name not in _ELSEWHERE:
        raise AttributeError(f"module 'triton.runtime.jit' has no attribute '{name}'")
    from importlib import import_module
    return getattr(import_module(_ELSEWHERE[name]), name)
