"""kernel_times.py: records the device time of every kernel that a program launches, through whichever `triton` it imports.

`install(recorder)` before the program runs. Each launch whose function, argument types, shapes, strides and constants were not seen before runs
as it would; then copies of its arguments are launched again, each time after the L2 cache was overwritten, and the median counts. A lock keeps processes from measuring at the same time."""
import contextlib
import fcntl
import re
import statistics
import time

import torch

REPETITIONS = 9
SHORT_REPETITIONS = 31  # of kernels that take a few microseconds, whose times scatter
SHORT = 50  # microseconds
AHEAD_CYCLES = 1_000_000  # that the GPU waits before a launch, so that the host's time does not show
CACHE_BYTES = 256 << 20
MOST_BYTES = 8 << 30  # of arguments: more is not copied


class Recorder:

    def __init__(self, lock=None, must_time=True):
        self.rows, self.lock, self.must_time, self.is_on, self.is_inside = {}, lock, must_time, False, False
        self.cache, self.values = None, None  # values: what the program computed, where it says so

    @contextlib.contextmanager
    def alone(self):
        """While no other process measures."""
        if self.lock is None:
            yield
            return
        with open(self.lock, "a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @contextlib.contextmanager
    def on(self):
        """While launches are recorded."""
        self.is_on = True
        yield
        self.is_on = False

    def compiling(self):
        """While a program makes itself ready: its launches are recorded if what counts is how long they take to compile."""
        return contextlib.nullcontext() if self.must_time else self.on()

    def launch(self, name, run, args, kwargs):
        """What a launch through `run` does, measured if it is the first of its kind."""
        if not self.is_on or self.is_inside:
            return run(*args, **kwargs)
        key = name + " " + ", ".join(map(describe, args)) + "".join(f", {k}={describe(v)}" for k, v in sorted(kwargs.items()) if k not in ("stream", "warmup"))
        if key in self.rows:
            return run(*args, **kwargs)
        self.is_inside = True
        try:
            copied = Copies()
            again = None
            if self.must_time and not is_empty(kwargs.get("grid")) and copied.fits(args, kwargs):
                again = ([copied.of(each) for each in args], {k: copied.of(v) for k, v in kwargs.items()})
            begin = time.perf_counter()
            result = run(*args, **kwargs)
            row = self.rows[key] = {"name": name, "first": time.perf_counter() - begin}
            if again:
                row["us"] = self.time(lambda: run(*again[0], **again[1]))
            return result
        finally:
            self.is_inside = False

    def time(self, call):
        if self.cache is None:
            self.cache = torch.empty(CACHE_BYTES, dtype=torch.int8, device="cuda")
        call()
        torch.cuda.synchronize()
        found = self.times_of(call, REPETITIONS)
        return found if found > SHORT else self.times_of(call, SHORT_REPETITIONS)

    def times_of(self, call, repetitions):
        """The median in microseconds."""
        events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(repetitions)]
        for start, end in events:
            self.cache.zero_()
            torch.cuda._sleep(AHEAD_CYCLES)
            start.record()
            call()
            end.record()
        torch.cuda.synchronize()
        return 1000 * statistics.median(start.elapsed_time(end) for start, end in events)


class Copies:
    """Copies of arguments that share memory where the originals do."""

    def __init__(self):
        self.storages = {}

    def fits(self, args, kwargs):
        sizes = {each.untyped_storage().data_ptr(): each.untyped_storage().nbytes() for each in (*args, *kwargs.values()) if isinstance(each, torch.Tensor)}
        return sum(sizes.values()) < MOST_BYTES

    def of(self, value):
        if isinstance(value, torch.Tensor) and value.is_cuda:
            storage = value.untyped_storage()
            if storage.data_ptr() not in self.storages:
                self.storages[storage.data_ptr()] = storage.clone()
            with torch.no_grad():
                return torch.empty(0, dtype=value.dtype, device=value.device).set_(self.storages[storage.data_ptr()], value.storage_offset(), value.size(), value.stride())
        if type(value).__name__ == "TensorDescriptor":
            import copy
            other = copy.copy(value)
            other.base = self.of(value.base)
            return other
        return value


def is_empty(grid):
    """Whether there are no programs to time: what is left is the time of two events."""
    return isinstance(grid, (tuple, list)) and 0 in grid


def describe(value):
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}{list(value.stride())}"
    if type(value).__name__ == "TensorDescriptor":
        return f"descriptor of {describe(value.base)} {value.block_shape}"
    if callable(value):
        return getattr(value, "__name__", "function")
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))


def install(recorder):
    """Everything that a program launches through `triton` goes by the recorder from now on."""
    from triton.runtime.jit import JITFunction
    record(JITFunction, recorder)
    return recorder


def record(launcher, recorder):
    """The same for a class that launches by its `run`."""
    run = launcher.run

    def recorded(self, *args, **kwargs):
        return recorder.launch(self.fn.__name__, lambda *a, **k: run(self, *a, **k), args, kwargs)

    launcher.run = recorded


def record_compilation(launcher, recorder):
    """The time of what a class compiles by its `precompile`, ahead of all launches."""
    precompile = launcher.precompile

    def recorded(self, *args, **kwargs):
        begin = time.perf_counter()
        result = precompile(self, *args, **kwargs)
        name = self.fn.__name__
        recorder.rows.setdefault("compiled " + name, {"name": name, "first": time.perf_counter() - begin})
        return result

    launcher.precompile = recorded
