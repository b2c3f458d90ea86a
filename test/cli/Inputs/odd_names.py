"""Runs commands with `--json` on names that are no UTF-8: each must print JSON. Usage: odd_names.py FOLDER"""
import json
import os
import shutil
import subprocess
import sys

folder = os.fsencode(sys.argv[1])
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
kernel = os.path.join(folder, b"k\xff.py")
with open(kernel, "w") as file:
    file.write("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef kernel(p):\n    tl.store(p + 9, tl.float32(1))\n")


def run(name, words, **environment):
    done = subprocess.run([b"nereid", *words], stdout=subprocess.PIPE, env={**os.environb, **{os.fsencode(key): value for key, value in environment.items()}})
    text = json.dumps(json.loads(done.stdout.decode()), ensure_ascii=False)
    names = [odd for odd in ("k\ufffd.py", "c\ufffd") if odd in text]
    print(f"{name}: status {done.returncode}, names {', '.join(names)}", flush=True)


run("audit", [b"audit", b"--json", kernel])
with open(kernel, "w") as file:
    file.write("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef kernel(p):\n    tl.store(p + 9, 1)\n")
run("check", [b"check", kernel, b"p=zeros:i32[4]", b"--grid", b"1", b"--json"])
cache = os.path.join(folder, b"c\xff")
os.mkdir(cache, 0o700)
run("info", [b"info", b"--json"], **{"NEREID_CACHE_DIR": cache})
