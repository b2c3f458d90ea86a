#!/usr/bin/env python3
"""What nereid.profile says of kernels on a GPU against torch's profiler (CUPTI), and what it costs: a small training step with kernels of nereid's and of
torch's. Exits 1 where the times of a kernel differ by more than 2 %, or a step takes more than 5 % longer while it is profiled.

    PYTHONPATH=python python3 bench/profile_against_cupti.py [STEPS]

torch's profiler comes second: CUPTI has one listener, the last one that has asked."""
import sys
import time

import nereid
import torch
import triton
import triton.language as tl

MOST_TIME_APART, MOST_OVERHEAD = 0.02, 0.05
SIZE, BLOCK = 1 << 22, 1024


@triton.jit
def gelu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x * tl.sigmoid(1.702 * x), mask=i < n)


@triton.jit
def scale_rows(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + i, mask=i < columns, other=0)
    tl.store(out_ptr + row * columns + i, x / tl.sum(tl.abs(x)), mask=i < columns)


def make_step():
    x = torch.randn(SIZE, device="cuda")
    weight = torch.randn(1024, 1024, device="cuda", requires_grad=True)
    out = torch.empty_like(x)

    def step():
        gelu[(triton.cdiv(SIZE, BLOCK), )](x, out, SIZE, BLOCK=BLOCK)
        scale_rows[(SIZE // 1024, )](out, out, 1024, BLOCK=1024)
        loss = (out.view(-1, 1024) @ weight).square().mean()
        loss.backward()
        weight.grad = None

    return step


def seconds(step, steps):
    torch.cuda.synchronize()
    begun = time.perf_counter()
    for _ in range(steps):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - begun) / steps


def torch_times(step, steps):
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as p:
        seconds(step, steps)
    times = {}
    for event in p.events():
        if event.device_type == torch.autograd.DeviceType.CUDA and not event.is_user_annotation:
            name = event.name.split("(")[0]
            times[name] = times.get(name, 0) + event.device_time * 1e3
    return times


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    if not torch.cuda.is_available():
        print("there is no GPU")
        return 3
    step = make_step()
    seconds(step, 20)
    plain = min(seconds(step, steps) for _ in range(3))
    with nereid.profile() as p:
        profiled = min(seconds(step, steps) for _ in range(3))
    ours = {}
    for row in p.summary()["kernels"]:
        name = row["name"].split("(")[0]
        ours[name] = ours.get(name, 0) + row["device_ns"] / 3
    theirs = torch_times(step, steps)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {steps} steps")
    bad = 0
    for name in ("gelu", "scale_rows"):
        apart = ours.get(name, 0) / theirs[name] - 1 if name in theirs else float("nan")
        bad += not abs(apart) <= MOST_TIME_APART
        print(f"{name:12} nereid {ours.get(name, 0) / steps / 1e3:9.2f} us   torch.profiler {theirs.get(name, 0) / steps / 1e3:9.2f} us   {apart:+.2%}")
    total = sum(ours.values()) / sum(theirs.values()) - 1
    print(f"{'all kernels':12} nereid {sum(ours.values()) / steps / 1e3:9.2f} us   torch.profiler {sum(theirs.values()) / steps / 1e3:9.2f} us   {total:+.2%}")
    overhead = profiled / plain - 1
    print(f"a step takes {plain * 1e6:.1f} us, profiled {profiled * 1e6:.1f} us: {overhead:+.2%}")
    return 1 if bad or abs(total) > MOST_TIME_APART or overhead > MOST_OVERHEAD else 0


if __name__ == "__main__":
    sys.exit(main())
