"""Which names of `triton` a Python file uses: its imports, attribute chains, keywords of calls, and names in the code it writes.

`uses_of(path)` yields `Use`s. A name is found through the file's imports (`import triton.language as tl`) and through plain
assignments of names that were found so (`dtype = tl.float32`); scopes are not told apart, which is how kernels are written.
"""
import ast
import re
import warnings
from collections import namedtuple

# `name` is dotted, or a function's with a keyword: `triton.language.dot(allow_tf32=)`.
Use = namedtuple("Use", "name line")

# Inductor has a `config.triton`: in text only names of modules are taken for ours.
_IN_TEXT = re.compile(r"(?<![\w.])(tl|triton\.(?:language|runtime|compiler|backends|testing|knobs))((?:\.[A-Za-z_]\w*)+)")
_IMPORT_IN_TEXT = re.compile(r"^\s*from\s+(triton(?:\.[\w.]+)?)\s+import\s+([\w, ]+)", re.MULTILINE)
# A caller that compiles by hand passes these; they are no part of a function's interface.
_COMPILER_KEYWORDS = {"_semantic", "_generator", "_builder"}


def dotted(node):
    """`a.b.c` as a list of names, or None."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else None


class _Reader(ast.NodeVisitor):

    def __init__(self):
        self.aliases = {}
        self.found = []

    def add(self, name, line):
        self.found.append(Use(name, line))

    def name_of(self, node):
        """The full name of what an expression stands for, where it is of triton."""
        names = dotted(node)
        if names is None or names[0] not in self.aliases:
            return None
        return ".".join([self.aliases[names[0]], *names[1:]])

    def visit_Import(self, node):
        for item in node.names:
            if item.name.split(".")[0] == "triton":
                self.aliases[item.asname or "triton"] = item.name if item.asname else "triton"
                self.add(item.name, node.lineno)

    def visit_ImportFrom(self, node):
        if node.level or (node.module or "").split(".")[0] != "triton":
            return
        for item in node.names:
            if item.name == "*":
                self.add(node.module, node.lineno)
                continue
            self.aliases[item.asname or item.name] = f"{node.module}.{item.name}"
            self.add(f"{node.module}.{item.name}", node.lineno)

    def visit_Attribute(self, node):
        name = self.name_of(node)
        if name is None:
            self.generic_visit(node)
        else:
            self.add(name, node.lineno)

    def visit_Call(self, node):
        name = self.name_of(node.func)
        asked = [argument.value for argument in node.args[1:2] if isinstance(argument, ast.Constant) and isinstance(argument.value, str)]
        if isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr") and asked and self.name_of(node.args[0]):
            self.add(f"{self.name_of(node.args[0])}.{asked[0]}", node.lineno)
        for keyword in node.keywords:
            if name and keyword.arg and keyword.arg not in _COMPILER_KEYWORDS:
                self.add(f"{name}({keyword.arg}=)", node.lineno)
        self.generic_visit(node)

    def visit_Constant(self, node):
        """Code that the file writes into strings (Inductor's templates), which imports triton under its usual names."""
        if not isinstance(node.value, str) or "." not in node.value:
            return
        line = node.lineno
        for match in _IN_TEXT.finditer(node.value):
            root = "triton.language" if match.group(1) == "tl" else match.group(1)
            self.add(root + match.group(2), line + node.value.count("\n", 0, match.start()))
        for match in _IMPORT_IN_TEXT.finditer(node.value):
            for name in match.group(2).replace(",", " ").split():
                self.add(f"{match.group(1)}.{name}", line + node.value.count("\n", 0, match.start()))


class _Aliases(ast.NodeVisitor):
    """Assignments of a name of triton to a plain name; run before the reading, since functions are read where they stand."""

    def __init__(self, reader):
        self.reader = reader
        self.changed = False

    def visit_Assign(self, node):
        name = self.reader.name_of(node.value)
        target = node.targets[0]
        if name and len(node.targets) == 1 and isinstance(target, ast.Name) and target.id not in self.reader.aliases:
            self.reader.aliases[target.id] = name
            self.changed = True


def uses_of(path):
    """All uses of triton in a file; none where it is not Python."""
    with open(path, errors="replace") as file:
        text = file.read()
    if "triton" not in text and "tl." not in text:
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in strings, which are not ours to mend
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    reader = _Reader()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            reader.visit_Import(node)
        elif isinstance(node, ast.ImportFrom):
            reader.visit_ImportFrom(node)
    reader.found.clear()
    aliases = _Aliases(reader)
    aliases.visit(tree)
    while aliases.changed:
        aliases.changed = False
        aliases.visit(tree)
    reader.visit(tree)
    return reader.found
