"""count_time.py: the processor time of `nereid count` against that of the same launch on the interpreter (`nereid run --device interp`).

    bench/count_time.py [--tutorials FOLDER] [--only TEXT] [--most 5]

Launches are every kernel of the library in the small sizes of its bench.json, those of counted_sizes.py, and Triton's tutorials (FOLDER is python/tutorials of a
checkout). `first` is a count that compiles, with a cache that is empty; `quick` the same with `--quick`, without the assembler; `again` one that finds the code there. Exit status 1
where `again` or `quick` takes more than `--most` times as long."""
import argparse
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "test", "view")]
import library_oracle  # noqa: E402
from counted_sizes import LIBRARY, TUTORIALS, library_words  # noqa: E402

NEREID = os.path.join(os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build")), "bin", "nereid")


def launches(options):
    yield from ((f"small {name}", words) for name, words in library_oracle.cases())
    yield from ((f"library {row[0]}, {row[1]}", library_words(*row)) for row in LIBRARY)
    for kernel, words in TUTORIALS if options.tutorials else ():
        yield f"tutorial {kernel}", [os.path.join(options.tutorials, kernel), *shlex.split(words)]


def processor_time(words, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([NEREID, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, "NEREID_CACHE_DIR": folder})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[0])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tutorials")
    parser.add_argument("--only", default="")
    parser.add_argument("--most", type=float, default=5)
    options = parser.parse_args()
    rows, problems = [], []
    for name, words in launches(options):
        if options.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                plain = min(processor_time(["run", *words, "--device", "interp"], folder) for _ in range(2))
                quick = processor_time(["count", *words, "--quick"], folder)
                first = processor_time(["count", *words], folder)
                again = min(processor_time(["count", *words], folder) for _ in range(2))
            except RuntimeError as problem:
                problems.append(f"{name}: {problem}")
                continue
        rows.append((again / plain, first / plain, quick / plain, plain, name))
    print(f"{'interp ms':>9} {'first':>6} {'quick':>6} {'again':>6}  launch")
    for again, first, quick, plain, name in sorted(rows, reverse=True):
        print(f"{plain * 1e3:9.0f} {first:6.2f} {quick:6.2f} {again:6.2f}  {name}")
    for problem in problems:
        print(f"failed: {problem}")
    bad, slow = (sum(row[i] > options.most for row in rows) for i in (0, 2))
    if rows:
        print(f"{len(rows)} launches: median {statistics.median(row[1] for row in rows):.2f} the first time, {statistics.median(row[2] for row in rows):.2f} the first time with --quick, "
              f"{statistics.median(row[0] for row in rows):.2f} again; above {options.most:g}: {sum(row[1] > options.most for row in rows)}, {slow} and {bad}")
    return 1 if bad or slow or problems or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
