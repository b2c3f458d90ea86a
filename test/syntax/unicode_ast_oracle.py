#!/usr/bin/env python3
"""Compares the Unicode tables with the running Python's: every character name, the printing of every character, and the
normalization of every character that can stand in a name. Exit status 1 on a difference; needs Unicode 14 (3.11).

Usage: unicode_ast_oracle.py [--parser build/bin/nereid-parse]
"""
import argparse
import os
import sys
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from syntax_parsers import OurParser, cpython_dump, default_parser  # noqa: E402

SKIPPED = 77  # the exit status that means so
ALIASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "unicode_aliases.txt")


def characters():
    return (chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000)


def sources():
    names = [unicodedata.name(c) for c in characters() if unicodedata.name(c, "")]
    names += [line.strip().split(";")[1] for line in open(ALIASES, encoding="ascii") if not line.startswith("#")]
    yield "names", "\n".join("'\\N{%s}'" % name for name in names)
    yield "printing", "\n".join("'%s'" % c for c in characters() if c not in "'\\\r\n\0")
    yield "lone surrogates", "\n".join("'\\u%04x'" % c for c in range(0xD800, 0xE000))
    yield "name starts", "\n".join(c for c in characters() if c.isidentifier())
    yield "name parts", "\n".join("a%s%sb" % (c, c) for c in characters() if ("a" + c).isidentifier())
    marks = [c for c in characters() if unicodedata.combining(c) and ("a" + c).isidentifier()][::7]
    yield "marks", "\n".join("e%s%sx%s" % (a, b, a) for a in marks for b in marks)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--parser", default=default_parser())
    arguments = options.parse_args()
    if unicodedata.unidata_version != "14.0.0":
        print(f"skipped: this Python has Unicode {unicodedata.unidata_version}, the tables have 14.0.0")
        return SKIPPED
    parser = OurParser(arguments.parser)
    wrong = 0
    for what, source in sources():
        lines = source.splitlines() if what in ("names", "lone surrogates") else source.split("\n")
        theirs, message = cpython_dump(source.encode("utf-8"))
        accepted, ours = parser.dump(source.encode("utf-8"))
        same = accepted and ours == theirs
        wrong += not same
        print(f"{'same' if same else 'FAILED'}: {what}, {len(lines)} lines {'' if accepted else ours.decode()[:200]}{message}")
    return 1 if wrong else 0


sys.exit(main())
