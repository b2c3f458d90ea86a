#!/usr/bin/env python3
"""Audits checkouts of public repositories and prints a table: functions, how many are supported, the time, and every reason.

Usage: audit_repositories.py [--nereid build/bin/nereid] NAME=FOLDER...
"""
import argparse
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def audit(nereid, folder):
    start = time.monotonic()
    done = subprocess.run([nereid, "audit", "--json", folder], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{folder}: the audit failed with exit status {done.returncode}")
    return json.loads(done.stdout), time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default=os.path.join(ROOT, "build", "bin", "nereid"))
    parser.add_argument("repositories", nargs="+", metavar="NAME=FOLDER")
    arguments = parser.parse_args()
    functions = supported = 0
    reasons = []
    print("| repository | files | functions | supported | seconds |\n|---|---|---|---|---|")
    for word in arguments.repositories:
        name, _, folder = word.partition("=")
        result, seconds = audit(arguments.nereid, folder)
        functions += result["functions"]
        supported += result["supported"]
        reasons += [(name, row) for row in result["unsupported"]]
        print(f"| {name} | {result['files']} | {result['functions']} | {result['supported']} | {seconds:.2f} |")
    print(f"| together | | {functions} | {supported} ({100 * supported / max(1, functions):.1f} %) | |\n")
    for name, row in reasons:
        print(f"- {name}, `{row['function']}` ({os.path.basename(row['file'])}:{row['line']}): {row['reason']}")


main()
