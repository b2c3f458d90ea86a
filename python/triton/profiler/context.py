"""Where in the tree of scopes the program is."""
from .flags import flags


def depth(session=0):
    """How many scopes are open; None while nothing is profiled."""
    from . import _entered
    return len(_entered) if flags.profiling_on else None
