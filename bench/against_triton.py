"""against_triton.py: the kernels of Triton's tutorials through our `import triton` and through Triton, on one GPU: the same source,
the same configuration, random data, in processes that take turns.

    python3 bench/against_triton.py --tutorials FOLDER [--ours python] [--python python3] [--rounds 1] [--only TEXT] [--groups LIST] [--json FILE] [--markdown FILE]

FOLDER is python/tutorials of Triton v3.6.0. `--ours` holds our packages `triton` and `nereid`. Needs torch and Triton's wheel. Prints, for
each case, the time of the device and the time end to end of both, their ratio (above 1: ours is faster), the rate, and what torch's own
operator takes; then the geometric means, and what misses its floor (0.95 where memory is the limit, 0.8 elsewhere)."""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORKER = os.path.join(ROOT, "bench", "triton_cases.py")


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def run_worker(options, folder, name, environment):
    """All cases in one process; after one that does not come back, a new process goes on behind it."""
    out = os.path.join(folder, name)
    open(out, "w").close()
    first, rows = 0, []
    while True:
        command = [options.python, WORKER, "--tutorials", options.tutorials, "--out", out, "--first", str(first), "--only", options.only]
        command += ["--groups", options.groups] if options.groups else []
        try:
            status = subprocess.run(command, env=environment, timeout=options.timeout, stderr=subprocess.PIPE, text=True)
            problem = None if status.returncode == 0 else (status.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        except subprocess.TimeoutExpired:
            problem = f"nothing after {options.timeout} s"
        rows = rows_of(out)
        if problem is None:
            break
        begun = [row for row in rows if "begins" in row]
        if not begun or begun[-1]["number"] <= first:  # not even a first case
            print(f"{name}: {problem}", file=sys.stderr)
            break
        if rows[-1] is begun[-1]:
            with open(out, "a", encoding="utf-8") as file:
                file.write(json.dumps({"name": begun[-1]["begins"], "error": problem[:500]}) + "\n")
        first = begun[-1]["number"]
    return [row for row in rows_of(out) if "begins" not in row]


def best(rounds):
    """By case, the faster one of several rounds."""
    result = {}
    for row in (row for rows in rounds for row in rows):
        known = result.get(row["name"])
        if known is None or "error" in known or ("error" not in row and row["device"] < known["device"]):
            result[row["name"]] = row
    return result


def rate(row):
    if row["flops"]:
        return f"{row['flops'] / row['device'] / 1e12:.0f} TFLOP/s"
    return f"{row['bytes'] / row['device'] / 1e12:.2f} TB/s"


def microseconds(seconds):
    return f"{seconds * 1e6:.1f}"


def compare(ours, theirs):
    """Prints the table; gives its rows."""
    table = []
    print(f"{'case':<62} {'device us: ours':>15} {'Triton':>9} {'ratio':>6} {'end to end: ours':>17} {'Triton':>9} {'ratio':>6}  rate, torch")
    for name, their in theirs.items():
        our = ours.get(name, {"name": name, "error": "it was not run"})
        if "error" in our or "error" in their:
            print(f"{name:<62} ours: {our.get('error', 'fine')[:90]}   Triton: {their.get('error', 'fine')[:60]}")
            table.append({"name": name, "ours": our, "triton": their})
            continue
        device, whole = their["device"] / our["device"], their["end_to_end"] / our["end_to_end"]
        peer = f", torch {microseconds(their['peer_device'])} us" if "peer_device" in their else ""
        wrong = "" if our["right"] else f"  WRONG by {our['difference']:.3g}"
        print(f"{name:<62} {microseconds(our['device']):>15} {microseconds(their['device']):>9} {device:>6.2f} "
              f"{microseconds(our['end_to_end']):>17} {microseconds(their['end_to_end']):>9} {whole:>6.2f}  {rate(our)}{peer}{wrong}")
        table.append({"name": name, "ours": our, "triton": their, "device_ratio": device, "end_to_end_ratio": whole})
    return table


def markdown(table):
    """The same as a table of a document."""
    yield "| case | device us: ours | Triton | ratio | end to end us: ours | Triton | ratio | rate |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in table:
        if "device_ratio" not in row:
            yield f"| {row['name']} | ours: {row['ours'].get('error', 'fine')[:80]}; Triton: {row['triton'].get('error', 'fine')[:80]} | | | | | | |"
            continue
        our, their = row["ours"], row["triton"]
        wrong = "" if our["right"] else " **wrong**"
        yield (f"| {row['name']}{wrong} | {microseconds(our['device'])} | {microseconds(their['device'])} | {row['device_ratio']:.2f} | "
               f"{microseconds(our['end_to_end'])} | {microseconds(their['end_to_end'])} | {row['end_to_end_ratio']:.2f} | {rate(our)} |")
    complete = [row for row in table if "device_ratio" in row]
    if complete:
        yield f"| geometric mean | | | {mean(complete, 'device_ratio'):.3f} | | | {mean(complete, 'end_to_end_ratio'):.3f} | |"


def mean(rows, key):
    return math.exp(sum(math.log(row[key]) for row in rows) / len(rows))


def summarize(table):
    complete = [row for row in table if "device_ratio" in row]
    if not complete:
        return print("nothing could be compared")
    print(f"\n{len(complete)} of {len(table)} cases compared; geometric mean: device {mean(complete, 'device_ratio'):.3f}, "
          f"end to end {mean(complete, 'end_to_end_ratio'):.3f}; wrong: {sum(not row['ours']['right'] for row in complete)}")
    for row in complete:
        floor = 0.8 if row["ours"]["flops"] else 0.95
        if row["device_ratio"] < floor:
            print(f"below its floor of {floor}: {row['name']}: {row['device_ratio']:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutorials", required=True)
    parser.add_argument("--ours", default=os.path.join(ROOT, "python"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="", help="cases whose names hold this")
    parser.add_argument("--groups", default="", help="of memory,norm,matmul,persistent,attention (all of these unless said otherwise) and language, small kernels of our own")
    parser.add_argument("--timeout", type=int, default=400, help="seconds for one process")
    parser.add_argument("--json", help="write the table there too")
    parser.add_argument("--markdown", help="write it there for a document")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plain = dict(os.environ, TRITON_CACHE_DIR=os.path.join(folder, "triton"), NEREID_CACHE_DIR=os.path.join(folder, "nereid"))
        own = dict(plain, PYTHONPATH=os.path.abspath(options.ours) + os.pathsep + os.environ.get("PYTHONPATH", ""))
        theirs, ours = [], []
        for number in range(options.rounds):
            theirs.append(run_worker(options, folder, f"triton{number}", plain))
            ours.append(run_worker(options, folder, f"ours{number}", own))
    table = compare(best(ours), best(theirs))
    summarize(table)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(table, file, indent=1)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(markdown(table)) + "\n")
    return 0 if table and all("device_ratio" in row and row["ours"]["right"] for row in table) else 1


if __name__ == "__main__":
    sys.exit(main())
