"""harness.py: builds a kernel that applies many ops to the same inputs, runs it, and hands back each result."""
import os
import subprocess
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TOOL = os.path.join(os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build")), "bin", "nereid-interp")


def run_tool(source, arguments, options=()):
    """Runs a kernel; `arguments` are strings or (name, type, array) with arrays changed in place. Returns the output."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.mlir")
        with open(path, "w") as file:
            file.write(source)
        words, files = [], []
        for argument in arguments:
            if isinstance(argument, str):
                words.append(argument)
                continue
            name, type_name, array = argument
            file_name = os.path.join(folder, name + ".bin")
            array.tofile(file_name)
            files.append((file_name, array))
            words.append(f"{name}=file:{type_name}:{file_name}:{'x'.join(map(str, array.shape))}")
        done = subprocess.run([TOOL, path, *options, *words], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise RuntimeError(f"{done.stdout}{done.stderr}\n{source[:3000]}")
        for file_name, array in files:
            array[...] = np.fromfile(file_name, array.dtype).reshape(array.shape)
        return done.stdout


class Kernel:
    """One kernel over tiles of `count` elements: load inputs, apply snippets, store each result in a buffer of its own."""

    def __init__(self, count):
        self.count, self.body, self.parameters, self.arguments, self.results = count, [], [], [], []
        self.body.append(f"%lanes = tile.arange 0 to {count} : tensor<{count}xi32>")

    def tile(self, element, count=None):
        return f"tensor<{count or self.count}x{element}>"

    def pointers(self, name, element, count, lanes):
        self.body.append(f"%{name}_b = tile.splat %{name} : !tile.ptr<{element}> -> {self.tile(f'!tile.ptr<{element}>', count)}")
        self.body.append(f"%{name}_p = tile.addptr %{name}_b, {lanes} : {self.tile(f'!tile.ptr<{element}>', count)}, {self.tile('i32', count)}")

    def input(self, name, kind, array):
        self.parameters.append(f"%{name}: !tile.ptr<{kind.mlir}>")
        self.arguments.append((name, kind.name, np.ascontiguousarray(array.astype(kind.numpy))))
        self.pointers(name, kind.mlir, self.count, "%lanes")
        self.body.append(f"%{name}_v = tile.load %{name}_p : {self.tile(f'!tile.ptr<{kind.mlir}>')} -> {self.tile(kind.mlir)}")
        return f"%{name}_v"

    def output(self, value, kind, count=None):
        """Stores a tile of `count` elements; returns the index of the result."""
        name, count = f"out{len(self.results)}", count or self.count
        lanes = "%lanes"
        if count != self.count:
            lanes = f"%{name}_l"
            self.body.append(f"{lanes} = tile.arange 0 to {count} : {self.tile('i32', count)}")
        array = np.zeros(count, kind.numpy)
        self.parameters.append(f"%{name}: !tile.ptr<{kind.mlir}>")
        self.arguments.append((name, kind.name, array))
        self.pointers(name, kind.mlir, count, lanes)
        self.body.append(f"tile.store %{name}_p, {value} : {self.tile(f'!tile.ptr<{kind.mlir}>', count)}, {self.tile(kind.mlir, count)}")
        self.results.append(array)
        return array

    def emit(self, text):
        self.body.append(text)

    def run(self, options=()):
        lines = "\n  ".join(self.body)
        source = f"func.func @kernel({', '.join(self.parameters)}) {{\n  {lines}\n  return\n}}\n"
        return run_tool(source, self.arguments, options)


class Tally:
    def __init__(self):
        self.checks, self.failures = 0, []

    def check(self, what, ok, detail=""):
        self.checks += 1
        if not ok:
            self.failures.append(f"{what}: {detail}")

    def finish(self):
        for failure in self.failures[:40]:
            print("FAILED:", failure)
        print(f"{self.checks} checks, {len(self.failures)} failures")
        return 1 if self.failures else 0
