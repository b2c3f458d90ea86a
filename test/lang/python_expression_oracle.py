#!/usr/bin/env python3
"""Compares compile-time Python with CPython on random expressions over all types, operators, methods and formats that it has.

Both give the same value of the same type, or both raise. What ours says it does not support (NotImplementedError, integers
above 127 bits, values that are too large) is no difference, nor is a value that it says it does not know. Exit status 1 on a
difference.
Usage: python_expression_oracle.py [--count 2000] [--seed 1] [--show 20] [--evaluator build/bin/nereid-eval]
"""
import argparse
import collections
import copy
import functools
import itertools
import math
import operator
import os
import re
import resource
import signal
import subprocess
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from expression_generator import Generator  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAMES = {"math": math, "itertools": itertools, "functools": functools, "operator": operator, "copy": copy}
# What ours may say where CPython has a value.
UNSUPPORTED = ("NotImplementedError", "MemoryError", "RecursionError", "TimeoutError")
BOUNDED = re.compile("needs more than 127 bits|too large for compile-time evaluation")


def canonical(value):
    """The value with the types of all that is in it, as nereid-eval writes it."""
    kind = type(value)
    if kind in (tuple, list):
        return f"{kind.__name__}({', '.join(map(canonical, value))})"
    if kind in (set, frozenset):
        return f"{kind.__name__}({', '.join(sorted(map(canonical, value)))})"
    if kind is dict:
        return f"dict({', '.join(canonical(key) + ': ' + canonical(item) for key, item in value.items())})"
    if value is None or kind in (bool, int, float, str, range, slice):
        return repr(value)
    if isinstance(value, type):
        return "type"
    return kind.__name__


class Late(Exception):
    pass


def late(*_):
    raise Late()


def theirs(expression):
    """(value as text, None) or (None, the exception's name)."""
    try:
        signal.setitimer(signal.ITIMER_REAL, 2)
        try:
            return canonical(eval(expression, dict(NAMES))), None
        except (Late, MemoryError, RecursionError):
            return None, "Late"
        except Exception as error:
            return None, type(error).__name__
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Late:  # the alarm rang between the two
        return None, "Late"


def is_unsupported(answer):
    return answer.startswith("!") and (answer[2:].partition(":")[0] in UNSUPPORTED or BOUNDED.search(answer))


def difference(expression, answer):
    """What is different, in words; None when nothing is."""
    kind, _, ours = answer.partition(" ")
    if kind == "?" or is_unsupported(answer):
        return None  # and CPython, which no alarm ends inside of one large number, is not asked
    value, error = theirs(expression)
    if error == "Late":
        return None
    if kind == "!":
        return None if error else f"CPython gives {value}, ours raises {ours}"
    if error:
        return f"CPython raises {error}, ours gives {ours}"
    return None if value == ours else f"CPython gives {value}, ours gives {ours}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--count", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--show", type=int, default=20)
    options.add_argument("--evaluator", default=os.path.join(ROOT, "build", "bin", "nereid-eval"))
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, late)
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    sys.setrecursionlimit(5000)
    generator = Generator(arguments.seed)
    expressions = [generator.expression() for _ in range(arguments.count)]
    done = subprocess.run([arguments.evaluator], input="\n".join(expressions) + "\n", stdout=subprocess.PIPE, text=True)
    answers = done.stdout.splitlines()
    if done.returncode or len(answers) != len(expressions):
        print(f"FAILED: {arguments.evaluator} ended with {done.returncode} at {expressions[min(len(answers), len(expressions) - 1)]}")
        return 1
    wrong, kinds = 0, collections.Counter()
    for expression, answer in zip(expressions, answers):
        kinds["unsupported" if is_unsupported(answer) else answer[0]] += 1
        problem = difference(expression, answer)
        if problem:
            wrong += 1
            if wrong <= arguments.show:
                print(f"FAILED: {expression}\n  {problem}")
    print(f"{kinds['=']} values, {kinds['!']} errors, {kinds['unsupported']} not supported, {kinds['?']} unknown; CPython {sys.version.split()[0]}, seed {arguments.seed}")
    print(f"{len(expressions) - wrong} passed, {wrong} failed, 0 skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
