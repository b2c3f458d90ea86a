"""machine_code_against_triton.py: machine code for an H200 of kernels that nobody here wrote, ours beside Triton's, on a machine without a GPU.

    python bench/machine_code_against_triton.py [--tritonbench CHECKOUT] [--written FOLDER --metrics CHECKOUT] [--libraries FOLDER] [--projects FOLDER] [--files FILE...]
        [--inductor-files FOLDER] [--public FOLDER] [--sample 500] [--only TEXT] [--jobs 2] [--json FILE] [--worst 40]

The Python that runs it has torch and Triton; sources are those of corpus_against_triton.py; FILEs are programs that launch kernels, and
`--inductor-files` takes kernels that Inductor wrote (inductor_files.py), `--public` those of checkouts, with guessed arguments (public_files.py). Programs run with tensors of the
processor that they take for a GPU's (pretended_gpu.py); no launch runs, each is compiled by both sides, with the same assembler. The ratio is Triton's instructions by ours,
each instruction in a loop counted eight times: above 1 ours has fewer. It says where to look, not how long a kernel takes."""
import argparse
import json
import os
import sys
import tempfile
import time

from sides import run_apart, start_worker, wait_for

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIDES = ("nereid", "triton")
FOLDERS = ("tritonbench", "written", "metrics", "libraries", "projects", "inductor-files", "public")


class Files:
    """Programs as they are."""
    together = 1

    def __init__(self, paths):
        self.paths = {os.path.basename(path): os.path.abspath(path) for path in paths}

    def items(self):
        return list(self.paths)

    def run(self, name, recorder):
        import runpy
        sys.path.insert(0, os.path.dirname(self.paths[name]))
        sys.argv = [self.paths[name]]
        runpy.run_path(self.paths[name], run_name="__main__")


def sources_of(options):
    from corpus_sources import sources
    found = sources(options)
    if options.files:
        found["files"] = Files(options.files)
    if options.inductor_files:
        from inductor_files import InductorFiles
        found["inductor-files"] = InductorFiles(options.inductor_files, options.sample)
    if options.public:
        from public_files import PublicFiles
        found["public"] = PublicFiles(options.public, options.sample)
    return found


def work(options):
    """A worker: takes items from the list, each in a process of its own."""
    import torch  # noqa: F401 here, so that the processes below need not
    import triton
    whose = "nereid" if hasattr(triton, "__nereid__") else "triton"
    assert whose == options.side, f"`triton` was {whose}'s, not {options.side}'s"
    import first_config_plugin  # noqa: F401 what it patches
    with open(options.work, encoding="utf-8") as file:
        items = json.load(file)
    sources_of(options)  # here, so that the processes below need not import what it does
    for item in items:
        if not run_apart(lambda: run_item(item, options), options.limit):
            print(f"{item}: not done after {options.limit} s", flush=True)


def run_item(item, options):
    import random

    import numpy
    import torch
    from machine_code import Recorder, install
    from pretended_gpu import pretend
    recorder = install(Recorder())
    pretend()
    torch.set_num_threads(1)
    kind, name = item.split("/", 1)
    result = {"kernels": recorder.rows}
    try:
        for seed in (random.seed, numpy.random.seed, torch.manual_seed):
            seed(7)
        sources_of(options)[kind].run(name, recorder)
    except BaseException as problem:  # noqa: BLE001 a row of the table
        result["error"] = f"{type(problem).__name__}: {problem}"[-400:]
    with open(place(options.out, item), "w", encoding="utf-8") as file:
        json.dump(result, file)


def place(folder, item):
    return os.path.join(folder, item.replace("/", "-").replace(" ", "-") + ".json")


def read(folder, item):
    target = place(folder, item)
    if not os.path.exists(target):
        return {"error": "not run", "kernels": {}}
    with open(target, encoding="utf-8") as file:
        return json.load(file)


def compare(options, items):
    """[(ratio, item, kernel, ours, Triton's)], what one side alone fails, with the reason, and how many items neither side ran."""
    rows, missing, neither = [], [], 0
    for item in items:
        ours, theirs = (read(os.path.join(options.out, side), item) for side in SIDES)
        both = ours["kernels"].keys() & theirs["kernels"].keys()
        if ours["kernels"].keys() != theirs["kernels"].keys() or ("error" in ours) != ("error" in theirs):
            missing.append(f"{item}: {len(ours['kernels'])} kernels, {ours.get('error', 'fine')!r}; under Triton {len(theirs['kernels'])}, {theirs.get('error', 'fine')!r}")
        neither += not both
        for key in sorted(both):
            a, b = ours["kernels"][key], theirs["kernels"][key]
            if ("error" in a) != ("error" in b):
                missing.append(f"{item} {key}: ours {a.get('error', 'fine')!r}, Triton {b.get('error', 'fine')!r}")
            elif "error" not in a:
                rows.append((b["weighted"] / a["weighted"], item, key, a, b))
    return sorted(rows, key=lambda row: row[0]), missing, neither


def describe(figures):
    kinds = " ".join(f"{kind} {count}" for kind, count in sorted(figures["weighted_kinds"].items()))
    return f"{figures['weighted']} ({figures['count']}), {figures.get('reg')} registers, stack {figures.get('stack')}, shared {figures['shared']}: {kinds}"


def geometric(values):
    import math
    import statistics
    return math.exp(statistics.fmean(map(math.log, values))) if values else float("nan")


def report(options, rows, missing, neither):
    for text in missing:
        print("one side alone: " + text[:600])
    for ratio, item, key, ours, theirs in rows[:options.worst]:
        print(f"{ratio:.2f} {item} {key[:160]}\n      ours   {describe(ours)}\n      Triton {describe(theirs)}")
    ratios = [row[0] for row in rows]
    below = lambda limit: sum(ratio < limit for ratio in ratios)  # noqa: E731
    seconds = [sum(row[side]["seconds"] for row in rows) for side in (3, 4)]
    spills = [sum(row[side].get("stack", 0) > 0 for row in rows) for side in (3, 4)]
    print(f"{neither} programs launch nothing; {len(rows)} kernels: geometric mean {geometric(ratios):.3f}, {below(0.95)} below 0.95, {below(0.85)} below 0.85; with a stack: ours {spills[0]}, Triton {spills[1]}; "
          f"processor time of the compilers in Python's process: ours {seconds[0]:.1f} s, Triton {seconds[1]:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in (*FOLDERS, "json"):
        parser.add_argument("--" + name)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--files", nargs="*", default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--worst", type=int, default=40)
    parser.add_argument("--limit", type=float, default=180)
    parser.add_argument("--ours", default=os.path.join(ROOT, "python"))
    parser.add_argument("--python", default=sys.executable)
    for name in ("side", "work", "out"):
        parser.add_argument("--" + name, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.inductor = False
    if options.work:
        return work(options)
    options.out = options.out or tempfile.mkdtemp(prefix="machine-code-")
    begin = time.monotonic()
    import importlib.util
    triton = os.path.dirname(importlib.util.find_spec("triton").origin)
    os.environ["TRITON_BINARIES"] = binaries = os.path.join(triton, "backends", "nvidia", "bin")
    os.environ.setdefault("TRITON_PTXAS_PATH", os.path.join(binaries, "ptxas"))
    items = [f"{kind}/{name}" for kind, source in sources_of(options).items() for name in source.items() if options.only in name]
    given = [part for name in FOLDERS if (folder := getattr(options, name.replace("-", "_"))) for part in ("--" + name, os.path.abspath(folder))]
    given += ["--files", *map(os.path.abspath, options.files)] if options.files else []
    each = max(1, options.jobs // 2)
    wait_for([start_worker(options, side, os.path.join(options.out, side), number, items[number::each], [os.path.abspath(__file__), *given, "--side", side])
              for number in range(each) for side in SIDES if items[number::each]], time.monotonic() + 100 * options.limit)  # yapf: disable
    rows, missing, neither = compare(options, items)
    report(options, rows, missing, neither)
    print(f"{time.monotonic() - begin:.0f} s; what was written is in {options.out}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
