"""What commands say of mistakes under --json: one object each."""
import json
import os
import subprocess
import sys

FOLDER = sys.argv[1]
os.makedirs(FOLDER, exist_ok=True)
KERNEL = os.path.join(FOLDER, "kernel.py")
with open(KERNEL, "w", encoding="utf-8") as file:
    file.write("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef f(x, n, B: tl.constexpr):\n"
               "    i = tl.arange(0, B)\n    tl.store(x + i, tl.load(x + i, mask=i < n, othr=0))  # a: error: in a comment\n")


def fails(*words, status=2):
    done = subprocess.run(["nereid", *words, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == status and done.stderr == "", (words, done)
    found = json.loads(done.stdout)
    assert found["status"] == status, found
    return found


launch = [f"{KERNEL}:f", "x=zeros:f32[16]", "n=8", "B=16", "--grid", "1"]
for verb in ("run", "check", "tune", "bench"):
    words = launch if verb != "bench" else [*launch, "--seconds", "0.01"]
    found = fails(verb, *words)
    if verb != "tune":  # which says first that there is nothing to choose from
        assert found["error"] == "`load` has no parameter `othr`", found
        assert (found["file"], found["line"], found["column"]) == (KERNEL, 8, 48), found
        assert found["notes"][0] == "did you mean `other`?", found
missing = fails("run", "nowhere.py:f", "--grid", "1")
assert "nowhere.py" in missing["error"] and missing["file"] is None and missing["line"] is None, missing
assert fails("info", "--kernel")["notes"][0] == "did you mean `--kernels`?"
assert fails("audit", "nowhere") and fails("run", *launch, "--device", "gpu")["notes"][0] == "write `--device cuda`"
assert fails("compile", KERNEL, "-s", "*fp32, i32, 16")["line"] == 8
assert fails("compile", KERNEL, "-s", "*fp32", "--emit", "nothing")["error"] == "there is no stage `nothing`"
# Commands that have no such option, and no command.
assert fails("help", "tl.lod")["error"] == "`nereid help` has no option `--json`"
assert fails("cont", KERNEL)["notes"][0] == "did you mean `count`?"

# What a command finds is its own object, and no error.
done = subprocess.run(["nereid", "audit", KERNEL, "--json"], capture_output=True, text=True, check=False)
assert done.returncode == 1 and json.loads(done.stdout)["unsupported"][0]["line"] == 8, done
