"""Scopes inside of kernels. On the processor a profile has the time of each, for every program; on a GPU they mark nothing."""
from ..language._builtin import define_functions

define_functions(globals(), """
enter_scope(name) | A named part of the kernel begins.
exit_scope(name) | A named part of the kernel ends.
scope(name) | In a `with` statement: its body is a named part of the kernel.
""")


def enable_semantic(semantic_name):
    """Scopes in kernels of `triton.language` are always allowed."""


def disable_semantic(semantic_name):
    """They stay allowed: where nobody profiles, a scope costs a kernel a load and a branch on the processor, and nothing on a GPU."""
