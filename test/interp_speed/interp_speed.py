#!/usr/bin/env python3
"""Softmax over 1024 rows of 1024 fp32: Triton's interpreter (TRITON_INTERPRET=1) against `nereid run`, in one run on one
machine. Needs torch and Triton; prints both times and their ratio, and exits 1 when `nereid run` takes more than 1/20.

    interp_speed.py NEREID [--rows N] [--columns N] [--repeat N]

Triton's time is the best of its launches within a process that is warm. Nereid's is the wall time of the whole command (process
start, parse, compile, making the input, the launch and writing the result), also the best: the comparison favours Triton.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

os.environ["TRITON_INTERPRET"] = "1"
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def best(repeat, action):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nereid", help="path of the nereid binary")
    parser.add_argument("--rows", type=int, default=1024)
    parser.add_argument("--columns", type=int, default=1024)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    import numpy as np
    import torch
    import triton
    from softmax import softmax

    rows, columns = arguments.rows, arguments.columns
    block = triton.next_power_of_2(columns)
    x = torch.randn(rows, columns)
    want = torch.softmax(x.double(), dim=1).numpy()
    out = torch.empty_like(x)
    theirs = best(arguments.repeat, lambda: softmax[(rows,)](out, x, columns, columns, BLOCK=block))
    their_error = np.abs(out.numpy() - want).max()

    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "x.npy"), os.path.join(folder, "out.npy")
        np.save(source, x.numpy())
        command = [arguments.nereid, "run", os.path.join(HERE, "softmax.py:softmax"), f"out=empty:f32[{rows},{columns}]", f"x={source}",
                   f"stride={columns}", f"columns={columns}", f"BLOCK={block}", "--grid", str(rows), "--save", f"out={result}"]
        ours = best(arguments.repeat, lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
        our_error = np.abs(np.load(result) - want).max()

    ratio = theirs / ours
    print(f"softmax of {rows} x {columns} fp32, {os.cpu_count()} cores, Triton {triton.__version__}, torch {torch.__version__}")
    print(f"Triton's interpreter: {theirs:.3f} s, largest error {their_error:.1e}")
    print(f"nereid run:           {ours:.3f} s, largest error {our_error:.1e}")
    print(f"{ratio:.1f} times as fast; at least 20 are required")
    return 0 if ratio >= 20 and our_error < 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
