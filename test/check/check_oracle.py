#!/usr/bin/python3
"""Runs `nereid check` over kernels with planted bugs and over correct ones. Each kernel of Inputs/ names its arguments in a
`# check:` comment; a line that must be reported ends in `# bug: CLASS`, a line that takes part and may be reported in
`# also: CLASS`. A planted bug passes when each marked line is reported with its class and no other line is; a correct kernel
passes when nothing is reported.

    check_oracle.py [--nereid PATH] [PATTERN]
"""
import argparse
import ast
import concurrent.futures
import glob
import json
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MARK = re.compile(r"# (bug|also)(?:-of (\w+))?: ([a-z-]+)")


class Kernel:
    def __init__(self, path, name, words):
        self.path, self.name, self.words = path, name, words
        self.required, self.allowed = set(), set()  # (line, class)

    @property
    def label(self):
        return f"{os.path.relpath(self.path, os.path.join(HERE, 'Inputs'))}:{self.name}"


def kernels_of(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    kernels, owner_of_line = {}, {}
    for node in ast.parse("\n".join(lines)).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        first = node.decorator_list[0].lineno
        for line in range(first, node.end_lineno + 1):
            owner_of_line[line] = node.name
        comment = lines[first - 2]
        if comment.startswith("# check: "):
            kernels[node.name] = Kernel(path, node.name, shlex.split(comment[len("# check: "):]))
    for number, line in enumerate(lines, 1):
        for kind, owner, what in MARK.findall(line):
            kernel = kernels[owner or owner_of_line[number]]
            (kernel.required if kind == "bug" else kernel.allowed).add((number, what))
    return list(kernels.values())


def run(nereid, kernel):
    """What the checker reports, or the reason why it did not run."""
    command = [nereid, "check", f"{kernel.path}:{kernel.name}", *kernel.words, "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None, "timed out after 60 s"
    if done.returncode not in (0, 1):
        return None, f"exit status {done.returncode}: {(done.stderr or done.stdout).strip()}"
    try:
        reports = json.loads(done.stdout)["findings"]
    except (ValueError, KeyError) as problem:
        return None, f"no JSON ({problem}): {done.stdout[:200]}"
    if (done.returncode == 1) != bool(reports):
        return None, f"exit status {done.returncode} with {len(reports)} reports"
    return reports, None


def verdict(kernel, reports):
    """The complaints about one kernel's reports; empty when they are right. A race has two places."""
    problems, found = [], set()
    for report in reports:
        places = {(report["line"], report["kind"])}
        if report["kind"] == "race" and report.get("other"):
            places.add((report["other"]["line"], report["kind"]))
        found |= places
        for line, what in sorted(places - kernel.required - kernel.allowed):
            problems.append(f"unexpected: {what} at line {line}: {report['message']}")
    problems += [f"not reported: {what} at line {line}" for line, what in sorted(kernel.required - found)]
    identities = {(report["line"], report["column"], report["kind"], str(report.get("other"))) for report in reports}
    if len(identities) != len(reports):
        problems.append("one error is reported twice")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default=os.path.join(ROOT, "build", "bin", "nereid"))
    parser.add_argument("pattern", nargs="?", default="")
    arguments = parser.parse_args()
    kernels = [kernel for path in sorted(glob.glob(os.path.join(HERE, "Inputs", "*", "*.py"))) for kernel in kernels_of(path)]
    kernels = [kernel for kernel in kernels if arguments.pattern in kernel.label]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for kernel, (reports, reason) in zip(kernels, pool.map(lambda kernel: run(arguments.nereid, kernel), kernels)):
            problems = [reason] if reports is None else verdict(kernel, reports)
            failed += bool(problems)
            for problem in problems:
                print(f"FAILED: {kernel.label}: {problem}")
    planted = sum(bool(kernel.required) for kernel in kernels)
    print(f"{planted} planted bugs, {len(kernels) - planted} correct kernels")
    print(f"{len(kernels) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
