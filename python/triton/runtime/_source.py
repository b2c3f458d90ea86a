"""The text of a Python function: from its file, or from the text that `exec` or `python -c` was given."""
import sys
import threading


def source_of(fn):
    """The lines of a function with its decorators, the number of the first one, its text from `def` on, and that line's number."""
    import inspect
    import re
    import textwrap
    lines = None
    # Every text that `exec` runs has the name <string>: the lines that Python has under it may be another's.
    if getattr(getattr(fn, "__code__", None), "co_filename", "") != "<string>":
        try:
            lines, first = inspect.getsourcelines(fn)
        except (OSError, TypeError):
            pass
    if lines is None:
        lines, first = _executed_source(fn, inspect)
    if lines is None:
        raise ValueError("@jit functions should be defined in a Python file: the source of "
                         f"`{getattr(fn, '__qualname__', fn)}` is not available{_why_not_available(fn)}")
    text = textwrap.dedent("".join(lines))
    start = re.search(r"^def\s+\w+\s*\(", text, re.MULTILINE)
    if start is None:
        raise ValueError(f"`{fn.__qualname__}` is not defined by `def`, so it cannot be a @jit function")
    return lines, first, text[start.start():], first + text.count("\n", 0, start.start())


def _code_objects(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from _code_objects(constant)


def _texts_at_hand():
    """Texts that a function without a file may come from: what `python -c` was given, and the variables of those who call."""
    import linecache
    yield "".join(linecache.getlines("<string>"))
    if "-c" in sys.orig_argv[:-1]:
        yield sys.orig_argv[sys.orig_argv.index("-c") + 1]
    frame = sys._getframe(2)
    for _ in range(12):
        frame = frame.f_back
        if frame is None:
            break
        yield from list(frame.f_locals.values())


def _executed_source(fn, inspect):
    """The lines of a function that `exec` or `python -c` made: from a text at hand that compiles to the very code of the function."""
    wanted = getattr(fn, "__code__", None)
    for text in _texts_at_hand() if wanted else ():
        if not isinstance(text, str) or f"def {wanted.co_name}" not in text:
            continue
        try:
            compiled = compile(text, wanted.co_filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        if any(code == wanted for code in _code_objects(compiled)):
            lines = text.splitlines(keepends=True)
            return inspect.getblock(lines[wanted.co_firstlineno - 1:]), wanted.co_firstlineno
    return None, 0


def _why_not_available(fn):
    """What to do about it, by where the function was written."""
    place = fn.__code__.co_filename if hasattr(fn, "__code__") else ""
    if place == "<stdin>":
        return ("; Python keeps no text of what it reads from standard input: put it into a file"
                " (an interactive Python from 3.13 on and IPython keep it)")
    if place == "<string>":
        return ("; `exec` keeps no text: give it a file's name, `exec(compile(text, path, \"exec\"), …)`, or write a file and import it")
    return ""


_parsing = threading.Lock()


def parse_source(text):
    """`ast.parse` by one thread at a time: two at once fail in some CPython 3.11 (gh-106905)."""
    import ast
    with _parsing:
        return ast.parse(text)
