"""What hooks of the user are told of a compilation, and how its description brings the same code back (`preload`)."""

from threading import local


class JitFunctionInfo:
    """The function that is compiled, for hooks."""

    def __init__(self, module, name, jit_function):
        self.module, self.name, self.jit_function = module, name, jit_function


class KernelCache(dict):
    """Compiled kernels by key; clearing it makes the function compile again."""

    def __init__(self, function):
        super().__init__()
        self._function = function

    def clear(self):
        super().clear()
        _begin_again(self._function)


def _begin_again(function):
    """Compiles anew from now on, as the environment is now."""
    from .jit import knobs_changed
    function._forget()
    knobs_changed()


class DeviceCaches(dict):
    """One tuple per device, as `create_binder` makes it, whose first item is its `KernelCache`."""

    def __init__(self, function):
        super().__init__()
        self._function = function

    def __missing__(self, device):
        if device == "cpu":  # torch's name of the processor, whose number is 0
            return self[0]
        _, keys, target, backend, binder = self._function.create_binder()
        self[device] = (KernelCache(self._function), keys, target, backend, binder)
        return self[device]

    def clear(self):
        super().clear()
        _begin_again(self._function)


def signature_of(function, arguments):
    """(types by parameter, constants by path, alignment by path) of one call."""
    from ..backends.compiler import BaseBackend
    from ._specialization import as_argument, specialization_of
    types, constants, attributes = {}, {}, {}

    def describe(path, kind, key, value):
        if isinstance(kind, tuple):
            return tuple(describe((*path, i), *parts) for i, parts in enumerate(zip(kind, key, value)))
        if kind == "constexpr":
            constants[path] = as_argument(value)
        elif key:
            attributes[path] = BaseBackend.parse_attr(key)
        return kind

    for parameter in function.params:
        if parameter.name in arguments:
            value = arguments[parameter.name]
            kind, key = specialization_of(BaseBackend, parameter, value)
            types[parameter.name] = describe((parameter.num, ), kind, key, value)
    return types, constants, attributes


def _to_json(value):
    name = type(value).__name__
    if name == "constexpr":
        return {"constexpr": _to_json(value.value)}
    if name == "dtype":
        return {"dtype": str(value).rpartition(".")[2]}
    if hasattr(value, "_fn_name"):
        return {"jit_function": value._fn_name}
    return value


def _from_json(value):
    from ..language import core
    if isinstance(value, dict) and "constexpr" in value:
        return core.constexpr(_from_json(value["constexpr"]))
    if isinstance(value, dict) and "dtype" in value:
        return core.dtype(value["dtype"])
    return tuple(map(_from_json, value)) if isinstance(value, list) else value


def serialize_specialization_data(name, signature, constants, attrs, options, key):
    """All of a compilation as JSON."""
    import json
    return json.dumps({
        "name": name, "signature": signature, "constant_keys": list(map(list, constants)),
        "constant_vals": [_to_json(value) for value in constants.values()], "attrs_keys": list(map(list, attrs)),
        "attrs_vals": list(attrs.values()), "options": options if isinstance(options, dict) else vars(options), "key": key})  # yapf: disable


def call_compile_hooks(function, key, arguments, options, is_warmup):
    """Tells the hooks of the user that a function was compiled."""
    from .. import knobs
    from . import jit
    hooks = [hook for hook in (knobs.runtime.jit_cache_hook, knobs.runtime.jit_post_compile_hook) if hook is not None]
    if not hooks:
        return
    types, constants, attributes = signature_of(function, arguments)
    about = {"key": key, "signature": types, "device": 0, "constants": constants, **options, "configs": [attributes],
             # Through the module: programs put a function of their own there.
             "specialization_data": jit.serialize_specialization_data(function._fn_name, types, constants, attributes, options, key),
             "is_warmup": is_warmup}  # yapf: disable
    settings = ", ".join(f"{name}={value}" for name, value in options.items() if name != "extern_libs")
    named = ", ".join(f"{name}: {kind}" for name, kind in types.items())
    text = f"{function.fn.__qualname__}[{settings}]({named})"
    for hook in hooks:
        hook(key=key, repr=text, fn=JitFunctionInfo(function.fn.__module__, function.fn.__qualname__, function), compile=about,
             is_manual_warmup=is_warmup, already_compiled=False)


_background = local()  # `.compiled` of a thread that compiles for an `AsyncCompileMode`: what it made


def keep(function, device, key, compiled):
    """Enters a kernel into the cache of its function; one that was made in the background is entered when it is asked for."""
    made = getattr(_background, "compiled", None)
    if made is not None:
        made.append((device, key, compiled))
    else:
        function.device_caches[device][0][key] = compiled


def warm_up_later(mode, function, args, grid, kwargs):
    """Leaves a warm-up to the executor of an `AsyncCompileMode`; the same one is submitted once."""
    names = dict(zip(function.arg_names, args), **{name: value for name, value in kwargs.items() if name in function.arg_names})
    key = (function, str(signature_of(function, names)), str(sorted(kwargs.items(), key=lambda item: item[0])))
    made = []

    def compile():
        _background.compiled = made
        try:
            return function.run(*args, grid=grid, warmup=True, **kwargs)
        finally:
            _background.compiled = None

    def finalize(kernel):
        for device, name, compiled in made:
            function.device_caches[device][0][name] = compiled

    return mode.submit(key, compile, finalize)


def preload(function, specialization_data):
    """Compiles what a hook was told of, or finds it in the cache, as a launch would that has such arguments."""
    import json
    data = json.loads(specialization_data)
    if data["name"] != function._fn_name:
        raise RuntimeError(f"Specialization data is for {data['name']} but trying to preload for {function._fn_name}")
    signature = {name: _as_tuples(kind) for name, kind in data["signature"].items()}
    constants = dict(zip(map(tuple, data["constant_keys"]), map(_from_json, data["constant_vals"])))
    attributes = dict(zip(map(tuple, data["attrs_keys"]), data["attrs_vals"]))
    numbers = {parameter.name: parameter.num for parameter in function.params}
    try:
        arguments = {name: _argument(kind, (numbers[name], ), constants, attributes) for name, kind in signature.items()}
    except KeyError:  # a type that no argument is made up for
        from ..compiler.compiler import ASTSource, compile
        return compile(ASTSource(function, signature, constants, attributes), options=data["options"])
    options = {name: value for name, value in data["options"].items() if value}
    return function.run(grid=(1, ), warmup=True, **arguments, **options)


def _argument(kind, path, constants, attributes):
    """One that has this type and alignment; a KeyError where there is none."""
    from ..language import core
    from ._tensors import MockTensor
    if isinstance(kind, tuple):
        return tuple(_argument(part, (*path, i), constants, attributes) for i, part in enumerate(kind))
    if kind == "constexpr":
        return constants[path]
    is_aligned = any(name == "tt.divisibility" for name, _ in attributes.get(path, ()))
    if kind.startswith("*"):
        tensor = MockTensor(core.dtype(kind[1:]))
        if not is_aligned:
            tensor.data_ptr = lambda: 4
        return tensor
    if kind in ("fp16", "bf16", "fp32", "fp64"):
        return 0.5
    if kind == "i1":
        return True
    # Numbers of other widths come from annotations, which say the width of any.
    least = {"i8": 16, "i16": 16, "i32": 16, "i64": 1 << 40, "u8": 16, "u16": 16, "u32": 16, "u64": 1 << 63}[kind]
    return least if is_aligned else least + 3


def _as_tuples(kind):
    return tuple(map(_as_tuples, kind)) if isinstance(kind, list) else kind
