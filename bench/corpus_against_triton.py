"""corpus_against_triton.py: kernels that nobody here wrote or tuned for, through our `import triton` and through Triton, on one GPU.

    python3 bench/corpus_against_triton.py [--tritonbench CHECKOUT] [--written FOLDER --metrics CHECKOUT] [--inductor] [--libraries FOLDER] [--projects FOLDER] [--ours python] [--jobs 14] [--only TEXT] [--before FILE] [--json FILE] [--markdown FILE]

CHECKOUT is thunlp/TritonBench; `--inductor` takes the kernels that torch.compile writes (it needs transformers and timm): see corpus_sources.py;
FOLDER holds checkouts of other projects' operators: see library_calls.py, and project_calls.py.
First all of them are compiled, on all cores, both sides at once; then each kernel is launched and timed (kernel_times.py), one process at a
time on the GPU, both sides of an item one after the other. Autotuned kernels take their first configuration on both sides. The ratio is
Triton's time by ours: above 1 ours is faster. Where a file says what its test computed, ours is compared with Triton's, which
ran twice (once to compile, once to be timed): what does not repeat there says nothing. `--before` names what `--json` wrote earlier: what
fell by over a tenth since then is listed."""
import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time

from corpus_sources import sources
from sides import run_apart, start_worker, wait_for

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIDES = ("nereid", "triton")
COMPILED = 0.02  # seconds: a launch under Triton that takes longer was the first of its code


def work(options):
    """A worker: takes files from the list, each in a process of its own, until none is left."""
    import torch  # noqa: F401 here, so that the processes below need not
    import triton
    whose = "nereid" if hasattr(triton, "__nereid__") else "triton"
    assert whose == options.side, f"`triton` was {whose}'s, not {options.side}'s"
    import first_config_plugin  # noqa: F401 what it patches
    with open(options.work, encoding="utf-8") as file:
        items = json.load(file)
    for batch in batches(items, sources(options)):
        run_apart(lambda: run_batch(batch, options), options.limit * len(batch))


def batches(items, known):
    """Items of one project share a process as far as their source allows it: what they import takes longer than they do."""
    found = []
    for item in items:
        kind, name = item.split("/", 1)
        project = (kind, name.split(":", 1)[0])
        if found and found[-1][0] == project and len(found[-1][1]) < known[kind].together:
            found[-1][1].append(item)
        else:
            found.append((project, [item]))
    return [batch for _, batch in found]


def run_batch(batch, options):
    import random

    import numpy
    import torch
    from kernel_times import Recorder, install
    from torch_compile_cases import leaves
    recorder = install(Recorder(options.lock if options.timed else None, must_time=options.timed))
    known = sources(options)
    for item in batch:
        kind, name = item.split("/", 1)
        recorder.rows, recorder.values = {}, None
        result = {"kernels": recorder.rows}
        try:
            for seed in (random.seed, numpy.random.seed, torch.manual_seed):
                seed(7)
            known[kind].run(name, recorder)
        except BaseException as problem:  # noqa: BLE001 a row of the table
            result["error"] = f"{type(problem).__name__}: {problem}"[-400:]
        out = place(options.out, item)
        if recorder.values is not None:
            result["values"] = out + ".pt"
            torch.save([value.detach().cpu() for value in leaves(recorder.values)], result["values"])
        with open(out + ".new", "w", encoding="utf-8") as file:
            json.dump(result, file)
        os.replace(out + ".new", out)


def place(folder, item):
    return os.path.join(folder, item.replace("/", "-").replace(" ", "-") + ".json")


def run_all(options, items, jobs, timed, deadline):
    each = max(1, jobs // 2)
    command = [os.path.abspath(__file__), "--lock", os.path.join(options.out, "lock"), *(["--timed"] if timed else []),
               *(["--tritonbench", options.tritonbench] if options.tritonbench else []), *(["--inductor"] if options.inductor else []),
               *(["--written", options.written, "--metrics", options.metrics] if options.written else []),
               *(["--libraries", options.libraries] if options.libraries else []), *(["--projects", options.projects] if options.projects else [])]  # yapf: disable
    wait_for([start_worker(options, side, os.path.join(options.out, ("times-" if timed else "first-") + side), number, items[number::each],
                           [*command, "--side", side]) for number in range(each) for side in SIDES if items[number::each]], deadline)  # yapf: disable


def read(folder, item):
    target = place(folder, item)
    if not os.path.exists(target):
        return {"error": "not run in the time"}
    with open(target, encoding="utf-8") as file:
        return json.load(file)


def geometric(values):
    return math.exp(statistics.fmean(map(math.log, values))) if values else float("nan")


def with_total(ours, theirs):
    """Where the sides launched different kernels, as a search over templates makes them, all of them together count."""
    kernels = [side.get("kernels", {}) for side in (ours, theirs)]
    is_whole = not any("error" in side for side in (ours, theirs)) and all("us" in row for rows in kernels for row in rows.values())
    if kernels[0].keys() == kernels[1].keys() or not is_whole or not all(kernels):
        return ours, theirs
    return [{"kernels": {"all kernels": {"us": sum(row["us"] for row in rows.values()), "first": 0}}} for rows in kernels]


def compile_times(ours, theirs):
    """Seconds of the launches of a file that compiled something under Triton, as those of its own test do before the one that is timed."""
    keys = [key for key in ours if key in theirs and theirs[key]["first"] > COMPILED]
    return [sum(side[key]["first"] for key in keys) for side in (ours, theirs)]


def compare(options, items):
    """(rows of kernels that both sides timed, files without any and why)"""
    rows, missing = [], []
    for item in items:
        name = item.split("/", 1)[1]
        ours, theirs = (read(os.path.join(options.out, "times-" + side), item) for side in SIDES)
        first = [read(os.path.join(options.out, "first-" + side), item).get("kernels", {}) for side in SIDES]
        ours, theirs = with_total(ours, theirs)
        both = [key for key in ours.get("kernels", {}) if "us" in ours["kernels"][key] and "us" in theirs.get("kernels", {}).get(key, {})]
        if not both:
            missing.append(f"{name}: ours {ours.get('error', 'fine')[:160]!r}, Triton {theirs.get('error', 'fine')[:160]!r}")
            continue
        # A file counts by its kernels together: a kernel that is launched once for many others must not hide them.
        a, b = (sum(side["kernels"][key]["us"] for key in both) for side in (ours, theirs))
        compiled = compile_times(*first)
        rows.append({"file": name, "ours": a, "triton": b, "ratio": b / a, "compile": compiled[0] / compiled[1] if compiled[1] else None,
                     "kernels": {key: [ours["kernels"][key]["us"], theirs["kernels"][key]["us"]] for key in both}})
    return sorted(rows, key=lambda row: row["ratio"]), missing


def compare_values(options, items):
    """The files that say what they computed, by what became of them: {title: [row]}."""
    import torch
    from tritonbench_against_triton import distance, is_close
    found = {title: [] for title in ("the same", "does not repeat under Triton", "other values than Triton's", "fails only through Triton", "fails only through ours")}

    def values(side, item):
        runs = [read(os.path.join(options.out, stage + side), item) for stage in ("times-", "first-")]
        return [torch.load(run["values"]) for run in runs if "values" in run], runs[0].get("error", "no result")[-200:]

    for item in items:
        name = item.split("/", 1)[1]
        (ours, problem), (theirs, their_problem) = (values(side, item) for side in SIDES)
        if not ours and not theirs:
            continue
        if not ours or not theirs:
            found["fails only through Triton" if ours else "fails only through ours"].append(f"{name}: {their_problem if ours else problem!r}")
        elif is_close(ours[0], theirs[0]):
            found["the same"].append(name)
        else:
            noise = distance(theirs[0], theirs[-1])[0] if len(theirs) == 2 else float("nan")
            title = "does not repeat under Triton" if noise > 1e-6 else "other values than Triton's"
            found[title].append(f"{name}: Triton from itself {noise:.2e}, ours from Triton {distance(theirs[0], ours[0])[0]:.2e}")
    return found


def report(options, rows, missing):
    before = {}
    if options.before:
        with open(options.before, encoding="utf-8") as file:
            before = {row["file"]: row["ratio"] for row in json.load(file)}
    lines = ["| file | ours us | Triton us | ratio | first launch | slowest kernel, ours and Triton |", "|---|---|---|---|---|---|"]
    for row in rows:
        key, (a, b) = max(row["kernels"].items(), key=lambda item: item[1][0] - item[1][1])
        compiled = f"{row['compile']:.2f}" if row["compile"] else ""
        lines.append(f"| {row['file']} | {row['ours']:.1f} | {row['triton']:.1f} | {row['ratio']:.2f} | {compiled} | {key.split(' ')[0]} {a:.1f} {b:.1f} |")
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    print("\n".join(lines))
    ratios = [row["ratio"] for row in rows]
    compiled = [row["compile"] for row in rows if row["compile"]]
    print(f"\n{len(rows)} files: geometric mean {geometric(ratios):.3f}; {sum(r >= 0.95 for r in ratios)} at 0.95 or better, {sum(r < 0.85 for r in ratios)} below 0.85")
    if compiled:
        print(f"first launch, ours by Triton's: median {statistics.median(compiled):.2f}, worst {max(compiled):.2f}")
    for row in rows:
        if row["ratio"] < 0.9 * before.get(row["file"], 0):
            print(f"fell: {row['file']} from {before[row['file']]:.2f} to {row['ratio']:.2f}")
    print("\n".join([f"not timed: {len(missing)}"] + ["  " + line for line in missing]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tritonbench", metavar="CHECKOUT")
    parser.add_argument("--written", metavar="FOLDER")
    parser.add_argument("--metrics", metavar="CHECKOUT", help="TritonBench's, for --written")
    parser.add_argument("--inductor", action="store_true")
    parser.add_argument("--libraries", metavar="FOLDER")
    parser.add_argument("--projects", metavar="FOLDER")
    parser.add_argument("--ours", default=os.path.join(ROOT, "python"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=40, help="seconds for a file")
    parser.add_argument("--seconds", type=float, default=600, help="for all")
    parser.add_argument("--before", help="what --json wrote earlier")
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    parser.add_argument("--out")
    for hidden in ("--work", "--side", "--lock"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--timed", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tritonbench:
        options.tritonbench = os.path.abspath(options.tritonbench)
    if options.written:
        options.written, options.metrics = os.path.abspath(options.written), os.path.abspath(options.metrics)
    if options.libraries:
        options.libraries = os.path.abspath(options.libraries)
    if options.projects:
        options.projects = os.path.abspath(options.projects)
    if options.work:
        return work(options)
    if not (options.tritonbench or options.written or options.inductor or options.libraries or options.projects):
        parser.error("nothing to run: name a corpus")
    options.out = os.path.abspath(options.out or tempfile.mkdtemp(prefix="corpus-"))
    items = [f"{kind}/{name}" for kind, source in sources(options).items() for name in source.items()
             if any(part in name for part in options.only.split(","))]  # yapf: disable
    begin = time.monotonic()
    run_all(options, items, options.jobs, False, begin + 0.5 * options.seconds)
    print(f"compiled after {time.monotonic() - begin:.0f} s", flush=True)
    run_all(options, items, min(8, options.jobs), True, begin + options.seconds)
    print(f"timed after {time.monotonic() - begin:.0f} s", flush=True)
    rows, missing = compare(options, items)
    report(options, rows, missing)
    for title, files in compare_values(options, items).items():
        print(f"results, {title}: {len(files)}" + "".join(f"\n  {file}" for file in files if title != "the same"))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
