"""Triton's profiler, Proton: its scopes can be entered and left; nothing is recorded."""
from contextlib import contextmanager


def start(name=None, **options):
    """A session: none is recorded."""
    return None


def finalize(session=None, **options):
    pass


activate = deactivate = finalize


@contextmanager
def scope(name, metrics=None):
    yield


cpu_timed_scope = scope


def enter_scope(name, **options):
    pass


exit_scope = enter_scope
