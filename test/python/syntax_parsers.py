"""The two sides of every comparison: our parser in a child process, and the running CPython's `ast`."""
import ast
import os
import subprocess
import sys
import tempfile


def drop_positions(tree):
    for node in ast.walk(tree):
        for name in node._attributes:
            node.__dict__.pop(name, None)


def cpython_dump(source, positions=False):
    """(tree, "") for bytes that CPython accepts, (None, message) otherwise. Positions inside f-strings are left out:
    CPython 3.11 has only approximate ones."""
    try:
        tree = ast.parse(source)
        if positions:
            for node in ast.walk(tree):
                if isinstance(node, ast.JoinedStr):
                    for value in node.values:
                        drop_positions(value)
        return ast.dump(tree, include_attributes=positions).encode("utf-8", "surrogatepass"), ""
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return None, str(error)


def default_parser():
    """The nereid-parse of the build that scripts/test names, or of this checkout."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    return os.path.join(os.environ.get("NEREID_BUILD", os.path.join(root, "build")), "bin", "nereid-parse")


class OurParser:
    def __init__(self, program, positions=False):
        command = [program, "--batch"] + ["--positions"] * positions
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.scratch = tempfile.NamedTemporaryFile(suffix=".py", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)

    def dump_file(self, path):
        """(accepted, tree or messages)"""
        self.process.stdin.write(path.encode() + b"\n")
        self.process.stdin.flush()
        header = self.process.stdout.readline().split()
        if not header:
            sys.exit(f"the parser died on {path}")
        return header[0] == b"ok", self.process.stdout.read(int(header[1]))

    def dump(self, source):
        with open(self.scratch.name, "wb") as out:
            out.write(source)
        return self.dump_file(self.scratch.name)


def uses_newer_syntax(tree, message):
    """True for what Python 3.12 accepts and 3.11 does not: type parameters, and f-strings without the old limits."""
    return b"TypeAlias(" in tree or b"type_params=" in tree or "f-string" in message
