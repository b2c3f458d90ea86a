#!/usr/bin/env python3
"""Compares the parser with CPython's on damaged code: statements of the standard library with a token removed, doubled,
swapped or replaced. Both must accept or both reject, and accepted trees must print alike.

Usage: mutated_ast.py [--parser build/bin/nereid-parse] [--count 20000] [--seed 1] [--snippets FILE]
Known differences are by design: what 3.12 accepts and 3.11 does not.
"""
import argparse
import ast
import io
import os
import random
import re
import subprocess
import sys
import tempfile
import tokenize
import warnings

# CPython 3.11 rejects these and 3.12 accepts them; nothing else may differ.
NEWER_SYNTAX = ("f-string", "nested too deeply", "unterminated string literal", "unmatched")
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


def tokens_of(text):
    try:
        return [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.string.strip()]
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return []


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


class OurParser:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.file = tempfile.NamedTemporaryFile(suffix=".py", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)

    def dump(self, text):
        with open(self.file.name, "wb") as out:
            out.write(text.encode("utf-8", "surrogatepass"))
        self.process.stdin.write(self.file.name.encode() + b"\n")
        self.process.stdin.flush()
        header = self.process.stdout.readline().split()
        if not header:
            sys.exit(f"mutated_ast: the parser died on {text!r}")
        return header[0] == b"ok", self.process.stdout.read(int(header[1]))


def oracle(text):
    try:
        return ast.dump(ast.parse(text.encode("utf-8", "surrogatepass"))).encode("utf-8", "surrogatepass"), ""
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return None, str(error)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--parser", default="build/bin/nereid-parse")
    options.add_argument("--count", type=int, default=20000)
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
    parser = OurParser(arguments.parser)
    agree, newer, differing = 0, 0, []
    for _ in range(arguments.count):
        text = mutate(rng.choice(snippets), rng)
        theirs, error = oracle(text)
        accepted, ours = parser.dump(text)
        if accepted == (theirs is not None) and (not accepted or ours == theirs):
            agree += 1
        elif accepted and theirs is None and any(word in error for word in NEWER_SYNTAX):
            newer += 1
        else:
            differing.append((text, error if theirs is None else "accepted", "accepted" if accepted else ours.decode(errors="replace")))
    for text, theirs, ours in differing[:arguments.show]:
        print(f"--- {text!r}\n  CPython: {theirs}\n  ours: {ours.strip()}")
    print(f"{agree}/{arguments.count} agree, {newer} use syntax newer than 3.11, {len(differing)} differ")
    return 1 if differing else 0


sys.exit(main())
