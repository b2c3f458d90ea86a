"""What the native side asks of Python: the source of classes, types by name, exceptions."""

FUNCTION_TYPE = type(lambda: None)  # a plain function, as the native side compares types


def class_source(cls):
    """(file, line, text, captured names, globals) of a class."""
    import inspect
    import sys
    import textwrap
    cls = getattr(cls, "__aggregate_class__", cls)
    try:
        lines, first = inspect.getsourcelines(cls)
        file = inspect.getsourcefile(cls) or "<unknown>"
    except (OSError, TypeError) as error:
        raise ValueError(f"the source of the class `{cls.__qualname__}` is not available") from error
    captured = {base.__name__: base for base in cls.__bases__}
    for member in vars(cls).values():
        function = getattr(member, "fn", member)
        code = getattr(function, "__code__", None)
        for name, cell in zip(code.co_freevars if code else (), getattr(function, "__closure__", None) or ()):
            try:
                captured[name] = cell.cell_contents
            except ValueError:
                pass
    module = sys.modules.get(cls.__module__)
    return file, first, textwrap.dedent("".join(lines)), captured, vars(module) if module else {}


# What compile-time functions may use without depending on anything but their arguments.
_PURE_MODULES = ("math", "operator", "triton", "triton.language")
_IMPURE_BUILTINS = {"open", "exec", "eval", "input", "compile", "globals", "locals", "vars", "__import__", "id", "getattr", "hasattr"}


def _code_names(code):
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from _code_names(constant)


def _stable(value, seen):
    """A text that is equal where the value is, in every process; None for what may change without its text changing."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, tuple):
        items = [_stable(item, seen) for item in value]
        return None if None in items else f"({','.join(items)})"
    kind = type(value).__name__
    if kind == "module":
        return value.__name__ if value.__name__ in _PURE_MODULES else None
    if kind in ("constexpr", "dtype"):
        return str(value)
    function = getattr(value, "fn", value) if getattr(value, "__triton_constexpr_function__", False) else value
    return _stable_function(function, seen) if type(function) is FUNCTION_TYPE else None


def _stable_function(function, seen):
    if function in seen:
        return function.__qualname__
    seen.add(function)
    code = function.__code__
    texts = [code.co_code.hex(), repr([constant for constant in code.co_consts if not isinstance(constant, type(code))]),
             repr(code.co_names), repr(function.__defaults__), repr(function.__kwdefaults__)]  # yapf: disable
    names = dict.fromkeys(_code_names(code))
    if any(name in _IMPURE_BUILTINS and name not in function.__globals__ for name in names):
        return None
    import sys
    if any(name in sys.modules and name not in function.__globals__ for name in names):
        return None  # imported in the function
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            texts.append(constant.co_code.hex() + repr(constant.co_names))
    used = [function.__globals__[name] for name in names if name in function.__globals__]
    used += [cell.cell_contents for cell in function.__closure__ or ()]
    for value in used:
        text = _stable(value, seen)
        if text is None:
            return None
        texts.append(text)
    return ";".join(texts)


def stable_text(function):
    """What stands for a constexpr function in keys of the cache on disk, or None: then kernels that call it are not kept there."""
    import sys
    text = _stable(function, set())
    return None if text is None else f"{sys.version_info[:2]}{text}"


class _Semantic:
    """Triton's object that emits operations, which builtins of a program are given and pass on."""

    def __getattr__(self, name):
        raise NotImplementedError(f"`_semantic.{name}`: nereid's compiler is another library; write this function with `tl.*` alone, "
                                  "or as `@triton.jit`")


def call_builtin(function, args, kwargs):
    """Calls a function that a program made a builtin of the language (`@tl.core.builtin`) with constants, as the compiler does;
    NotImplemented where it calls functions of the language: then its text is compiled."""
    import inspect

    from triton.language._builtin import NotInHostCode
    from triton.language.core import constexpr

    def wrap(value):
        return constexpr(value) if value is None or isinstance(value, (bool, int, float, str)) else value

    parameters = inspect.signature(function).parameters
    named = {name: wrap(value) for name, value in kwargs.items()}
    named.update((name, _Semantic()) for name in ("_semantic", "_generator") if name in parameters)  # a builtin that calls this one may hand its own on
    try:
        return function(*map(wrap, args), **named)
    except NotInHostCode:
        return NotImplemented


_as_jit = {}


def as_jit(function):
    """The same function as a jit function: values of run time take its text."""
    import inspect
    plain = inspect.unwrap(function)
    if plain not in _as_jit:
        from triton.runtime.jit import JITFunction
        _as_jit[plain] = JITFunction(plain)
    return _as_jit[plain]


def type_named(name):
    """The dtype of that name: fp32, int32, pointer<fp32>."""
    from triton.language import core
    if name.startswith("pointer<"):
        return core.pointer_type(type_named(name[len("pointer<"):-1]))
    return core.dtype(name)


def _diagnostics(text):
    """(kind, message, whole text) of each warning or remark in what the compiler printed."""
    import re
    begins = [match for match in re.finditer(r"^(?:\S.*?:\d+:\d+: )?(warning|remark): ", text, re.MULTILINE)]
    for begin, end in zip(begins, [match.start() for match in begins[1:]] + [len(text)]):
        whole = text[begin.start():end]
        # Behind the message come the line of the source and the marks below it.
        message = re.split(r"\n    .*\n\s*\^", whole[begin.end() - begin.start():])[0]
        yield begin.group(1), message.rstrip("\n"), whole


def warn(text, is_cached):
    """What the compiler has to say about a kernel: warnings, and what `static_print` prints while it compiles."""
    import warnings
    for kind, message, whole in _diagnostics(text):
        if kind == "warning":
            warnings.warn(whole.rstrip(), UserWarning, stacklevel=2)
        elif not is_cached:
            print(message)


def _python_error(type_name, message):
    """The exception of that class, as if the language's own code had raised it."""
    import builtins

    from triton.language import core
    cls = getattr(builtins, type_name, None)
    try:
        core._fail(cls if isinstance(cls, type) and issubclass(cls, Exception) else RuntimeError, message)
    except Exception as error:
        return error


def operation_error(type_name, message, notes, cause):
    """The exception for an operation of a kernel that runs as Python: what the compiler says of it, without a place."""
    import builtins
    if cause is not None:
        return cause
    cls = getattr(builtins, type_name, None)
    if message.startswith(_CAPITALIZED):
        message = message[0].upper() + message[1:]
    return (cls if isinstance(cls, type) and issubclass(cls, Exception) else RuntimeError)(message + notes)


# Messages of the compiler that programs know with a capital letter.
_CAPITALIZED = ("cannot ", "shape element ", "descriptor block ", "mismatched type ", "ternary expression ",
                "inconsistent return ", "the result of ", "input shapes ")


class _Place:

    def __init__(self, line, column):
        self.lineno, self.col_offset = line, column


def exception_of(frames, status, text, cause, interpreted):
    """The exception for an error: `frames` are the places, the innermost first, of an error in a kernel."""
    exception = _exception_of(frames, status, text, cause)
    if not interpreted or not frames:
        return exception
    innermost = exception
    while innermost.__cause__ is not None:
        innermost = innermost.__cause__
    return _with_cause(_interpreter_error(exception), innermost)


def _interpreter_error(exception):
    """A mistake in a kernel that is interpreted: both an InterpreterError and a CompilationError."""
    from triton.compiler.errors import CompilationError
    from triton.runtime.errors import InterpreterError

    class InterpretedCompilationError(InterpreterError, CompilationError):

        def __init__(self, text):
            Exception.__init__(self, text)
            self.error_message = self.message = text
            self.src = self.node = None

        def __str__(self):
            return self.message

    return InterpretedCompilationError(str(exception))


class InternalError(RuntimeError):
    """A bug of Nereid: the text names a file with all that shows it again."""


def _exception_of(frames, status, text, cause):
    from triton.compiler import errors
    if status == 5:
        return InternalError(text.removeprefix("error: ").rstrip())
    if not frames:
        if status == 1 and "assertion failed" in text:
            return RuntimeError(text.rstrip() + "\nnote: a device-side assert ended the launch")
        gpu = _gpu_exception(text)
        if gpu is not None:
            return gpu
        if "does not fit 64 bits" in text:
            return OverflowError(text.removeprefix("error: ").rstrip())
        if status == 2 and (refused := _refused_by_target(text)) is not None:
            return refused
        if status == 4 and "took longer than" in text:
            return TimeoutError(text.removeprefix("error: ").rstrip())
        return {2: ValueError, 3: RuntimeError}.get(status, RuntimeError)(text.removeprefix("error: ").rstrip())
    exception = None
    for source, line, column, message, type_name, notes in frames:
        place = _Place(line, column) if source else None
        if message.startswith(_CAPITALIZED):
            capitalized = message[0].upper() + message[1:]
            text, message = text.replace(f"error: {message}", f"error: {capitalized}", 1), capitalized
        if exception is not None:
            exception = _with_cause(errors.CompilationError(source, place), exception)
        elif type_name == "CompileTimeAssertionFailure":
            exception = errors.CompileTimeAssertionFailure(source, place, message)
        elif type_name == "UnsupportedLanguageConstruct":
            exception = errors.UnsupportedLanguageConstruct(source, place, message + (f"\n{notes}" if notes else ""))
        else:
            inner = cause if cause is not None else _python_error(type_name, message)
            exception = _with_cause(errors.CompilationError(source, place, message + (f"\n{notes}" if notes else "")), inner)
    if source:
        exception.message = _as_in_files(text) + _place_in_function(source, line, column)
        if message.startswith("The result of "):  # ends in the program's own words: programs look for them in the last line
            exception.message += f"\n{message}"
    return exception


def _refused_by_target(text):
    """What the language has and a target has not: a back end says the place of it alone, and its line is shown here."""
    import linecache
    import re

    from triton.compiler.errors import CompilationError
    found = re.match(r"(.+?):(\d+):\d+: error: ([^\n]*)\n", text)
    if not found:
        return None
    exception = CompilationError(None, None, found[3])
    exception.message = (found[0] + linecache.getline(found[1], int(found[2])) + text[found.end():]).rstrip()
    return exception


def _place_in_function(source, line, column):
    """Where Triton says it is, counted from the function's `def`."""
    import re
    function = re.match(r"(?:async )?def (\w+)", source)
    return f"note: at {line}:{column}: " + (f"in the text of `{function[1]}`" if function else "in its text")


def _as_in_files(text):
    """What the compiler wrote of the text of a function, with the columns of its file: the text lacks the indentation."""
    import linecache
    import re

    def as_in_file(found):
        file, line, column, rest, shown, marks = found.groups()
        whole = linecache.getline(file, int(line)).rstrip("\r\n")
        indent = whole[:len(whole) - len(shown)]
        if not whole.endswith(shown) or indent.strip():
            return found[0]
        return f"{file}:{line}:{int(column) + len(indent)}: {rest}\n{whole}\n{indent}{marks}"

    return re.sub(r"^(.+?):(\d+):(\d+): ((?:error|warning|remark|note): [^\n]*)\n([^\n]*)\n(\s*\^~*)$", as_in_file, text, flags=re.MULTILINE)


# What a GPU refuses, in the run time's words, and what Triton calls it: the autotuner passes over such configurations.
_RESOURCES = ((r"needs (\d+) bytes of shared memory for each program; .* has (\d+)", "shared memory"),
              (r"needs (\d+) threads for each program; .* has (\d+)", "threads"),
              (r"needs (\d+) threads for each program, .* there is room for (\d+)", "registers"),
              (r"a program needs (\d+) threads with .*; .* has (\d+) threads", "registers"),
              (r"a program has 1, 2, 4, .* warps on a GPU, not (?:64|128|256|512|1024) \((\d+) threads, of which there are at most (\d+)", "threads"))


def _gpu_exception(text):
    if "cannot be assembled" in text:
        from triton.runtime.errors import PTXASError
        return PTXASError(text.rstrip())
    if not any(words in text for words in (" for each program", "a program needs", "warps on a GPU")):
        return None
    import re

    from triton.runtime.errors import OutOfResources
    for pattern, name in _RESOURCES:
        found = re.search(pattern, text)
        if found:
            return OutOfResources(int(found[1]), int(found[2]), name)
    return None


def _with_cause(exception, cause):
    exception.__cause__ = cause
    return exception
