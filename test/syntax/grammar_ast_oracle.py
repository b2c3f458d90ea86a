#!/usr/bin/env python3
"""Compares the parser with CPython's on the corners of the grammar listed in snippets.txt, right and wrong ones.

Both must accept or both reject, and accepted trees must print alike, positions included. Exit status 1 on a difference.
Usage: grammar_ast_oracle.py [--parser build/bin/nereid-parse]
"""
import argparse
import os
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from syntax_parsers import OurParser, cpython_dump, default_parser  # noqa: E402

NEWER = "newer: "


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--parser", default=default_parser())
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    parser = OurParser(arguments.parser, positions=True)
    total, wrong = 0, 0
    for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "snippets.txt"), encoding="utf-8"):
        if line.startswith("#"):
            continue
        newer = line.startswith(NEWER)
        source = eval(line.removeprefix(NEWER)).encode("utf-8", "surrogatepass")
        theirs, message = cpython_dump(source, positions=True)
        accepted, ours = parser.dump(source)
        total += 1
        if newer:
            same = accepted
        else:
            same = accepted == (theirs is not None) and (not accepted or ours == theirs)
        if not same:
            wrong += 1
            print(f"FAILED: {line.strip()}\n  CPython: {message or theirs}\n  ours:    {ours.decode(errors='replace')}")
    print(f"{total - wrong}/{total} snippets agree with CPython {sys.version.split()[0]}")
    print(f"{total - wrong} passed, {wrong} failed, 0 skipped")
    return 1 if wrong else 0


sys.exit(main())
