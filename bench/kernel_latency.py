"""How long the library kernels take to compile, and to come back from the disk cache: every entry of every bench.json, each in
a new process with an empty cache, then again. Prints a row for each, the median and the longest; and the whole time of a
process that finds its kernel in the cache, from its start to its end.

usage: kernel_latency.py [FOLDER…]        exits 1 when a limit is passed: compile 150 ms (median) and 1 s, cached 5 ms, process 50 ms
"""
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NEREID = os.path.join(ROOT, "build", "bin", "nereid")
# Not a library kernel: tiles that take other compilers minutes.
LARGE_TILES = """
import triton
import triton.language as tl


@triton.jit
def large(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, 4)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    v = tl.load(x + i)
    tl.store(y + i, tl.exp(v - tl.max(v, axis=1)[:, None]))
"""


def filled(text, sizes):
    for name, value in sizes.items():
        text = text.replace("{" + name + "}", str(value))
    return re.sub(r"(?<==)(randn|rand|arange|randint\([^)]*\)|full\([^)]*\)):", "empty:", text)  # only the types matter


def commands(folders, work):
    large = os.path.join(work, "large.py")
    with open(large, "w") as file:
        file.write(LARGE_TILES)
    yield "tiles of 4 x 65536 f32", [f"{large}:large", "x=randn:f32[4,65536]", "y=empty:f32[4,65536]", "BLOCK=65536", "--grid", "1"]
    for folder in folders:
        name = os.path.basename(folder)
        with open(os.path.join(folder, "bench.json")) as file:
            for entry in json.load(file):
                sizes = entry["sizes"]
                # An empty grid: the kernel is compiled and not run.
                yield filled(entry["name"], sizes), [f"{folder}/{name}.py:{entry['kernel']}", *(filled(word, sizes) for word in entry["arguments"]), "--grid", "0"]


def run(command, cache):
    start = time.monotonic()
    done = subprocess.run([NEREID, "run", *command, "--device", "cpu", "--json"], capture_output=True, text=True,
                          env={**os.environ, "NEREID_CACHE_DIR": cache})
    whole = (time.monotonic() - start) * 1e3
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    result = json.loads(done.stdout)
    return result["compile_milliseconds"], result["cached"], whole


def main():
    folders = sys.argv[1:] or sorted(os.path.dirname(path) for path in glob.glob(f"{ROOT}/kernels/*/bench.json"))
    compiled, cached = [], []
    with tempfile.TemporaryDirectory() as work:
        for name, command in commands(folders, work):
            cache = os.path.join(work, "cache")
            first, was_cached, _ = run(command, cache)
            again = min((run(command, cache) for _ in range(2)), key=lambda each: each[0])
            assert not was_cached and again[1], name
            shutil.rmtree(cache)
            compiled.append(first)
            cached.append(again[0])
            print(f"{name:<48} compiled {first:8.1f} ms, from the cache {again[0]:6.2f} ms", flush=True)
        small = [f"{ROOT}/examples/vector_add.py", "x_ptr=ones:f32[1000]", "y_ptr=ones:f32[1000]", "out_ptr=zeros:f32[1000]", "n=1000", "BLOCK=128",
                 "--grid", "cdiv(n, BLOCK)"]
        cache = os.path.join(work, "cache")
        run(small, cache)
        whole = [run(small, cache)[2] for _ in range(20)]
    print(f"{len(compiled)} kernels: compiled in {statistics.median(compiled):.0f} ms (median), {max(compiled):.0f} ms (longest); "
          f"from the cache in {statistics.median(cached):.2f} ms, {max(cached):.2f} ms (longest)")
    print(f"a process that finds its kernel in the cache: {statistics.median(whole):.0f} ms (median), {min(whole):.0f} ms (best) from start to end")
    fine = statistics.median(compiled) <= 150 and max(compiled) <= 1000 and max(cached) <= 5 and min(whole) <= 50
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
