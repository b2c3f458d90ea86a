#!/usr/bin/python3
"""Checks that a program or a module needs nothing but the C library of some version, and Python where it is a module of it.

    check_needs.py 2.28 FILE
"""
import re
import subprocess
import sys

# libgcc_s is loaded by the C library itself, to end a thread.
C_LIBRARY = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2", "libgcc_s.so.1"}
UNDEFINED = re.compile(r"^\s*\d+:\s+\w+\s+\d+\s+\w+\s+(GLOBAL|WEAK)\s+\w+\s+UND\s+(\w+)(?:@([\w.]+))?", re.M)


def problems(limit, path):
    """A line for each thing that is needed and must not be."""
    sections = subprocess.check_output(["readelf", "-W", "-d", "--dyn-syms", path], text=True)
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", sections):
        if library not in C_LIBRARY:
            yield f"needs the library {library}"
    for binding, name, version in UNDEFINED.findall(sections):
        number = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", version)
        is_old = number and (int(number[1]), int(number[2])) <= limit or re.match(r"GCC_[34]\.", version)
        if version and not is_old:
            yield f"needs {name} of {version}"
        elif not version and binding == "GLOBAL" and not re.match(r"_?Py", name):
            yield f"needs {name}, which the C library does not have; is it newer, and missing in OldGlibc.c?"


def main(limit, path):
    found = list(problems(tuple(map(int, limit.split("."))), path))
    for problem in found:
        print(f"{path}: error: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
