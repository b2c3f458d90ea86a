"""Runs the tests of a project in several pytest processes at once: shards that survive crashes, their rows, reasons ranked.

scripts/triton-suite and bench/suites_against_triton.py are made of it; pytest_shards_plugin.py is the part inside of pytest.
"""
import collections
import os
import re
import subprocess


def read_rows(log):
    """Outcome and reason of every test; one that was only started has crashed, one that was stopped has none."""
    rows = {}
    if os.path.exists(log):
        with open(log, errors="replace") as file:
            for line in file:
                outcome, _, rest = line.rstrip("\n").partition("\t")
                test, _, reason = rest.partition("\t")
                if outcome != "started" or test not in rows:
                    rows[test] = (outcome, reason)
    crashed = ("failed", "the process crashed or ran out of time")
    return {test: row if row[0] != "started" else crashed for test, row in rows.items() if row[0] != "stopped"}


class Shard:
    """One pytest process over every `count`-th test, started again after a crash; its rows are in `log`."""

    def __init__(self, command, folder, environment, index, count, log, limit=300, core=None):
        self.command = [*command, "-p", "pytest_shards_plugin", "-p", "no:cacheprovider"]
        self.folder, self.log, self.core = folder, log, core
        self.output = os.path.splitext(log)[0] + ".txt"
        path = os.pathsep.join(filter(None, [os.path.dirname(os.path.abspath(__file__)), environment.get("PYTHONPATH", "")]))
        self.environment = {**environment, "PYTHONPATH": path, "SUITE_SHARD": f"{index}/{count}", "SUITE_LOG": log, "SUITE_LIMIT": str(limit)}
        self.start()

    def start(self):
        self.before = len(read_rows(self.log))
        with open(self.output, "w") as output:
            self.process = subprocess.Popen(self.command, cwd=self.folder, stdout=output, stderr=subprocess.STDOUT, env=self.environment)
        if self.core is not None:
            os.sched_setaffinity(self.process.pid, {self.core})

    def is_done(self):
        status = self.process.poll()
        if status is None:
            return False
        # 0 to 5 are pytest's own; a crash restarts where it made progress.
        if status not in range(6) and len(read_rows(self.log)) > self.before:
            self.start()
            return False
        return True

    def stop(self):
        """Ends the process; the test that it was at has no outcome."""
        self.process.kill()
        self.process.wait()
        with open(self.log, "a+", errors="replace") as file:
            file.seek(0)
            last = (file.read().splitlines() or [""])[-1]
            if last.startswith("started\t"):
                file.write("stopped" + last[len("started"):] + "\n")

    def printed(self):
        with open(self.output, errors="replace") as output:
            return output.read()


def kind_of(reason):
    """Reasons that differ in numbers and addresses only count as one."""
    return re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e[-+]?\d+)?", "N", reason)[:140]


def print_reasons(rows, outcome, count):
    groups = collections.defaultdict(list)
    for test, (found, reason) in rows.items():
        if found == outcome:
            groups[kind_of(reason)].append((test, reason))
    ranked = sorted(groups.values(), key=len, reverse=True)
    for group in ranked[:count]:
        test, reason = group[0]
        print(f"  {len(group):5} {outcome}: {reason[:170] or 'no reason'}\n        {test}")
    if len(ranked) > count:
        print(f"  and {len(ranked) - count} other reasons for {sum(map(len, ranked[count:]))} tests")
