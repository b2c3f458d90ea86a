"""latency_against_triton.py: what waiting for kernels costs, through our `import triton` and through Triton, on one GPU.

    python3 bench/latency_against_triton.py --tutorials FOLDER [--ours python] [--python python3] [--rounds 3] [--tune] [--json FILE]

Each figure is the median of ROUNDS processes with an empty cache, of both sides in turn: from the start of the process to the first result;
one launch of a small kernel; compiling and launching kernels for the first time (torch and the GPU are warm by then); with --tune, in the
first round, choosing among all configurations of tutorial 09's persistent product. The driver's own call is measured by
`nereid bench --launch-cost`."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

FIRST_RESULT = """
import torch, triton, triton.language as tl

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)

def launch(x, y, out):
    add[(1, )](x, y, out, 1000, BLOCK=1024)

if __name__ == "__main__":
    x = torch.ones(1000, device="cuda")
    launch(x, x, out := torch.empty_like(x))
    assert out[999].item() == 2
"""


def launch_cost(add):
    """Seconds of one launch, the median of batches that the GPU keeps up with."""
    import torch
    x, out = torch.ones(1000, device="cuda"), torch.empty(1000, device="cuda")
    times = []
    for _ in range(41):
        begin = time.perf_counter()
        for _ in range(300):
            add(x, x, out)
        times.append((time.perf_counter() - begin) / 300)
        torch.cuda.synchronize()
    return statistics.median(times)


def first_call(call):
    import torch
    torch.cuda.synchronize()
    begin = time.perf_counter()
    call()
    torch.cuda.synchronize()
    return time.perf_counter() - begin


def cold_compiles(tutorials):
    """Seconds of the first call of kernels that nobody has compiled before."""
    import torch
    from triton_cases import Tutorial, fix_config
    two, three = (Tutorial(os.path.join(tutorials, name)) for name in ("02-fused-softmax.py", "03-matrix-multiplication.py"))
    x = torch.randn(1823, 781, device="cuda")
    a, b = (torch.randn(512, 512, device="cuda", dtype=torch.float16) for _ in range(2))
    rows = {"compile softmax 1024": first_call(lambda: two.softmax(x))}
    for bm, bn, bk, warps in ((64, 64, 32, 4), (128, 256, 64, 8)):
        values = {"BLOCK_SIZE_M": bm, "BLOCK_SIZE_N": bn, "BLOCK_SIZE_K": bk, "GROUP_SIZE_M": 8}
        fix_config(three.matmul_kernel, values, warps, 3)
        rows[f"compile matmul {bm}x{bn}x{bk}"] = first_call(lambda: three.matmul(a, b))
    return rows


def tuning(tutorials):
    import torch
    from triton_cases import Tutorial
    nine = Tutorial(os.path.join(tutorials, "09-persistent-matmul.py"))
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.float16) for _ in range(2))
    return {"tune 09 persistent 8192": first_call(lambda: nine.matmul_persistent(a, b))}


def work(options):
    """In the process that is measured."""
    sys.path.insert(0, os.path.join(ROOT, "bench"))
    sys.path.insert(0, options.folder)
    from first_result import launch  # warms torch, the GPU and the compiler
    rows = {"one launch": launch_cost(launch)}
    rows.update(cold_compiles(options.tutorials))
    if options.tune:
        rows.update(tuning(options.tutorials))
    print(json.dumps(rows))


def measure(options, name, tunes):
    """The figures of one side in one round."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, TRITON_CACHE_DIR=os.path.join(folder, "triton"), NEREID_CACHE_DIR=os.path.join(folder, "nereid"))
        if name == "ours":
            environment["PYTHONPATH"] = os.path.abspath(options.ours) + os.pathsep + os.environ.get("PYTHONPATH", "")
        program = os.path.join(folder, "first_result.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write(FIRST_RESULT)
        begin = time.perf_counter()
        done = subprocess.run([options.python, program], env=environment, capture_output=True, text=True)
        rows = {"process start to first result": time.perf_counter() - begin}
        if not done.returncode:
            command = [options.python, os.path.abspath(__file__), "--worker", "--folder", folder, "--tutorials", options.tutorials]
            done = subprocess.run(command + ["--tune"] * tunes, env=environment, capture_output=True, text=True)
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]}
    return rows | json.loads(done.stdout.strip().splitlines()[-1])


def medians(rounds):
    """By figure, over the rounds that have it; the first error instead."""
    errors = [rows for rows in rounds if "error" in rows]
    if errors:
        return errors[0]
    return {key: statistics.median(rows[key] for rows in rounds if key in rows) for key in rounds[0]}


def text(seconds):
    if seconds is None:
        return "-"
    return f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.0f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutorials", required=True)
    parser.add_argument("--ours", default=os.path.join(ROOT, "python"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--json", help="write the figures there too")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(options)
    rounds = {"ours": [], "Triton": []}
    for number in range(options.rounds):
        for name, known in rounds.items():
            known.append(measure(options, name, options.tune and number == 0))
            print(f"{name}: " + ", ".join(f"{key} {text(value) if isinstance(value, float) else value}" for key, value in known[-1].items()), flush=True)
    sides = {name: medians(known) for name, known in rounds.items()}
    print(f"{'':<34} {'ours':>12} {'Triton':>12} {'ratio':>7}")
    for key in dict.fromkeys([*sides["Triton"], *sides["ours"]]):
        if key == "error":
            continue
        our, their = sides["ours"].get(key), sides["Triton"].get(key)
        ratio = f"{their / our:.2f}" if our and their else "-"
        print(f"{key:<34} {text(our):>12} {text(their):>12} {ratio:>7}")
    for name, rows in sides.items():
        if "error" in rows:
            print(f"{name}: {rows['error']}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"medians": sides, "rounds": rounds}, file, indent=1)
    return int(any("error" in rows for rows in sides.values()))


if __name__ == "__main__":
    sys.exit(main())
