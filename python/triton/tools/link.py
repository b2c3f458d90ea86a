"""One C function of several that `triton.tools.compile` wrote for GPUs: it takes the first whose arguments fit.

    python -m triton.tools.link build/*.h -o build/kernels

writes `build/kernels.h` and `.c`. For each kernel NAME they have `NAME(stream, …, algo_id)`, where the algorithms are the different constants
and numbers of warps that it was compiled with; `NAME_default`, the first of them; `NAME_get_num_algos`; and `load_NAME`, `unload_NAME`.
An algorithm has a function of its own too, which looks at its arguments: of the specializations for numbers that are 1 or divisible
by 16, the one that asks for most. Where none fits, the result is CUDA_ERROR_INVALID_VALUE.
"""
import re
from collections import namedtuple

_LINE = re.compile(r"//\s*tt-linker:\s*(\w+):([^:]*):(\w+):([\d,]*)\s*$", re.MULTILINE)


class LinkerError(Exception):
    """The headers do not fit together."""


# One compiled function: parameters are (type, name), hints 16, 1 or None for each.
Specialization = namedtuple("Specialization", "function kernel variant parameters hints")


def read_header(text, path="the header"):
    """The functions that a header declares."""
    found = []
    for function, parameters, variant, hints in _LINE.findall(text):
        kernel = re.fullmatch(r"(\w+)_[0-9a-f]{8}_\w+", function)
        if kernel is None:
            raise LinkerError(f"{path}: `{function}` is no name that triton.tools.compile gives")
        pairs = [tuple(parameter.split()) for parameter in parameters.split(", ") if parameter]
        numbers = [int(hint) if hint else None for hint in hints.split(",")] if pairs else []
        found.append(Specialization(function, kernel.group(1), variant, pairs, numbers))
    if not found:
        raise LinkerError(f"{path} has no line `// tt-linker: …`: it is no header of triton.tools.compile for a GPU")
    return found


def _declared(parameters):
    return "".join(f", {kind} {name}" for kind, name in parameters)


def _fits(specialization):
    tests = [f"{name} == 1" if hint == 1 else f"{name} % 16 == 0"
             for (_, name), hint in zip(specialization.parameters, specialization.hints) if hint]  # yapf: disable
    return " && ".join(tests) or "1"


def _call(specialization):
    passed = [name for (_, name), hint in zip(specialization.parameters, specialization.hints) if hint != 1]
    return f"{specialization.function}({', '.join(['stream', *passed])})"


class Kernel:
    """All that was compiled of one kernel: by algorithm, its specializations, those that ask for most first."""

    def __init__(self, name, specializations, prefix=""):
        self.name = prefix + name
        self.parameters = specializations[0].parameters
        self.algorithms = {}
        for each in specializations:
            if [kind for kind, _ in each.parameters] != [kind for kind, _ in self.parameters]:
                raise LinkerError(f"`{name}` was compiled with different types: ({_declared(self.parameters)[2:]}) in "
                                  f"`{specializations[0].function}`, ({_declared(each.parameters)[2:]}) in `{each.function}`")
            self.algorithms.setdefault(f"{self.name}_{each.variant}", []).append(each)
        for listed in self.algorithms.values():
            listed.sort(key=lambda each: sum(hint is not None for hint in each.hints), reverse=True)

    def prototypes(self):
        shared = _declared(self.parameters)
        lines = []
        for name in self.algorithms:
            lines += [f"CUresult {name}(CUstream stream{shared});", f"void load_{name}(void);", f"void unload_{name}(void);"]
        lines += [f"CUresult {self.name}_default(CUstream stream{shared});", f"CUresult {self.name}(CUstream stream{shared}, int algo_id);",
                  f"int {self.name}_get_num_algos(void);", f"void load_{self.name}(void);", f"void unload_{self.name}(void);"]
        return "\n".join(lines) + "\n"

    def _algorithm(self, name, listed):
        text = ""
        for each in listed:
            passed = [parameter for parameter, hint in zip(each.parameters, each.hints) if hint != 1]
            text += f"CUresult {each.function}(CUstream stream{_declared(passed)});\nvoid load_{each.function}(void);\nvoid unload_{each.function}(void);\n"
        text += f"\nCUresult {name}(CUstream stream{_declared(self.parameters)}) {{\n"
        for each in listed:
            # The names of parameters may differ between files; the kernel's are those of its first.
            renamed = each._replace(parameters=[(kind, mine) for (kind, _), (_, mine) in zip(each.parameters, self.parameters)])
            text += f"  if ({_fits(renamed)})\n    return {_call(renamed)};\n"
        text += "  return CUDA_ERROR_INVALID_VALUE;\n}\n\n"
        for verb in ("load", "unload"):
            calls = "".join(f"  {verb}_{each.function}();\n" for each in listed)
            text += f"void {verb}_{name}(void) {{\n{calls}}}\n\n"
        return text

    def definitions(self):
        passed = "".join(f", {name}" for _, name in self.parameters)
        shared = _declared(self.parameters)
        text = "".join(self._algorithm(name, listed) for name, listed in self.algorithms.items())
        cases = "".join(f"  case {i}: return {name}(stream{passed});\n" for i, name in enumerate(self.algorithms))
        text += f"CUresult {self.name}(CUstream stream{shared}, int algo_id) {{\n  switch (algo_id) {{\n{cases}  default: return CUDA_ERROR_INVALID_VALUE;\n  }}\n}}\n\n"
        text += f"CUresult {self.name}_default(CUstream stream{shared}) {{ return {self.name}(stream{passed}, 0); }}\n\n"
        text += f"int {self.name}_get_num_algos(void) {{ return {len(self.algorithms)}; }}\n\n"
        for verb in ("load", "unload"):
            calls = "".join(f"  {verb}_{name}();\n" for name in self.algorithms)
            text += f"void {verb}_{self.name}(void) {{\n{calls}}}\n\n"
        return text


def link(headers, prefix=""):
    """(header, source) for texts of headers by path."""
    by_name = {}
    for path, text in headers.items():
        for each in read_header(text, path):
            by_name.setdefault(each.kernel, []).append(each)
    kernels = [Kernel(name, listed, prefix) for name, listed in by_name.items()]
    opening = "/* Made by nereid's linker of ahead-of-time kernels. Link with libcuda. */\n"
    guard = "NEREID_LINKED_" + "_".join(kernel.name for kernel in kernels)
    header = (f"{opening}#ifndef {guard}\n#define {guard}\n\n#include <cuda.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
              + "\n".join(kernel.prototypes() for kernel in kernels) + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n")  # yapf: disable
    source = opening + "#include <cuda.h>\n#include <stdint.h>\n\n" + "\n".join(kernel.prototypes() + "\n" + kernel.definitions() for kernel in kernels)
    return header, source


def main():
    from argparse import ArgumentParser
    import os
    parser = ArgumentParser(description="make one C function of several that triton.tools.compile wrote")
    parser.add_argument("headers", nargs="+", help="headers of triton.tools.compile")
    parser.add_argument("--out", "-o", required=True, help="where to write, without a suffix")
    parser.add_argument("--prefix", default="", help="put before the names of the functions")
    args = parser.parse_args()
    texts = {}
    for path in args.headers:
        with open(path) as file:
            texts[path] = file.read()
    try:
        header, source = link(texts, args.prefix)
    except LinkerError as error:
        raise SystemExit(f"error: {error}")
    base = os.path.splitext(args.out)[0]
    for suffix, text in ((".h", header), (".c", source)):
        with open(base + suffix, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
