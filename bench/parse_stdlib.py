#!/usr/bin/env python3
"""Times the parse of every .py file of the standard library (test folders included): CPython's ast.parse against ours,
both in process, from bytes in memory, in one run. Exit status 1 when ours is less than 10 times as fast.

Usage: parse_stdlib.py [--parser build/bin/nereid-parse] [--rounds 3]
"""
import argparse
import ast
import os
import platform
import subprocess
import sys
import time
import warnings

REQUIRED = 10.0


def accepted_files():
    """(path, bytes) of the files that CPython accepts."""
    for folder, folders, names in os.walk(os.path.dirname(os.__file__)):
        folders[:] = [f for f in folders if f not in ("site-packages", "dist-packages", "__pycache__")]
        for name in sorted(names):
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    source = file.read()
                try:
                    ast.parse(source)
                except (SyntaxError, ValueError):
                    continue
                yield path, source


def time_cpython(sources):
    begin = time.perf_counter()
    for source in sources:
        ast.parse(source)
    return time.perf_counter() - begin


def processor():
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--parser", default="build/bin/nereid-parse")
    options.add_argument("--rounds", type=int, default=3)
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    files = list(accepted_files())
    cpython = min(time_cpython([source for _, source in files]) for _ in range(arguments.rounds))
    report = subprocess.run([arguments.parser, "--list", "--time", str(arguments.rounds)], check=True, text=True,
                            input="\n".join(path for path, _ in files), capture_output=True).stdout
    count, _, size, _, ours, _ = report.replace(",", "").split()
    ours = float(ours)
    assert int(count) == len(files)
    ratio = cpython / ours
    print(f"{time.strftime('%Y-%m-%d')}, {processor()}: {count} files, {int(size) / 1e6:.1f} MB, best of {arguments.rounds}")
    print(f"CPython {sys.version.split()[0]} ast.parse  {cpython:8.3f} s  {int(size) / cpython / 1e6:7.1f} MB/s")
    print(f"nereid-parse            {ours:8.3f} s  {int(size) / ours / 1e6:7.1f} MB/s")
    print(f"{ratio:.1f} times as fast (required: {REQUIRED:.0f})")
    return 0 if ratio >= REQUIRED else 1


sys.exit(main())
