#!/usr/bin/env python3
"""Compares random programs of loops, branches and scalars with CPython: counters that are asked for behind their loop, that change in
branches or before the end of an iteration, bounds that move, loops that never run, steps of both signs, 32 and 64 bits.

All numbers stay small, so that Python's integers and the language's are the same. Exit status 1 on a difference.
Usage: loops_oracle.py [--count 40] [--seed 1] [--show]
"""
import argparse
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import numpy as np  # noqa: E402
from nereid_test import Checks, Module, NereidError  # noqa: E402

HEADER = "import triton\nimport triton.language as tl\n\n@triton.jit\ndef kernel(o, a, b, c, d):\n"
DEVICES = [os.environ["NEREID_DEVICE"]] if "NEREID_DEVICE" in os.environ else ["interp", "cpu"]
DEPTH = 3


class Program:
    def __init__(self, rng):
        self.rng, self.lines, self.indent, self.names = rng, [], 1, 0
        self.values = ["a", "b", "c", "d"]  # what may be read
        self.written = []  # what an assignment may change
        self.work = 1  # iterations of the loops around
        for _ in range(rng.randint(2, 4)):
            name = self.new("x")
            self.line(f"{name} = {rng.choice([str(rng.randint(-5, 20)), 'a - b', 'c * 3', 'tl.program_id(0) + d'])}")
            self.written.append(name)
            self.values.append(name)
        self.line("h = tl.program_id(0)")
        self.block(0)
        for place, name in enumerate(["h", *self.written, *[each for each in self.values if each[0] in "ij"]]):
            self.line(f"tl.store(o + {place}, {self.read(name)})")
        self.text = "\n".join(self.lines) + "\n"

    def new(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def line(self, text):
        self.lines.append("    " * self.indent + text)

    def read(self, name):
        return f"{name}.to(tl.int32)" if name[0] == "j" else name  # j: counters of 64 bits

    def value(self):
        return self.read(self.rng.choice(self.values)) if self.rng.random() < 0.7 else str(self.rng.randint(-4, 12))

    def condition(self):
        return f"{self.read(self.rng.choice(self.values))} {self.rng.choice(['<', '>', '<=', '>=', '==', '!='])} {self.value()}"

    def small(self):
        """From -4 to 11."""
        return f"(({self.value()} & 15) - 4)"

    def note(self):
        self.line(f"h = (h * 7 + {self.value()}) & 16383")

    def assign(self):
        name = self.rng.choice(self.written)
        form = self.rng.choice(["({0} + {1}) & 63", "({0} * 3 - {1}) & 127", "{1} & 31", "tl.where({2}, {0}, {1}) & 255"])
        self.line(f"{name} = " + form.format(name, self.value(), self.condition()))

    def branch(self, depth):
        kept = list(self.values), list(self.written)
        self.line(f"if {self.condition()}:")
        self.inside(lambda: self.block(depth + 1))
        self.values, self.written = map(list, kept)
        if self.rng.random() < 0.5:
            self.line("else:")
            self.inside(lambda: self.block(depth + 1))
            self.values, self.written = map(list, kept)

    def inside(self, emit):
        self.indent += 1
        emit()
        self.indent -= 1

    def body(self, depth, iterations, *more):
        """A block with `more` at its end, or before."""
        kept, work = (list(self.values), list(self.written)), self.work
        self.work *= iterations

        def emit():
            early = self.rng.random() < 0.3
            for each in more if early else ():
                each()
            self.block(depth + 1)
            for each in () if early else more:
                each()
        self.inside(emit)
        self.work = work
        self.values, self.written = kept

    def counted_while(self, depth):
        rng = self.rng
        name = self.new(rng.choice("iiij"))
        self.line(f"{name} = " + ("tl.program_id(0).to(tl.int64) + " if name[0] == "j" else "") + rng.choice([self.small(), str(rng.randint(-6, 6))]))
        self.values.append(name)
        bound = rng.choice([self.small(), str(rng.randint(-2, 12)), "a", "b", "n"])
        if bound == "n":  # also where it changes in the loop
            bound = self.new("n")
            self.line(f"{bound} = {self.small()}")
            self.values.append(bound)
        step = rng.choice([str(rng.randint(1, 5)), str(rng.randint(1, 5)), f"(({self.value()} & 3) + 1)"])
        down = rng.random() < 0.2
        test = rng.choice(["{0} > {1}", "{1} < {0}", "{0} >= {1}"] if down else ["{0} < {1}", "{1} > {0}", "{0} <= {1}", "{0} < {1}"])
        test = test.format(name, bound)
        if rng.random() < 0.15:
            test = f"({test}) & ({self.condition()})"
        self.line(f"while {test}:")
        sign = "-" if down else "+"

        def count():
            if rng.random() < 0.2:
                self.line(f"if {self.condition()}:")
                self.inside(lambda: self.line(f"{name} {sign}= {step}"))
                self.line("else:")
                self.inside(lambda: self.line(f"{name} {sign}= {rng.randint(1, 3)}"))
            else:
                self.line(rng.choice([f"{name} {sign}= {step}", f"{name} = {name} {sign} {step}"]))

        def move():
            if bound[0] == "n" and rng.random() < 0.3:
                self.line(f"{bound} {'+' if down else '-'}= 1")
        self.body(depth, 18, count, move)

    def counted_for(self, depth):
        rng = self.rng
        name, step = self.new("i"), rng.choice(["1", str(rng.randint(1, 4)), str(rng.randint(1, 4)), f"(({self.value()} & 3) + 1)"])
        low, high = self.small(), self.small()
        form = rng.choice(["range({0}, {1}, {2})", "range({0}, {1}, {2})", "range({1})", "tl.range({0}, {1}, {2}, loop_unroll_factor=2)"])
        if form.startswith("range({0}") and step.isdigit() and rng.random() < 0.3:
            low, high, step = high, low, f"-{step}"
        self.line(f"{name} = 0")  # what it is behind a loop without iterations
        self.line(f"for {name} in {form.format(low, high, step)}:")
        self.values.append(name)
        self.body(depth, 16)

    def block(self, depth):
        rng = self.rng
        for _ in range(rng.randint(1, 3 if depth else 5)):
            what = rng.random()
            if depth >= DEPTH or self.work > 1000 or what < 0.25:
                self.assign() if rng.random() < 0.5 else self.note()
            elif what < 0.4:
                self.branch(depth)
            elif what < 0.75:
                self.counted_while(depth)
            else:
                self.counted_for(depth)


def by_python(text, arguments, size):
    body = re.sub(r"\.to\(tl\.int(32|64)\)", "", text).replace("tl.program_id(0)", "0").replace(", loop_unroll_factor=2", "").replace("tl.range", "range")
    body = re.sub(r"tl\.store\(o \+ (\d+), (\w+)\)", r"o[\1] = \2", body).replace("tl.where(", "where(")
    names = {"where": lambda condition, x, y: x if condition else y}
    exec("def kernel(o, a, b, c, d):\n" + body, names)
    out = [0] * size
    names["kernel"](out, *arguments)
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print every program")
    options = parser.parse_args()
    checks, size = Checks(), 64
    for seed in range(options.seed, options.seed + options.count):
        rng = random.Random(seed)
        program = Program(rng)
        arguments = [rng.randint(0, 9), rng.choice([0, 1, 16, rng.randint(-9, 9)]), rng.randint(2, 7), rng.randint(-20, 20)]
        if options.show:
            print(f"# seed {seed}: {arguments}\n{HEADER}{program.text}", flush=True)
        expected = by_python(program.text, arguments, size)

        def run(device):
            out = np.zeros(size, np.int32)
            Module(text=HEADER + program.text, name=f"loops{seed}.py").launch("kernel", [out, *arguments], device=device)
            checks.equal(out, np.array(expected, np.int32), f"seed {seed} on {device}, arguments {arguments}")

        for device in DEVICES:
            checks.run(f"seed {seed} on {device}", lambda: run(device))
    checks.exit()


if __name__ == "__main__":
    main()
