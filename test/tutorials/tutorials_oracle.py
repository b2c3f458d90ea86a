#!/usr/bin/python3
"""Triton's tutorials 01 to 09, straight from a checkout of v3.6.0: every kernel compiled and run in the interpreter against
float64 references, on our own data of odd sizes.

    tutorials_oracle.py [CHECKOUT] [--only PATTERN]     or the environment variable NEREID_TRITON_CHECKOUT
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

from cases import CASES, run_cases  # noqa: E402
import attention_cases  # noqa: E402,F401
import matmul_cases  # noqa: E402,F401
import pointwise_cases  # noqa: E402,F401


SKIPPED = "no checkout of Triton v3.6.0 is given; give its path, or set NEREID_TRITON_CHECKOUT to it"


def find_tutorials(root):
    """The tutorials 01 to 09 below a checkout of Triton, by number; empty when there is no checkout."""
    folder = next((path for path in (os.path.join(root, "python", "tutorials"), root)
                   if os.path.exists(os.path.join(path, "01-vector-add.py"))), None)
    if not folder:
        return {}
    return {int(name[:2]): os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith(".py") and "01" <= name[:2] <= "09"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?", default=os.environ.get("NEREID_TRITON_CHECKOUT", ""))
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    paths = find_tutorials(arguments.checkout)
    if not paths:
        print("skipped: " + SKIPPED)
        print(f"0 passed, 0 failed, {len(CASES)} skipped")
        return 0
    return run_cases(paths, arguments.only)


if __name__ == "__main__":
    sys.exit(main())
