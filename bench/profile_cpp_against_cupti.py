"""profile_cpp_against_cupti.py: a C++ program (ProfileSteps.cpp) under `nereid profile`, and the same program with a library in it that asks CUPTI alone
(CuptiTimes.cpp): times of its kernels from both, and what profiling costs a step.

    bench/profile_cpp_against_cupti.py [--steps 200] [--turns 3] [--library build/lib/libnereid.so] [--nereid build/bin/nereid] [--device cuda|cpu]

Compiles both with `c++`. Runs take turns; the shortest of each side counts. Exit status 1 where the sums of all kernels are more than 2 % apart, or a step takes 5 % longer.
`--device cpu` profiles only, for machines without a GPU."""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_APART, MOST_OVERHEAD = 0.02, 0.05


def folder_of_cupti():
    """Where libcupti.so is: with CUDA's toolkit, or among the packages of a Python that has torch."""
    places = ["/usr/local/cuda*/extras/CUPTI/lib64", "/usr/local/cuda*/lib64"]
    for python in {sys.executable, shutil.which("python3")} - {None}:
        packages = subprocess.run([python, "-c", "import site; print(*site.getsitepackages())"], capture_output=True, text=True).stdout.split()
        places += [os.path.join(package, "nvidia", "*", "lib") for package in packages]
    return next((folder for place in places for folder in sorted(glob.glob(place)) if glob.glob(os.path.join(folder, "libcupti.so*"))), None)


def build(options, folder):
    include = f"-I{os.path.join(ROOT, 'include')}"
    program, library = os.path.join(folder, "profile-steps"), os.path.join(folder, "libcupti-times.so")
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++") or "c++"
    subprocess.run([compiler, "-std=c++20", "-O2", include, os.path.join(ROOT, "bench", "ProfileSteps.cpp"), os.path.abspath(options.library),
                    f"-Wl,-rpath,{os.path.dirname(os.path.abspath(options.library))}", "-o", program], check=True)  # yapf: disable
    subprocess.run([compiler, "-std=c++20", "-O2", "-shared", "-fPIC", os.path.join(ROOT, "bench", "CuptiTimes.cpp"), "-ldl", "-o", library], check=True)
    return program, library


class Runs:

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.program, self.library = build(options, folder)
        cupti = folder_of_cupti()
        paths = [path for path in (cupti, os.environ.get("LD_LIBRARY_PATH")) if path]
        self.environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(paths), "NEREID_CACHE_DIR": os.path.join(folder, "cache")}
        print(f"CUPTI: {cupti or 'in no folder that is known'}")

    def run(self, words, **more):
        done = subprocess.run([*words, self.program, self.options.device, str(self.options.steps)], cwd=ROOT, env={**self.environment, **more}, capture_output=True, text=True,
                              timeout=60)  # yapf: disable
        if done.returncode:
            sys.exit(f"error: {' '.join(words)} {self.program} ended with {done.returncode}: {done.stderr[-1500:]}")
        return done, float(re.search(r"([\d.]+) microseconds a step", done.stdout + done.stderr)[1])

    def plain(self):
        return {}, self.run([])[1]

    def nereid(self):
        done, step = self.run([self.options.nereid, "profile", "--json", "--"])
        kernels = json.loads(done.stdout)["kernels"]
        return {row["name"].split("(")[0]: (row["calls"], row["device_ns"]) for row in kernels}, step

    def cupti(self):
        path = os.path.join(self.folder, "times")
        _, step = self.run([], CUDA_INJECTION64_PATH=self.library, CUPTI_TIMES=path)
        times = {}
        for line in open(path, encoding="utf-8") if os.path.exists(path) else ():
            nanoseconds, name = line.rstrip("\n").split(" ", 1)
            calls, total = times.get(name, (0, 0))
            times[name] = calls + 1, total + int(nanoseconds)
        return times, step


def total(times):
    return sum(each for _, each in times.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--library", default=os.path.join(ROOT, "build", "lib", "libnereid.so"))
    parser.add_argument("--nereid", default=os.path.join(ROOT, "build", "bin", "nereid"))
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(options, folder)
        runs.plain()  # compiles the kernels
        sides = ("plain", "nereid", "cupti") if options.device == "cuda" else ("plain", "nereid")
        found = {side: [] for side in sides}
        for _ in range(options.turns):
            for side in sides:
                found[side].append(getattr(runs, side)())
    steps = {side: min(step for _, step in each) for side, each in found.items()}
    for side in sides:
        print(f"{side:8} {steps[side]:9.2f} us a step, {steps[side] / steps['plain'] - 1:+.2%}")
    times = {side: min((each[0] for each in found[side]), key=total) for side in sides}
    print(f"{'kernel':24} {'calls':>6} {'nereid us':>12} {'CUPTI us':>12}")
    is_bad = steps["nereid"] > (1 + MOST_OVERHEAD) * steps["plain"] if options.device == "cuda" else False
    theirs = times.get("cupti", {})
    for name in sorted({*times["nereid"], *theirs}):
        (calls, ours), (_, other) = times["nereid"].get(name, (0, 0)), theirs.get(name, (0, 0))
        print(f"{name:24} {calls:6} {ours / 1e3:12.1f} {other / 1e3:12.1f}" + (f" {ours / other - 1:+.2%}" if other else ""))
        is_bad |= calls != theirs[name][0] if name in theirs else options.device == "cuda"
    if theirs:
        apart = total(times["nereid"]) / total(theirs) - 1
        is_bad |= abs(apart) > MOST_APART
        print(f"{'all':24} {'':6} {total(times['nereid']) / 1e3:12.1f} {total(theirs) / 1e3:12.1f} {apart:+.2%}")
    elif options.device == "cuda":
        print("CUPTI gave no times")
    return 1 if is_bad or not times["nereid"] else 0


if __name__ == "__main__":
    sys.exit(main())
