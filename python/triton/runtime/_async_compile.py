"""Compiling kernels in the background: in an `AsyncCompileMode`, warm-ups return at once."""
from contextvars import ContextVar

active_mode = ContextVar("async_compile_active_mode", default=None)


def _launches_changed():
    """While a mode is active, launches look what it has compiled."""
    from .jit import knobs_changed
    knobs_changed()


class FutureKernel:
    """A kernel that may still be compiling; `result` waits for it."""

    def __init__(self, finalize_compile, future):
        self.finalize_compile = finalize_compile
        self.future = future
        self.kernel = None

    def result(self, ignore_errors=False):
        if self.kernel is None:
            try:
                kernel = self.future.result()
            except Exception:
                if ignore_errors:
                    return None
                raise
            self.finalize_compile(kernel)
            self.kernel = kernel
        return self.kernel


class AsyncCompileMode:
    """In a `with` statement: compilations run on the executor, and are all done at the end of the statement."""

    def __init__(self, executor, *, ignore_errors=False):
        self.executor = executor
        self.ignore_errors = ignore_errors
        self.future_kernels = {}

    @property
    def raw_futures(self):
        return [kernel.future for kernel in self.future_kernels.values()]

    def submit(self, key, compile_fn, finalize_fn):
        if key not in self.future_kernels:
            self.future_kernels[key] = FutureKernel(finalize_fn, self.executor.submit(compile_fn))
        return self.future_kernels[key]

    def finish_done(self):
        """Enters what has been compiled by now into the caches of its functions."""
        for kernel in list(self.future_kernels.values()):
            if kernel.future.done():
                kernel.result(ignore_errors=True)

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("Another AsyncCompileMode is already active")
        active_mode.set(self)
        _launches_changed()
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        try:
            for kernel in list(self.future_kernels.values()):
                # After an error nobody waits for what has not begun: its executor may never run it.
                if exc_type is None or not kernel.future.cancel():
                    kernel.result(self.ignore_errors or exc_type is not None)
        finally:
            active_mode.set(None)
            _launches_changed()
