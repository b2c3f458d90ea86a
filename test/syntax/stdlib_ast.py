#!/usr/bin/env python3
"""Compares the parser with CPython's over every .py file of the standard library, test folders included.

The oracle is the running interpreter: for each file that its ast.parse accepts, our tree must print as its ast.dump
does; files that it rejects are left out of the total, and we should reject them too. Exit status 1 below 99.9 %.

Usage: stdlib_ast.py [--parser build/bin/nereid-parse] [PATH…]   (a PATH is a file or a folder, instead of the library)
"""
import argparse
import ast
import os
import subprocess
import sys
import warnings

REQUIRED = 0.999


def python_files(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(f for f in folders if f not in ("site-packages", "dist-packages", "__pycache__"))
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))


class OurParser:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def dump(self, path):
        """(accepted, tree or messages)"""
        self.process.stdin.write(path.encode() + b"\n")
        self.process.stdin.flush()
        header = self.process.stdout.readline().split()
        if not header:
            sys.exit(f"stdlib_ast: the parser died on {path}")
        return header[0] == b"ok", self.process.stdout.read(int(header[1]))


def oracle_dump(path):
    """CPython's tree, or None where it rejects the file."""
    with open(path, "rb") as file:
        source = file.read()
    try:
        return ast.dump(ast.parse(source)).encode("utf-8", "surrogatepass")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def first_difference(ours, theirs):
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    cut = slice(max(0, at - 60), at + 60)
    return f"    ours    …{ours[cut]!r}\n    CPython …{theirs[cut]!r}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--parser", default="build/bin/nereid-parse")
    options.add_argument("paths", nargs="*", default=[os.path.dirname(os.__file__)])
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    parser = OurParser(arguments.parser)
    identical, total, rejected, differing, tolerated = 0, 0, 0, [], []
    for path in python_files(arguments.paths):
        theirs = oracle_dump(path)
        accepted, ours = parser.dump(path)
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
    return 0 if share >= REQUIRED else 1


sys.exit(main())
