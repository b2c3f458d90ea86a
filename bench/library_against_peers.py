"""library_against_peers.py: the library kernels on a GPU against the best of torch, cuBLAS and cuDNN, in one process, on random data, and of Triton kernels that peer_calls.py has timed.

    PYTHONPATH=python python3 bench/library_against_peers.py [--only TEXT|TEXT] [--rounds 7] [--peers FILE [--shared]] [--markdown FILE] [--json FILE]
    PYTHONPATH=python python3 bench/library_against_peers.py --check 64      (results alone, on the CPU, of shapes that are so many times smaller)

Each result is checked first. Then ours and the peers take turns: a recorded graph of one call, timed by events, with the L2 cache overwritten
before it; the median of all rounds counts. The ratio is above 1 where ours is faster. The limit is the measured rate of copying on the device,
or the rate of the tensor cores by their clock."""
import argparse
import json
import os
import statistics
import sys

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import array_cases  # noqa: E402
import library_cases  # noqa: E402
import operation_case  # noqa: E402
import operation_cases  # noqa: E402
import sequence_cases  # noqa: E402
import serving_cases  # noqa: E402
import training_cases  # noqa: E402
import weight_cases  # noqa: E402
from graph_timer import Timer  # noqa: E402

FILES = (library_cases, operation_cases, array_cases, serving_cases, training_cases, sequence_cases, weight_cases)

OPERATIONS_A_CLOCK = {"f16": 4096, "fp8": 8192}  # dense, of one multiprocessor


def limits():
    """Bytes a second of a copy, and operations a second of the tensor cores."""
    source = torch.empty(1 << 28, device="cuda")
    target, timer = torch.empty_like(source), Timer(torch.empty(1, device="cuda"))
    copies = [timer.record(copy) for copy in (lambda: target.copy_(source), lambda: torch.neg(source, out=target))]
    rate = max(8 * source.numel() / timer.once(replay) for replay in copies for _ in range(10))
    properties = torch.cuda.get_device_properties(0)
    clock = getattr(properties, "clock_rate", 1_980_000) * 1e3
    return {"memory": rate} | {kind: each * clock * properties.multi_processor_count for kind, each in OPERATIONS_A_CLOCK.items()}


def difference(case):
    """The largest difference of any result, over the largest value of that."""
    case.ours()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    worst = 0.0
    for result, right in zip(case.results, case.reference()):
        result, right = result.double(), right.double()
        worst = max(worst, ((result - right).abs().max() / right.abs().max()).item())
    return worst


def check(options):
    """The cases of nereid.ops on the CPU, without times; 1 where one is wrong."""
    operation_case.try_on("cpu", options.check)
    wrong = 0
    for case in (case for file in FILES[1:] for group in file.GROUPS.values() for case in group() if is_asked(case, options)):
        apart = difference(case)
        wrong += apart > case.tolerance
        print(f"{'right' if apart <= case.tolerance else 'wrong'}: {case.name}: {apart:.2g}, at most {case.tolerance:.2g}", flush=True)
    return int(wrong > 0)


def compare(row):
    """The best peer, and how many times as long it takes."""
    peers = {name: seconds for name, seconds in row["seconds"].items() if name != "ours"}
    if peers:
        row["best_peer"] = min(peers, key=peers.get)
        row["ratio"] = peers[row["best_peer"]] / row["seconds"]["ours"]


def join(rows, path):
    """Times of other libraries, which peer_calls.py has measured, join the rows of the same names."""
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    for row in rows:
        for library, theirs in found.get(row["name"], {}).items():
            if "seconds" in theirs and "seconds" in row:
                row["seconds"][library] = theirs["seconds"]
                row.setdefault("memory", {})[library] = theirs["memory"]
        if "seconds" in row:
            compare(row)


def measure(case, timer, rounds, limit):
    row = {"name": case.name, "difference": difference(case)}
    row["right"] = row["difference"] <= case.tolerance
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    case.ours()
    row["memory"] = {"ours": torch.cuda.max_memory_allocated() - before}
    calls = {"ours": case.ours} | case.peers
    replays, times = {}, {}
    for name, call in calls.items():
        try:
            replays[name] = timer.record(call) if name == "ours" or case.are_peers_recorded else timer.warm(call)
        except RuntimeError as error:  # a peer that does not take this shape
            row.setdefault("left_out", {})[name] = str(error)[:200]
            if name == "ours":
                raise
    for _ in range(rounds):
        for name, replay in replays.items():
            times.setdefault(name, []).append(timer.once(replay))
    row["seconds"] = {name: statistics.median(each) for name, each in times.items()}
    compare(row)
    ours = row["seconds"]["ours"]
    work = case.flops or case.bytes
    row["rate"], row["share"], row["unit"] = work / ours, work / ours / limit[case.kind], "TFLOP/s" if case.flops else "TB/s"
    return row


def memory_lines(row):
    """What a call takes besides its arguments, beside other libraries."""
    ours = row["memory"]["ours"]
    for library, theirs in row["memory"].items():
        if library != "ours":
            yield f"| {row['name']} | {ours / 2**20:.1f} | {library} | {theirs / 2**20:.1f} | {row['seconds'][library] / row['seconds']['ours']:.2f} |"


HEAD = "| case | ours us | best peer | its us | ratio | rate | share of the limit |\n|---|---|---|---|---|---|---|"


def line(row):
    if "error" in row:
        return f"| {row['name']} | {row['error'][:100]} | | | | | |"
    ours, peer = row["seconds"]["ours"], row.get("best_peer", "")
    theirs = f"{row['seconds'][peer] * 1e6:.1f}" if peer else ""
    rate = f"{row['rate'] / 1e12:.0f}" if row["unit"] == "TFLOP/s" else f"{row['rate'] / 1e12:.2f}"
    wrong = "" if row["right"] else f" **wrong by {row['difference']:.2g}**"
    return f"| {row['name']}{wrong} | {ours * 1e6:.1f} | {peer} | {theirs} | {row.get('ratio', 0):.2f} | {rate} {row['unit']} | {row['share']:.2f} |"


def run(options):
    torch.manual_seed(0)
    limit = limits()
    device = torch.cuda.get_device_name(0)
    print(f"{device}, torch {torch.__version__}: copy {limit['memory'] / 1e12:.2f} TB/s, fp16 {limit['f16'] / 1e12:.0f} TFLOP/s by the clock\n\n{HEAD}", flush=True)
    timer = Timer(torch.empty(64 << 20, dtype=torch.int32, device="cuda"))  # 256 MiB: more than the L2 cache
    rows, names = [], None
    if options.shared:
        with open(options.peers, encoding="utf-8") as file:
            names = json.load(file)
    for group in (group for file in FILES for group in file.GROUPS.values()):
        for case in group():
            if not is_asked(case, options) or (names is not None and case.name not in names):
                continue
            try:
                rows.append(measure(case, timer, options.rounds, limit))
            except Exception as error:  # one case must not cost the others
                rows.append({"name": case.name, "error": f"{type(error).__name__}: {error}"})
            print(line(rows[-1]), flush=True)
            del case
    if options.peers:
        join(rows, options.peers)
        joined = [row for row in rows if len(row.get("memory", {})) > 1]
        print("\n".join(["\nwith other libraries:", HEAD, *map(line, joined)]))
        print("\n".join(["\n| case | ours MiB | library | its MiB | ratio of times |\n|---|---|---|---|---|", *(text for row in joined for text in memory_lines(row))]))
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    if ratios:
        print(f"\ngeometric mean of {len(ratios)} ratios: {statistics.geometric_mean(ratios):.3f}; below 0.9: {sum(ratio < 0.9 for ratio in ratios)}")
    return {"device": device, "limits": limit, "rows": rows}


def is_asked(case, options):
    return any(text in case.name for text in options.only.split("|"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose names hold this, or one of several texts with | between them")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--markdown", help="write the table there too")
    parser.add_argument("--json", help="write all figures there")
    parser.add_argument("--peers", help="what peer_calls.py has written: times of other libraries' Triton kernels")
    parser.add_argument("--shared", action="store_true", help="only cases that the file of --peers has")
    parser.add_argument("--check", type=int, help="only check results, on the CPU, of shapes that are so many times smaller")
    options = parser.parse_args()
    if options.check:
        return check(options)
    table = run(options)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join([HEAD, *map(line, table["rows"])]) + "\n")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(table, file, indent=1)
    return 0 if table["rows"] and all(row.get("right") for row in table["rows"]) else 1


if __name__ == "__main__":
    sys.exit(main())
