"""nereid_test.py: launch kernels of libnereid on numpy arrays, in this process, for oracle tests.

    from nereid_test import launch, Typed, Checks
    launch("softmax.py", "softmax", {"out": out, "x": x, "n": n, "BLOCK": 1024}, grid=(rows,))

A numpy array is passed by its memory, so the kernel writes into it. numpy has no bf16 and no fp8: pass an array of uint16
or uint8 inside Typed(array, "bf16"); the functions *_from_float and *_to_float convert. A failed launch raises
NereidError with the rendered message.
"""
import ctypes
import os
import time

import numpy as np

_DTYPES = ["int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
           "fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16", "fp8e4b15", "fp16", "bf16", "fp32", "fp64"]
_NUMPY = {"bool": "int1", "float16": "fp16", "float32": "fp32", "float64": "fp64"}
_NONE, _INT, _UINT, _FLOAT, _BOOL, _STRING, _TENSOR, _DESCRIPTOR, _TUPLE, _EXPRESSION = range(10)

IS_CUDA = os.environ.get("NEREID_DEVICE", "").startswith("cuda")


class NereidError(Exception):
    """A launch or a load failed; `status` is 1 (a check failed), 2 (wrong input) or 3 (environment)."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Typed:
    """An array whose element type numpy does not know: Typed(uint16_array, "bf16")."""

    def __init__(self, array, dtype):
        self.array, self.dtype = array, dtype


class Expression(str):
    """A Python expression over the names of the kernel's module: Expression("tl.float16")."""


class Descriptor:
    """A tensor descriptor made by the host: an array (or Typed) and the block of one access."""

    def __init__(self, tensor, block):
        self.tensor, self.block = tensor, block


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64))]


class _Argument(ctypes.Structure):
    pass


_Argument._fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int32), ("item_count", ctypes.c_int32),
                      ("integer", ctypes.c_int64), ("number", ctypes.c_double), ("string", ctypes.c_char_p),
                      ("tensor", _Tensor), ("items", ctypes.POINTER(_Argument))]


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("check", ctypes.c_int32), ("grid", ctypes.c_int64 * 3),
                ("grid_expression", ctypes.c_char_p), ("device", ctypes.c_char_p), ("num_warps", ctypes.c_int32),
                ("num_stages", ctypes.c_int32), ("num_ctas", ctypes.c_int32), ("threads", ctypes.c_int32),
                ("shuffle", ctypes.c_int32), ("debug", ctypes.c_int32), ("shuffle_seed", ctypes.c_uint64),
                ("reachable", ctypes.POINTER(_Tensor)), ("reachable_count", ctypes.c_int32), ("asynchronous", ctypes.c_int32),
                ("stream", ctypes.c_void_p)]


def _load_library():
    build = os.environ.get("NEREID_BUILD") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build")
    library = ctypes.CDLL(os.environ.get("NEREID_LIBRARY") or os.path.join(build, "lib", "libnereid.so"))
    for name in ("nereid_last_error", "nereid_last_output", "nereid_version", "nereid_module_kernel_name"):
        getattr(library, name).restype = ctypes.c_char_p
    library.nereid_module_kernel_count.restype = ctypes.c_size_t
    library.nereid_module_kernel_name.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.nereid_module_parse.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
    library.nereid_launch.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Argument), ctypes.c_size_t, ctypes.POINTER(_Options)]
    library.nereid_compile.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Argument), ctypes.c_size_t, ctypes.POINTER(_Options),
                                       ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)]
    library.nereid_string_free.argtypes = [ctypes.c_void_p]
    assert library.nereid_abi_version() == 1
    return library


_library = None


def library():
    global _library
    if _library is None:
        _library = _load_library()
    return _library


def _check(status):
    if status:
        raise NereidError(status, library().nereid_last_error().decode("utf-8", "replace"))


class Module:
    """A kernel file, or kernel source given as text."""

    _cache = {}

    def __init__(self, path=None, text=None, name="kernel.py"):
        self.handle = ctypes.c_void_p()
        if text is not None:
            data = text.encode()
            _check(library().nereid_module_parse(name.encode(), data, len(data), ctypes.byref(self.handle)))
        else:
            _check(library().nereid_module_load(os.fspath(path).encode(), ctypes.byref(self.handle)))
        self.kernel_handles = {}

    @classmethod
    def load(cls, path):
        """Loads a file once for all launches of this process."""
        key = os.path.abspath(path)
        if key not in cls._cache:
            cls._cache[key] = cls(path)
        return cls._cache[key]

    def kernels(self):
        count = library().nereid_module_kernel_count(self.handle)
        return [library().nereid_module_kernel_name(self.handle, i).decode() for i in range(count)]

    def _kernel(self, name):
        if name not in self.kernel_handles:
            handle = ctypes.c_void_p()
            _check(library().nereid_module_kernel(self.handle, name.encode() if name else None, ctypes.byref(handle)))
            self.kernel_handles[name] = handle
        return self.kernel_handles[name]

    def launch(self, name, args, grid=(1,), check=False, debug=False, reachable=(), **options):
        """Runs a kernel; args is a dict (by name) or a list (by position). Returns what device_print wrote."""
        arguments, count, keep = _arguments(args)
        settings, kept = _options(grid, check, debug, reachable, options)
        _check(library().nereid_launch(self._kernel(name), arguments, count, ctypes.byref(settings)))
        del keep, kept
        return library().nereid_last_output().decode("utf-8", "replace")

    def compile(self, name, args, **options):
        """The text of the verified tile IR for these arguments."""
        arguments, count, keep = _arguments(args)
        settings, kept = _options((1,), False, False, (), options)
        text = ctypes.c_void_p()
        _check(library().nereid_compile(self._kernel(name), arguments, count, ctypes.byref(settings), b"tile", ctypes.byref(text)))
        result = ctypes.string_at(text).decode()
        library().nereid_string_free(text)
        return result


def launch(file, name, args, grid=(1,), constexprs=None, **options):
    """Runs kernel `name` of a file. `constexprs` are more arguments; grid is a tuple, or a Python expression as text."""
    merged = dict(args, **(constexprs or {})) if isinstance(args, dict) else args
    return Module.load(file).launch(name, merged, grid, **options)


def _tensor(value, keep):
    array, dtype = (value.array, value.dtype) if isinstance(value, Typed) else (value, None)
    if dtype is None:
        dtype = _NUMPY.get(array.dtype.name, array.dtype.name)
    if any(stride % array.itemsize for stride in array.strides):
        raise ValueError("strides must be whole elements")
    shape = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
    strides = (ctypes.c_int64 * max(1, array.ndim))(*(stride // array.itemsize for stride in array.strides))
    keep.extend([array, shape, strides])
    return _Tensor(array.ctypes.data, _DTYPES.index(dtype), array.ndim, shape, strides)


def _argument(name, value, keep):
    result = _Argument(name=name.encode() if name else None)
    if value is None:
        result.kind = _NONE
    elif isinstance(value, (bool, np.bool_)):
        result.kind, result.integer = _BOOL, bool(value)
    elif isinstance(value, (int, np.integer)):
        value = int(value)
        result.kind = _INT if value < 2**63 else _UINT
        result.integer = value if value < 2**63 else value - 2**64
    elif isinstance(value, (float, np.floating)):
        result.kind, result.number = _FLOAT, float(value)
    elif isinstance(value, str):
        result.kind, result.string = (_EXPRESSION if isinstance(value, Expression) else _STRING), value.encode()
    elif isinstance(value, Descriptor):
        result.kind, result.tensor = _DESCRIPTOR, _tensor(value.tensor, keep)
        _items(result, value.block, keep)
    elif isinstance(value, (tuple, list)):
        result.kind = _TUPLE
        _items(result, value, keep)
    else:
        result.kind, result.tensor = _TENSOR, _tensor(value, keep)
    return result


def _items(result, values, keep):
    items = (_Argument * max(1, len(values)))(*[_argument(None, value, keep) for value in values])
    keep.append(items)
    result.items, result.item_count = items, len(values)


def _arguments(args):
    keep = []
    pairs = list(args.items()) if isinstance(args, dict) else [(None, value) for value in args]
    array = (_Argument * max(1, len(pairs)))(*[_argument(name, value, keep) for name, value in pairs])
    return array, len(pairs), keep


def _options(grid, check, debug, reachable, options):
    keep = []
    settings = _Options(size=ctypes.sizeof(_Options), check=int(check), debug=int(debug))
    if isinstance(grid, str):
        settings.grid_expression = grid.encode()
    else:
        extents = (grid,) if isinstance(grid, int) else tuple(grid)
        # No programs are {0, 1, 1}: a last extent of 0 is what C fills up with.
        settings.grid = (ctypes.c_int64 * 3)(*((0, 1, 1) if 0 in extents else (extents + (1, 1, 1))[:3]))
    seed = options.pop("shuffle_seed", None)
    if seed is not None:
        settings.shuffle, settings.shuffle_seed = 1, seed
    device = options.pop("device", None)
    if device is not None:
        settings.device = device.encode()
    for key in ("num_warps", "num_stages", "num_ctas", "threads"):
        setattr(settings, key, options.pop(key, 0))
    settings.stream = options.pop("stream", None)
    if options:
        raise TypeError(f"unknown launch options: {', '.join(options)}")
    tensors = (_Tensor * max(1, len(reachable)))(*[_tensor(tensor, keep) for tensor in reachable])
    settings.reachable, settings.reachable_count = tensors, len(reachable)
    keep.append(tensors)
    return settings, keep


def bf16_from_float(values):
    """float32 to the bits of bf16 (uint16), rounded to nearest even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(np.asarray(values, np.float32)), np.uint16(0x7FC0), rounded)


def bf16_to_float(bits):
    return (np.ascontiguousarray(bits, np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)


_FP8 = {"fp8e4nv": (4, 7), "fp8e5": (5, 15), "fp8e4b8": (4, 8), "fp8e5b16": (5, 16), "fp8e4b15": (4, 15)}


def fp8_table(dtype):
    """The value of each of the 256 codes of an fp8 type, as float64."""
    exponent_bits, bias = _FP8[dtype]
    mantissa_bits = 7 - exponent_bits
    code = np.arange(256)
    exponent, mantissa = (code >> mantissa_bits) & (2**exponent_bits - 1), code & (2**mantissa_bits - 1)
    magnitude = np.where(exponent == 0, mantissa * 2.0 ** (1 - bias - mantissa_bits),
                         (1 + mantissa / 2.0**mantissa_bits) * 2.0 ** (exponent - float(bias)))
    value = np.where(code & 128, -magnitude, magnitude)
    if dtype == "fp8e4nv":
        value[[0x7F, 0xFF]] = np.nan
    elif dtype == "fp8e5":
        value[[0x7C, 0xFC]] = [np.inf, -np.inf]
        value[[0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF]] = np.nan
    elif dtype in ("fp8e4b8", "fp8e5b16"):
        value[0x80] = np.nan
    return value


def fp8_to_float(bits, dtype):
    return fp8_table(dtype)[np.asarray(bits, np.uint8)].astype(np.float32)


def fp8_from_float(values, dtype):
    """The nearest finite code of an fp8 type for each value (ties to the even code), saturating."""
    table = fp8_table(dtype)
    finite = np.flatnonzero(np.isfinite(table) & ((np.arange(256) != 0x80)))
    order = finite[np.argsort(table[finite], kind="stable")]
    numbers = table[order]
    flat = np.asarray(values, np.float64).ravel()
    high = np.clip(np.searchsorted(numbers, flat), 1, len(numbers) - 1)
    below, above = flat - numbers[high - 1], numbers[high] - flat
    take_high = (above < below) | ((above == below) & (order[high] % 2 == 0))
    return np.where(take_high, order[high], order[high - 1]).astype(np.uint8).reshape(np.shape(values))


class Checks:
    """Counts checks and prints what scripts/test reads: `RUN: NAME` before a test, `FAILED: NAME` and the total; exit status by `exit()`."""

    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, 0
        # Under a slow tool: one of so many tests is run, and a test is left alone when the time is over.
        self.every, self.seconds = int(os.environ.get("NEREID_TEST_EVERY", "1")), float(os.environ.get("NEREID_TEST_SECONDS", "inf"))
        self.begun, self.start = 0, time.monotonic()

    def expect(self, condition, what):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {what}", flush=True)
        return bool(condition)

    def close(self, actual, expected, what, rtol=1e-5, atol=1e-6):
        actual, expected = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
        if actual.shape != expected.shape:
            return self.expect(False, f"{what}: shape {actual.shape}, expected {expected.shape}")
        same = np.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=True)
        if same.all():
            return self.expect(True, what)
        at = tuple(np.argwhere(~same)[0])
        return self.expect(False, f"{what}: {np.count_nonzero(~same)} of {same.size} differ; at {at}: {actual[at]}, expected {expected[at]}")

    def equal(self, actual, expected, what):
        actual, expected = np.asarray(actual), np.asarray(expected)
        same = actual.shape == expected.shape and np.array_equal(actual, expected, equal_nan=actual.dtype.kind == "f")
        return self.expect(same, f"{what}: got {actual.ravel()[:8]}, expected {expected.ravel()[:8]}")

    def quotient(self, actual, expected, what, dtype):
        """A GPU divides fp32, in which narrower types are divided too, to 2 units in the last place, as Triton does; all others exactly."""
        units = {"fp32": 2 * 2.0**-23, "fp16": 2.0**-10, "bf16": 2.0**-7}
        if IS_CUDA and dtype in units:
            return self.close(actual, expected, what, rtol=units[dtype], atol=0)
        return self.equal(actual, expected, what)

    def run(self, what, function, *arguments, **keywords):
        """Calls a test function; an exception counts as a failure and does not end the program."""
        self.begun += 1
        if (self.begun - 1) % self.every or time.monotonic() - self.start > self.seconds:
            self.skipped += 1
            return None
        print(f"RUN: {what}", flush=True)
        try:
            return function(*arguments, **keywords)
        except Exception as problem:  # every failure of a test belongs in the total
            self.expect(False, f"{what}: {type(problem).__name__}: {problem}")
            return None

    def exit(self):
        if self.skipped and self.every > 1:
            print(f"skipped: one of {self.every} tests is run here")
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        raise SystemExit(1 if self.failed else 0)
