"""Who gives memory to kernels that ask for some beyond their arguments."""
from contextvars import ContextVar


class NullAllocator:
    """The allocator until `triton.set_allocator` is called: it has none."""

    def __call__(self, size, alignment, stream):
        raise RuntimeError("Kernel requires a runtime memory allocation, but no allocator was set. "
                           "Use triton.set_allocator to specify an allocator.")


_NULL_ALLOCATOR = NullAllocator()
_allocator = ContextVar("_allocator", default=_NULL_ALLOCATOR)


def set_allocator(allocator):
    """`allocator(size, alignment, stream)` is called for kernels that need memory of their own."""
    _allocator.set(allocator)


class _AllocatorWrapper:
    """One allocator for all threads, with the interface of a context variable."""

    def __init__(self, allocator):
        self._allocator = allocator

    def get(self):
        return self._allocator

    def set(self, allocator):
        self._allocator = allocator

    def __call__(self, size, alignment, stream):
        return self._allocator(size, alignment, stream)


_profile_allocator = _AllocatorWrapper(_NULL_ALLOCATOR)


def set_profile_allocator(allocator):
    _profile_allocator.set(_NULL_ALLOCATOR if allocator is None else allocator)
