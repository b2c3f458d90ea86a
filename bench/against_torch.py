"""against_torch.py: the library kernels on the CPU beside torch's operators, in one run, on random data.

    python3 bench/against_torch.py [--nereid build/bin/nereid] [--threads N] [--seconds S]

Prints medians of both and their ratio (above 1: ours is faster). Needs torch.
"""
import argparse
import json
import os
import statistics
import subprocess
import time

import torch
import torch.nn.functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def median_time(function, seconds):
    function()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def torch_cases():
    """The row of `nereid bench`, and what torch does for it."""
    for size in (512, 1024, 2048):
        a, b = torch.randn(size, size), torch.randn(size, size)
        yield "matmul", f"matmul {size}x{size}x{size} f32", lambda a=a, b=b: a @ b
    a, b = torch.randn(1024, 1024, dtype=torch.bfloat16), torch.randn(1024, 1024, dtype=torch.bfloat16)
    yield "matmul", "matmul 1024x1024x1024 bf16", lambda: a @ b
    x = torch.randn(4096, 4096)
    weight, bias = torch.randn(4096), torch.randn(4096)
    yield "softmax", "softmax 4096x4096 f32", lambda: torch.softmax(x, -1)
    yield "layer_norm", "layer norm 4096x4096 f32", lambda: F.layer_norm(x, (4096,), weight, bias)
    logits, classes = torch.randn(1024, 32000), torch.randint(0, 32000, (1024,))
    yield "cross_entropy", "cross entropy 1024x32000 f32", lambda: F.cross_entropy(logits, classes, reduction="none")
    q, k, v = (torch.randn(1, 4, 2048, 64) for _ in range(3))
    yield "flash_attention", "attention 1x4x2048x64 f32", lambda: F.scaled_dot_product_attention(q, k, v)
    q16, k16, v16 = (t.to(torch.bfloat16) for t in (q, k, v))
    yield "flash_attention", "attention 1x4x2048x64 bf16", lambda: F.scaled_dot_product_attention(q16, k16, v16)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default=os.path.join(ROOT, "build", "bin", "nereid"))
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    rows = {}
    for folder in ("matmul", "softmax", "layer_norm", "cross_entropy", "flash_attention"):
        done = subprocess.run([options.nereid, "bench", os.path.join(ROOT, "kernels", folder), "--json", "--threads", str(options.threads),
                               "--seconds", str(options.seconds)], capture_output=True, text=True, check=True)
        report = json.loads(done.stdout)
        rows.update({row["name"]: row for row in report["rows"]})
    print(f"torch {torch.__version__}, {options.threads} threads, limits: copy {report['limits']['copy_gigabytes_per_second']:.0f} GB/s, "
          f"fp32 multiply-add {report['limits']['fma_gigaflops']:.0f} GFLOP/s")
    print(f"{'kernel':40} {'nereid':>10} {'torch':>10} {'ratio':>6} {'limit':>6}")
    with torch.inference_mode():
        for _, name, function in torch_cases():
            theirs, ours = median_time(function, options.seconds), rows[name]["median_seconds"]
            print(f"{name:40} {ours * 1e3:7.3f} ms {theirs * 1e3:7.3f} ms {theirs / ours:6.2f} {rows[name]['share'] * 100:4.0f} %")


if __name__ == "__main__":
    main()
