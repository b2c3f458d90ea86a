"""Errors of launching and tuning kernels."""
from ..errors import TritonError


class _MessageError(TritonError):
    """An error with one message, said after what it is about."""

    about = ""

    def __init__(self, error_message=None):
        super().__init__(error_message)
        self.error_message = error_message

    def __str__(self):
        return self.about + (self.error_message or "")


class InterpreterError(_MessageError):
    """A kernel cannot run in the interpreter."""


class PTXASError(_MessageError):
    """The assembler of the GPU refused the code."""

    about = "PTXAS error: "


class AutotunerError(_MessageError):
    """There is nothing to tune."""

    about = "Autotuner error: "


class OutOfResources(TritonError):
    """A kernel needs more of something than the device has."""

    def __init__(self, required, limit, name):
        super().__init__(required, limit, name)
        self.required, self.limit, self.name = required, limit, name

    def __str__(self):
        return (f"out of resource: {self.name}, Required: {self.required}, Hardware limit: {self.limit}. "
                "Smaller blocks or fewer `num_stages` need less.")
