#!/usr/bin/env python3
"""Compile time may not grow faster than n ** 1.5 in anything that a source can repeat, for any target.

Each case is compiled at size n and at 4n. What is compared is the CPU time of the process over that of a nearly empty kernel, so that
nothing depends on other programs' work: the best of several runs where the first ones look bad, with a margin for noise (a factor of 10
where n ** 1.5 has 8; n ** 2 has 16). Counters of instructions would be exact, but not every machine gives them.
Usage: growth_oracle.py [--nereid build/bin/nereid] [--case NAME] [--target NAME] [--verbose]
"""
import argparse
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEAD = "import triton\nimport triton.language as tl\n\n\n"
TARGETS = {
    "tile": ["--target", "interp", "--emit", "tile"],
    "cpu": ["--target", "cpu", "--emit", "obj"],
    "gpu": ["--target", "sm_90a", "--emit", "ptx"],
}
ALLOWED = 10.0
LARGER = 4
FINE = 0.15  # seconds of CPU that nobody minds
TRIES = 4


def kernel(lines, before="", parameters="p, q, n", extra=""):
    body = "".join(f"    {line}\n" for line in lines)
    return f"{HEAD}{before}@triton.jit\ndef kernel({parameters}):\n    o = tl.arange(0, 64)\n{body}{extra}    tl.store(q, 1.0)\n"


def repeat(n, *lines, first=(), **options):
    return kernel([*first, *(line.format(i=i) for i in range(n) for line in lines)], **options)


ACCUMULATE = "acc += tl.load(p + {i} * 64 + o)"
START = ("acc = tl.zeros([64], tl.float32)",)
HELPER = "@triton.jit\ndef helper(x, k: tl.constexpr):\n    return x * k + 1\n\n\n"

# name: (size, source of that size, targets that it says something about)
CASES = {
    "loops with tiles": (60, lambda n: repeat(n, "for i in range(n):", "    acc += tl.load(p + i * 64 + o)", first=START, extra="    tl.store(q + o, acc)\n")),
    "loops with scalars": (100, lambda n: repeat(n, "for i in range(n):", "    tl.store(p + i, 1.0)")),
    "loops of known length": (80, lambda n: repeat(n, "for i in range(10):", "    x += tl.load(p + i)", first=("x = 0.0",), extra="    tl.store(q, x)\n")),
    "while loops": (80, lambda n: repeat(n, "while x < {i}:", "    x += n", first=("x = n",), extra="    tl.store(q, x.to(tl.float32))\n")),
    "variables of loops": (80, lambda n: repeat(n, "for i{i} in range(n):", "    v{i} = i{i} + 1", "    tl.store(p + v{i}, 1.0)")),
    "branches": (80, lambda n: repeat(n, "if n > {i}:", "    acc += {i}", first=START, extra="    tl.store(q + o, acc)\n")),
    "early returns": (40, lambda n: repeat(n, "if n == {i}:", "    tl.store(p, 1.0)", "    return")),
    "calls": (150, lambda n: repeat(n, "acc = helper(acc, {i})", first=START, before=HELPER, extra="    tl.store(q + o, acc)\n")),
    "calls of noinline functions": (80, lambda n: repeat(n, "x = helper(x, {i})", first=("x = n",), before=HELPER.replace("@triton.jit", "@triton.jit(noinline=True)"),
                                                       extra="    tl.store(q, x.to(tl.float32))\n")),
    "stores": (80, lambda n: repeat(n, "tl.store(q + {i} * 64 + o, tl.load(p + {i} * 64 + o))")),
    "masked loads": (60, lambda n: repeat(n, "tl.store(q + {i} + o, tl.load(p + {i} + o, mask=o + {i} < n), mask=o + {i} < n)")),
    "sums": (50, lambda n: repeat(n, "tl.store(q + {i}, tl.sum(tl.load(p + {i} * 64 + o), 0))")),
    "dots": (12, lambda n: repeat(n, "acc = tl.dot(a, a, acc)", first=("r = tl.arange(0, 16)", "a = tl.load(p + r[:, None] * 16 + r[None, :]).to(tl.float16)",
                                                                   "acc = tl.zeros([16, 16], tl.float32)"),
                                  extra="    tl.store(q + r[:, None] * 16 + r[None, :], acc)\n")),
    "variables": (200, lambda n: repeat(n, "v{i} = o + {i}", extra="".join(f"    tl.store(p + v{i}, 1.0)\n" for i in range(0, n, 20)))),
    "constants": (300, lambda n: repeat(n, "x += C{i}", first=("x = n",), before="".join(f"C{i} = tl.constexpr({i})\n" for i in range(n)),
                                        extra="    tl.store(q, x.to(tl.float32))\n")),
    "unrolled turns": (150, lambda n: kernel([*START, f"for i in tl.static_range({n}):", "    acc += i * o"], extra="    tl.store(q + o, acc)\n")),
    "long expressions": (200, lambda n: kernel(["x = n", *(f"x += {' + '.join(f'n * {i}' for i in range(100))}" for _ in range(n // 100))],
                                               extra="    tl.store(q, x.to(tl.float32))\n")),
    "arguments": (60, lambda n: kernel([f"tl.store(q + {i}, a{i})" for i in range(n)], parameters="p, q, n, " + ", ".join(f"a{i}" for i in range(n)))),
    "unused functions": (1500, lambda n: kernel([], before="".join(f"def f{i}(x):\n    return x + {i}\n\n\n" for i in range(n)))),
    "unused jit functions": (1000, lambda n: kernel([], before="".join(f"@triton.jit\ndef f{i}(x):\n    return x + {i}\n\n\n" for i in range(n)))),
    "classes": (500, lambda n: kernel([], before="".join(f"class C{i}:\n    x: int = {i}\n\n\n" for i in range(n)))),
    "module statements": (3000, lambda n: kernel([], before="".join(f"v{i} = {i} * 2\n" for i in range(n)))),
    "list literals": (10000, lambda n: kernel([], before=f"L = [{', '.join(map(str, range(n)))}]\n")),
    "dict literals": (5000, lambda n: kernel([], before=f"D = {{{', '.join(f'{i}: {i}' for i in range(n))}}}\n")),
    "long texts": (300000, lambda n: kernel([], before=f"S = '{'a' * n}'\nT = S + S\n")),
    "comments": (20000, lambda n: kernel([], before="# a comment\n" * n)),
    "configs": (300, lambda n: kernel([], before=f"@triton.autotune(configs=[triton.Config({{'B': i}}) for i in range({n})], key=['n'])\n")),
    "names that are not defined": (1500, lambda n: kernel([], before="".join(f"v{i} = undefined_{i}\n" for i in range(n)))),
}
SIMPLE = ("unused functions", "unused jit functions", "classes", "module statements", "list literals", "dict literals", "long texts", "comments", "configs",
          "names that are not defined")


def signature(source):
    count = source.count(", a") if "a0," in source or "a0)" in source else 0
    return ", ".join(["*fp32", "*fp32", "i32"] + ["fp32"] * (source.split("def kernel(")[1].split(")")[0].count(",") - 2 if count else 0))


def cpu_seconds(nereid, source, target, folder):
    path = os.path.join(folder, "case.py")
    with open(path, "w") as file:
        file.write(source)
    command = [nereid, "compile", path, "-n", "kernel", "-s", signature(source), *TARGETS[target], "-o", os.path.join(folder, "out")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    if status:
        raise RuntimeError(f"status {status}: {output[:300]}")
    return usage.ru_utime + usage.ru_stime


def growth(measure, size):
    """(the larger one's time, how many times the smaller one's it is), both without what a nearly empty kernel takes."""
    base = small = large = float("inf")
    for _ in range(TRIES):
        base, small, large = min(base, measure(1)), min(small, measure(size)), min(large, measure(LARGER * size))
        ratio = (large - base) / max(small - base, 0.01)
        if large - base < FINE or ratio < ALLOWED:
            break
    return large - base, ratio


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--nereid", default=os.path.join(ROOT, "build", "bin", "nereid"))
    options.add_argument("--case")
    options.add_argument("--target")
    options.add_argument("--verbose", action="store_true")
    arguments = options.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (size, source) in CASES.items():
            for target in ("tile",) if name in SIMPLE else TARGETS:
                if arguments.case not in (None, name) or arguments.target not in (None, target):
                    continue
                print(f"RUN: {name} for {target}", flush=True)
                try:
                    seconds, ratio = growth(lambda n: cpu_seconds(arguments.nereid, source(n), target, folder), size)
                    problem = "" if seconds < FINE or ratio < ALLOWED else f"{LARGER} times the size take {ratio:.1f} times the time"
                except RuntimeError as error:
                    seconds, ratio, problem = 0, 0, str(error)
                if arguments.verbose:
                    print(f"  {seconds:.2f} s, {ratio:.1f} times", flush=True)
                if problem:
                    print(f"FAILED: {name} for {target}: {problem} ({seconds:.2f} s)", flush=True)
                passed, failed = passed + (not problem), failed + bool(problem)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
