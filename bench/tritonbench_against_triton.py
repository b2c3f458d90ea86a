"""tritonbench_against_triton.py: the kernels of TritonBench-G with their own tests, through our `import triton` and twice through Triton.

    python3 bench/tritonbench_against_triton.py --files TritonBench/data/TritonBench_G_v1 [--ours python] [--jobs 16] [--only TEXT]

Each file sets `result_gold` to what its test computes. Where Triton's two runs differ, the file does not repeat and says nothing; where they agree,
ours must agree too: exactly for integers, within rounding for floats (relative distance 1e-4, and 1e-2 where halves are involved)."""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def work(options):
    """The worker: runs files one after the other and keeps their results."""
    import random
    import runpy
    import traceback

    import numpy
    import torch
    import triton
    from torch_compile_cases import leaves
    whose = "nereid" if hasattr(triton, "__nereid__") else "triton"
    with open(options.work, encoding="utf-8") as file:
        paths = json.load(file)
    for path in paths:
        target = os.path.join(options.out, os.path.basename(path) + ".pt")
        if os.path.exists(target):
            continue
        torch.save({"whose": whose, "error": "the process ended"}, target)
        for seed in (random.seed, numpy.random.seed, torch.manual_seed):
            seed(7)
        begin = time.perf_counter()
        try:
            names = runpy.run_path(path)
            values = [value.detach().cpu() for value in leaves(names.get("result_gold"))]
            torch.cuda.synchronize()
            row = {"whose": whose, "values": values, "seconds": time.perf_counter() - begin}
        except BaseException as problem:  # noqa: BLE001 a row of the table
            row = {"whose": whose, "error": f"{type(problem).__name__}: {problem}"[-600:], "traceback": traceback.format_exc()[-3000:]}
        torch.save(row, target)
        if "error" in row and "CUDA" in row["error"]:
            os._exit(9)  # the context may be lost: a new process goes on


def start(options, whose, run, number, paths):
    folder = os.path.join(options.out, f"{whose}{run}")
    os.makedirs(folder, exist_ok=True)
    listing = os.path.join(folder, f"list-{number}.json")
    with open(listing, "w", encoding="utf-8") as file:
        json.dump(paths, file)
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if whose == "nereid":
        path.insert(0, os.path.abspath(options.ours))
    caches = {name: os.path.join(options.out, f"{name}-{whose}{run}") for name in ("TRITON_CACHE_DIR", "NEREID_CACHE_DIR")}
    command = [options.python, os.path.abspath(__file__), "--files", options.files, "--work", listing, "--out", folder]
    with open(os.path.join(folder, f"log-{number}.txt"), "a") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, cwd=folder,
                                env={**os.environ, **caches, "PYTHONPATH": os.pathsep.join(filter(None, path)), "OMP_NUM_THREADS": "1"})


def run_all(options, paths):
    runs = [("nereid", 0), ("triton", 0), ("triton", 1)]
    each = max(1, options.jobs // len(runs))
    parts = {(whose, run, number): paths[number::each] for whose, run in runs for number in range(each)}
    running = {key: start(options, *key, part) for key, part in parts.items()}
    tries = dict.fromkeys(parts, 0)
    deadline = time.monotonic() + options.seconds
    while running:
        for key, process in list(running.items()):
            status = process.poll()
            if status is None and time.monotonic() < deadline:
                continue
            del running[key]
            if status is None:
                process.kill()
            elif status != 0 and tries[key] < 40:  # it goes on behind the file that ended it
                tries[key] += 1
                running[key] = start(options, *key, parts[key])
        time.sleep(0.2)


def distance(a, b):
    """(relative distance, whether halves are among them)"""
    from torch_compile_cases import distance as relative
    import torch
    halves = any(value.dtype in (torch.float16, torch.bfloat16, torch.int8, torch.float8_e4m3fn, torch.float8_e5m2) for value in (*a, *b))
    return relative(a, b), halves


def report(options, paths):
    import torch
    lost, unsteady, same, refused, wrong = [], [], 0, [], []
    for path in paths:
        name = os.path.basename(path)
        rows = []
        for folder in ("nereid0", "triton0", "triton1"):
            target = os.path.join(options.out, folder, name + ".pt")
            rows.append(torch.load(target) if os.path.exists(target) else {"error": "it was not run", "whose": folder[:-1]})
        for row, whose in zip(rows, ("nereid", "triton", "triton")):
            assert row["whose"] == whose, f"{name}: `triton` was {row['whose']}'s, not {whose}'s"
        ours, first, second = rows
        if "error" in first or "error" in second:
            refused.append(f"{name}: Triton: {first.get('error', second.get('error', ''))[-150:]!r}; ours: {ours.get('error', 'fine')[-150:]!r}")
        elif "error" in ours:
            lost.append(f"{name}: {ours['error'][-400:]!r}")
        else:
            noise, _ = distance(first["values"], second["values"])
            far, halves = distance(first["values"], ours["values"])
            if far <= max(2 * noise, 1e-2 if halves else 1e-4):
                same += 1
            elif noise > 1e-6:
                unsteady.append(f"{name}: Triton from itself {noise:.2e}, ours from Triton {far:.2e}")
            else:
                wrong.append(f"{name}: {far:.2e} from Triton{' (halves)' if halves else ''}")
    for title, rows in (("Triton itself fails", refused), ("does not repeat under Triton", unsteady), ("fails only through ours", lost), ("other values than Triton's", wrong)):
        print(f"{title}: {len(rows)}")
        for row in rows:
            print("  " + row)
    print(f"{len(paths)} files: {same} the same, {len(wrong)} other values, {len(lost)} fail only through ours, {len(unsteady)} do not repeat, {len(refused)} fail through Triton")
    return bool(wrong or lost)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", required=True)
    parser.add_argument("--ours", default=os.path.join(ROOT, "python"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--out")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options)
    options.out = os.path.abspath(options.out or tempfile.mkdtemp(prefix="tritonbench-"))
    paths = [path for path in sorted(glob.glob(os.path.join(os.path.abspath(options.files), "*.py"))) if options.only in path]
    run_all(options, paths)
    return report(options, paths)


if __name__ == "__main__":
    sys.exit(main())
