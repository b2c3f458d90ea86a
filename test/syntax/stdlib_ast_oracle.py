#!/usr/bin/env python3
"""Compares the parser with CPython's over every .py file of the standard library, test folders included.

The oracle is the running interpreter: for each file that its ast.parse accepts, our tree must print as its ast.dump
does; files that it rejects are left out of the total, and we should reject them too. Exit status 1 below 99.9 %.

Usage: stdlib_ast_oracle.py [--parser build/bin/nereid-parse] [PATH…]   (a PATH is a file or a folder, instead of the library)
"""
import argparse
import os
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from syntax_parsers import OurParser, cpython_dump, default_parser  # noqa: E402

REQUIRED = 0.999


def python_files(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(f for f in folders if f not in ("site-packages", "dist-packages", "__pycache__"))
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))


def first_difference(ours, theirs):
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    cut = slice(max(0, at - 60), at + 60)
    return f"    ours    …{ours[cut]!r}\n    CPython …{theirs[cut]!r}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--parser", default=default_parser())
    options.add_argument("--positions", action="store_true", help="compare the positions of nodes too")
    options.add_argument("paths", nargs="*", default=[os.path.dirname(os.__file__)])
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    parser = OurParser(arguments.parser, arguments.positions)
    identical, total, rejected, differing, tolerated = 0, 0, 0, [], []
    for path in python_files(arguments.paths):
        with open(path, "rb") as file:
            theirs, _ = cpython_dump(file.read(), arguments.positions)
        accepted, ours = parser.dump_file(path)
        if theirs is None:
            rejected += 1
            if accepted:
                tolerated.append(path)
            continue
        total += 1
        if accepted and ours == theirs:
            identical += 1
        else:
            reason = first_difference(ours, theirs) if accepted else "    " + ours.decode(errors="replace")[:300]
            differing.append(f"{path}\n{reason}")
    for entry in differing:
        print("differs:", entry)
    for path in tolerated:
        print("accepted here, rejected by CPython:", path)
    share = identical / max(total, 1)
    print(f"CPython {sys.version.split()[0]}: {identical}/{total} trees identical ({100 * share:.3f} %), "
          f"{rejected - len(tolerated)}/{rejected} files that CPython rejects are rejected here")
    enough = share >= REQUIRED
    print(f"{identical} passed, {0 if enough else total - identical} failed, 0 skipped")
    return 0 if enough else 1


sys.exit(main())
