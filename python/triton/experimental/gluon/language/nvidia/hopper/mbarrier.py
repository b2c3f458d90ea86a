"""Barriers in shared memory."""
from ......language._builtin import define_functions

define_functions(globals(), """
init(mbarrier, count) | Set up.
invalidate(mbarrier) | Give up.
expect(mbarrier, bytes, pred=True) | Announce bytes.
wait(mbarrier, phase, pred=True, deps=()) | Wait for a phase.
arrive(mbarrier, count=1, pred=True) | Arrive.
""")


class MBarrierLayout:
    """The layout of a barrier in shared memory."""

    def __init__(self, cga_layout=()):
        self.cga_layout = cga_layout
