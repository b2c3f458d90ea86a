"""Launches under the names, and with the metrics, that their kernels' `launch_metadata` gives."""
from contextvars import ContextVar

from .. import _core
from .hook import Hook

COMPUTE_METADATA_SCOPE_NAME = "__proton_launch_metadata"  # the state in which `launch_metadata` is asked: it may launch kernels, too

op_name = ContextVar("op_name", default=None)
id = ContextVar("id", default=None)


class LaunchHook(Hook):
    """One for all sessions."""

    priority = 100
    flops_width = [8, 16, 32, 64]
    metrics = [*(f"flops{width}" for width in flops_width), "bytes", "flops"]
    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def enter(self, metadata):
        _core.enter_state(COMPUTE_METADATA_SCOPE_NAME)
        try:
            about = metadata.get()
        finally:
            _core.exit_state()
        op_name.set(about["name"])
        id.set(_core.record_scope())
        _core.enter_op(id.get(), about["name"])
        _core.add_metrics(id.get(), {metric: about[metric] for metric in self.metrics if metric in about})

    def exit(self, metadata):
        _core.exit_op(id.get(), op_name.get())
