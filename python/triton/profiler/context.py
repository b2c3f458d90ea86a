"""Where in the call tree the program is."""
from . import _core
from .flags import flags


def depth(session=0):
    """How many scopes (in the context `python`: calls) are open; None while nothing is profiled."""
    return _core.get_context_depth(session) if flags.profiling_on else None
