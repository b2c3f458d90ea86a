"""course_under_triton.py: the solutions of the course through Triton and through our `import triton`, on one GPU.

    python3 bench/course_under_triton.py [--ours python] [--jobs 16] [--only TEXT] [--seconds 150] [--json FILE] [--markdown FILE]

Every test of every unit runs, hidden ones too, on the same tensors on both sides. Each result is held against numpy in float64
(learn/numpy_references_*.py), within the unit's tolerance, and against the other side's, within twice that. What a side is, its processes
say themselves: the file that `triton` was, and which libraries they had loaded in the end. `--device cpu --sides nereid` needs no GPU and no Triton."""
import argparse
import glob
import importlib.util
import json
import os
import sys
import tempfile
import time
import types

from sides import run_apart, start_worker, wait_for

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COURSE = os.path.join(ROOT, "learn")


def place(folder, unit):
    return os.path.join(folder, unit["id"].replace("/", "-"))


# The workers: they know tensors in files, a solution and launches, and nothing of what is expected.


def work(options):
    """Takes units that no other worker of this side has taken, each in a process of its own, since one may end its CUDA context."""
    import torch  # noqa: F401 here, so that the processes below need not
    import triton
    whose = "nereid" if hasattr(triton, "__nereid__") else "triton"
    assert whose == options.side, f"`triton` was {whose}'s, not {options.side}'s"
    with open(options.work, encoding="utf-8") as file:
        units = json.load(file)
    for unit in units:
        try:
            os.close(os.open(place(options.out, unit) + ".taken", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        run_apart(lambda: run_unit(unit, options), options.limit)


def run_unit(unit, options):
    import numpy as np
    begin = time.monotonic()
    found, outputs = {"errors": {}, "launches": 0}, {}
    try:
        solution = load_solution(os.path.join(COURSE, unit["folder"], "solution.py"))
        for number, test in enumerate(unit["tests"]):
            try:
                results = run_test(unit, test, solution, np.load(place(options.inputs, unit) + f".{number}.npz"), options.device, found)
                outputs.update({f"{number}.{name}": values for name, values in results.items()})
            except Exception as problem:  # noqa: BLE001 a row of the table
                found["errors"][number] = f"{type(problem).__name__}: {problem}"[-400:]
    except BaseException as problem:  # noqa: BLE001
        found["errors"]["file"] = f"{type(problem).__name__}: {problem}"[-400:]
    found["seconds"] = time.monotonic() - begin
    found["witness"] = witness()
    np.savez(place(options.out, unit) + ".npz", **outputs)
    with open(place(options.out, unit) + ".json", "w", encoding="utf-8") as file:
        json.dump(found, file)


def witness():
    """Whose Triton this process has run: its file, and the compilers among the libraries in memory."""
    import triton
    with open("/proc/self/maps", encoding="utf-8") as file:
        mapped = {os.path.basename(line.split()[-1]) for line in file if line.rstrip().endswith(".so") or ".so." in line}
    compilers = sorted(name for name in mapped if name.startswith(("libtriton", "libnereid", "_native")))
    return {"triton": triton.__file__, "version": triton.__version__, "libraries": compilers}


def load_solution(path):
    spec = importlib.util.spec_from_file_location("solution", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_test(unit, test, solution, arrays, device, found):
    import torch
    import triton
    tensors = {name: torch.from_numpy(values).to(device=device, dtype=getattr(torch, test["dtypes"][name])) for name, values in arrays.items()}
    python = {"cdiv": triton.cdiv, "next_power_of_2": triton.next_power_of_2, "min": min, "max": max, **vars(solution)}
    for step in test["launches"]:
        known = {**test["scalars"], **tensors}
        for name, text in (change.partition("=")[::2] for change in step.get("arguments", [])):
            known[name] = tensors[text] if text in tensors else eval(text, python, dict(test["scalars"]))
        kernel = getattr(solution, step.get("kernel", unit["file_kernel"]))
        wanted = {name: known[name] for name in kernel.arg_names if name in known}
        wanted.update({name: step[name] for name in ("num_warps", "num_stages") if name in step})

        def grid(meta):
            extents = eval(step["grid"], python, {**known, **meta})
            return extents if isinstance(extents, tuple) else (extents, )

        kernel[grid](**wanted)
        found["launches"] += 1
    if device != "cpu":
        torch.cuda.synchronize()
    return {name: (tensors[name].double() if tensors[name].is_floating_point() else tensors[name]).cpu().numpy() for name in unit["outputs"]}


# Their master: makes the tensors, and compares.


def read_units(only):
    with open(os.path.join(COURSE, "course.json"), encoding="utf-8") as file:
        units = [unit for unit in json.load(file)["units"] if any(part in unit["id"] for part in only.split(","))]
    for unit in units:
        with open(os.path.join(COURSE, unit["folder"], "unit.json"), encoding="utf-8") as file:
            unit.update(json.load(file))
    return units


TORCH = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i1": "bool",
         **{f"{kind[0]}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}}  # yapf: disable


def write_inputs(units, folder, oracle):
    """The tensors of every test as files, the same for both sides; what the workers need to know of a unit."""
    import numpy as np
    os.makedirs(folder)
    listed = []
    for unit in units:
        tests = []
        for number, test in enumerate(unit["tests"]):
            scalars, tensors, blocks = oracle.make_arguments(test, np.random.default_rng(test.get("seed", 0)))
            assert not blocks, f"{unit['id']}: a host's descriptor is not known here"
            np.savez(place(folder, unit) + f".{number}.npz", **tensors)
            words = dict(text.partition("=")[::2] for text in test["arguments"])
            own = {name: test[name] for name in ("num_warps", "num_stages") if name in test}
            tests.append({"scalars": scalars, "dtypes": {name: TORCH[oracle.TENSOR.match(words[name])["dtype"]] for name in tensors},
                          "launches": [{**own, **step} for step in test.get("launches") or [{"grid": test["grid"]}]]})  # yapf: disable
        listed.append({"id": unit["id"], "folder": unit["folder"], "file_kernel": unit["file_kernel"], "outputs": unit["outputs"], "tests": tests})
    return listed


def largest_difference(actual, expected):
    """Relative to what is expected, where that is above 1; infinite where one side is no number and the other one is."""
    import numpy as np
    actual, expected = np.asarray(actual, np.float64).ravel(), np.asarray(expected, np.float64).ravel()
    with np.errstate(all="ignore"):
        same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
        difference = np.abs(actual - expected) / np.maximum(1, np.abs(expected))
    difference = np.where(same, 0, np.where(np.isfinite(difference), difference, np.inf))
    return float(difference.max()) if difference.size else 0.0


def allowed(unit, test, output, values):
    tolerance = test.get("tolerance", unit.get("tolerance", 0))
    return 0 if values.dtype.kind != "f" else tolerance[output] if isinstance(tolerance, dict) else tolerance


class Side:
    """What a side found of a unit."""

    def __init__(self, folder, unit):
        import numpy as np
        self.found, self.outputs = {"errors": {"file": "not run in the time"}, "launches": 0, "seconds": 0, "witness": None}, {}
        if os.path.exists(place(folder, unit) + ".json"):
            with open(place(folder, unit) + ".json", encoding="utf-8") as file:
                self.found = json.load(file)
            self.outputs = dict(np.load(place(folder, unit) + ".npz"))

    def error(self, number):
        return self.found["errors"].get("file") or self.found["errors"].get(str(number))


def compare_unit(unit, sides, table, oracle):
    """A row: the largest difference of each side to float64 and of the sides to each other, and what is wrong."""
    import numpy as np
    row = {"unit": unit["id"], "tests": len(unit["tests"]), "problems": [], "apart": 0.0, "is_equal": True, **{name: 0.0 for name in sides}}
    for number, test in enumerate(unit["tests"]):
        scalars, tensors, _ = oracle.make_arguments(test, np.random.default_rng(test.get("seed", 0)))
        with np.errstate(all="ignore"):
            expected = table[unit["id"]](types.SimpleNamespace(**scalars, **tensors))
        for name, side in sides.items():
            if problem := side.error(number):
                row["problems"].append(f"{name}, {test['name']}: {problem}")
        results = {name: {output: side.outputs[f"{number}.{output}"] for output in unit["outputs"]} for name, side in sides.items() if not side.error(number)}
        row["is_equal"] = row["is_equal"] and len(results) == 2
        for output in unit["outputs"]:
            for name, result in results.items():
                difference, most = largest_difference(result[output], expected[output]), allowed(unit, test, output, result[output])
                row[name] = max(row[name], difference)
                if difference > most:
                    row["problems"].append(f"{name}, {test['name']}: {output} is {difference:.2g} from float64, {most} is allowed")
            if len(results) == 2:
                ours, theirs = (result[output] for result in results.values())
                apart, most = largest_difference(ours, theirs), 2 * allowed(unit, test, output, ours)  # as far as two right results can be
                row["apart"], row["is_equal"] = max(row["apart"], apart), row["is_equal"] and apart == 0
                if apart > most:
                    row["problems"].append(f"{test['name']}: the sides differ by {apart:.2g} in {output}, {most} is allowed")
    return row


def report(options, rows, sides):
    names = list(options.sides)
    lines = ["| unit | tests | " + " | ".join(f"{name} to float64" for name in names) + " | apart | |", "|---|---|" + "---|" * (len(names) + 2)]
    for row in rows:
        apart = "" if len(names) < 2 else "equal" if row["is_equal"] else f"{row['apart']:.1e}"
        lines.append(f"| {row['unit']} | {row['tests']} | " + " | ".join(f"{row[name]:.1e}" for name in names)
                     + f" | {apart} | {'differ' if row['problems'] else 'agree'} |")  # yapf: disable
    print("\n".join(lines) + "\n")
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    for row in rows:
        for problem in row["problems"][:4]:
            print(f"{row['unit']}: {problem}")
    strangers = 0
    for name in names:
        witnesses = [side[name].found["witness"] for side in sides.values() if side[name].found["witness"]]
        files = sorted({f"{seen['triton']} {seen['version']}" for seen in witnesses})
        libraries = sorted({", ".join(seen["libraries"]) for seen in witnesses})
        other = "libtriton" if name == "nereid" else "libnereid"
        strangers += len(files) != 1 or any(other in text for text in libraries)
        print(f"{name}: `triton` was {'; '.join(files)}; compilers in memory: {'; '.join(libraries)}; "
              f"{sum(side[name].found['launches'] for side in sides.values())} launches, {sum(side[name].found['seconds'] for side in sides.values()):.0f} s of {len(witnesses)} processes")
    agree = sum(not row["problems"] for row in rows)
    equal = sum(row["is_equal"] for row in rows) if len(names) == 2 else 0
    print(f"\n{len(rows)} units, {sum(row['tests'] for row in rows)} tests: {agree} agree, {len(rows) - agree} differ; bit for bit equal: {equal}"
          + (f"; {strangers} sides had another's triton" if strangers else ""))  # yapf: disable
    return agree == len(rows) and not strangers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", default=os.path.join(ROOT, "python"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--sides", default="nereid,triton", type=lambda text: text.split(","))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="units whose names contain one of these texts, with commas between them")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a unit")
    parser.add_argument("--seconds", type=float, default=150, help="for all")
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    parser.add_argument("--out")
    for hidden in ("--work", "--side", "--inputs"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options)
    sys.path.insert(0, COURSE)
    import numpy_oracle as oracle
    begin = time.monotonic()
    options.out = os.path.abspath(options.out or tempfile.mkdtemp(prefix="course-"))
    units, inputs = read_units(options.only), os.path.join(options.out, "inputs")
    listed = write_inputs(units, inputs, oracle)
    listed.sort(key=lambda unit: -sum(len(test["launches"]) for test in unit["tests"]))  # what takes longest begins first
    for side in options.sides:
        for old in glob.glob(os.path.join(options.out, side, "*")):
            os.remove(old)
    each = max(1, min(len(units), options.jobs // len(options.sides)))
    running = [start_worker(options, side, os.path.join(options.out, side), number, listed,
                            [os.path.abspath(__file__), "--side", side, "--inputs", inputs, "--device", options.device])
               for number in range(each) for side in options.sides]  # yapf: disable
    wait_for(running, begin + options.seconds)
    print(f"{os.path.basename(__file__)}: {len(units)} units on {options.device} in {time.monotonic() - begin:.0f} s, {len(running)} processes", flush=True)
    table = oracle.references()
    sides = {unit["id"]: {side: Side(os.path.join(options.out, side), unit) for side in options.sides} for unit in units}
    rows = [compare_unit(unit, sides[unit["id"]], table, oracle) for unit in units]
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0 if report(options, rows, sides) else 1


if __name__ == "__main__":
    sys.exit(main())
