#!/usr/bin/env python3
"""The GPU's hardware counters in a profile: a sum of two long vectors and a product of matrices, whose bytes and instructions are known. Exits 1 where a counter is
far from what it must be; where counters cannot be read it says why and exits 3. About 10 s, most of it the import of torch.

    PYTHONPATH=python python3 bench/counters_on_gpu.py"""
import sys

import nereid
import torch
import triton
import triton.language as tl

LENGTH, BLOCK = 1 << 27, 4096
SIDE, TILE = 2048, 128
MOST_APART, MOST_TIME_APART = 0.05, 0.15


@triton.jit
def add(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i) + tl.load(y_ptr + i))


@triton.jit
def product(a_ptr, b_ptr, out_ptr, n, TILE: tl.constexpr, STEP: tl.constexpr):
    rows, columns = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.program_id(1) * TILE + tl.arange(0, TILE)
    k = tl.arange(0, STEP)
    acc = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, n, STEP):
        a = tl.load(a_ptr + rows[:, None] * n + (start + k)[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * n + columns[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(out_ptr + rows[:, None] * n + columns[None, :], acc)


def main():
    x, y, out = (torch.randn(LENGTH, device="cuda") for _ in range(3))
    a, b = (torch.randn(SIDE, SIDE, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty(SIDE, SIDE, device="cuda")

    def launch():
        add[(LENGTH // BLOCK, )](x, y, out, BLOCK=BLOCK)
        product[(SIDE // TILE, SIDE // TILE)](a, b, c, SIDE, TILE=TILE, STEP=64)

    launch()
    torch.cuda.synchronize()
    with nereid.profile() as plain:
        launch()
    with nereid.profile(counters=True) as counted:
        launch()
    assert torch.equal(out, x + y), "counting changes the result"
    rows = {row["name"]: row for row in counted.summary()["kernels"]}
    if counted.why_no_counters or not any("counter time ns" in row["metrics"] for row in rows.values()):
        print("no counters:", counted.why_no_counters or "see the note above")
        return 3
    print(torch.cuda.get_device_name())
    print(counted.table())
    times = {row["name"]: row["device_ns"] for row in plain.summary()["kernels"]}
    expected = [
        ("add", "bytes read from memory", 2 * 4 * LENGTH, MOST_APART),
        ("add", "bytes written to memory", 4 * LENGTH, MOST_APART),
        ("add", "time ns", times["add"], MOST_TIME_APART),
        ("product", "time ns", times["product"], MOST_TIME_APART),
        ("add", "tensor instructions of warps", 0, 0),
    ]
    bad = rows["product"]["metrics"]["counter tensor instructions of warps"] == 0
    for kernel, counter, value, most in expected:
        found = rows[kernel]["metrics"]["counter " + counter]
        apart = found / value - 1 if value else found
        bad |= not abs(apart) <= most
        print(f"{kernel:8} {counter:30} {found:14.0f} against {value:14.0f} {apart:+.1%}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
