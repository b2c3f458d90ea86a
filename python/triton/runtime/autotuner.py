"""`autotune` and `heuristics`: kernels that choose their own meta-parameters."""
import time
from functools import cached_property
from types import FunctionType

from .. import knobs
from .config import Config
from .errors import AutotunerError, OutOfResources, PTXASError
from .jit import JITFunction, KernelInterface  # noqa: F401 (programs import all that Triton's module has)


def _zero(tensor):
    if hasattr(tensor, "zero_"):
        tensor.zero_()
    else:
        tensor[...] = 0  # numpy


def _copy_of(tensor):
    return tensor.clone() if hasattr(tensor, "clone") else tensor.copy()


def _assign(tensor, saved):
    if hasattr(tensor, "copy_"):
        tensor.copy_(saved)
    else:
        tensor[...] = saved


_GPU_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def _has_data(value):
    return hasattr(value, "data_ptr") or hasattr(value, "__array_struct__")


def _tensors(args, kwargs):
    """The tensors among the arguments, and those of descriptors."""
    values = (value if _has_data(value) else getattr(value, "base", None) for value in (*args, *kwargs.values()))
    return [value for value in values if _has_data(value)]


def _is_on_gpu(args, kwargs):
    return any(getattr(tensor, "is_cuda", False) is True for tensor in _tensors(args, kwargs))


def _is_on_cpu(args, kwargs):
    return bool(_tensors(args, kwargs)) and not _is_on_gpu(args, kwargs)


def _refuse_conflicts(given, config):
    conflicts = given.keys() & config.kwargs.keys()
    if conflicts:
        raise ValueError(f"Conflicting meta-parameters: {', '.join(sorted(conflicts))}. "
                         "The autotuner sets them; leave them out of the call.")


class Autotuner(KernelInterface):
    """A kernel that times its configs, once for each key, and launches with the fastest."""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero, restore_value, pre_hook=None, post_hook=None,
                 prune_configs_by=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
        self.fn = fn
        self.base_fn = fn
        while not isinstance(self.base_fn, FunctionType):
            self.base_fn = self.base_fn.fn
        self.__name__ = self.base_fn.__name__
        self.arg_names = arg_names
        if isinstance(configs, (dict, Config)):
            raise TypeError("`configs` of `triton.autotune` is a list: write `[triton.Config({\"BLOCK\": 64}), …]`")
        self.configs = configs or [Config({})]
        self.keys = key
        self.cache = {}
        self.cache_results = (cache_results or knobs.autotuning.cache) and not knobs.runtime.interpret
        self._set_hooks(reset_to_zero, restore_value, pre_hook, post_hook)
        prune = prune_configs_by or {}
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.num_warmups, self.num_reps, self.use_cuda_graph = warmup, rep, use_cuda_graph
        self._do_bench = do_bench
        if warmup is not None or rep is not None or use_cuda_graph:
            self._do_bench = self._older_bench()

    @cached_property
    def do_bench(self):
        if self._do_bench is not None:
            return self._do_bench
        from .driver import driver
        return driver.active.get_benchmarker()

    def _older_bench(self):
        import warnings
        from .. import testing
        warnings.warn("`warmup`, `rep` and `use_cuda_graph` of `triton.autotune` are deprecated: pass `do_bench`",
                      DeprecationWarning, stacklevel=4)
        rep = 100 if self.num_reps is None else self.num_reps
        if self.use_cuda_graph:
            return lambda call, quantiles: testing.do_bench_cudagraph(call, rep=rep, quantiles=quantiles)
        warmup = 25 if self.num_warmups is None else self.num_warmups
        return lambda call, quantiles: testing.do_bench(call, warmup=warmup, rep=rep, quantiles=quantiles)

    def _set_hooks(self, reset_to_zero, restore_value, pre_hook, post_hook):
        self.reset_to_zero = list(reset_to_zero or ())
        self.restore_value = list(restore_value or ())
        self.user_defined_pre_hook, self.user_defined_post_hook = bool(pre_hook), bool(post_hook)
        self.pre_hook = pre_hook or self._prepare_arguments
        self.post_hook = post_hook or self._restore_arguments
        self.restore_copies = {}

    def _prepare_arguments(self, kwargs, reset_only=False):
        for name in self.reset_to_zero:
            if kwargs[name] is not None:
                _zero(kwargs[name])
        if not reset_only:
            self.restore_copies = {name: _copy_of(kwargs[name]) for name in self.restore_value if kwargs[name] is not None}

    def _restore_arguments(self, kwargs, exception):
        for name, saved in self.restore_copies.items():
            _assign(kwargs[name], saved)
        self.restore_copies = {}

    def _bench(self, *args, config, **meta):
        """The times of one config; infinite where it does not fit the device or its assertions do not hold."""
        from ..compiler.errors import CompileTimeAssertionFailure
        if knobs.autotuning.print:
            print(f"Autotuning kernel {self.base_fn.__name__} with config {config}")
        _refuse_conflicts(meta, config)
        options = {**meta, **config.all_kwargs()}
        everything = {**self.nargs, **options}

        def launch():
            if config.pre_hook:
                config.pre_hook(everything)
            self.pre_hook(everything)
            try:
                self.fn.run(*args, **options)
            except Exception as error:
                self.post_hook(everything, exception=error)
                raise
            self.post_hook(everything, exception=None)

        try:
            return self.do_bench(launch, quantiles=(0.5, 0.2, 0.8))
        except (OutOfResources, CompileTimeAssertionFailure, PTXASError) as error:
            if knobs.autotuning.print:
                print(f"Autotuning failed with {error}")
            return [float("inf")] * 3

    def _tuning_key(self, kwargs):
        arguments = dict(self.nargs)
        for name, value in kwargs.items():
            if name in self.arg_names:
                arguments[name] = value
        key = [arguments[name] for name in self.keys if name in arguments]
        key += [str(value.dtype) for value in arguments.values() if hasattr(value, "dtype")]
        return tuple(key)

    def _prepare(self, configs, args, kwargs):
        """On a GPU all configurations are compiled at the same time, and then timed one by one."""
        for config in configs if _is_on_gpu(args, kwargs) else ():
            options = {**kwargs, **config.all_kwargs()}
            if config.pre_hook:
                config.pre_hook({**self.nargs, **options})
            self.fn.prepare(*args, **options)

    def _code_on_cpu(self, config):
        options = config.all_kwargs()
        return (config.pre_hook, *((name, repr(value)) for name, value in options.items()
                                   if name in self.arg_names or name not in _GPU_OPTIONS))

    def _tune(self, key, configs, args, kwargs):
        start = time.time()
        self._prepare(configs, args, kwargs)
        timings = {}
        times_of_code = {}
        on_cpu = _is_on_cpu(args, kwargs)
        for config in configs:
            # Warps and stages change nothing in code for the CPU: what is equal but for them is timed once.
            code = self._code_on_cpu(config) if on_cpu else config
            if code not in times_of_code:
                times_of_code[code] = self._bench(*args, config=config, **kwargs)
            timings[config] = times_of_code[code]
        self.bench_time = time.time() - start
        self._take(key, timings)
        self.pre_hook({**self.nargs, **kwargs, **self.cache[key].all_kwargs()}, reset_only=True)

    def _take(self, key, timings):
        self.cache[key] = min(timings, key=timings.get)
        self.configs_timings = timings

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        config = self.configs[0]
        if len(self.configs) > 1:
            key = self._tuning_key(kwargs)
            if key not in self.cache and not self._search(key, args, kwargs) and knobs.autotuning.print:
                print(f"Triton autotuning for function {self.base_fn.__name__},\nwith key as {key},\n"
                      f"finished after {self.bench_time:.2f}s,\nbest config selected: {self.cache[key]};")
            config = self.cache[key]
        self.best_config = config
        options = config.all_kwargs()
        _refuse_conflicts(kwargs, config)
        if config.pre_hook is not None:
            config.pre_hook({**self.nargs, **kwargs, **options})
        result = self.fn.run(*args, **kwargs, **options)
        self.nargs = None
        return result

    def _search(self, key, args, kwargs):
        """Fills the cache for a key; whether nothing was timed for it."""
        configs = self.prune_configs(kwargs)
        if len(configs) == 1:  # nothing to choose from
            self.cache[key] = configs[0]
            return True
        tune = lambda: self._tune(key, configs, args, kwargs)  # noqa: E731
        is_cached = self.check_disk_cache(key, configs, tune) if self.cache_results else bool(tune())
        if knobs.autotuning.listener is not None:
            knobs.autotuning.listener(fn=self._kernel(), key=key, best_config=self.cache[key], configs_timings=self.configs_timings,
                                      duration=None if is_cached else self.bench_time, cache_hit=is_cached)
        return is_cached

    def _kernel(self):
        """The jit function below the decorators."""
        kernel = self.fn
        while not hasattr(kernel, "cache_key"):
            kernel = kernel.fn
        return kernel

    def check_disk_cache(self, tuning_key, configs, bench_fn):
        """Takes the timings from the disk where they are; else measures and stores them."""
        if not tuning_key or any(config.pre_hook for config in configs):  # hooks cannot be stored
            bench_fn()
            return False
        import json
        from .cache import get_cache_manager
        cache = get_cache_manager(self._disk_key(tuning_key, configs))
        name = f"{self.base_fn.__name__[:150]}.autotune.json"
        path = cache.get_file(name)
        if path:
            with open(path) as file:
                stored = json.load(file)["configs_timings"]
            self._take(tuning_key, {Config(**config): timing for config, timing in stored})
            return True
        bench_fn()
        timings = [(config.__dict__, timing) for config, timing in self.configs_timings.items()]
        cache.put(json.dumps({"key": tuning_key, "configs_timings": timings}), name, binary=False)
        return False

    def _disk_key(self, tuning_key, configs):
        import hashlib
        from .cache import triton_key
        from .driver import driver
        parts = [triton_key(), str(driver.active.get_current_target()), self._kernel().cache_key, str(tuning_key)]
        return hashlib.sha256("-".join(parts + [str(config) for config in configs]).encode()).hexdigest()

    def prune_configs(self, kwargs):
        """The configs to try: what the user's functions leave of them."""
        configs = self.configs
        if self.early_config_prune:
            configs = self.early_config_prune(self.configs, self.nargs, **kwargs)
            if not configs:
                raise AutotunerError("No valid autotuner configs after pruning. "
                                     "`early_config_prune` should return at least one config.")
        if self.perf_model:
            count = self._count_to_keep(len(configs))
            if len(configs) > count:
                estimate = lambda config: self.perf_model(**self.nargs, **kwargs, **config.all_kwargs())  # noqa: E731
                configs = sorted(configs, key=estimate)[:count]
        return configs

    def _count_to_keep(self, count):
        top_k = self.configs_top_k
        if isinstance(top_k, float) and top_k <= 1.0:
            return max(1, int(count * top_k))
        if not isinstance(top_k, int):
            raise TypeError("Error while pruning configs, top_k must be either 1) a float <= 1.0 or 2) an int, "
                            f"got {top_k!r}")
        return top_k

    def warmup(self, *args, **kwargs):
        """Compiles every config for these arguments."""
        self.nargs = dict(zip(self.arg_names, args))
        compiled = [self.fn.warmup(*args, **kwargs, **config.all_kwargs()) for config in self.prune_configs(kwargs)]
        self.nargs = None
        return compiled


def _parameters_of(fn, decorator):
    names = getattr(fn, "arg_names", None)
    if names is None:
        name = getattr(fn, "__name__", repr(fn))
        raise TypeError(f"`{name}` is not a kernel: write `@triton.jit` between `@triton.{decorator}(…)` and `def {name}`")
    return names


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None, post_hook=None,
             warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
    """Decorator: the kernel tries `configs` whenever the arguments named in `key` (or dtypes) are new, and keeps the fastest.

    Tuning launches the kernel many times: `reset_to_zero` and `restore_value` name the tensors that must not keep what
    those launches wrote. `prune_configs_by` has `early_config_prune(configs, named_args, **kwargs)`, `perf_model` and
    `top_k`. With TRITON_PRINT_AUTOTUNING=1 the choice is printed.
    """

    def decorate(fn):
        return Autotuner(fn, _parameters_of(fn, "autotune"), configs, key, reset_to_zero, restore_value, pre_hook, post_hook,
                         prune_configs_by, warmup, rep, use_cuda_graph, do_bench, cache_results)

    return decorate


class Heuristics(KernelInterface):
    """A kernel some of whose meta-parameters are computed from its arguments."""

    def __init__(self, fn, arg_names, values):
        self.fn = fn
        self.values = values
        self.arg_names = arg_names
        if hasattr(fn, "__name__"):
            self.__name__ = fn.__name__

    def _with_values(self, args, kwargs):
        named = dict(zip(self.arg_names, args))
        for name, compute in self.values.items():
            kwargs[name] = compute({**named, **kwargs})
        return kwargs

    def run(self, *args, **kwargs):
        return self.fn.run(*args, **self._with_values(args, kwargs))

    def warmup(self, *args, **kwargs):
        return self.fn.warmup(*args, **self._with_values(args, kwargs))

    def prepare(self, *args, **kwargs):
        return self.fn.prepare(*args, **self._with_values(args, kwargs))


def heuristics(values):
    """Decorator: `values` maps meta-parameters to functions of a dict of all arguments."""
    for name, compute in values.items():
        if not callable(compute):
            raise TypeError(f"`{name}` of `@triton.heuristics` is {compute!r}: write a function of the arguments, `lambda args: {compute!r}`")
    return lambda fn: Heuristics(fn, _parameters_of(fn, "heuristics"), values)


_ELSEWHERE = {"driver": "triton.runtime.driver", "get_cache_manager": "triton.runtime.cache", "triton_key": "triton.runtime.cache",
              "get_cache_invalidating_env_vars": "triton._C.libtriton"}  # yapf: disable


def __getattr__(name):
    if name not in _ELSEWHERE:
        raise AttributeError(f"module 'triton.runtime.autotuner' has no attribute '{name}'")
    from importlib import import_module
    return getattr(import_module(_ELSEWHERE[name]), name)
