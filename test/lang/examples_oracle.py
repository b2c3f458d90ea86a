"""Every function of the language has help with an example, and every example does what it says: it runs on the interpreter and gives what it expects, or compiles."""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build")), "bin", "nereid")


def nereid(*words, **options):
    return subprocess.run([TOOL, *words], capture_output=True, text=True, check=False, **options)


def problem_of(entry, folder):
    """What is wrong with the example of a function, or None."""
    name, text, words = entry["name"], entry["example"], shlex.split(entry["command"])
    if not entry["documentation"] or "(" not in entry["signature"]:
        return f"{name}: no meaning or no signature"
    last = name.split(".")[-1]
    if not re.search(rf"(\b{last}\(|@.*\b{last}\b|: tl\.{last}\b)", text):
        return f"{name}: the example does not use it\n{text}"
    place = os.path.join(folder, name)
    os.makedirs(place)
    with open(os.path.join(place, words[1].split(":")[0]), "w", encoding="utf-8") as file:
        file.write(text)
    # Programs wait for each other and print in the order of the CPU's threads; the meaning is the interpreter's.
    device = ["--device", "interp"] if words[0] == "run" and "--device" not in words else []
    done = nereid(*words, *device, cwd=place)
    if done.returncode:
        return f"{name}: {shlex.join(words)}\n{done.stdout[-300:]}{done.stderr[-600:]}{text}"
    return None


def main():
    entries = json.loads(nereid("info", "--builtins", "--json").stdout)["builtins"]
    missing = [entry["name"] for entry in entries if not entry.get("example")]
    assert not missing, f"no example: {', '.join(missing)}"
    names = {entry["name"] for entry in entries}
    wanted = {"tl.dot", "tl.rand", "tl.randn", "tl.randint", "tl.philox", "tl.sigmoid", "tl.softmax", "tl.cdiv", "tl.zeros", "tl.swizzle2d", "tl.math.exp", "descriptor.load",
              "dtype.is_fp32", "tl.extra.libdevice.tanh", "tl.extra.cuda.smid", "triton.cdiv", "tl.constexpr", "tl.target_info.is_cuda"}
    alone = {"tl.sort_impl", "tl.block_type", "tl.aggregate_replace", "triton.tools.ragged_tma.to_ragged_indices"}  # no other test calls them
    assert wanted | alone <= names, (wanted | alone) - names
    assert len(names) == len(entries) > 400, len(entries)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # An example of several functions runs once for each of them only where the texts differ.
        kinds = {(entry["example"], entry["command"]): entry for entry in entries}
        problems = [problem for problem in pool.map(lambda entry: problem_of(entry, folder), kinds.values()) if problem]
        unused = [entry["name"] for entry in entries if not re.search(rf"(\b{entry['name'].split('.')[-1]}\b)", entry["example"])]
    for problem in problems:
        print(problem)
    if unused:
        print("not in their examples:", ", ".join(unused))
    print(f"{len(kinds) - len(problems)} of {len(kinds)} examples of {len(entries)} functions")
    return 1 if problems or unused else 0


if __name__ == "__main__":
    sys.exit(main())
