"""The class of every error that this package raises for kernels."""


class TritonError(Exception):
    """Base of all errors of Triton."""
