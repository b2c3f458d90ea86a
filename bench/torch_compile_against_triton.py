"""torch_compile_against_triton.py: torch.compile with default settings over models and functions, through our `import triton` and
through Triton, side by side on one GPU, each on its half of the cores and with empty caches.

    python3 bench/torch_compile_against_triton.py [--ours python] [--kinds models,functions] [--only PATTERN] [--pairs 2] [--out FOLDER]

Needs torch, Triton's wheel, transformers and timm. For each case: how far the result is from eager under both, the time of the first call, and
what is left of Triton's without the kernels (`floor`: what torch needs itself, which no compiler of kernels changes),
what a compiled call costs the host, and the device. These times are medians of turns that both take one after the other, on the
same cores, while all other processes halt. A case is right where our distance from eager is within twice Triton's, or
below what rounding explains (1e-5, and 4e-3 in half precision)."""
import argparse
import json
import math
import os
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORKER = os.path.join(ROOT, "bench", "torch_compile_cases.py")
SIDES = ("nereid", "triton")


def rows_of(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def descendants(of):
    """The processes below the given ones, and these themselves."""
    children = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except OSError:  # it has just ended
            continue
        children.setdefault(parent, []).append(int(entry))
    found = list(of)
    for process in found:
        found += children.get(process, [])
    return found


def signal_all(processes, what):
    for process in processes:
        try:
            os.kill(process, what)
        except ProcessLookupError:
            pass


class Turns:
    """Lets the two sides of a case measure in turns while all others halt, also the processes that compile for these two; knows when, so
    that it does not count as compile time of others."""

    def __init__(self, rounds):
        self.rounds, self.spans = rounds, []

    def serve(self, pair, sides):
        measuring = {side.process.pid for side in pair}
        others = [process for process in descendants(side.process.pid for side in sides if side.process.poll() is None) if process not in measuring]
        signal_all(others, signal.SIGSTOP)
        begin, cores = time.perf_counter(), sorted(pair[0].cores)
        for side in pair:
            side.pin(cores)
        for turn in range(self.rounds):
            if not all([side.turn() for side in (pair if turn % 2 else reversed(pair))]):
                break
        for side in pair:
            side.pin(side.cores)
            side.answers(b"e")
        self.spans.append((pair, begin, time.perf_counter()))
        signal_all(others, signal.SIGCONT)

    def within(self, side, begin, end):
        return sum(max(0.0, min(end, last) - max(begin, first)) for pair, first, last in self.spans if side not in pair)


class Side:
    """One process over a part of the cases; after one that does not come back, a new process goes on behind it."""

    def __init__(self, options, whose, shard, cores, folder):
        self.options, self.whose, self.shard, self.cores = options, whose, shard, cores
        name = f"{whose}-{shard.replace('/', '-')}"
        self.out, self.log = os.path.join(folder, f"{name}.jsonl"), os.path.join(folder, f"{name}.log")
        self.caches = tempfile.mkdtemp(prefix=f"torch-compile-{name}-")
        self.first, self.asked, self.answer = 0, None, None
        self.start()

    def environment(self):
        path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if self.whose == "nereid":
            path.insert(0, os.path.abspath(self.options.ours))
        places = {name: os.path.join(self.caches, name) for name in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "NEREID_CACHE_DIR")}
        return {**os.environ, **places, "PYTHONPATH": os.pathsep.join(filter(None, path)), "TMPDIR": self.caches}

    def start(self):
        for pipe in filter(None, (self.asked, self.answer)):
            os.close(pipe)
        self.asked, ask = os.pipe()
        answer, self.answer = os.pipe()
        command = [self.options.python, WORKER, "--out", self.out, "--first", str(self.first), "--shard", self.shard, "--kinds", self.options.kinds,
                   "--only", self.options.only, "--ask", str(ask), "--answer", str(answer), *(["--shuffle"] if self.options.shuffle else [])]  # yapf: disable
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(command, env=self.environment(), stdout=log, stderr=log, pass_fds=(ask, answer),
                                            preexec_fn=lambda: os.sched_setaffinity(0, self.cores))
        os.close(ask)
        os.close(answer)
        self.waits = None  # the number of the case whose times it could take
        self.changed, self.size = time.monotonic(), 0

    def answers(self, word):
        try:
            os.write(self.answer, word)
        except BrokenPipeError:
            pass
        self.waits = None

    def turn(self):
        """Whether it came back from measuring once."""
        self.answers(b"g")
        return bool(select.select([self.asked], [], [], 60)[0] and os.read(self.asked, 1))

    def pin(self, cores):
        for thread in os.listdir(f"/proc/{self.process.pid}/task") if self.process.poll() is None else ():
            try:
                os.sched_setaffinity(int(thread), cores)
            except ProcessLookupError:
                pass

    def is_done(self):
        if self.waits is not None:
            self.changed = time.monotonic()
        size = os.path.getsize(self.out) if os.path.exists(self.out) else 0
        if size != self.size:
            self.changed, self.size = time.monotonic(), size
        status = self.process.poll()
        if status is None and time.monotonic() - self.changed < self.options.timeout:
            return False
        if status is None:
            self.process.kill()
            self.process.wait()
        if status == 0:
            return True
        begun = [row for row in rows_of(self.out) if "begins" in row]
        if not begun or begun[-1]["number"] < self.first:
            return True
        if rows_of(self.out)[-1] is not None and "begins" in rows_of(self.out)[-1]:
            problem = f"nothing after {self.options.timeout} s" if status is None else f"the process ended with {status}"
            with open(self.out, "a", encoding="utf-8") as file:
                file.write(json.dumps({"name": begun[-1]["begins"], "error": problem}) + "\n")
        self.first = begun[-1]["number"] + 1
        self.start()
        return False


def collect(sides, whose, turns):
    rows = []
    for side in (side for side in sides if side.whose == whose):
        for row in rows_of(side.out):
            if "end" in row:
                row["compile"] = row["end"] - row["begin"] - turns.within(side, row["begin"], row["end"])
            rows.append(row)
    wrong = [row for row in rows if row.get("whose", whose) != whose]
    if wrong or not any("whose" in row for row in rows):
        raise SystemExit(f"the processes of {whose} did not run {whose}: {wrong[:1]}")
    return {row["name"]: row for row in rows if "name" in row}


def is_right(our, their):
    floor = 4e-3 if our["half"] else 1e-5
    return (our["repeats"] or not their["repeats"]) and our["distance"] <= max(2 * their["distance"], floor)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", default=os.path.join(ROOT, "python"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--kinds", default="models,functions")
    parser.add_argument("--only", default="", help="a regular expression for the names of cases")
    parser.add_argument("--shuffle", action="store_true", help="cases in an order drawn by their names, so that a deadline cuts all kinds alike")
    parser.add_argument("--pairs", type=int, default=2, help="processes of each side at a time")
    parser.add_argument("--rounds", type=int, default=10, help="turns of each side at the times of a case")
    parser.add_argument("--timeout", type=float, default=120, help="seconds without a result after which a case has failed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for everything")
    parser.add_argument("--sides", default=",".join(SIDES))
    parser.add_argument("--out")
    options = parser.parse_args()
    folder = options.out or tempfile.mkdtemp(prefix="torch-compile-")
    os.makedirs(folder, exist_ok=True)
    cores = sorted(os.sched_getaffinity(0))
    names = options.sides.split(",")
    each = max(1, len(cores) // (len(names) * options.pairs))
    sides = []
    for pair in range(options.pairs):
        for whose in names:
            part = cores[len(sides) * each:(len(sides) + 1) * each] or cores
            sides.append(Side(options, whose, f"{pair}/{options.pairs}", set(part), folder))
    deadline = time.monotonic() + options.seconds
    turns = Turns(options.rounds)
    while not all([side.is_done() for side in sides]) and time.monotonic() < deadline:
        asking = select.select([side.asked for side in sides if side.process.poll() is None and side.waits is None], [], [], 0.1)[0]
        for side in sides:
            if side.asked in asking and len(number := os.read(side.asked, 2)) == 2:
                side.waits = int.from_bytes(number, "little")
        for side in sides:
            if side.waits is None:
                continue
            partners = [other for other in sides if other.shard == side.shard and other is not side]
            if all(other.waits is not None or other.process.poll() is not None for other in partners):
                # Where one side failed at a case, the other is ahead: it waits for the case that both have, or for the end.
                least = min(other.waits for other in (side, *partners) if other.waits is not None)
                turns.serve([other for other in (side, *partners) if other.waits == least], sides)
    for side in sides:
        if side.process.poll() is None:
            side.process.kill()
    if len(names) == 2:
        report(collect(sides, "nereid", turns), collect(sides, "triton", turns))


def kernel_seconds(row):
    """What a first call spent on kernels alone. Templates compile in the process as well: their time is not counted twice."""
    phases = row["phases"]
    return (phases["waiting for processes that compile"] + phases["compiled again for fewer registers"] +
            (phases["templates compiled"] or phases["kernels compiled in the process"]))


def floor_of(row):
    """The time of a first call if kernels cost nothing."""
    return max(0.0, row["compile"] - kernel_seconds(row))


def is_slower(our, their):
    """Whether a call costs the host over 5 % more and no chance explains it: the median of the turns, and eight of ten of them."""
    ratios = [mine / other for mine, other in zip(our["host"], their["host"])]
    return statistics.median(ratios) > 1.05 and sum(ratio > 1 for ratio in ratios) >= 0.8 * len(ratios)


def report(ours, theirs):
    print(f"{'case':<40} {'from eager: ours':>16} {'Triton':>9} {'compile s: ours':>15} {'Triton':>7} {'floor':>7} "
          f"{'host us: ours':>13} {'Triton':>8} {'device us: ours':>15} {'Triton':>8}")
    both, wrong = [], []
    median = statistics.median
    for name in {**theirs, **ours}:
        our, their = (side.get(name, {"error": "it was not run"}) for side in (ours, theirs))
        if "error" in our or "error" in their:
            print(f"{name:<40} ours: {our.get('error', 'fine')[:200]!r}   Triton: {their.get('error', 'fine')[:100]!r}")
            wrong += [name] if "error" in our and "error" not in their else []
            continue
        both.append((our, their))
        right = is_right(our, their)
        wrong += [] if right else [name]
        print(f"{name:<40} {our['distance']:>16.2e} {their['distance']:>9.1e} {our['compile']:>15.2f} {their['compile']:>7.2f} {floor_of(their):>7.2f} "
              f"{median(our['host']) * 1e6:>13.0f} {median(their['host']) * 1e6:>8.0f} {median(our['device']) * 1e6:>15.0f} {median(their['device']) * 1e6:>8.0f}"
              f"{'' if right else '  WRONG'}{'  host slower' if is_slower(our, their) else ''}"
              f"{'' if our['launches'] == their['launches'] else '  launches: ' + str(our['launches']) + ' ' + str(their['launches'])}")
    if not both:
        return print("nothing could be compared")

    def mean(key):
        return math.exp(sum(math.log(median(their[key]) / median(our[key])) for our, their in both) / len(both))

    for name in both[0][0]["phases"]:
        ours_s, theirs_s = (sum(rows[side]["phases"][name] for rows in both) for side in (0, 1))
        print(f"of the first calls, {name}: {ours_s:.1f} s, Triton {theirs_s:.1f} s")
    ours_s, theirs_s = (sum(rows[side]["compile"] for rows in both) for side in (0, 1))
    least = sum(floor_of(their) for _, their in both)
    print(f"first calls: {ours_s:.1f} s, Triton {theirs_s:.1f} s: {ours_s / theirs_s:.2f}; {least / theirs_s:.2f} if kernels cost nothing")
    print(f"graph breaks: {sum(our['graph breaks'] for our, _ in both)}, Triton {sum(their['graph breaks'] for _, their in both)}; "
          f"kernels of a call: {sum(our['launches']['kernels'] for our, _ in both)}, Triton {sum(their['launches']['kernels'] for _, their in both)}")
    print(f"\n{len(both)} compared, {len(wrong)} not right {wrong}; total compile time against Triton's {ours_s / theirs_s:.2f}; "
          f"geometric means, above 1 ours is faster: host {mean('host'):.2f}, device {mean('device'):.2f}; "
          f"slower for the host by over 5 %: {[our['name'] for our, their in both if is_slower(our, their)]}")


if __name__ == "__main__":
    main()
