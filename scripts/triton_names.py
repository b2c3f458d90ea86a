"""Which names of `triton` are there in the package that Python has, and which keywords its functions take.

    PYTHONPATH=FOLDER python triton_names.py ask <names       of those names, what is missing: NAME, tab, the part that is not there
    PYTHONPATH=FOLDER python triton_names.py walk             all names of the package

A name is dotted, `triton.language.dot`, or one with a keyword, `triton.language.dot(allow_tf32=)`.
"""
import importlib
import inspect
import pkgutil
import sys

_OF_COMPILERS = {"self", "cls", "_semantic", "_generator", "_builder"}  # no part of a function's interface


def find(name):
    """(object, None), or (None, the shortest part of the name that is missing); `refused` is one that says what to do instead."""
    parts = name.split(".")
    value = importlib.import_module(parts[0])
    for i, part in enumerate(parts[1:], 1):
        prefix = ".".join(parts[:i + 1])
        try:
            value = getattr(value, part)
            continue
        except AttributeError as error:
            if "does not exist in nereid" in str(error):
                return None, f"{prefix} (refused)"
        except Exception:  # a property that needs a device, or a name that says why it cannot be
            return None, None
        if not inspect.ismodule(value):
            return None, prefix
        try:
            value = importlib.import_module(prefix)
        except Exception:
            return None, prefix
    return value, None


def _parameters(value):
    try:
        return inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None


def accepts(value, keyword):
    """Whether a function or class takes an argument by this name; True where nothing can be said."""
    parameters = None if value is None else _parameters(value)
    if parameters is None:
        return True
    named = any(parameter.name == keyword and parameter.kind is not parameter.POSITIONAL_ONLY for parameter in parameters)
    return named or any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


def missing(text):
    """The part of a name that is not there; None where all is."""
    name, _, keyword = text.partition("(")
    value, part = find(name)
    if part is None and keyword and not accepts(value, keyword[:-2]):
        return text
    return part


def _with_keywords(name, value):
    yield name
    if inspect.isroutine(value) or inspect.isclass(value):
        for parameter in _parameters(value) or ():
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY) and parameter.name not in _OF_COMPILERS:
                yield f"{name}({parameter.name}=)"


def _members(name, module):
    """What a module defines itself, private names too."""
    for member, value in list(vars(module).items()):
        home = getattr(value, "__module__", None)
        if member.startswith("__") or inspect.ismodule(value) or (isinstance(home, str) and not home.startswith("triton")):
            continue
        yield from _with_keywords(f"{name}.{member}", value)
        if inspect.isclass(value) and value.__module__ == name:
            for part, what in list(vars(value).items()):
                if not part.startswith("__"):
                    yield from _with_keywords(f"{name}.{member}.{part}", what)


def walk():
    """All names of the package: modules, what they define, members of classes, and keywords."""
    package = importlib.import_module("triton")
    names = ["triton", *(found.name for found in pkgutil.walk_packages(package.__path__, "triton.", onerror=lambda name: None))]
    for name in names:
        if name.endswith("__main__"):
            continue
        try:
            module = importlib.import_module(name)
        except Exception:
            continue
        yield name
        yield from _members(name, module)


def main():
    if sys.argv[1] == "walk":
        print("\n".join(sorted(set(walk()))))
        return
    for line in sys.stdin.read().split("\n"):
        part = missing(line) if line else None
        if part is not None:
            print(f"{line}\t{part}")


if __name__ == "__main__":
    main()
