"""count_against_ncu.py: what `nereid count` says of a launch against what ncu measures of the same launch on a GPU.

    PYTHONPATH=python python3 bench/count_against_ncu.py [--list third,fourth] [--tutorials FOLDER] [--tritonbench CHECKOUT] [--liger CHECKOUT] [--only TEXT] [--seconds 150] [--json FILE] [--markdown FILE]
    PYTHONPATH=python python3 bench/count_against_ncu.py --counted FILE                 # measures only, against what `--device cpu --json FILE` has counted elsewhere
    PYTHONPATH=python python3 bench/count_against_ncu.py --device cpu --measured FILE   # counts anew, against what `--json` kept of an earlier run

First the launches are counted (nereid.count, one process for each case, on all cores); then one process launches all of them once more under ncu, which
reads the GPU's counters with cold caches. Both sides see the same arguments. Met are: bytes from memory, sectors, tensor-core and fp32 instructions within
5 %, turns lost to bank conflicts within 10 %, the hit rate of the L2 cache within 10 points. `--device cpu` counts only, for machines without a GPU."""
import argparse
import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHECKOUTS = ("tutorials", "tritonbench", "liger")  # options that name folders of others
MOST_LAUNCHES = 3  # of a case
SECONDS_TO_END = 6  # ncu writes its table when the program has ended

# What ncu is asked for; a name that this ncu or GPU does not know is left out.
GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
# TMA goes by the loads and stores of threads.
TMA = ("l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum", "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum",
       "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red.sum")  # yapf: disable
# Turns of the instructions that access shared memory, and those that as many lanes side by side would take: turns of lanes that are off are among them. The
# other counter of conflicts, that of the whole pipe, has turns too that are lost because global memory's data pass through it, which no address
# explains and which differ from run to run. What is lost to banks is in both, so the smaller one is compared.
WAVEFRONTS = ("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal")
# Instructions of warps by their names, as text: `812 (FADD: 20; HFMA2: 4; …)`.
OPCODES = "sass__inst_executed_per_opcode"
PRODUCTS = ("HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "HGMMA", "IGMMA", "QGMMA", "BGMMA")
FP32 = tuple(f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum" for op in ("ffma", "fadd", "fmul"))
# Those that are compared: each more costs another run of every launch.
METRICS = [
    OPCODES, "dram__bytes_read.sum",
    *(GLOBAL.format("sectors", op) for op in ("ld", "st", "red", "atom", "ldgsts", "ldgsts_cache_access", "ldgsts_cache_bypass")), *TMA,
    "lts__t_sectors_srcunit_tex_lookup_hit.sum", "lts__t_sectors_srcunit_tex_lookup_miss.sum", *FP32, *WAVEFRONTS,
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
]  # yapf: disable
# Products where ncu does not name opcodes.
PIPES = ["sm__inst_executed_pipe_tensor.sum", *(f"sm__inst_executed_pipe_tensor_op_{op}.sum" for op in ("hmma", "imma", "dmma", "gmma")),
         "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"]  # yapf: disable
# What else helps to find a cause (`--more-metrics`).
MORE = [
    "dram__bytes_write.sum", "gpu__time_duration.sum", "launch__registers_per_thread", "smsp__inst_executed.sum",
    *(GLOBAL.format("requests", op) for op in ("ld", "st", "red", "atom", "ldgsts")), "lts__t_sectors_srcunit_tex.sum",
    *(f"lts__t_sectors_srcunit_tex_op_{op}{end}.sum" for op in ("read", "write") for end in ("", "_lookup_hit", "_lookup_miss")),
    "lts__t_sector_hit_rate.pct", "lts__t_sector_op_read_hit_rate.pct", "lts__t_sectors_srcunit_ltcfabric.sum", "l1tex__m_xbar2l1tex_read_sectors.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sm__inst_executed_pipe_fma.sum",
    *(f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum" for op in ("hadd", "hmul")),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_st.sum",
    "smsp__inst_executed_op_ldsm.sum", "smsp__inst_executed_op_barrier.sum", *PIPES,
]  # yapf: disable


# ---- The launches: both sides run them through these.
class Watcher:
    """Every launch of a case goes by `watch`, once for each kernel and shape of arguments."""

    def __init__(self):
        self.case, self.seen, self.is_on = "", {}, False
        # Files of TritonBench launch their own tests when they are imported; some of those leave their tensors, which ends a process on a CPU.
        self.skips_others = False

    def install(self):
        from kernel_times import describe
        from triton.runtime.jit import JITFunction
        run = JITFunction.run

        def watched(kernel, *args, grid, warmup=False, **kwargs):
            launch = lambda: run(kernel, *args, grid=grid, warmup=warmup, **kwargs)
            key = kernel.fn.__name__ + "".join(map(describe, [*args, *kwargs.values()]))
            if not self.is_on and self.skips_others:
                return None
            if not self.is_on or warmup or key in self.seen or len(self.seen) == MOST_LAUNCHES:
                return launch()
            self.seen[key] = len(self.seen)
            return self.watch(f"{self.case}#{self.seen[key]}", kernel, grid, args, kwargs, launch)

        JITFunction.run = watched

    def run_case(self, name, prepare):
        self.case, self.seen = name, {}
        import torch
        torch.manual_seed(7)
        call = prepare()
        self.is_on = True
        try:
            call()
        finally:
            self.is_on = False


class Counting(Watcher):
    """Counts copies of the arguments, then launches."""

    def __init__(self, say):
        super().__init__()
        self.say = say

    def watch(self, key, kernel, grid, args, kwargs, launch):
        import nereid
        from kernel_times import Copies
        copies = Copies()
        begin = time.perf_counter()
        counted = nereid.count(kernel, grid, *map(copies.of, args), target="sm_90a", device_row="H200", **{name: copies.of(value) for name, value in kwargs.items()})
        self.say({"key": key, "kernel": kernel.fn.__name__, "seconds": time.perf_counter() - begin, "total": counted["total"],
                  "cache_hit_rate": counted["cache_hit_rate"],
                  "tma": any(note["text"].startswith("TMA") for note in (counted["code"] or {"notes": ()})["notes"])})  # yapf: disable
        return launch()


class Profiled(Watcher):
    """Lets ncu see one launch at a time."""

    def __init__(self, say):
        super().__init__()
        self.say = say

    def watch(self, key, kernel, grid, args, kwargs, launch):
        import torch
        torch.cuda.synchronize()
        self.say({"key": key, "kernel": kernel.fn.__name__})
        torch.cuda.cudart().cudaProfilerStart()
        try:
            return launch()
        finally:
            torch.cuda.synchronize()
            torch.cuda.cudart().cudaProfilerStop()


def whose():
    import nereid
    import triton
    assert getattr(triton, "__nereid__", False), f"`triton` is {triton.__file__}, not nereid's: PYTHONPATH must begin with our folder `python`"
    return {"whose": f"nereid {nereid.version()}, {os.path.dirname(triton.__file__)}"}


def cases_of(options):
    sys.path.insert(0, os.path.join(ROOT, "bench"))
    import first_config_plugin  # noqa: F401 autotuned kernels take their first configuration on both sides
    from counted_cases import Cases
    if options.device == "cpu":
        from counted_cases import stay_on_cpu
        stay_on_cpu()
    cases = Cases(options.device, options.tutorials, options.tritonbench, options.liger)
    every = [case for which in options.list.split(",") for case in (cases.first() if which == "first" else cases.held_out(which))]
    return [(name, prepare) for name, prepare in every if any(part in name for part in options.only.split(","))]


def work(options):
    """A process of either side: the cases that it is given, one after the other; what it finds goes to a file, line by line."""
    with open(options.out, "a", encoding="utf-8") as out:

        def say(row):
            out.write(json.dumps(row) + "\n")
            out.flush()

        cases = cases_of(options)
        say(whose())
        watcher = (Counting if options.work == "count" else Profiled)(say)
        watcher.skips_others = True
        watcher.install()
        for name, prepare in cases[options.first:options.first + options.number]:
            if time.monotonic() > options.until:
                break  # in time for ncu to write its table
            say({"case": name})
            try:
                watcher.run_case(name, prepare)
            except BaseException as problem:  # noqa: BLE001 a row of the table
                say({"key": f"{name}#0" if not watcher.seen else f"{name}#{len(watcher.seen) - 1}", "error": f"{type(problem).__name__}: {problem}"[:300]})
    if options.work == "count":
        os._exit(0)  # some kernels' files leave threads
    return 0


# ---- Starting both sides.
def command(options, side, out, first=0, number=10**6, until=math.inf):
    words = [options.python, os.path.abspath(__file__), "--work", side, "--out", out, "--first", str(first), "--number", str(number), "--device", options.device,
             "--only", options.only, "--list", options.list, "--until", str(until)]  # yapf: disable
    for name in CHECKOUTS:
        if getattr(options, name):
            words += [f"--{name}", getattr(options, name)]
    return words


def read_rows(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def count_all(options, folder, names, deadline):
    """Some cases in each process, as many processes at a time as there are cores; what follows a case that ends its process goes to another one."""
    waiting, running, rows = list(range(0, len(names), options.batch)), {}, []
    ends = {index: min(index + options.batch, len(names)) for index in waiting}
    while waiting or running:
        while waiting and len(running) < options.jobs:
            index = waiting.pop(0)
            out = os.path.join(folder, f"count-{index}.jsonl")
            with open(out + ".log", "w") as log:
                running[index] = subprocess.Popen(command(options, "count", out, index, ends[index] - index), stdout=log, stderr=log, start_new_session=True)
        for index, process in list(running.items()):
            is_late = time.monotonic() > deadline
            if process.poll() is None and not is_late:
                continue
            process.kill()
            del running[index]
            found = read_rows(os.path.join(folder, f"count-{index}.jsonl"))
            rows += found
            begun = [row["case"] for row in found if "case" in row]
            last = names[index + len(begun) - 1] if begun else names[index]
            if not any(row.get("key", "").rsplit("#", 1)[0] == last for row in found):
                with open(os.path.join(folder, f"count-{index}.jsonl.log"), encoding="utf-8", errors="replace") as log:
                    rows.append({"key": f"{last}#0", "error": "not counted in the time" if is_late else f"no launch was counted: {log.read()[-300:]}"})
            if (following := index + max(1, len(begun))) < ends[index] and not is_late:
                ends[following] = ends[index]
                waiting.insert(0, following)
        time.sleep(0.02)
    return rows


def read_counted(paths, names):
    rows = []
    for path in paths.split(","):
        with open(path, encoding="utf-8") as file:
            rows += [{key: value for key, value in row.items() if key != "ncu"} for row in json.load(file)]
    return [row for row in rows if row["key"].rsplit("#", 1)[0] in names]


def find_ncu():
    places = [shutil.which("ncu"), "/usr/local/cuda/bin/ncu", *sorted(__import__("glob").glob("/opt/nvidia/nsight-compute/*/ncu"), reverse=True)]
    return next((place for place in places if place and os.path.exists(place)), None)


def known_metrics(ncu, wanted):
    """Those of the wanted that the GPU has; all where ncu does not say."""
    try:
        listed = subprocess.run([ncu, "--query-metrics"], capture_output=True, text=True, timeout=40).stdout
    except (subprocess.TimeoutExpired, OSError):
        return wanted
    names = {line.split()[0] for line in listed.splitlines() if line.split()}
    found = [metric for metric in wanted if metric.startswith(("launch__", "memory_", "sass__")) or metric.rsplit(".", 1)[0] in names]
    return found if len(found) > 5 else wanted


def names_opcodes(ncu):
    """Whether this ncu tells values by opcode."""
    try:
        return "--print-metric-instances" in subprocess.run([ncu, "--help"], capture_output=True, text=True, timeout=40).stdout
    except (subprocess.TimeoutExpired, OSError):
        return False


def profile_all(options, folder, ncu, names, deadline):
    """{key: {metric: value}}, and what went wrong; a process that dies is followed by one that goes on behind its last case."""
    measured, problems, first = {}, [], 0
    instances = ["--print-metric-instances", "details"] if names_opcodes(ncu) else []
    wanted = [*METRICS, *(MORE if options.more_metrics else ()), *(() if instances or options.more_metrics else PIPES)]
    metrics = [metric for metric in known_metrics(ncu, wanted) if instances or metric != OPCODES]
    left_out = sorted(set(wanted) - set(metrics))
    print(f"ncu: {ncu}; {len(metrics)} metrics" + (f", not known here: {', '.join(left_out)}" if left_out else ""), flush=True)
    for attempt in range(4):
        out, table = (os.path.join(folder, f"ncu-{attempt}.{end}") for end in ("jsonl", "csv"))
        call = [ncu, "--csv", "--print-units", "base", "--clock-control", "none", "--cache-control", "all", "--profile-from-start", "off",
                "--target-processes", "application-only", *instances, "--metrics", ",".join(metrics), "--log-file", table, *command(options, "ncu", out, first, until=deadline - SECONDS_TO_END)]  # yapf: disable
        with open(table + ".log", "w") as log:
            process = subprocess.Popen(call, stdout=log, stderr=log, start_new_session=True)
            try:
                process.wait(max(1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                problems.append("ncu was ended at the deadline")
                os.killpg(process.pid, 9)
        with open(table if os.path.exists(table) else table + ".log", encoding="utf-8", errors="replace") as file:
            text = file.read()
        launches = read_rows(out)
        found = parse_csv(text)
        pair(launches, found, measured, problems)
        begun = [row["case"] for row in launches if "case" in row]
        patched = {OPCODES, *WAVEFRONTS} & set(metrics)
        if not found and patched and "ERR_NVGPUCTRPERM" not in text:
            problems.append(f"ncu measured nothing with {', '.join(sorted(patched))}: {text[-300:]}")
            instances, metrics = [], [metric for metric in [*metrics, *PIPES] if metric not in patched]
            continue
        if not found:
            with open(table + ".log", encoding="utf-8", errors="replace") as file:
                problems.append(f"ncu measured nothing: {(text + file.read())[-1500:]}")
        if not begun or "ERR_NVGPUCTRPERM" in text or first + len(begun) >= len(names) or time.monotonic() > deadline - SECONDS_TO_END:
            break
        first += len(begun)
        problems.append(f"the process ended at {begun[-1]}")
    return measured, problems


def pair(launches, found, measured, problems):
    """The launches that a process announced with what ncu saw, in order; both must name the same kernel."""
    announced = [row for row in launches if "kernel" in row]
    problems += [f"{row['key']}: {row['error']}" for row in launches if "error" in row]
    # ncu leaves out a launch that failed: kernels' names tell where.
    at = 0
    for row in announced:
        if at < len(found) and is_name_of(row["kernel"], found[at]["kernel"]):
            measured[row["key"]] = found[at]
            at += 1
    if at != len(found):
        problems.append(f"ncu saw {len(found)} launches, {at} of them are those that were announced")


def is_name_of(function, symbol):
    return symbol == function or symbol.split("(")[0].strip().startswith(function)


def number(text):
    """Of metrics with instances too: `41,216 (12; 8; …)`."""
    try:
        return float(text.split("(")[0].replace(",", ""))
    except ValueError:
        return None


def parse_csv(text):
    """What `ncu --csv` prints, launch by launch: a line for each metric, or (`--page raw`) a line for each launch."""
    begin = text.find('"ID"')
    if begin < 0:
        return []
    lines = [line for line in text[begin:].splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    launches = {}
    for row in rows:
        if not (row.get("ID") or "").isdigit():
            continue  # units
        launch = launches.setdefault(int(row["ID"]), {"kernel": row["Kernel Name"]})
        pairs = [(row["Metric Name"], row["Metric Value"])] if "Metric Name" in row else row.items()
        launch.update({name: (value if name == OPCODES else number(value or "")) for name, value in pairs if name and ("__" in name or name in WAVEFRONTS)})
    return [launches[number] for number in sorted(launches)]


# ---- The table.
def value(metrics, *names):
    """The sum of the metrics that are there; None where none is."""
    found = [metrics[name] for name in names if metrics.get(name) is not None]
    return sum(found) if found else None


def sectors(metrics, count):
    """Of requests of warps, and of blocks that TMA moves."""
    every = [GLOBAL.format("sectors", op) for op in ("ld", "st", "red", "atom")]
    together = GLOBAL.format("sectors", "ldgsts")
    copies = [together] if metrics.get(together) is not None else [GLOBAL.format("sectors", "ldgsts_cache_" + kind) for kind in ("access", "bypass")]
    if count.get("tma") and metrics.get(TMA[0]) is None:
        return None  # this ncu does not count them
    return value(metrics, *every, *copies, *TMA)


def conflicts(metrics, _):
    turns, least = (metrics.get(name) for name in WAVEFRONTS)
    of_pipe = metrics.get("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")
    if turns is None or least is None:
        return of_pipe
    return turns - least if of_pipe is None else min(turns - least, of_pipe)


def by_opcode(metrics, names):
    """How many instructions of these names warps executed, whatever lanes were off; None where ncu does not say."""
    found = dict(re.findall(r"\b([A-Z][A-Z0-9_]+)\s*[:=]\s*([\d,]+)", metrics.get(OPCODES) or ""))
    return sum(int(count.replace(",", "")) for name, count in found.items() if name in names) if found else None


def fp32(metrics, count):
    """Of warps: at least as many as the lanes that are on fill, at most as many as are executed at all. Between them nothing says which is right."""
    threads = value(metrics, *FP32)
    executed = by_opcode(metrics, ("FFMA", "FADD", "FMUL"))
    if threads is None or executed is None:
        return None if threads is None else threads / 32
    return min(max(threads / 32, count["total"].get("fp32_instructions") or 0), max(threads / 32, executed))


def tensor(metrics, _):
    """Products alone. Without their names, all of the pipe but fused multiply-adds of halves: the assembler has tensor cores do some, such as for a constant."""
    products = by_opcode(metrics, PRODUCTS)
    if products is not None:
        return products
    whole = metrics.get("sm__inst_executed_pipe_tensor.sum")
    parts = value(metrics, *PIPES[1:5])
    every = parts if whole is None else whole
    return None if every is None else max(0, every - (metrics.get(PIPES[5]) or 0) / 32)


def hit_rate(metrics, _):
    """As ncu's own lts__t_sector_hit_rate, of what multiprocessors ask for alone. Hits and misses are more than the sectors asked for where neighbours come along."""
    hits, misses = (metrics.get(f"lts__t_sectors_srcunit_tex_lookup_{what}.sum") for what in ("hit", "miss"))
    return None if hits is None or misses is None or not hits + misses else 100 * hits / (hits + misses)


# title, what was counted, what ncu says, the most that they may differ: a part of the larger one, or points where it is above 1
COLUMNS = (
    ("bytes from memory", lambda count: count["total"]["memory_bytes_read"] + count["total"].get("code_bytes", 0), lambda ncu, _: ncu.get("dram__bytes_read.sum"), 0.05),
    ("sectors", lambda count: count["total"]["sectors"], sectors, 0.05),
    ("tensor-core instructions", lambda count: count["total"].get("tensor_instructions"), tensor, 0.05),
    ("fp32 instructions", lambda count: count["total"].get("fp32_instructions"), fp32, 0.05),
    ("bank conflicts", lambda count: count["total"].get("bank_conflicts"), conflicts, 0.10),
    ("L2 hit rate", lambda count: 100 * count["cache_hit_rate"], hit_rate, 10),
)  # yapf: disable


def is_met(counted, measured, floor):
    if floor > 1:
        return abs(counted - measured) <= floor
    return abs(counted - measured) <= floor * max(counted, measured)


def short(number):
    return "" if number is None else f"{number:.4g}" if number < 1e5 else f"{number:.3e}"


def table(counted, measured):
    """(lines of the table, {title: [met, compared]})"""
    lines = ["| launch | kernel | " + " | ".join(f"{title}: count, ncu" for title, *_ in COLUMNS) + " | met |", "|---|---|" + "---|" * (len(COLUMNS) + 1)]
    totals = {title: [0, 0] for title, *_ in COLUMNS}
    for row in counted:
        if "error" in row:
            lines.append(f"| {row['key']} | {row.get('kernel', '')} | {row['error']!r}" + " |" * (len(COLUMNS) + 1))
            continue
        cells, met, compared = [], 0, 0
        for title, of_count, of_ncu, floor in COLUMNS:
            ours, theirs = of_count(row), of_ncu(measured.get(row["key"], {}), row)
            if ours is None or theirs is None:
                cells.append(f"{short(ours)}, {short(theirs)}")
                continue
            fine = is_met(ours, theirs, floor)
            ratio = "" if floor > 1 or not theirs else f" ({ours / theirs:.3f})"
            cells.append(f"{short(ours)}, {short(theirs)}{ratio}{'' if fine else ' ✗'}")
            met, compared = met + fine, compared + 1
            totals[title][0] += fine
            totals[title][1] += 1
        lines.append(f"| {row['key']} | {row['kernel']} | " + " | ".join(cells) + f" | {f'{met} of {compared}' if row['key'] in measured else 'not measured'} |")
    return lines, totals


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutorials", help="the folder python/tutorials of Triton")
    parser.add_argument("--tritonbench", metavar="CHECKOUT", help="a checkout of thunlp/TritonBench")
    parser.add_argument("--liger", metavar="CHECKOUT", help="a checkout of linkedin/Liger-Kernel")
    parser.add_argument("--only", default="", help="cases whose names hold one of these, separated by commas")
    parser.add_argument("--list", default="first", help="which launches, separated by commas: the model was made with the `first`; of `second`, `third` and "
                        "`fourth` none was looked at before they were measured first")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--batch", type=int, default=1, help="how many cases a process counts: torch's import takes longer than most")
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--more-metrics", action="store_true", help="ncu measures what helps to find a cause, too")
    parser.add_argument("--json", help="what was counted and measured")
    parser.add_argument("--counted", help="files of --json, separated by commas: what was counted then; nothing is counted now")
    parser.add_argument("--measured", help="a file of --json: what ncu measured then, where it does not measure now")
    parser.add_argument("--markdown")
    for hidden, kind in (("--work", str), ("--out", str), ("--first", int), ("--number", int), ("--until", float)):
        parser.add_argument(hidden, type=kind, help=argparse.SUPPRESS)
    options = parser.parse_args()
    for name in CHECKOUTS:
        if getattr(options, name):
            setattr(options, name, os.path.abspath(getattr(options, name)))
    if options.work:
        return work(options)
    begin = time.monotonic()
    folder = tempfile.mkdtemp(prefix="count-against-ncu-")
    names = [name for name, _ in cases_of(options)]
    rows = read_counted(options.counted, names) if options.counted else count_all(options, folder, names, begin + 0.45 * options.seconds)
    for who in sorted({row["whose"] for row in rows if "whose" in row}):
        print(f"counted by {who}")
    counted = [row for row in rows if "key" in row]
    counted.sort(key=lambda row: (names.index(row["key"].rsplit("#", 1)[0]), row["key"]))
    print(f"{len(counted)} launches of {len(names)} cases counted after {time.monotonic() - begin:.0f} s", flush=True)
    ncu, measured, problems = find_ncu(), {}, []
    if options.device == "cuda" and ncu:
        measured, problems = profile_all(options, folder, ncu, names, begin + options.seconds)
        print(f"measured after {time.monotonic() - begin:.0f} s", flush=True)
    elif options.device == "cuda":
        problems.append("there is no `ncu`")
    if options.measured:
        with open(options.measured, encoding="utf-8") as file:
            measured = {row["key"]: row["ncu"] for row in json.load(file) if row.get("ncu")} | measured
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([{**row, "ncu": measured.get(row["key"])} for row in counted], file, indent=1)
    lines, totals = table(counted, measured)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    print("\n".join(lines))
    print("\n".join(f"problem: {problem}" for problem in problems))
    for title, (met, compared) in totals.items():
        print(f"{title}: {met} of {compared} launches within the floor")
    whole = sum("error" not in row and row["key"] in measured for row in counted)
    print(f"{whole} of {len(counted)} launches compared, {time.monotonic() - begin:.0f} s")
    return 0 if options.device == "cpu" or all(met == compared for met, compared in totals.values()) and whole else 1


if __name__ == "__main__":
    sys.exit(main())
