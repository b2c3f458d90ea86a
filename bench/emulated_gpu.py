"""emulated_gpu.py: programs of others on a GPU that is emulated on the host, held against the processor launch by launch.

    scripts/on-emulated-gpu python bench/emulated_gpu.py [--limit 60] [--interpreter] [--json FILE] [--inductor-files FOLDER [--sample 200]] PROGRAM.py...

A program believes that it has an H200 (pretended_gpu.py); its tensors are the processor's. Each of its launches runs twice on the same memory, as machine code of the
processor and as PTX that unittest/emulatedgpu executes, and what the two leave in the tensors is compared; the program goes on with the first. The Python that runs it
has torch; autotuned kernels take their first configuration. With `--interpreter` it is the interpreter instead of the processor's machine code; `--inductor-files` takes
kernels that Inductor wrote (inductor_files.py), as far as the sanitizer finds nothing in their launches. A table of the programs comes last: the launches, and those that differ, that only one side can run or
that the emulated GPU stops (memory outside of all tensors, accesses to shared memory that nothing orders)."""
import argparse
import contextlib
import json
import os
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Launches:
    """In the place of JITFunction.run."""

    def __init__(self, by_interpreter=False, must_be_safe=False):
        import torch
        from triton.runtime.jit import JITFunction
        self.rows, self.on_gpu, self.is_inside, run = [], False, False, JITFunction.run
        self.by_interpreter, self.must_be_safe = by_interpreter, must_be_safe
        torch.Tensor.is_cuda = property(lambda tensor: self.on_gpu or not self.is_inside)
        torch.Tensor.is_cpu = property(lambda tensor: not tensor.is_cuda)
        JITFunction.run = lambda function, *args, **kwargs: self.launch(run, function, args, kwargs)

    @contextlib.contextmanager
    def device(self, on_gpu):
        self.on_gpu, self.is_inside = on_gpu, True
        try:
            yield
        finally:
            self.is_inside = False

    def check(self, function, args, kwargs):
        if found := function.check(kwargs["grid"], args, {name: value for name, value in kwargs.items() if name not in ("grid", "warmup")}):
            raise LookupError(found[:400])

    def expected_of(self, function):
        from triton.runtime.interpreter import InterpretedFunction
        return InterpretedFunction(function.fn) if self.by_interpreter else function

    def launch(self, run, function, args, kwargs):
        if self.is_inside or kwargs.get("warmup"):
            return run(function, *args, **kwargs)
        storages = storages_in((args, kwargs))
        before = [storage.clone() for storage in storages]
        row = {"kernel": function.__name__, "processor": None, "gpu": None, "distance": None}
        self.rows.append(row)
        with self.device(False):
            if self.must_be_safe:
                self.check(function, args, kwargs)
                copy(before, storages)
            kernel = attempt(row, "processor", lambda: run(self.expected_of(function), *args, **kwargs))
        expected = [storage.clone() for storage in storages]
        copy(before, storages)
        with self.device(True):
            attempt(row, "gpu", lambda: run(function, *args, **kwargs))
        if not row["processor"] and not row["gpu"]:
            distances = [distance(a, b) for a, b in zip(expected, storages)]
            row["distance"] = None if None in distances else max(distances, default=0.0)
        copy(expected, storages)
        if row["processor"]:
            raise RuntimeError(row["processor"])
        return kernel


def copy(values, storages):
    for storage, value in zip(storages, values):
        storage.copy_(value)


def attempt(row, side, call):
    try:
        return call()
    except Exception as problem:  # noqa: BLE001 a row of the table
        row[side] = f"{type(problem).__name__}: {problem}"[:600]
    return None


def storages_in(values):
    """All memory that a launch is given, each piece once, as flat tensors of its elements."""
    import torch
    from torch.utils._pytree import tree_leaves
    found = {}
    for leaf in tree_leaves(values):
        tensor = getattr(leaf, "base", leaf) if not isinstance(leaf, torch.Tensor) else leaf
        if isinstance(tensor, torch.Tensor) and tensor.numel():
            storage = tensor.untyped_storage()
            found.setdefault(storage.data_ptr(), torch.empty(0, dtype=tensor.dtype).set_(storage, 0, (storage.nbytes() // tensor.element_size(),)))
    return list(found.values())


def distance(expected, found):
    """The largest difference of two elements, by the size of what is expected; infinite where only one of them is a number, None where they differ and nothing
    is to be expected, since the numbers grow beyond all bounds."""
    import torch
    if expected.dtype in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32, torch.uint64):
        return 0.0 if torch.equal(expected, found) else float((expected.double() - found.double()).abs().max() / expected.double().abs().max().clamp(min=1))
    if expected.is_complex():
        expected, found = torch.view_as_real(expected), torch.view_as_real(found)
    a, b = expected.double(), found.double()
    are_same = (a == b) | (a.isnan() & b.isnan())
    size = a[a.isfinite()].abs()
    if not bool(are_same.all()) and size.numel() and float(size.max()) > 1e30:
        return None
    if not bool((are_same | (a.isfinite() & b.isfinite())).all()):
        return float("inf")
    scale = float(size.pow(2).mean().sqrt()) if size.numel() else 1.0
    halves = 0.2 if expected.element_size() < 4 else 1.0  # one rounding of a large element is this much of their mean
    return float(torch.where(are_same, 0.0, (a - b).abs()).nan_to_num(0.0).max()) / max(scale, 1e-30) * halves


def emulate():
    """Launches of this process run on the emulated GPU, with tensors of the processor."""
    import torch
    from pretended_gpu import pretend
    if hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        del torch.Tensor.__dlpack_c_exchange_api__  # it says where a tensor is without asking `is_cuda`
    pretend()
    torch._C._cuda_getCurrentRawStream = lambda *_: 0


def run_program(path, by_interpreter, kernels):
    """The rows of a program, or of one of the kernels, and how it failed."""
    import random
    import runpy
    import numpy
    import torch
    sys.path.insert(0, os.path.dirname(path))
    import first_config_plugin  # noqa: F401 what it patches
    emulate()
    launches = Launches(by_interpreter, bool(kernels))
    for seed in (random.seed, numpy.random.seed, torch.manual_seed):
        seed(7)
    sys.argv = [path]
    problem = None
    try:
        kernels.launch(path) if kernels else runpy.run_path(path, run_name="__main__")
    except BaseException as error:  # noqa: BLE001 a row of the table
        problem = f"{type(error).__name__}: {error}"[:400]
    return {"rows": launches.rows, "problem": problem}


def run_all(options):
    from sides import run_apart
    import numpy  # noqa: F401 here, so that the processes below need not
    import torch  # noqa: F401
    folder = tempfile.mkdtemp(prefix="emulated-")
    found = {}
    kernels = None
    if options.inductor_files:
        from inductor_files import InductorFiles
        kernels = InductorFiles(options.inductor_files, options.sample)
    for path in kernels.items() if kernels else map(os.path.abspath, options.programs):
        target, begin = os.path.join(folder, "row.json"), time.monotonic()
        with contextlib.suppress(FileNotFoundError):
            os.remove(target)
        log = os.open(os.path.join(folder, os.path.basename(path) + ".txt"), os.O_WRONLY | os.O_CREAT)

        def run():
            os.dup2(log, 1)
            os.dup2(log, 2)
            result = run_program(path, options.interpreter, kernels)
            with open(target, "w", encoding="utf-8") as file:
                json.dump(result, file)

        has_ended = run_apart(run, options.limit)
        os.close(log)
        if os.path.exists(target):
            with open(target, encoding="utf-8") as file:
                found[path] = json.load(file)
        else:
            found[path] = {"rows": [], "problem": "the process ended" if has_ended else f"no result after {options.limit:.0f} s"}
        print(f"{os.path.basename(path):<44} {time.monotonic() - begin:6.1f} s  {verdict(found[path])}", flush=True)
    print(f"what the programs printed: {folder}")
    return found


def is_far(row):
    return row["distance"] is not None and not row["distance"] < 0.02


def verdict(result):
    rows = result["rows"]
    both = [row for row in rows if row["distance"] is not None]
    far = [row for row in rows if is_far(row)]
    words = [f"{len(both)} of {len(rows)} launches compared, largest distance {max((row['distance'] for row in both), default=0):.1e}"]
    words += [f"DIFFERS {row['kernel']} {row['distance']:.2g}" for row in far[:3]]
    words += [f"GPU ALONE FAILS {row['kernel']}: {row['gpu']}" for row in rows if row["gpu"] and not row["processor"]][:2]
    words += [f"processor alone fails {row['kernel']}: {row['processor'][:120]}" for row in rows if row["processor"] and not row["gpu"]][:2]
    if result["problem"]:
        words.append(f"ended by {result['problem'][:160]}")
    return "; ".join(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM.py")
    parser.add_argument("--inductor-files", metavar="FOLDER")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--interpreter", action="store_true")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a program")
    parser.add_argument("--json")
    options = parser.parse_args()
    sys.path.insert(0, os.path.join(ROOT, "python"))
    os.environ["EMULATED_GPU_HOST"] = "1"
    found = run_all(options)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
    wrong = [path for path, result in found.items() if "DIFFERS" in verdict(result) or "GPU ALONE" in verdict(result)]
    print(f"{len(found)} programs, {sum(len(result['rows']) for result in found.values())} launches, {len(wrong)} with a difference")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
