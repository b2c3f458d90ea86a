#!/usr/bin/env python3
"""Microseconds for one operation of a kernel that runs as Python, on blocks of 1024 numbers; with `triton` ours or Triton's own.

    TRITON_INTERPRET=1 PYTHONPATH=python bench/interpreted_operations.py
    TRITON_INTERPRET=1 bench/interpreted_operations.py            an environment that has Triton
"""
import time

import torch
import triton
import triton.language as tl

REPEATS = 300
microseconds = {}


def measure(name, operation):
    operation()  # an operation is compiled once
    begin = time.process_time()
    for _ in range(REPEATS):
        operation()
    microseconds[name] = (time.process_time() - begin) / REPEATS * 1e6


@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    measure("x + x", lambda: x + x)
    measure("x + 1.0", lambda: x + 1.0)
    measure("pointers", lambda: x_ptr + i)
    measure("masked load of pointers", lambda: tl.load(x_ptr + i, mask=i < 1000, other=0.0))
    measure("tl.sum", lambda: tl.sum(x, axis=0))
    measure("tl.exp", lambda: tl.exp(x))
    measure("i[:, None]", lambda: i[:, None])
    measure("tl.program_id", lambda: tl.program_id(0))


if __name__ == "__main__":
    kernel[(1, )](torch.randn(1024), BLOCK=1024)
    for name, value in microseconds.items():
        print(f"{name:24} {value:8.1f} us")
