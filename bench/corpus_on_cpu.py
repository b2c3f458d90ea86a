"""corpus_on_cpu.py: kernels that nobody here wrote, on one core of the processor: what each reaches of what memory and arithmetic allow.

    PYTHONPATH=python python bench/corpus_on_cpu.py --tritonbench CHECKOUT [--only TEXT] [--limit 60] [--seconds 3600] [--json FILE] [--markdown FILE]

CHECKOUT is thunlp/TritonBench; the Python that runs it has torch. Each operator is called with the middle one of its own benchmark's inputs, as tensors of the processor that the program takes for a
GPU's (pretended_gpu.py), with the first configuration of tuned kernels. Times are those of the processor, the shortest of some calls behind the first one, with memory that is used again; they hold Python's part, too. Bytes and operations are those that
the benchmark's own formulas give. The share is that of a copy (torch's, of 256 MB) or of fused multiply-adds (torch's product of 1024x1024x1024 in f32), whichever is larger, measured in the same process. A table comes last, worst first."""
import argparse
import contextlib
import hashlib
import json
import os
import sys
import tempfile
import time

from sides import run_apart


class Recorder:
    """Launches run as they are."""
    values = None

    def on(self):
        return contextlib.nullcontext()

    alone = compiling = on


def shortest(call, seconds=1.0):
    times, end = [], time.process_time() + seconds
    while len(times) < 3 or (time.process_time() < end and len(times) < 50):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def limits():
    """Bytes and operations a second."""
    import torch
    source, target = torch.ones(64 << 20), torch.empty(64 << 20)
    a = torch.randn(1024, 1024)
    return 2 * source.nbytes / shortest(lambda: target.copy_(source), 0.5), 2 * 1024**3 / shortest(lambda: a @ a, 0.5)


def launch_on_processor():
    """Tensors are a GPU's for the program, and the processor's for its launches."""
    import torch
    from triton.runtime.jit import JITFunction
    run, inside = JITFunction.run, []

    def on_processor(function, *args, **kwargs):
        inside.append(function)
        try:
            return run(function, *args, **kwargs)
        finally:
            inside.pop()

    torch.Tensor.is_cuda = property(lambda self: not inside)
    torch.Tensor.is_cpu = property(lambda self: bool(inside))
    JITFunction.run = on_processor


def measure(name, options):
    import random

    import numpy
    import torch
    import triton
    assert hasattr(triton, "__nereid__"), "`triton` is not ours: PYTHONPATH=python"
    import first_config_plugin  # noqa: F401 what it patches
    from corpus_sources import TritonBench, middle_inputs
    from pretended_gpu import pretend
    torch.set_num_threads(1)
    bytes_a_second, operations_a_second = limits()
    os.environ["NEREID_DEVICE"] = "cpu"
    pretend()
    launch_on_processor()
    for seed in (random.seed, numpy.random.seed, torch.manual_seed):
        seed(7)
    metrics = TritonBench(options.tritonbench).metrics(name, Recorder())
    inputs = middle_inputs(metrics)
    metrics.call_op(inputs)
    seconds = shortest(lambda: metrics.call_op(inputs), 0.5)
    row = {"seconds": seconds}
    for key, formula, a_second in (("bytes", metrics.get_gbps, bytes_a_second), ("operations", metrics.get_tflops, operations_a_second)):
        with contextlib.suppress(Exception):  # a benchmark without this formula
            row[key] = float(formula(inputs, 1000 * seconds)) * (1e9 if key == "bytes" else 1e12)
            row[key + "_share"] = row[key] / a_second
    row["share"] = max(row.get("bytes_share", 0), row.get("operations_share", 0))
    return row


# Results are as large as inputs: fresh memory for each of them would cost more than many kernels do.
KEPT = {"MALLOC_MMAP_THRESHOLD_": str(8 << 30), "MALLOC_TRIM_THRESHOLD_": str(16 << 30)}


def work(name, options, out):
    try:
        row = measure(name, options)
    except BaseException as problem:  # noqa: BLE001 a row of the table
        row = {"error": f"{type(problem).__name__}: {problem}"[-300:]}
    with open(out, "w", encoding="utf-8") as file:
        json.dump(row, file)


def markdown(rows):
    lines = ["| operator | ms | GB/s | GFLOP/s | share |", "|---|---|---|---|---|"]
    for name, row in rows:
        lines.append(f"| {name} | {1e3 * row['seconds']:.2f} | {row.get('bytes', 0) / 1e9:.2f} | {row.get('operations', 0) / 1e9:.2f} | {row['share']:.2f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tritonbench", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=60, help="seconds of an operator")
    parser.add_argument("--seconds", type=float, default=3600, help="of all: operators in an order drawn by their names, as far as the time goes")
    for name in ("json", "markdown"):
        parser.add_argument("--" + name)
    options = parser.parse_args()
    if os.environ.keys().isdisjoint(KEPT):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **KEPT})
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import torch  # noqa: F401 here, so that the processes below need not
    from corpus_sources import TritonBench
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found, end = {}, time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(TritonBench(options.tritonbench).items(), key=lambda name: hashlib.md5(name.encode()).digest()):
            if options.only in name and time.monotonic() < end:
                out = os.path.join(folder, name)
                done = run_apart(lambda: work(name, options, out), options.limit)
                with contextlib.suppress(FileNotFoundError), open(out, encoding="utf-8") as file:
                    found[name] = json.load(file)
                found.setdefault(name, {"error": "its process ended" if done else f"not done after {options.limit:.0f} s"})
                print(name, found[name], flush=True)
    rows = sorted(((name, row) for name, row in found.items() if row.get("share")), key=lambda pair: pair[1]["share"])
    for target, text in ((options.json, json.dumps(found)), (options.markdown, markdown(rows))):
        if target:
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)
    print(markdown(rows) + f"{len(found)} operators, {len(rows)} with a share, {sum('error' in row for row in found.values())} that did not run")


main()
