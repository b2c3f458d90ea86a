"""Every library kernel, in the sizes that its benchmark is checked with, becomes PTX for sm_80 and sm_90a, and machine code
where `ptxas` is present. No GPU is needed. The assembler must not complain of serialized tensor-core pipelines (C75xx);
spills are reported. `--full` takes the sizes of the benchmark itself (minutes).

    python3 test/gpu/assemble_oracle.py [--full] [KERNEL…]
"""
import ast
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "python"))
from nereid_test import Checks  # noqa: E402

BUILD = os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build"))
TARGETS = ("sm_80", "sm_90a")
TYPES = {"f32": "fp32", "f16": "fp16", "bf16": "bf16", "f64": "fp64"}
TENSOR = re.compile(r"^[a-z]+(\([^)]*\))?:([a-z0-9]+)\[")


def find_ptxas():
    places = [os.environ.get("NEREID_PTXAS"), shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas"]
    places += glob.glob(os.path.join(os.path.dirname(sys.executable), "..", "lib", "python3*", "site-packages", "triton", "backends", "nvidia", "bin", "ptxas"))
    return next((place for place in places if place and os.path.exists(place)), None)


def constants_of(path, kernel):
    """The parameters of a kernel that are known when it is compiled."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == kernel)
    return {each.arg for each in function.args.args if each.annotation and "constexpr" in ast.unparse(each.annotation)}


def entry_of(name, value, constants):
    """`x=randn:f32[8,8]` as an entry of a signature."""
    tensor = TENSOR.match(value)
    if tensor:
        return f"{name}=*{TYPES.get(tensor.group(2), tensor.group(2))}:16"
    if name in constants or not re.fullmatch(r"-?[0-9.e+-]+", value):
        return f"{name}={value}"
    if "." in value or "e" in value:
        return f"{name}=fp32"
    number = int(value)
    return f"{name}=1" if number == 1 else f"{name}=i32" + (":16" if number % 16 == 0 else "")


def sizes_of(case):
    """Those of the check leave out what stays the same."""
    return case["sizes"] if "--full" in sys.argv else case["sizes"] | case.get("check", {})


def signature_of(path, case):
    constants = constants_of(path, case["kernel"])
    entries = []
    for argument in case["arguments"]:
        name, value = argument.format(**sizes_of(case)).split("=", 1)
        entries.append(entry_of(name, value, constants))
    return ", ".join(entries)


def check(checks, ptxas, path, case, target, folder):
    what = f"{case['name'].format(**sizes_of(case))} for {target}"
    ptx = os.path.join(folder, "kernel.ptx")
    command = [os.path.join(BUILD, "bin", "nereid"), "compile", path, "-n", case["kernel"], "-s", signature_of(path, case), "--target", target,
               "--emit", "ptx", "-o", ptx]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if not checks.expect(done.returncode == 0, f"{what}: {done.stderr[:400]}") or not ptxas:
        return
    done = subprocess.run([ptxas, "-v", f"-arch={target}", ptx, "-o", os.path.join(folder, "kernel.cubin")], capture_output=True, text=True, timeout=300)
    checks.expect(done.returncode == 0 and "C75" not in done.stderr, f"{what}: {done.stderr[:400]}")
    spills = re.search(r"([1-9][0-9]*) bytes spill stores", done.stderr)
    if spills:
        print(f"{what}: {spills.group(1)} bytes of spills")


def main():
    checks, ptxas = Checks(), find_ptxas()
    chosen = [word for word in sys.argv[1:] if not word.startswith("--")]
    if not ptxas:
        print("no ptxas: the PTX is made, but not assembled")
    with tempfile.TemporaryDirectory() as folder:
        for bench in sorted(glob.glob(os.path.join(ROOT, "kernels", "*", "bench.json"))):
            name = os.path.basename(os.path.dirname(bench))
            if chosen and name not in chosen:
                continue
            with open(bench, encoding="utf-8") as file:
                for case in json.load(file):
                    for target in TARGETS:
                        check(checks, ptxas, os.path.join(os.path.dirname(bench), name + ".py"), case, target, folder)
    checks.exit()


if __name__ == "__main__":
    main()
