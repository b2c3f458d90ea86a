"""`python -m nereid SCRIPT …` runs a script, `-m MODULE …` a module, `-c CODE …` code, with nereid's `triton`."""
import os
import runpy
import sys

_USAGE = """usage: python -m nereid [OPTIONS] SCRIPT [ARGUMENTS…]
       python -m nereid [OPTIONS] -m MODULE [ARGUMENTS…]
       python -m nereid [OPTIONS] -c CODE [ARGUMENTS…]
       --quick: benchmarks (triton.testing) run their first point once, to see a script work
       --as-cuda: the CPU answers as a CUDA device, for scripts that insist on one (nereid.as_cuda)
       --exact-torch: torch's normalizations and cross entropy on the CPU are computed one precision up (nereid.exact_torch)
       python -m nereid --path      print the folder that makes `import triton` mean nereid's on PYTHONPATH
       python -m nereid --which     say which `triton` an `import triton` means, and how to change that
"""


def _use_dropin():
    from nereid import dropin_path
    folder = dropin_path()
    sys.path.insert(0, folder)
    # Child processes of the script (workers, subprocesses) mean the same `triton`.
    inherited = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = folder + (os.pathsep + inherited if inherited else "")
    return folder


def _quick():
    import triton._perf_report
    triton._perf_report.QUICK = True


def _as_cuda():
    from nereid import as_cuda
    as_cuda.enable()


def _exact_torch():
    from nereid import exact_torch
    exact_torch.enable()


_OPTIONS = {"--quick": _quick, "--as-cuda": _as_cuda, "--exact-torch": _exact_torch}


def _run_code(code):
    import linecache
    import types
    name = "<command line>"
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)  # where the text of kernels is looked for
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(code, name, "exec"), module.__dict__)


def main(words):
    if not words or words[0] in ("-h", "--help"):
        print(_USAGE, end="")
        return 0 if words else 2
    if words[0] == "--which":
        from nereid.which import found, sentence
        print(sentence(found()))
        return 0
    folder = _use_dropin()
    while len(words) > 1 and words[0] in _OPTIONS:
        _OPTIONS[words[0]]()
        words = words[1:]
    if words[0] == "--path":
        print(folder)
        return 0
    if words[0] in ("-m", "-c"):
        if len(words) < 2:
            print(_USAGE, end="", file=sys.stderr)
            return 2
        sys.path.insert(0, os.getcwd())
        if words[0] == "-c":
            sys.argv = ["-c", *words[2:]]
            _run_code(words[1])
            return 0
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return 0
    if not os.path.exists(words[0]):
        print(f"error: there is no script `{words[0]}`", file=sys.stderr)
        return 2
    sys.argv = words
    # The script's own folder comes first, as Python has it, unless it has a `triton` of its own.
    sys.path.insert(1, os.path.dirname(os.path.abspath(words[0])))
    runpy.run_path(words[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
