"""public_kernels.py: the Triton kernels of other people's checkouts, each as a small module that nothing of theirs runs in.

Kernels are found in .py files, in strings inside of them, in cells of notebooks, in fences of Markdown and in strings of JSON. Of a file only what a kernel names is
taken: jit functions, constants that are plain expressions, imports of Triton and of Python's own modules; what its file imports from the rest of its checkout is looked for
there by name. So no program is run, and a module is the smallest one that shows what its kernel does."""
import ast
import builtins
import glob
import json
import os
import re
import textwrap
import warnings

WORD = "triton.jit"
IMPORTED = {"triton", "math", "torch", "typing", "numpy", "os", "functools", "__future__", "enum", "dataclasses"}
CALLED = re.compile(r"(tl|triton|triton\.language|math)\.(constexpr|cdiv|next_power_of_2|language\.constexpr|dtype|log|sqrt|log2|exp|ceil|floor)$"
                    r"|os\.environ\.get$|os\.getenv$|(hasattr|getattr|int|float|bool|str|min|max|len|abs|round|tuple|constexpr)$|torch\.finfo$|tl\.[a-z]+\d+$")  # yapf: disable
PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Name, ast.Attribute, ast.Call, ast.keyword,
         ast.Subscript, ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context)  # yapf: disable


def texts(path):
    """The Python programs in a file that have kernels in them."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if WORD not in text and "import jit" not in text:
        return []
    if path.endswith(".py"):
        tree = parse(text)
        inner = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)] if tree else []
        return [text, *programs_in(inner)]
    if path.endswith(".ipynb"):
        return cells(text)
    if path.endswith((".json", ".jsonl")):
        return programs_in(strings_in(text))
    return fences(text)


def parse(text):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def fences(text):
    return [textwrap.dedent(block) for block in re.findall(r"^[ \t]*```[^\n]*\n(.*?)^[ \t]*```", text, re.DOTALL | re.MULTILINE) if WORD in block]


def cells(text):
    """A notebook as one program, without its commands of the shell."""
    try:
        found = json.loads(text).get("cells", [])
    except (ValueError, AttributeError):
        return []
    cells = ["".join(cell.get("source", [])) for cell in found if cell.get("cell_type") == "code"]
    cells = ["\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in cell.split("\n")) for cell in cells]
    return ["\n\n".join(cell for cell in cells if parse(cell))]


def strings_in(text):
    """All strings of a JSON file, or of each line that is one."""
    values = []
    for piece in (text, *text.split("\n")):
        try:
            values.append(json.loads(piece))
        except (ValueError, RecursionError):
            continue
        if piece is text:
            break
    found = []
    while values:
        value = values.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, (list, dict)):
            values += value.values() if isinstance(value, dict) else value
    return found


def programs_in(strings):
    found = []
    for text in strings:
        if WORD in text and "def " in text:
            found += fences(text) or [textwrap.dedent(text)]
    return found


def is_jit(node):
    return isinstance(node, ast.FunctionDef) and jit_decorator(node) is not None


def jit_decorator(node):
    """How the function is made a kernel, if it is: `triton.jit`, or with its arguments."""
    for each in node.decorator_list:
        name = ast.unparse(each.func if isinstance(each, ast.Call) else each)
        if name in ("triton.jit", "jit", "tl.jit", "triton.language.jit", "tr.jit"):
            if isinstance(each, ast.Call):  # what it tells the launcher names other functions
                each.keywords = [keyword for keyword in each.keywords if keyword.arg not in ("launch_metadata", "repr") and is_plain(keyword.value)]
            return ast.unparse(each)
    return None


def is_plain(node):
    """Whether an expression only computes: what makes a constant."""
    for each in ast.walk(node):
        if not isinstance(each, PLAIN) or (isinstance(each, ast.Call) and not CALLED.match(ast.unparse(each.func))):
            return False
    return True


class File:
    """What a program defines for kernels: {name: source} and what each name takes."""

    def __init__(self, text, origin):
        self.origin, self.text, self.tree = origin, text, parse(text)
        self.sources, self.nodes, self.order = {}, {}, []
        for node in self.tree.body if self.tree else []:
            self.add(node)
        for node in ast.walk(self.tree) if self.tree else []:  # kernels inside of functions and classes
            if is_jit(node) and node.name not in self.sources:
                self.add(node)

    def add(self, node):
        if is_jit(node):
            self.put(node, [node.name], self.function(node, jit_decorator(node)))
        elif isinstance(node, ast.FunctionDef) and any(re.search(r"constexpr(_function)?$", ast.unparse(each)) for each in node.decorator_list):
            self.put(node, [node.name], self.function(node, ast.unparse(node.decorator_list[0])))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            if not getattr(node, "level", 0) and all(module.split(".")[0] in IMPORTED for module in modules):
                self.put(node, bound(node), guarded(ast.unparse(node)))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value and is_plain(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if all(isinstance(target, ast.Name) for target in targets):
                self.put(node, bound(node), guarded(ast.unparse(node)))
        elif isinstance(node, (ast.If, ast.Try)):  # what a name is, by version: the first that can be has the last word
            for inner in [*node.body, *(each for handler in getattr(node, "handlers", []) for each in handler.body), *node.orelse]:
                before = {name: self.sources[name] for name in bound(inner) if name in self.sources}
                if not before or not isinstance(inner, ast.FunctionDef):
                    self.add(inner)
                for name, source in before.items():
                    if source not in self.sources[name]:
                        self.sources[name] += source

    def put(self, node, names, source):
        for name in names:
            if name in self.order:
                self.order.remove(name)
            self.order.append(name)
            self.sources[name], self.nodes[name] = source, node

    def function(self, node, decorator):
        lines = self.text.split("\n")[node.lineno - 1:node.end_lineno]
        return "@" + decorator + "\n" + textwrap.dedent("\n".join(lines)).rstrip() + "\n"

    def kernels(self):
        """Names of jit functions that no other one calls and that return nothing."""
        jitted = [name for name in self.order if is_jit(self.nodes[name])]
        called = {each.func.id for name in jitted for each in ast.walk(self.nodes[name]) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)}
        return [name for name in jitted if name not in called and not any(isinstance(each, ast.Return) and each.value for each in ast.walk(self.nodes[name]))]


def bound(node):
    """The names that a statement defines."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def guarded(source):
    return f"try:\n    {source}\nexcept Exception:\n    pass\n"


def names_in(node):
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


class Checkout:
    """A folder of other people's files."""

    def __init__(self, folder, seen=None):
        self.folder = os.path.abspath(folder)
        self.seen = seen if seen is not None else set()
        paths = sorted(path for path in glob.glob(os.path.join(self.folder, "**", "*"), recursive=True)
                       if path.endswith((".py", ".ipynb", ".md", ".json", ".jsonl", ".txt", ".rst")) and os.path.isfile(path) and os.path.getsize(path) < 32 << 20)
        self.files = []
        self.broken = 0
        for path in paths:
            for text in texts(path):
                file = File(text, os.path.relpath(path, self.folder))
                self.broken += file.tree is None
                if file.sources:
                    self.files.append(file)
        self.shared = {}
        for file in self.files:
            for name, node in file.nodes.items():
                if isinstance(node, (ast.FunctionDef, ast.Assign)):
                    self.shared.setdefault(name, file)

    def kernels(self):
        """(origin, name, module text, text of the file) of each kernel that was not there before."""
        for file in self.files:
            for name in file.kernels():
                key = ast.dump(file.nodes[name])
                if key not in self.seen:
                    self.seen.add(key)
                    yield file.origin, name, self.module(file, name), file.text

    def module(self, file, kernel):
        """Everything that a kernel names, in the order of definition, behind Triton's usual imports."""
        wanted, pieces, queue = set(), {}, [(file, kernel)]
        while queue:
            place, name = queue.pop()
            if name in wanted or (name not in place.sources and (name not in self.shared or hasattr(builtins, name))):
                continue
            place = place if name in place.sources else self.shared[name]
            wanted.add(name)
            pieces[(place is file, place.origin, place.order.index(name))] = place.sources[name]
            queue += [(place, each) for each in names_in(place.nodes[name])]
        imports = [source for source in pieces.values() if re.match(r"(try:\n\s+)?(import|from) ", source)]
        others = [source for key, source in sorted(pieces.items()) if source not in imports]
        return "\n".join(dict.fromkeys(["import triton\nimport triton.language as tl\n", *imports, *others]))
