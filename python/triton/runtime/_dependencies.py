"""`DependenciesFinder`, by which tools around Triton (triton-dejavu) name the text of a kernel and of all functions that it calls."""
import ast
import hashlib


class DependenciesFinder(ast.NodeVisitor):
    """Visits the syntax tree of a kernel; then `ret` is a digest of its text and of the jit functions that its names stand for, and `used_global_vals`
    has the other globals that it reads. Our own compiler asks `cache_key`."""

    def __init__(self, name, globals, nonlocals=None, src=""):
        self.name, self.globals, self.nonlocals = name, globals, nonlocals or {}
        self.hasher = hashlib.sha256(src.encode())
        self.used_global_vals, self.local_names = {}, set()

    @property
    def ret(self):
        return self.hasher.hexdigest()

    def _record(self, value, name, scope):
        from ._callable import JITCallable
        if isinstance(value, JITCallable):
            self.hasher.update(value.cache_key.encode())
        elif value is not None and scope is self.globals and not hasattr(value, "__triton_builtin__") and type(value).__name__ != "module":
            self.used_global_vals[name, id(scope)] = value, scope

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Store) or node.id in self.local_names:
            return None
        for scope in (self.globals, self.nonlocals):
            if node.id in scope:
                self._record(scope[node.id], node.id, scope)
                return scope[node.id]
        return None

    def visit_Attribute(self, node):
        owner = self.visit(node.value)
        if owner is None or getattr(owner, "__name__", "").startswith("triton"):
            return None
        value = getattr(owner, node.attr, None)
        self._record(value, node.attr, None)
        return value

    def visit_FunctionDef(self, node):
        self.local_names = {argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
        self.generic_visit(node)
