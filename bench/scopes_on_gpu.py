#!/usr/bin/env python3
"""Scopes inside of kernels on a GPU: whether every warp of every program has them, whether their cycles agree with the clock that a kernel reads itself, and what they cost.

    PYTHONPATH=python python3 bench/scopes_on_gpu.py [FOLDER]     a page and a trace go to the folder

Exits 1 where something is missing or wrong. About 15 s, most of it the import of torch."""
import sys
from pathlib import Path

import nereid
import torch
import triton
import triton.language as tl
import triton.profiler.language as pl

PROGRAMS, WARPS, BLOCK, ROUNDS = 264, 4, 1024, 200
MOST_APART = 0.05


@triton.jit
def marked(x_ptr, out_ptr, clock_ptr, rounds, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    with pl.scope("load"):
        x = tl.load(x_ptr + i)
    begin = tl.extra.cuda.globaltimer()
    with pl.scope("compute"):
        for _ in range(rounds):
            x = tl.sin(x) + 0.5
    end = tl.extra.cuda.globaltimer()
    with pl.scope("store"):
        tl.store(out_ptr + i, x)
    tl.store(clock_ptr + tl.program_id(0), end - begin)


@triton.jit
def unmarked(x_ptr, out_ptr, clock_ptr, rounds, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    begin = tl.extra.cuda.globaltimer()
    for _ in range(rounds):
        x = tl.sin(x) + 0.5
    end = tl.extra.cuda.globaltimer()
    tl.store(out_ptr + i, x)
    tl.store(clock_ptr + tl.program_id(0), end - begin)


def microseconds(launch, count=50):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    launch()
    best = float("inf")
    for _ in range(5):
        begin.record()
        for _ in range(count):
            launch()
        end.record()
        torch.cuda.synchronize()
        best = min(best, begin.elapsed_time(end) / count * 1e3)
    return best


def main():
    x = torch.randn(PROGRAMS * BLOCK, device="cuda")
    outs = [torch.empty_like(x) for _ in range(2)]
    clocks = torch.zeros(PROGRAMS, dtype=torch.int64, device="cuda")
    launches = [lambda k=k, o=o: k[(PROGRAMS, )](x, o, clocks, ROUNDS, BLOCK=BLOCK, num_warps=WARPS) for k, o in zip((unmarked, marked), outs)]
    plain, scoped = (microseconds(launch) for launch in launches)
    torch.cuda.synchronize()
    with nereid.profile() as p:
        for launch in launches * 3:
            launch()
    assert torch.equal(*outs), "scopes change the result"
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    p.save(folder / "scopes.json")
    p.save(folder / "scopes.html")
    records = p.records()
    last = max(r["id"] for r in records if r["kind"] == "launch" and r["name"] == "marked")
    inner = [r for r in records if r["kind"] == "inner" and r["id"] == last]
    device = [r for r in records if r["kind"] == "device" and r["id"] == last]
    rows = {row["name"]: row for row in p.summary()["kernels"]}
    print(f"{torch.cuda.get_device_name()}: {PROGRAMS} programs of {WARPS} warps, {ROUNDS} rounds")
    print(f"without scopes {plain:8.2f} us, with scopes that nobody reads {scoped:8.2f} us ({scoped / plain - 1:+.1%}); on the device while profiled: "
          f"{rows['unmarked']['device_ns'] / 3e3:.2f} and {rows['marked']['device_ns'] / 3e3:.2f} us")
    bad = []
    expected = {(name, program, f"warp {warp}") for name in ("load", "compute", "store") for program in range(PROGRAMS) for warp in range(WARPS)}
    found = [(r["name"], r.get("programs", 0), r.get("detail")) for r in inner]
    if sorted(found) != sorted(expected):
        bad.append(f"{len(found)} scopes, {len(set(found) & expected)} of the {len(expected)} that there must be")
    for name in ("load", "compute", "store"):
        times = sorted(r["end"] - r["begin"] for r in inner if r["name"] == name)
        cycles = sorted(r["metrics"]["cycles"] for r in inner if r["name"] == name)
        if times:
            print(f"{name:8} median {times[len(times) // 2]:8.0f} ns {cycles[len(cycles) // 2]:8.0f} cycles, longest {times[-1]:8.0f} ns")
    computed = [r["end"] - r["begin"] for r in inner if r["name"] == "compute" and r.get("detail") == "warp 0"]
    own = clocks.float().mean().item()
    apart = sum(computed) / max(len(computed), 1) / own - 1
    print(f"compute by the kernel's own clock: {own:.0f} ns, by the scope of its first warp {apart:+.1%}")
    if not abs(apart) <= MOST_APART:
        bad.append("the scope and the kernel's clock disagree")
    if device and inner:
        begin, end = device[0]["begin"], device[0]["end"]
        early = [r for r in inner if r["begin"] < begin - 1000 or r["end"] > end + 1000]
        print(f"kernel {(end - begin) / 1e3:.2f} us; {len(early)} scopes lie outside of it by more than 1 us")
        if early:
            bad.append("scopes lie outside of their kernel")
    else:
        bad.append(f"{len(device)} records of the kernel, {len(inner)} of scopes")
    for problem in bad:
        print("wrong:", problem)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
