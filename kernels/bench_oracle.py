"""Every folder holds the files that kernels/README.md names, and every entry of every bench.json runs: at its `check` sizes on
the device under test, compared with the interpreter. Folders in other places are given by name, and need no C++ header:

    python3 kernels/bench_oracle.py examples/llama/kernels/decode --device cpu"""
import glob
import json
import os
import subprocess
import sys

from oracle import DEVICE, HERE, Checks

KEYS = {"name", "kernel", "sizes", "check", "arguments", "grid", "bytes", "flops", "tolerance"}
NEREID = os.path.join(os.environ.get("NEREID_BUILD") or os.path.join(HERE, "..", "build"), "bin", "nereid")
checks = Checks()


def filled(text, sizes):
    for name, value in sizes.items():
        text = text.replace("{" + name + "}", str(value))
    if "{" in text:
        raise ValueError(f"`{text}`: there is no such size")
    return text


def test_entry(file, entry):
    if not checks.expect(entry.keys() == KEYS, f"{file}: keys {sorted(entry.keys() ^ KEYS)}"):
        return
    checks.expect(entry["check"].keys() <= entry["sizes"].keys(), f"{file}: `check` replaces sizes only")
    for key in ("bytes", "flops"):
        checks.expect(eval(filled(entry[key], entry["sizes"])) >= 0, f"{file}: {key}")
    sizes = entry["sizes"] | entry["check"]
    command = [NEREID, "run", f"{file}:{entry['kernel']}", *(filled(text, sizes) for text in entry["arguments"]),
               "--grid", filled(entry["grid"], sizes), "--device", DEVICE, "--against", "interp", "--tolerance", str(entry["tolerance"])]
    done = subprocess.run(command, capture_output=True, text=True)
    checks.expect(done.returncode == 0, f"{filled(entry['name'], sizes)}: {' '.join(command)}\n{done.stdout}{done.stderr}")


def test_folder(folder):
    name = os.path.basename(folder)
    headers = (f"{name}.hpp", ) if os.path.dirname(os.path.abspath(folder)) == HERE else ()
    for file in (f"{name}.py", *headers, f"{name}_oracle.py", "bench.json", "README.md"):
        checks.expect(os.path.exists(os.path.join(folder, file)), f"{name}: {file} is missing")
    with open(os.path.join(folder, "bench.json")) as file:
        for entry in json.load(file):
            checks.run(f"{name} {entry.get('name')}", test_entry, os.path.join(folder, f"{name}.py"), entry)


if __name__ == "__main__":
    only = [argument for argument in sys.argv[1:] if os.path.isdir(argument)]
    folders = glob.glob(os.path.join(HERE, "*")) + glob.glob(os.path.join(HERE, "..", "examples", "*", "kernels", "*"))
    for folder in only or sorted(path for path in folders if os.path.isdir(path) and "__" not in path):
        checks.run(folder, test_folder, folder.rstrip("/"))
    checks.exit()
