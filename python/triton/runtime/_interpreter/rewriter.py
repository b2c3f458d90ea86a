"""The text of a kernel as a Python function.

What Python and the language read differently is changed, and nothing moves: lines and columns stay those of the file, so
that tracebacks and debuggers show it.

    x = 0              x = interpreter_semantic.to_tensor(0, False)
    a and b            elementwise where `a` is a block
    not a              the same
    for i in range(n)  `i` is a number of the run time
    max(a, b)          of tensors: tl.maximum
    assert x           holds for all elements
"""
import ast
import inspect
import types

from .._source import parse_source, source_of


def _helper(name, arguments):
    return ast.Call(func=ast.Attribute(value=ast.Name(id="interpreter_semantic", ctx=ast.Load()), attr=name, ctx=ast.Load()),
                    args=arguments, keywords=[])  # yapf: disable


def _read(name):
    return ast.Name(id=name, ctx=ast.Load())


class ASTTransformer(ast.NodeTransformer):
    _is_inside = False

    def visit_FunctionDef(self, node):
        if self._is_inside:
            return node  # a function in the kernel is Python's
        self._is_inside = True
        try:
            return self.generic_visit(node)
        finally:
            self._is_inside = False

    def visit_Assign(self, node):
        self.generic_visit(node)
        if all(isinstance(target, ast.Name) for target in node.targets):
            node.value = _helper("to_tensor", [node.value, ast.Constant(value=False)])
        elif all(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets):
            node.value = _helper("unpacked", [node.value])
        return node

    def visit_For(self, node):
        self.generic_visit(node)
        node.iter = _helper("loop", [node.iter])
        return node

    def visit_Assert(self, node):
        self.generic_visit(node)
        node.test = _helper("holds", [node.test])
        return node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return _helper("negated", [node.operand]) if isinstance(node.op, ast.Not) else node

    def visit_BoolOp(self, node):
        # `a and b`: (both(left, b) if goes_on(left := a) else left), so that `b` is only computed where it counts.
        self.generic_visit(node)
        word = "and" if isinstance(node.op, ast.And) else "or"
        result = node.values[0]
        for i, value in enumerate(node.values[1:]):
            left = f"_left_{node.lineno}_{node.col_offset}_{i}"
            kept = ast.NamedExpr(target=ast.Name(id=left, ctx=ast.Store()), value=result)
            result = ast.IfExp(test=_helper(f"goes_on_{word}", [kept]), body=_helper(f"joined_{word}", [_read(left), value]),
                               orelse=_read(left))  # yapf: disable
        return result

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
            node.args.insert(0, node.func)
            node.func = ast.Attribute(value=_read("interpreter_semantic"), attr="extremum", ctx=ast.Load())
        return node

    def _leave(self, node):
        return node  # its names are its own: nothing can be kept in a variable of the kernel

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda = _leave


class FunctionRewriter:
    """Makes the function that stands for a kernel; `kwargs` are names that its text may use besides its own."""

    ast_transformer = ASTTransformer()

    def __init__(self, fn, **kwargs):
        self.fn = fn
        self.kwargs = kwargs
        self.filename = fn.__code__.co_filename
        self.def_file_lineno = 0

    def rewrite_ast(self):
        try:
            lines, first, _, self.def_file_lineno = source_of(self.fn)
        except ValueError:
            return self.fn  # there is no text: it runs as it is
        return self._compile_and_exec(self._transform_ast(self._prepare_source(lines[self.def_file_lineno - first:])))

    def _prepare_source(self, lines):
        """The text from `def` on, at its own columns."""
        text = "".join(lines)
        indentation = len(lines[0]) - len(lines[0].lstrip())
        return f"if True:\n{text}" if indentation else f"\n{text}"

    def _transform_ast(self, src):
        tree = parse_source(src)
        outer = tree.body[0]
        definition = outer.body[0] if isinstance(outer, ast.If) else outer
        definition.decorator_list, definition.returns = [], None
        arguments = definition.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
            if argument is not None:
                argument.annotation = None
        # The values are those of the function, not computed again.
        arguments.defaults = [ast.Constant(value=None) for _ in arguments.defaults]
        arguments.kw_defaults = [value and ast.Constant(value=None) for value in arguments.kw_defaults]
        # While it is changed, `def` is on line 1: visualizers name loops by such lines.
        tree = ast.increment_lineno(ast.Module(body=[definition], type_ignores=[]), -1)
        tree = ast.fix_missing_locations(self.ast_transformer.visit(tree))
        return ast.increment_lineno(tree, self.def_file_lineno - 1)

    def _compile_and_exec(self, transformed_ast):
        from .semantic import interpreter_semantic
        fn, definition = self.fn, transformed_ast.body[0]
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
        own = {**self.kwargs, "interpreter_semantic": interpreter_semantic}
        # Inside of a function with these names as parameters they are captured, and the kernel's globals stay as they are.
        outer = parse_source("def outer(): pass").body[0]
        outer.args.args = [ast.arg(arg=name) for name in {**own, **cells}]
        outer.body = [definition, ast.Return(value=_read(definition.name))]
        tree = ast.fix_missing_locations(ast.Module(body=[outer], type_ignores=[]))
        scope = {}
        exec(compile(tree, self.filename, "exec", dont_inherit=True), fn.__globals__, scope)
        made = scope["outer"](**own, **{name: None for name in cells if name not in own})
        code = made.__code__
        if hasattr(code, "co_qualname"):
            code = code.replace(co_qualname=fn.__code__.co_qualname)
        captured = tuple(cells.get(name) or types.CellType(own[name]) for name in code.co_freevars)
        function = types.FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, captured)
        function.__kwdefaults__ = {**(made.__kwdefaults__ or {}), **(fn.__kwdefaults__ or {})} or None
        function.__annotations__ = inspect.get_annotations(fn)
        function.__qualname__, function.__module__, function.__doc__ = fn.__qualname__, fn.__module__, fn.__doc__
        return function
