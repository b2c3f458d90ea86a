#!/usr/bin/env python3
"""Compares the parser with CPython's on damaged code: statements of the standard library with a token removed, doubled,
swapped or replaced. Both must accept or both reject, and accepted trees must print alike, positions included.

Usage: mutated_ast_oracle.py [--parser build/bin/nereid-parse] [--count 10000] [--seed 1] [--files 150]
What 3.12 accepts and 3.11 does not is counted apart.
"""
import argparse
import ast
import os
import random
import re
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from syntax_parsers import OurParser, cpython_dump, default_parser, uses_newer_syntax  # noqa: E402

PIECES = """( ) [ ] { } , : ; . ... @ -> := = ! + - * ** / // % | ^ & << >> ~ == != < <= > >= += **= @= if else elif for in
is not and or lambda def class return yield await async with as try except except* finally raise from import global nonlocal del
pass break continue while assert match case type _ None True False x 1 1.5 2j 'a' b'b' f'{x}' f'{x!r:>{w}}' u'u' *x **x x=1 :
0x1F 0777 1_0 1__0 1_ 0b12 '\\N{BULLET}' '\\x4' print""".split()


def statements(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    lines = text.splitlines(keepends=True)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.end_lineno - node.lineno < 12:
            piece = "".join(lines[node.lineno - 1:node.end_lineno])
            indent = len(piece) - len(piece.lstrip(" "))
            yield "".join(line[indent:] if line[:indent].isspace() else line for line in piece.splitlines(keepends=True))


def mutate(text, rng):
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        spans = [m.span() for m in re.finditer(r"\w+|\s+|[^\w\s]", text)]
        if len(spans) < 2:
            return text
        begin, end = rng.choice(spans)
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:begin] + text[end:]
        elif kind == 1:
            text = text[:end] + text[begin:end] + text[end:]
        elif kind == 2:
            other_begin, other_end = rng.choice(spans)
            text = text[:begin] + text[other_begin:other_end] + text[end:]
        elif kind == 3:
            text = text[:begin] + " " + rng.choice(PIECES) + " " + text[begin:]
        elif kind == 4:
            text = text[:begin] + rng.choice(PIECES) + text[end:]
        else:
            text = text[:begin] + " " + rng.choice(PIECES) + " " + rng.choice(PIECES) + " " + text[end:]
    return text


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--parser", default=default_parser())
    options.add_argument("--count", type=int, default=10000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--files", type=int, default=150)
    options.add_argument("--show", type=int, default=40)
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    rng = random.Random(arguments.seed)
    library = os.path.dirname(os.__file__)
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(library) for name in names
             if name.endswith(".py") and "site-packages" not in folder]
    favourites = ["test_grammar", "test_patma", "test_fstring", "test_named_expressions", "test_unpack_ex", "test_with",
                  "test_except_star", "test_positional_only_arg", "test_coroutines", "test_decorators", "test_string_literals"]
    chosen = rng.sample(sorted(paths), arguments.files) + [os.path.join(library, "test", f + ".py") for f in favourites]
    snippets = [s for path in chosen if os.path.exists(path) for s in statements(path)]
    parser = OurParser(arguments.parser, positions=True)
    agree, newer, both_accept, differing = 0, 0, 0, []
    for _ in range(arguments.count):
        text = mutate(rng.choice(snippets), rng)
        source = text.encode("utf-8", "surrogatepass")
        theirs, error = cpython_dump(source, positions=True)
        accepted, ours = parser.dump(source)
        if accepted == (theirs is not None) and (not accepted or ours == theirs):
            agree += 1
            both_accept += accepted
        elif accepted and theirs is None and uses_newer_syntax(ours, error):
            newer += 1
        else:
            shown = "accepted" if accepted else ours.decode(errors="replace")
            differing.append((text, error if theirs is None else "accepted", shown))
    for text, theirs, ours in differing[:arguments.show]:
        print(f"FAILED: {text!r}\n  CPython: {theirs}\n  ours: {ours.strip()}")
    print(f"{agree}/{arguments.count} agree ({both_accept} accepted), {newer} use syntax newer than 3.11, {len(differing)} differ")
    print(f"{agree + newer} passed, {len(differing)} failed, 0 skipped")
    return 1 if differing else 0


sys.exit(main())
