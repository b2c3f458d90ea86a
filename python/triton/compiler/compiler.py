"""Compiling kernels by hand (`triton.compile`), and what a compiled kernel is in Python."""
import os
import sys

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

    def make_ir(self, target, options, codegen_fns, module_map, context):
        """The kernel as ops, for programs that look through them."""
        from .._C import ir
        return ir.module(self, {})

    def argument_types(self):
        """(type, constant) of every parameter as the native side takes them: the type of a constant is None, a tuple's is a
        tuple of such pairs."""
        return [self._typed(self.signature.get(name, "constexpr"), (number, )) for number, name in enumerate(self.fn.arg_names)]

    def _typed(self, type, path):
        if isinstance(type, tuple):
            return tuple(self._typed(part, (*path, i)) for i, part in enumerate(type)), None
        if path in self.constants or type == "constexpr":
            return None, self.constants.get(path)
        attributes = dict(map(tuple, self.attrs.get(path, [])))
        return f"{type}:16" if attributes.get("tt.divisibility") == 16 else type, None


def _launched_types(pairs):
    """The types of arguments as launches need them: without what is known of their values."""
    return [tuple(_launched_types(kind)) if isinstance(kind, tuple) else kind and kind.partition(":")[0] for kind, _ in pairs]


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
    """The text of every stage of a compilation; some are made when they are first read."""

    def __init__(self, stages, fetch):
        super().__init__(stages if isinstance(stages, dict) else dict.fromkeys(stages))
        self._fetch = fetch

    def __reduce__(self):
        return AsmDict, (dict(self), self._fetch)

    def remarks(self):
        """Why loops and products for a GPU are not faster, each at its line."""
        return self._fetch("remarks")

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


class _Texts:
    """The stages of a source for a target, which the compiler writes when somebody reads them."""

    def __init__(self, src, target, options):
        self.src, self.target, self.options = src, target, options

    def __call__(self, stage):
        return self.src.fn._types_text(self.src.argument_types(), self.options, self.target, stage)


def metadata_tuple(values):
    """What is known about a compiled kernel, by attribute: a tuple with names, as pickles of other people expect it."""
    from collections import namedtuple
    return namedtuple("KernelMetadata", sorted(values))(**values)


class CompiledKernel:
    """A kernel, compiled for one set of argument types; `kernel[grid](*args)` launches it.

    It is made from the files of the cache, and holds all that they say: it can be pickled, and loaded in another process. The
    device is not touched before the first launch.
    """

    def __init__(self, src, metadata_group, hash):
        import json

        from ..runtime.driver import driver  # noqa: F401  (the module that names targets is loaded with it)
        parts = _read_sealed(metadata_group)
        metadata = json.loads(parts["json"])
        metadata["target"] = GPUTarget(**metadata["target"])
        self.src = src
        self.hash = hash
        self.metadata_group = metadata_group
        self._describe(metadata)
        self._code = parts["nereid"]
        texts = {stage: None for stage in ("ttir", "ttgir", "llir")}
        texts.update({stage: parts[stage] for stage in ("ptx", "cubin") if stage in parts})
        if "ptx" in texts:
            texts["ptx"] = texts["ptx"].decode()
        else:
            texts["asm"] = None
        self.asm = AsmDict(texts, _Texts(src, target_name(self.metadata.target), metadata["given_options"]))
        self.kernel = texts.get("cubin", self._code)
        self.module = self.function = self._run = None

    def _describe(self, metadata):
        self.metadata = metadata_tuple(metadata)
        self.packed_metadata = make_backend(self.metadata.target).pack_metadata(self.metadata)
        self.name = self.metadata.name

    def _load(self):
        """(module, function, registers, spills, most threads), and the function that launches."""
        from nereid import _native
        code = _native.Code(self._code, _launched_types(self.src.argument_types()))
        return code.load(), code.run

    def _init_handles(self):
        """Loads the code on the current device, once."""
        if self.module is not None:
            return
        about = (self.name, self.metadata_group, self.hash)
        knobs.runtime.kernel_load_start_hook(self.module, self.function, *about)
        (self.module, self.function, self.n_regs, self.n_spills, self.n_max_threads), self._run = self._load()
        knobs.runtime.kernel_load_end_hook(self.module, self.function, *about)

    @property
    def run(self):
        """Launches, in the order of arguments that Triton's launchers have: grid_0, grid_1, grid_2, stream, function,
        packed_metadata, launch_metadata, enter_hook, exit_hook, and one argument for each parameter."""
        if self._run is None:
            self._init_handles()
        return self._run

    def launch_metadata(self, grid, stream, *args):
        """What launch hooks get; None where there are none."""
        if not knobs.runtime.launch_enter_hook.calls and not knobs.runtime.launch_exit_hook.calls:
            return None
        self._init_handles()
        data = LazyDict({"name": self.name, "function": self.function, "stream": stream})
        function = getattr(self.src, "fn", None)
        if function is not None and getattr(function, "launch_metadata", None) is not None:
            data.add(function.launch_metadata, (grid, self.metadata, dict(zip(function.arg_names, args))))
        return data

    def __getitem__(self, grid):
        self._init_handles()
        if not grid or any(extent != 1 for extent in grid[3:]):
            raise ValueError(f"a grid has one to three extents, not {len(grid)}")
        grid = (*grid, 1, 1)[:3]

        def runner(*args, stream=None):
            if stream is None and self.metadata.target.backend == "cpu":
                stream = 0
            elif stream is None:
                from ..runtime.driver import driver
                stream = driver.active.get_current_stream(driver.active.get_current_device())
            hooks = knobs.runtime
            self.run(*grid, stream, self.function, self.packed_metadata, self.launch_metadata(grid, stream, *args),
                     hooks.launch_enter_hook, hooks.launch_exit_hook, *args)

        return runner


class LaunchedKernel(CompiledKernel):
    """A kernel that a launch compiled: its code stays with its function, whose `handle` says which one it is."""

    def __init__(self, src, handle, metadata, hash):
        self.src = src
        self.hash = hash
        self.metadata_group = {}
        self._describe({"shared": 0, "hash": hash, **metadata})
        self._handle = handle
        self.asm = AsmDict(handle.stages(), handle.stage)
        self.n_regs, self.n_spills, self.n_max_threads = handle.resources
        self.module = self.function = self._run = None

    @property
    def kernel(self):
        """The machine code."""
        return self.asm[list(self.asm)[-1]]

    def _load(self):
        return (*self._handle.addresses, *self._handle.resources), self._handle.run


_PARTS = "json", "nereid", "ptx", "cubin"  # the files of a kernel, of which those for a GPU may not be there


def _seal(parts):
    """The checksum of a kernel's files, which stands at the end of its code."""
    import hashlib
    sum = hashlib.sha256()
    for part in _PARTS:
        data = parts.get(part, b"")
        sum.update(len(data).to_bytes(8, "little") + data)
    return sum.digest()


def _read_sealed(group):
    """The bytes of a kernel's files in the cache, by the ends of their names. A disk that fails must not be seen in results."""
    from ..runtime.cache import Damaged, read_code
    files = {name.rpartition(".")[2]: path for name, path in group.items()}
    parts = {part: read_code(files[part]) for part in _PARTS if part in files}
    code, seal = parts["nereid"][:-32], parts["nereid"][-32:]
    parts["nereid"] = code
    if seal != _seal(parts):
        raise Damaged(f"`{files['nereid']}` and the files beside it are not what was written there: remove them, and compile again")
    return parts


def _write(manager, name, kernel_facts, code, metadata):
    """The files of a kernel in the cache: their paths by name."""
    import json
    text = json.dumps(metadata, default=lambda value: value._asdict() if hasattr(value, "_asdict") else str(value))
    given = {"json": text, "nereid": code, **{stage: kernel_facts[stage] for stage in ("ptx", "cubin") if kernel_facts.get(stage)}}
    parts = {part: data.encode() if isinstance(data, str) else data for part, data in given.items()}
    parts["nereid"] += _seal(parts)
    group = {f"{name}.{part}": manager.put(data, f"{name}.{part}") for part, data in parts.items()}
    manager.put_group(f"{name}.json", group)
    return group


def _tell_listener(kernel, is_cached):
    if knobs.compilation.listener:
        # One step from source to machine code, or one from the cache: its time is not told apart.
        times = knobs.CompileTimes(1, [] if is_cached else [(stage, 1) for stage in kernel.asm], 0 if is_cached else 1)
        knobs.compilation.listener(src=kernel.src, metadata=kernel.metadata._asdict(), metadata_group=kernel.metadata_group,
                                   times=times, cache_hit=is_cached)


def report_compilation(compiled, is_cached=False):
    """Writes the stages of a kernel where TRITON_KERNEL_DUMP asks for it, and tells the listener of the user."""
    if knobs.compilation.dump_ir:
        from ..runtime.cache import get_dump_manager
        folder = get_dump_manager(compiled.hash)
        for stage, text in compiled.asm.items():
            compiled.metadata_group[f"{compiled.name}.{stage}"] = folder.put(text, f"{compiled.name[:150]}.{stage}")
    _print_stages(compiled)
    _tell_listener(compiled, is_cached)


def wants_report():
    """Whether somebody asks for what was compiled: knobs, or variables that Triton's own compiler reads."""
    return bool(knobs.compilation.dump_ir or knobs.compilation.listener or knobs.nvidia.dump_nvptx or _DUMPS & os.environ.keys())


_DUMPS = {"MLIR_ENABLE_DUMP", "LLVM_IR_ENABLE_DUMP", "MLIR_ENABLE_DIAGNOSTICS"}


def _print_stages(compiled):
    """The IR of each stage on standard error, where MLIR_ENABLE_DUMP is 1 or names the kernel, and LLVM's with LLVM_IR_ENABLE_DUMP; the PTX on standard
    output with NVPTX_ENABLE_DUMP; with MLIR_ENABLE_DIAGNOSTICS=remarks why loops and products are not faster. Passes are not told apart: it is what goes into the next stage. Also of code from the cache, which lies in another
    folder than the one that people empty to see Triton's."""
    stages = list(compiled.asm)
    wanted = os.environ.get("MLIR_ENABLE_DUMP", "")
    shown = {"ttir", "ttgir"} if wanted == compiled.name or (wanted and wanted in knobs.TRUE_WORDS) else set()
    if knobs.getenv_bool("LLVM_IR_ENABLE_DUMP", False):
        shown.add("llir")
    for stage, following in zip(stages, stages[1:]):
        if stage in shown:
            print(f"// -----// IR Dump Before {following} ('builtin.module' operation: @{compiled.name}) //----- //\n{compiled.asm[stage]}", file=sys.stderr, flush=True)
    if "remarks" in os.environ.get("MLIR_ENABLE_DIAGNOSTICS", "").split(","):
        print(compiled.asm.remarks(), end="", file=sys.stderr, flush=True)
    if knobs.nvidia.dump_nvptx and "ptx" in compiled.asm:
        print(f"// -----// NVPTX Dump //----- //\n{compiled.asm['ptx']}", flush=True)


def target_name(target, arch=None):
    """The name of a target in the compiler: `cpu`, `sm_90a`."""
    if target.backend == "cpu":
        return "cpu"
    number = str(arch or target.arch).removeprefix("sm").removeprefix("_").rstrip("a")
    if not number.isdecimal():
        raise ValueError(f"the architecture of a CUDA target must look like 90 or `sm90`, got {arch or target.arch!r}")
    return f"sm_{number}{'a' if int(number) >= 90 else ''}"


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles an `ASTSource` for a target, the active device by default. Neither a device nor its driver is needed."""
    if not isinstance(src, ASTSource):
        return IRSource(src)
    if target is None:
        from ..runtime.driver import driver
        target = driver.active.get_current_target()
    assert isinstance(target, GPUTarget), f"`target` must be a GPUTarget, got {target!r}"
    from ..runtime.cache import Damaged, Distrusted, get_cache_key, get_cache_manager, overriding_file, private_manager
    from ..runtime._callable import digest
    backend = make_backend(target)
    given = {**(options or {}), **src.parse_options()}
    parsed = backend.parse_options(given)
    env_vars = _cache_variables() if _env_vars is None else _env_vars
    hash = digest(get_cache_key(src, backend, parsed, env_vars=env_vars))
    manager = get_cache_manager(hash)
    name = src.name[:150]
    group = manager.get_group(f"{name}.json") or {}
    for_compiler = backend.compiler_options(given)
    if knobs.compilation.override and (path := overriding_file(hash, name)):
        for_compiler.setdefault("ir_override", path)
    is_replaced = "ir_override" in for_compiler  # the file may have changed: it is read again
    if not knobs.compilation.always_compile and not is_replaced and f"{name}.json" in group and f"{name}.nereid" in group:
        try:
            kernel = CompiledKernel(src, group, hash)
            _print_stages(kernel)
            _tell_listener(kernel, True)
            return kernel
        except Distrusted:
            manager = private_manager(hash)
        except Damaged:
            pass  # it is written anew
    code, facts = src.fn._compile_types(src.argument_types(), for_compiler, target_name(target, parsed.__dict__.get("arch")))
    metadata = {"hash": hash, "target": target, **parsed.__dict__, **env_vars, "given_options": for_compiler,
                **backend.metadata_of(facts, parsed)}  # yapf: disable
    kernel = CompiledKernel(src, _write(manager, name, facts, code, metadata), hash)
    report_compilation(kernel)
    return kernel


def _cache_variables():
    from .._C.libtriton import get_cache_invalidating_env_vars
    return get_cache_invalidating_env_vars()


def make_backend(target):
    """The compiler of a target, as code that asks for its options and hash uses it."""
    from ..backends import backends
    for backend in backends.values():
        if backend.compiler.supports_target(target):
            return backend.compiler(target)
    raise RuntimeError(f"0 compatible backends for target ({target.backend}). There should only be one.")
