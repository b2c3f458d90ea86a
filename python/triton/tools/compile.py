"""Ahead-of-time compilation with the options of Triton's tool; the work is done by `nereid compile`, which needs no GPU.

    python -m triton.tools.compile kernel.py --kernel-name add -s "*fp32:16, *fp32:16, i32:1, i32, fp32, 1024" \\
        --grid "(n + 1023) / 1024, 1, 1" --target cuda:90:32 --out-name add -o build/add

writes `build/add.HASH_0d1d2c345.h` and `.c`: a C function `add_HASH_0d1d2c345(CUstream, …)`, with functions that load and unload it, around
the machine code; `triton.tools.link` makes one function of several such files. With `--target cpu` it writes `build/add.h`, a C header, and
`build/add.o`, an object that links against libnereid-rt alone.
"""
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

# In a header, for `triton.tools.link`: the function, all of its arguments with those that are 1 there, what else it was compiled for,
# and what its arguments must be: 16 divides it, it is 1, or nothing.
LINKER_LINE = "// tt-linker: {name}:{parameters}:{variant}:{hints}"


@dataclass
class CompileArgs:
    """What the command line says, for programs that call `compile_kernel`."""
    path: str = ""
    kernel_name: str = ""
    signature: str = ""
    grid: str = ""
    target: str | None = None
    num_warps: int = 1
    num_stages: int = 3
    out_name: str | None = None
    out_path: Path | None = None


def _run_nereid(*words):
    from nereid import _native
    status = _native.run_command([os.fsencode(word) for word in ("compile", *words)])
    if status != 0:  # it has said why
        raise SystemExit(status)


def _machine_target():
    """The first GPU that the driver has, else the processor; torch is not asked."""
    import ctypes
    if os.environ.get("NEREID_DEVICE", "").startswith("cpu"):
        return "cpu"
    try:
        driver = ctypes.CDLL(os.environ.get("NEREID_LIBCUDA") or "libcuda.so.1")
    except OSError:
        return "cpu"
    device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    asked = [driver.cuInit(0), driver.cuDeviceGet(ctypes.byref(device), 0), driver.cuDeviceGetAttribute(ctypes.byref(major), 75, device),
             driver.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)]  # yapf: disable
    return "cpu" if any(asked) else f"cuda:{major.value * 10 + minor.value}"


def _target(text):
    """Triton's `cuda:90:32` in the words of nereid."""
    backend, _, rest = (text or _machine_target()).partition(":")
    architecture = rest.partition(":")[0]
    if backend == "hip":
        raise SystemExit("error: nereid does not compile for AMD GPUs")
    return f"sm_{architecture}{'a' if architecture == '90' else ''}" if backend == "cuda" else "cpu"


def _entries(signature):
    """The parts of a signature; commas inside of brackets belong to a type."""
    return [entry.strip() for entry in re.split(r",(?![^\[(]*[\])])", signature)]


def _parameter_names(path, kernel):
    import ast
    with open(path) as file:
        tree = ast.parse(file.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == kernel:
            return [argument.arg for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
    raise SystemExit(f"error: `{path}` has no function `{kernel}`")


def _hint(entry):
    kind, colon, hint = entry.partition(":")
    if not colon or "<" in kind:
        return None
    if hint not in ("1", "16"):
        raise SystemExit(f"error: `{entry}`: only 1 and 16 are hints")
    return int(hint)


def _is_type(entry):
    return re.match(r"\*|[iu](1|8|16|32|64)(:|$)|(fp|bf|f)\d+|tensordesc<", entry) is not None


def _c_parameters(header, name):
    """(type, name) of each parameter of a function in a header, the stream left out."""
    found = re.search(rf"CUresult {name}\((.*)\);", header)
    return [tuple(text.split()) for text in found.group(1).split(", ")[1:]]


class _Kernel:
    """One kernel with one signature, for a GPU."""

    def __init__(self, args):
        self.entries = _entries(args.signature)
        self.names = _parameter_names(args.path, args.kernel_name)
        if len(self.entries) > len(self.names):
            raise SystemExit(f"error: the signature has {len(self.entries)} entries, but `{args.kernel_name}` has {len(self.names)} parameters")
        self.hints = [_hint(entry) if _is_type(entry) else None for entry in self.entries]
        meta = f"warps{args.num_warps}xstages{args.num_stages}"
        digest = hashlib.sha256(" ".join(self.entries + [meta]).encode()).hexdigest()[:8]
        suffix = "".join(f"{i}{ {1: 'c', 16: 'd'}.get(hint, '')}" for i, hint in enumerate(self.hints))
        self.tail = f"{digest}_{suffix}"
        self.name = f"{args.out_name or args.kernel_name}_{self.tail}"
        constants = [re.sub(r"\W", "_", entry) for entry in self.entries if not _is_type(entry)]
        self.variant = "_".join(["x".join(constants), meta] if constants else [meta])

    def signature(self):
        """As nereid takes it: an argument that is 1 is a constant; what a descriptor describes is aligned, which its function checks."""
        return ", ".join("1" if hint == 1 else f"{entry}:16" if entry.startswith("tensordesc") and entry.endswith(">") else entry
                         for entry, hint in zip(self.entries, self.hints))

    def linker_line(self, header):
        declared = _c_parameters(header, self.name)
        parameters, hints = [], []
        for entry, hint, name in zip(self.entries, self.hints, self.names):
            if hint == 1:
                parameters.append(("int64_t" if "64" in entry else "int32_t", name))
                hints.append("1")
            elif _is_type(entry):
                count = 1 + 2 * (1 + entry.count(",")) if entry.startswith("tensordesc") else 1
                parameters += declared[:count]
                hints += ["16" if hint == 16 or count > 1 else ""] + [""] * (count - 1)
                del declared[:count]
        text = ", ".join(" ".join(parameter) for parameter in parameters)
        return LINKER_LINE.format(name=self.name, parameters=text, variant=self.variant, hints=",".join(hints))


def _compile_for_gpu(args, target, base):
    kernel = _Kernel(args)
    written = []
    for kind, suffix in (("header", ".h"), ("source", ".c")):
        path = f"{base}.{kernel.tail}{suffix}"
        grid = ("--grid", args.grid) if args.grid else ()
        _run_nereid(str(args.path), "-n", args.kernel_name, "-s", kernel.signature(), "--num-warps", str(args.num_warps), "--num-stages",
                    str(args.num_stages), "--target", target, "--emit", kind, "--out-name", kernel.name, *grid, "-o", path)
        written.append(path)
    with open(written[0]) as file:
        header = file.read()
    with open(written[0], "w") as file:
        file.write(kernel.linker_line(header) + "\n" + header)
    return kernel.name, written


def compile_kernel(args):
    """The function's name, and the files that were written for `CompileArgs` or parsed arguments of the command line."""
    name, written = _compile_kernel(args)
    return name, [Path(path) for path in written]


def _compile_kernel(args):
    target = _target(args.target)
    name = args.out_name or args.kernel_name
    base = os.path.splitext(str(args.out_path or name))[0]
    if target != "cpu":
        return _compile_for_gpu(args, target, base)
    written = []
    for kind, suffix in (("header", ".h"), ("obj", ".o")):
        _run_nereid(str(args.path), "-n", args.kernel_name, "-s", args.signature, "--num-warps", str(args.num_warps), "--num-stages",
                    str(args.num_stages), "--target", "cpu", "--emit", kind, "-o", base + suffix)
        written.append(base + suffix)
    return name, written


def main():
    from argparse import ArgumentParser
    parser = ArgumentParser(description="compile a kernel ahead of time to C")
    parser.add_argument("path", help="the Python file with the kernel; it is read, not run")
    parser.add_argument("--kernel-name", "-n", required=True, help="the kernel's name")
    parser.add_argument("--signature", "-s", required=True, help='types and constants, such as "*fp32:16, i32, 1024"')
    parser.add_argument("--target", "-t", help="cuda:ARCHITECTURE:32 or cpu; without it this machine's device")
    parser.add_argument("--num-warps", "-w", type=int, default=1)
    parser.add_argument("--num-stages", "-ns", type=int, default=3)
    parser.add_argument("--out-name", "-on", help="the name of the compiled kernel")
    parser.add_argument("--out-path", "-o", help="where to write, without a suffix")
    parser.add_argument("--grid", "-g", default="", help="C expressions of the parameters: \"M / 16, N / 16, 1\"; without it the function takes the grid")
    for path in compile_kernel(parser.parse_args())[1]:
        print(path)


if __name__ == "__main__":
    main()
