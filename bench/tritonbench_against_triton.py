"""tritonbench_against_triton.py: the kernels of TritonBench-G with their own tests, through our `import triton` and through Triton.

    python3 bench/tritonbench_against_triton.py --files TritonBench/data/TritonBench_G_v1 [--ours python] [--jobs 16] [--only TEXT]

Each file sets `result_gold` to what its test computes. Ours must agree with Triton's: exactly for integers, within rounding for floats (relative
distance 1e-4, and 1e-2 where halves are involved). A file that does not is run once more through Triton: where that differs from Triton's
first run, the file does not repeat and says nothing."""
import argparse
import glob
import json
import os
import sys
import tempfile
import time

from sides import run_apart, start_worker, wait_for

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NOT_RUN = "it was not run"


def work(options):
    """The worker: runs files one after the other, each in a process of its own, since some set torch's defaults or end their context."""
    import numpy  # noqa: F401 here, so that the processes below need not
    import torch
    import triton
    whose = "nereid" if hasattr(triton, "__nereid__") else "triton"
    with open(options.work, encoding="utf-8") as file:
        paths = json.load(file)
    if not options.tune:
        import first_config_plugin  # noqa: F401 what it patches
    for path in paths:
        target = os.path.join(options.out, os.path.basename(path) + ".pt")
        torch.save({"whose": whose, "error": "the process ended"}, target)
        if not run_apart(lambda: torch.save(run_file(path, whose), target), options.limit):
            torch.save({"whose": whose, "error": f"no result after {options.limit:.0f} s"}, target)


def run_file(path, whose):
    """What a file's test computed, or how it failed."""
    import random
    import runpy
    import traceback

    import numpy
    import torch
    from torch_compile_cases import leaves
    for seed in (random.seed, numpy.random.seed, torch.manual_seed):
        seed(7)
    begin = time.perf_counter()
    try:
        names = runpy.run_path(path)
        values = [value.detach().cpu() for value in leaves(names.get("result_gold"))]
        torch.cuda.synchronize()
        return {"whose": whose, "values": values, "seconds": time.perf_counter() - begin}
    except BaseException as problem:  # noqa: BLE001 a row of the table
        return {"whose": whose, "error": f"{type(problem).__name__}: {problem}"[-600:], "traceback": traceback.format_exc()[-3000:]}


def run_all(options, runs, paths, deadline):
    """The files in as many processes as there may be."""
    each = max(1, options.jobs // len(runs))
    command = [os.path.abspath(__file__), "--files", options.files, *(["--tune"] if options.tune else [])]
    wait_for([start_worker(options, whose, os.path.join(options.out, f"{whose}{run}"), number, paths[number::each], command)
              for whose, run in runs for number in range(each) if paths[number::each]], deadline)  # yapf: disable


def distance(a, b):
    """(relative distance, whether halves are among them)"""
    from torch_compile_cases import distance as relative
    import torch
    halves = any(value.dtype in (torch.float16, torch.bfloat16, torch.int8, torch.float8_e4m3fn, torch.float8_e5m2) for value in (*a, *b))
    return relative(a, b), halves


def result(options, whose, run, path):
    import torch
    target = os.path.join(options.out, f"{whose}{run}", os.path.basename(path) + ".pt")
    row = torch.load(target) if os.path.exists(target) else {"error": NOT_RUN, "whose": whose}
    assert row["whose"] == whose, f"{path}: `triton` was {row['whose']}'s, not {whose}'s"
    return row


def is_close(ours, theirs):
    far, halves = distance(theirs, ours)
    return far <= (1e-2 if halves else 1e-4)


def compare(options, paths):
    """The files by what became of them: {title: [row]}; those whose values differ are run again through Triton."""
    found = {title: [] for title in ("the same", "Triton itself fails", "fails only through ours", "does not repeat under Triton", "other values than Triton's", "not run in the time")}
    differ = []
    for path in paths:
        name, ours, theirs = os.path.basename(path), result(options, "nereid", 0, path), result(options, "triton", 0, path)
        if NOT_RUN in (ours.get("error"), theirs.get("error")):
            found["not run in the time"].append(name)
        elif "error" in theirs:
            found["Triton itself fails"].append(f"{name}: {theirs['error'][-150:]!r}; ours: {ours.get('error', 'fine')[-150:]!r}")
        elif "error" in ours:
            found["fails only through ours"].append(f"{name}: {ours['error'][-400:]!r}")
        elif is_close(ours["values"], theirs["values"]):
            found["the same"].append(name)
        else:
            differ.append(path)
    if not options.twice:
        run_all(options, [("triton", 1)], differ, options.deadline)
    for path in differ:
        name, first, second = os.path.basename(path), result(options, "triton", 0, path), result(options, "triton", 1, path)
        far, _ = distance(first["values"], result(options, "nereid", 0, path)["values"])
        noise = distance(first["values"], second["values"])[0] if "error" not in second else float("nan")
        title = "does not repeat under Triton" if noise > 1e-6 else "other values than Triton's"
        found[title].append(f"{name}: Triton from itself {noise:.2e}, ours from Triton {far:.2e}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", required=True)
    parser.add_argument("--ours", default=os.path.join(ROOT, "python"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--tune", action="store_true", help="tune autotuned kernels, instead of taking their first configuration on both sides")
    parser.add_argument("--twice", action="store_true", help="run all files twice through Triton, not only those that differ")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a file")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--out")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options)
    options.out = os.path.abspath(options.out or tempfile.mkdtemp(prefix="tritonbench-"))
    paths = [path for path in sorted(glob.glob(os.path.join(os.path.abspath(options.files), "*.py"))) if any(part in os.path.basename(path) for part in options.only.split(","))]
    options.deadline = time.monotonic() + options.seconds
    if options.twice:
        run_all(options, [("nereid", 0), ("triton", 0), ("triton", 1)], paths, options.deadline)
    else:
        run_all(options, [("nereid", 0), ("triton", 0)], paths, time.monotonic() + 0.8 * options.seconds)
    found = compare(options, paths)
    for title, rows in found.items():
        print(f"{title}: {len(rows)}" + "".join(f"\n  {row}" for row in rows if title != "the same"))
    return 1 if found["fails only through ours"] or found["other values than Triton's"] else 0


if __name__ == "__main__":
    sys.exit(main())
