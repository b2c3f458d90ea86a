"""Compiling kernels by hand (`triton.compile`), and what a compiled kernel is in Python."""
from types import SimpleNamespace

from .. import knobs
from ..backends.compiler import GPUTarget, Language


class ASTSource:
    """A jit function with the types of its arguments: what `triton.compile` takes."""

    language = Language.TRITON
    ext = "ttir"

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        for name in signature:
            if not isinstance(name, str):
                raise TypeError(f"Signature keys must be string, got {name!r}")
        self.fn = fn
        self.name = fn.__name__
        self.signature = signature
        self.constants = {self._path(name): value for name, value in (constexprs or {}).items()}
        self.attrs = attrs or {}

    def _path(self, name):
        return (self.fn.arg_names.index(name), ) if isinstance(name, str) else name

    def hash(self):
        import hashlib
        constants = [getattr(value, "cache_key", str(value)) for _, value in sorted(self.constants.items())]
        types = [type for _, type in sorted(self.signature.items())]
        key = f"{self.fn.cache_key}-{self.attrs}-{types}-{'-'.join(constants)}"
        return hashlib.sha256(key.encode()).hexdigest()

    def parse_options(self):
        return {}


class IRSource:
    """Triton's own IR in a file, which only Triton's compiler reads."""

    def __init__(self, path, context=None, backend=None):
        raise NotImplementedError(f"`{path}`: nereid compiles kernels from their Python source; Triton's IR (.ttir, .ttgir), "
                                  ".llir and .ptx files are not read")


class LazyDict:
    """A dict some of whose entries are computed when somebody asks for it."""

    def __init__(self, data):
        self.data = data
        self.extras = []

    def get(self):
        for function, args in self.extras:
            self.data = self.data | function(*args)
        self.extras.clear()
        return self.data

    def add(self, func, args):
        self.extras.append((func, args))


class AsmDict(dict):
    """The text of every stage of a compilation; each is fetched when it is first read."""

    def __init__(self, stages, fetch):
        super().__init__(dict.fromkeys(stages))
        self._fetch = fetch

    def __getitem__(self, key):
        if dict.get(self, key) is None:
            if key == "sass" and "cubin" in self:
                from ..tools.disasm import get_sass
                self[key] = get_sass(self["cubin"])
            elif key in self:
                self[key] = self._fetch(key)
            else:
                raise KeyError(f"Unknown key: '{key}'; there are {', '.join(self)}")
        return dict.__getitem__(self, key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def items(self):
        return [(key, self[key]) for key in self]

    def values(self):
        return [self[key] for key in self]


class KernelMetadata(SimpleNamespace):
    """What is known about a compiled kernel, by attribute."""

    def _asdict(self):
        return dict(self.__dict__)

    def __getitem__(self, name):
        return self.__dict__[name]

    def __contains__(self, name):
        return name in self.__dict__


class CompiledKernel:
    """A kernel, compiled for one set of argument types; `kernel[grid](*args)` launches it."""

    def __init__(self, src, handle, metadata, hash=""):
        self.src = src
        self.handle = handle
        self.metadata = KernelMetadata(**{"name": src.name, "shared": 1, "hash": hash, **metadata})
        self.packed_metadata = tuple(sorted(self.metadata._asdict().items(), key=lambda item: item[0]))
        self.name = self.metadata.name
        self.hash = hash
        self.asm = AsmDict(handle.stages(), handle.stage)
        self.metadata_group = {}
        # A processor has no registers to share out and no limit of threads: these are what host code may divide by.
        self.n_regs = getattr(handle, "n_regs", 0) or 1
        self.n_spills = getattr(handle, "n_spills", 0)
        self.n_max_threads = getattr(handle, "n_max_threads", 1024)
        self.module = self.function = None

    @property
    def kernel(self):
        """The machine code."""
        return self.asm[list(self.asm)[-1]]

    def _init_handles(self):
        """Tells the hooks of the user that the kernel is loaded, once."""
        if self.module is not None:
            return
        about = (self.name, self.metadata_group, self.hash)
        knobs.runtime.kernel_load_start_hook(self.module, self.function, *about)
        self.module = self.function = self.handle
        knobs.runtime.kernel_load_end_hook(self.module, self.function, *about)

    def launch_metadata(self, grid, stream, *args):
        """What launch hooks get."""
        data = LazyDict({"name": self.name, "function": self.handle, "stream": stream})
        function = getattr(self.src, "fn", None)
        if function is not None and getattr(function, "launch_metadata", None) is not None:
            data.add(function.launch_metadata, (grid, self.metadata, dict(zip(function.arg_names, args))))
        return data

    def run(self, grid_0, grid_1, grid_2, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *args):
        """Launches, in the order of arguments that Triton's launchers have."""
        if enter_hook is not None:
            enter_hook(launch_metadata)
        self.handle.launch((grid_0, grid_1, grid_2), stream, args)
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def __getitem__(self, grid):
        self._init_handles()
        grid = tuple(grid) + (1, ) * (3 - len(grid))

        def runner(*args, stream=None):
            hooks = knobs.runtime
            if not hooks.launch_enter_hook.calls:
                return self.handle.launch(grid, stream, args)
            if stream is None:
                from ..runtime.driver import driver
                stream = driver.active.get_current_stream(driver.active.get_current_device())
            self.run(*grid, stream, self.function, self.packed_metadata, self.launch_metadata(grid, stream, *args),
                     hooks.launch_enter_hook, hooks.launch_exit_hook, *args)

        return runner


def report_compilation(compiled):
    """Writes the stages of a kernel where TRITON_KERNEL_DUMP asks for it, and tells the listener of the user."""
    if knobs.compilation.dump_ir:
        from ..runtime.cache import get_dump_manager
        folder = get_dump_manager(compiled.hash)
        for stage, text in compiled.asm.items():
            compiled.metadata_group[f"{compiled.name}.{stage}"] = folder.put(text, f"{compiled.name[:150]}.{stage}")
    if knobs.compilation.listener:
        # One step from source to machine code: its time is not told apart.
        times = knobs.CompileTimes(1, [(stage, 1) for stage in compiled.asm], 1)
        knobs.compilation.listener(src=compiled.src, metadata=compiled.metadata._asdict(),
                                   metadata_group=compiled.metadata_group, times=times, cache_hit=False)


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles an `ASTSource` for a target, the active device by default."""
    if not isinstance(src, ASTSource):
        return IRSource(src)
    if target is None:
        from ..runtime.driver import driver
        target = driver.active.get_current_target()
    assert isinstance(target, GPUTarget), f"`target` must be a GPUTarget, got {target!r}"
    from ..runtime.jit import compile_source
    return compile_source(src, target, dict(options or {}))


def make_backend(target):
    """The compiler of a target, as code that asks for its options and hash uses it."""
    from ..backends import backends
    for backend in backends.values():
        if backend.compiler.supports_target(target):
            return backend.compiler(target)
    raise RuntimeError(f"0 compatible backends for target ({target.backend}). There should only be one.")
