"""Scopes inside of kernels."""
from ..language._builtin import define_functions

define_functions(globals(), """
enter_scope(name) | A named part of the kernel begins.
exit_scope(name) | A named part of the kernel ends.
scope(name) | In a `with` statement: its body is a named part of the kernel.
""")


def enable_semantic(semantic_name):
    """Scopes in kernels of `triton.language` are always allowed."""


def disable_semantic(semantic_name):
    """They stay allowed: a scope costs a kernel nothing."""
