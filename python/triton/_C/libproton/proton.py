"""The functions of Proton's compiled library."""
from ...profiler._core import (activate, activate_all, add_metrics, deactivate, deactivate_all, enter_op, enter_scope, enter_state,  # noqa: F401
                               exit_op, exit_scope, exit_state, finalize, finalize_all, get_context_depth, record_scope, start)
