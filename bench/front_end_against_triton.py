"""front_end_against_triton.py: kernels of which nobody here knows how they are called, through Triton's front end and ours, with guessed signatures.

    python3 bench/front_end_against_triton.py [--run] [--only TEXT] [--most 100] [--ours python] [--jobs 1] [--json FILE] CHECKOUT...

A checkout is a folder of other people's files: public_kernels.py finds the kernels in it, guessed_arguments.py their types, constants and data, in three variants. Each is
compiled by Triton's front end and by ours (for the processor and to PTX for an H200), a process for each kernel with a limit. What Triton takes and ours refuses is
compiled by Triton once more, to the end, and listed. With `--run`, variants that both take are launched over small data on our interpreter, under the sanitizer; those in which it
finds nothing also on the processor, on the emulated GPU (where it is built) and in Triton's interpreter, and what they leave is compared. Launches that the sanitizer stops
read or write what the guessed sizes do not have. The exit status is 1 where ours refuses, crashes or has other values."""
import argparse
import collections
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import time

from guessed_arguments import SHAPES, Kernel, arguments, variant
from public_kernels import Checkout
from sides import run_apart, start_worker, wait_for

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPU = os.path.join(ROOT, "build", "unittest", "libemulated-gpu.so")
EMULATED = {"NEREID_LIBCUDA": GPU, "NEREID_PTX_COMPILER": GPU, "EMULATED_GPU_HOST": "1", "NEREID_FAKE_CUDA": "devices=1 memory=8192 capability=90 shared=232448"}
# what a worker does: the side, and its environment
WAYS = {
    "theirs": ("triton", {}),
    "ours": ("nereid", {}),
    "theirs, whole": ("triton", {}),
    "check": ("nereid", {"TRITON_INTERPRET": "1"}),
    "processor": ("nereid", {"NEREID_DEVICE": "cpu"}),
    "gpu": ("nereid", EMULATED),
    "interpreter": ("triton", {"TRITON_INTERPRET": "1"}),
}
BATCH = 20  # kernels: what their launches leave is on disk until it is compared
COMPILED = ("theirs", "ours", "theirs, whole")


def work(options):
    """A worker: takes kernels from the list, each in a process of its own (each launch, where it launches)."""
    import numpy  # noqa: F401 here, so that the processes below need not
    import torch
    import triton
    whose = "nereid" if hasattr(triton, "__nereid__") else "triton"
    assert whose == WAYS[options.way][0], f"`triton` was {whose}'s"
    torch.set_num_threads(1)
    if options.way == "gpu":
        from emulated_gpu import emulate
        emulate()
    if options.way == "interpreter":
        mend_interpreter()
    with open(options.work, encoding="utf-8") as file:
        items = json.load(file)
    for item in items:
        groups = [item["variants"]] if options.way in COMPILED else [[each] for each in item["variants"]]
        for group in groups:
            for each in group:
                write(options.out, item, each, {"error": "the process ended"})
            begin = time.monotonic()
            if not run_apart(lambda: work_on(item, group, options), options.limit):
                for each in group:
                    if read(options.out, item, each).get("error") == "the process ended":
                        write(options.out, item, each, {"error": f"no result after {time.monotonic() - begin:.0f} s"})


def mend_interpreter():
    """Triton's interpreter takes an array of one element for a number, which numpy 2.4 refuses."""
    from triton.runtime import interpreter
    patch = interpreter._patch_lang_tensor

    def with_items(tensor, scope):
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    interpreter._patch_lang_tensor = with_items


def place(folder, item, number):
    return os.path.join(folder, f"{item['key']}-{number}.json")


def write(folder, item, number, result):
    with open(place(folder, item, number), "w", encoding="utf-8") as file:
        json.dump(result, file)


def read(folder, item, number):
    try:
        with open(place(folder, item, number), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {"error": "it was not run"}


def work_on(item, numbers, options):
    sys.stdout = sys.stderr = open(os.devnull, "w")
    for number in numbers:
        try:
            function = load(item)
            case = item["cases"][number]
            result = compile_one(function, case, options.way, item["is_for_gpus"]) if options.way in COMPILED else launch_one(function, case, options.way, place(options.out, item, number) + ".pt")
        except BaseException as problem:  # noqa: BLE001 a row of the table
            result = {"error": described(problem)}
        write(options.out, item, number, result)


def described(problem):
    """The message with that of its cause: where Triton stops inside of a call, the cause says why."""
    inner = problem
    while type(problem).__module__.startswith("triton") and inner.__cause__ is not None and not hasattr(sys.modules["triton"], "__nereid__"):
        inner = inner.__cause__
    text = f"{type(problem).__name__}: {problem}"
    return (text if inner is problem else f"{text}\n{type(inner).__name__}: {inner}")[-1500:]


def load(item):
    import importlib.util
    spec = importlib.util.spec_from_file_location("kernel_" + item["key"], item["module"])
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, item["kernel"])


def compile_one(function, case, way, is_for_gpus):
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    constants = {name: getattr(tl, value["dtype"]) if isinstance(value, dict) else value for name, value in case["constants"].items()}
    target = GPUTarget("cuda", 90, 32)
    source = ASTSource(function, case["signature"], constants)
    if way == "ours":
        assert triton.compile(source, target=target).asm["ptx"]
        assert is_for_gpus or triton.compile(source, target=GPUTarget("cpu", "", 32)).asm["llir"]
    elif way == "theirs":
        from triton._C.libtriton import ir
        from triton.compiler.compiler import make_backend
        backend, context = make_backend(target), ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        parsed = backend.parse_options({})
        module = source.make_ir(target, parsed, backend.get_codegen_implementation(parsed), backend.get_module_map(), context)
        assert module.verify()
    else:
        triton.compile(source, target=target)
    return {}


def launch_one(function, case, way, file):
    """What a launch changes, as {name: (places, values)} in a file."""
    import torch
    values = arguments(case, function.arg_names)
    before = {name: value.clone() for name, value in values.items() if isinstance(value, torch.Tensor)}
    function[tuple(case["grid"])](**values, **({"check": True} if way == "check" else {}))
    changes = {}
    for name, old in before.items():
        places = ((values[name] != old) & ~(values[name].isnan() & old.isnan())).nonzero().flatten()
        changes[name] = (places, values[name][places])
    torch.save(changes, file)
    return {"changes": sum(len(places) for places, _ in changes.values())}


def start(options, way, items):
    """Workers for these kernels, [(item, variants)], on all processes that there may be; waits for them."""
    side, environment = WAYS[way]
    folder = os.path.join(options.out, re.sub(r"\W+", "-", way))
    command = [os.path.abspath(__file__), "--way", way]
    listed = [{**item, "variants": variants} for item, variants in items if variants]
    wait_for([start_worker(options, side, folder, number, listed[number::options.jobs], command, environment) for number in range(options.jobs) if listed[number::options.jobs]],
             time.monotonic() + options.limit * (1 + sum(len(variants) for _, variants in items)))  # yapf: disable
    return {(item["key"], number): read(folder, item, number) for item, variants in items for number in variants}


def distance(case, names, a, b):
    """How far what two launches left is apart."""
    import torch
    from emulated_gpu import distance as relative
    far = 0.0
    for name, old in arguments(case, names).items():
        if isinstance(old, torch.Tensor):
            (places, values), (others, found) = a[name], b[name]
            everywhere = torch.cat([places, others]).unique()
            expected, actual = old.clone(), old.clone()
            expected[places], actual[others] = values, found
            apart = relative(expected[everywhere], actual[everywhere]) if len(everywhere) else 0.0
            far = max(far, 0.0 if apart is None else apart)
    return far


def compare_launches(options, items, taken):
    """{(key, variant): {way: what came of it}} of launches in which the sanitizer finds nothing."""
    import torch
    checked = start(options, "check", taken)
    clean = [(item, [number for number in numbers if "error" not in checked[item["key"], number]]) for item, numbers in taken]
    found = {at: {"check": result} for at, result in checked.items()}
    for way in ("processor", "interpreter", *(["gpu"] if os.path.exists(GPU) else [])):
        able = [(item, [number for number in numbers if can_run(item, number, way)]) for item, numbers in clean]
        results = start(options, way, able)
        for item, numbers in able:
            for number in numbers:
                result = results[item["key"], number]
                if "error" not in result:
                    files = [place(os.path.join(options.out, folder), item, number) + ".pt" for folder in ("check", way)]
                    case = item["cases"][number]
                    with contextlib.suppress(FileNotFoundError):
                        result["distance"] = distance(case, list(case["signature"]), *(torch.load(file) for file in files))
                found[item["key"], number][way] = result
    return found


def can_run(item, number, way):
    """The processor has no instructions of a GPU, and Triton's interpreter does not round to bf16 as hardware does."""
    return {"processor": not item["is_for_gpus"], "interpreter": "*bf16" not in item["cases"][number]["signature"].values()}.get(way, True)


def allowed(case, way):
    """How far apart two results may be: halves are rounded, and products of floats on a GPU take the upper bits of their factors."""
    return 2e-2 if way == "gpu" or any(each in type for type in case["signature"].values() for each in ("fp16", "bf16")) or "dtype" in str(case["constants"]) else 1e-3


def collect(options):
    """The kernels of all checkouts, with their variants, each module in a file of its own."""
    items, seen, skipped = [], set(), collections.Counter()
    os.makedirs(os.path.join(options.out, "kernels"), exist_ok=True)
    for folder in options.checkouts:
        name = os.path.basename(os.path.normpath(folder))
        checkout = Checkout(folder, seen)
        skipped["programs that Python does not read"] += checkout.broken
        kernels = [each for each in checkout.kernels() if options.only in f"{name}/{each[0]}:{each[1]}"]
        for origin, kernel, text, file_text in kernels[::max(1, -(-len(kernels) // options.most))] if options.most else kernels:
            read_kernel = Kernel(kernel, text, file_text)
            if any("called" in each.uses for each in read_kernel.parameters.values()):
                skipped["kernels that take functions"] += 1
                continue
            key = f"{len(items):05d}"
            module = os.path.join(options.out, "kernels", f"{key}_{kernel}.py")
            with open(module, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            cases = []
            for shape in SHAPES:
                case = variant(read_kernel, shape)
                if case not in cases:
                    cases.append(case)
            items.append({"key": key, "from": f"{name}/{origin}", "kernel": kernel, "module": module, "is_for_gpus": "inline_asm" in text, "cases": cases})
    return items, skipped


def reason(message):
    """A message without what differs between kernels: its last line that says something, without names and numbers."""
    lines = [line.strip() for line in message.split("\n") if line.strip() and not re.match(r"^[\s^~|]*$", line)]
    errors = [line for line in lines if re.search(r"error:|Error\b|ended|no result", line)] or lines
    return re.sub(r"`[^`]*`|'[^']*'|\"[^\"]*\"", "…", re.sub(r"^\S*:\d+:\d+: ", "", re.sub(r"^\w+Error: (?=\S+:\d+)", "", errors[-1] if errors else "")))[:160]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*", metavar="CHECKOUT")
    parser.add_argument("--run", action="store_true", help="launch what both take, and compare")
    parser.add_argument("--only", default="", help="kernels whose CHECKOUT/FILE:NAME has this text")
    parser.add_argument("--most", type=int, default=0, help="at most this many of a checkout's kernels, evenly drawn")
    parser.add_argument("--ours", default=os.path.join(ROOT, "python"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20, help="seconds for a kernel")
    parser.add_argument("--json")
    parser.add_argument("--out")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options)
    options.out = os.path.abspath(options.out or tempfile.mkdtemp(prefix="front-end-"))
    items, skipped = collect(options)
    rows = []
    for first in range(0, len(items), BATCH):
        rows += compare(options, items[first:first + BATCH])
        print(f"{min(first + BATCH, len(items))} of {len(items)} kernels", flush=True)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(rows, file, indent=1)
    print(f"kernels and what became of them: {options.out}")
    return show(rows, len(items), skipped)


def compare(options, items):
    """A row for each variant: what either side says, and what its launches left."""
    everything = [(item, list(range(len(item["cases"])))) for item in items]
    theirs, ours = start(options, "theirs", everything), start(options, "ours", everything)
    rows = {}
    for item, numbers in everything:
        for number in numbers:
            at = item["key"], number
            rows[at] = {**{name: item[name] for name in ("from", "kernel", "module")}, "case": item["cases"][number], "theirs": theirs[at].get("error"), "ours": ours[at].get("error")}
    refused = [(item, [number for number in numbers if rows[item["key"], number]["ours"] and not rows[item["key"], number]["theirs"]]) for item, numbers in everything]
    for at, result in start(options, "theirs, whole", refused).items():
        rows[at]["theirs, whole"] = result.get("error")
    if options.run:
        taken = [(item, [number for number in numbers if not rows[item["key"], number]["ours"] and not rows[item["key"], number]["theirs"]]) for item, numbers in everything]
        for at, launches in compare_launches(options, items, taken).items():
            rows[at]["launches"] = launches
    for way in ("check", "processor", "interpreter", "gpu"):
        shutil.rmtree(os.path.join(options.out, way), ignore_errors=True)
    return list(rows.values())


def verdicts(row):
    """What is to be said of a variant, as (kind, detail)."""
    if row["theirs"] and row["ours"]:
        return [("both refuse", None)]
    if row["theirs"]:
        return [("ours alone takes", row["theirs"])]
    if row["ours"]:
        return [("Triton's later stages refuse too" if row.get("theirs, whole") else "OURS ALONE REFUSES", row["ours"])]
    found = [("both take", None)]
    launches = row.get("launches", {})
    if "error" in launches.get("check", {}):
        return [*found, ("stopped by the sanitizer", launches["check"]["error"])]
    for way in ("processor", "interpreter", "gpu"):
        if way in launches:
            result = launches[way]
            if "no result" in result.get("error", ""):
                found.append((f"took too long: {way}", None))
            elif "error" in result:
                found.append((f"fails: {way}", result["error"]))
            elif "distance" in result:
                is_far = not result["distance"] <= allowed(row["case"], way)
                found.append((f"{'OTHER VALUES' if is_far else 'same values'}: {way}", f"distance {result['distance']:.2g}" if is_far else None))
    return found


def show(rows, kernels, skipped):
    counts, details = collections.Counter(), collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        for kind, detail in verdicts(row):
            counts[kind] += 1
            if detail:
                details[kind][reason(detail)].append(row)
    for kind in sorted(details):
        print(f"\n{kind}:")
        for text, found in sorted(details[kind].items(), key=lambda each: -len(each[1])):
            print(f"  {len(found):4d}  {text}\n          {found[0]['module']} ({found[0]['from']})")
    for name, count in skipped.items():
        print(f"\nleft out: {name}: {count}", end="")
    print(f"\n\n| of {len(rows)} variants of {kernels} kernels | |\n|---|---|")
    for kind, count in sorted(counts.items(), key=lambda each: -each[1]):
        print(f"| {kind} | {count} |")
    return 1 if any(kind.startswith("OTHER VALUES") or kind in ("OURS ALONE REFUSES", "fails: processor", "fails: gpu") for kind in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
