#!/usr/bin/env python3
"""What nereid.profile says of kernels on a GPU against torch's profiler, and what it costs: a small training step with kernels of nereid's and of torch's.

    PYTHONPATH=python python3 bench/profile_against_cupti.py [STEPS]

CUPTI has one listener in a process, so each way to measure has a process of its own; they take turns, three each, and the shortest time counts:

    nereid      nereid.profile: records of the host, kernels from CUPTI
    kernels     CUPTI's records of kernels alone, thrown away: what no profiler can go below
    calls       the same with records of all calls of the driver and the run time
    torch       torch.profiler, kernels alone

Exits 1 where the times of a kernel differ from torch's by more than 2 %, or a step takes more than 5 % longer while nereid profiles it. About 25 s."""
import ctypes
import json
import subprocess
import sys
import time

import triton
import triton.language as tl

MOST_TIME_APART, MOST_OVERHEAD = 0.02, 0.05
SIZE, BLOCK = 1 << 22, 1024
WAYS = ("nereid", "kernels", "calls", "torch")
TURNS = 3


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
    import torch  # by each process for itself: it takes seconds
    if not torch.cuda.is_available():
        sys.exit("there is no GPU")
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
    """Of a step, and of its calls on the host alone."""
    import torch
    torch.cuda.synchronize()
    begun = time.perf_counter()
    for _ in range(steps):
        step()
    called = time.perf_counter()
    torch.cuda.synchronize()
    return (time.perf_counter() - begun) / steps, (called - begun) / steps


def by_nereid(measure):
    import nereid
    with nereid.profile() as p:
        result = measure()
    times = {}
    for row in p.summary()["kernels"]:
        name = row["name"].split("(")[0]
        times[name] = times.get(name, 0) + row["device_ns"]
    return result, times


def by_torch(measure):
    import torch
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as p:
        result = measure()
    times = {}
    for event in p.profiler.kineto_results.events():
        if event.device_type() == torch.autograd.DeviceType.CUDA and not event.name().startswith(("Mem", "ProfilerStep")):
            name = event.name().split("(")[0]
            times[name] = times.get(name, 0) + event.duration_ns()
    return result, times


GIVE = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t))
TAKE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
BUFFERS = []


@GIVE
def give(buffer, size, records):
    BUFFERS.append(ctypes.create_string_buffer(8 << 20))
    buffer[0], size[0], records[0] = ctypes.addressof(BUFFERS[-1]), 8 << 20, 0


@TAKE
def take(_context, _stream, _buffer, _size, _used):
    pass


def cupti():
    for name in ("libcupti.so.13", "libcupti.so.12", "libcupti.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise OSError("CUPTI cannot be loaded")


def by_records(measure, kinds):
    library = cupti()
    problem = library.cuptiActivityRegisterCallbacks(give, take)
    for kind in kinds:
        problem = problem or library.cuptiActivityEnable(kind)
    if problem:
        raise OSError(f"CUPTI says {problem}")
    result = measure()
    library.cuptiActivityFlushAll(1)
    for kind in kinds:
        library.cuptiActivityDisable(kind)
    return result, {}


def take_turns(way, steps):
    """One of the processes: says when it is ready, and answers each line with what it has measured."""
    step = make_step()
    seconds(step, 20)
    measured = {
        "nereid": by_nereid,
        "torch": by_torch,
        "kernels": lambda measure: by_records(measure, (10, )),
        "calls": lambda measure: by_records(measure, (39, 4, 5, 10)),
    }[way]
    measured(lambda: seconds(step, 20))
    import torch
    print(f"ready: {torch.cuda.get_device_name()}, torch {torch.__version__}", flush=True)
    for _ in sys.stdin:
        plain, plain_host = seconds(step, steps)
        (profiled, profiled_host), times = measured(lambda: seconds(step, steps))
        print(json.dumps({"plain": plain, "plain host": plain_host, "profiled": profiled, "profiled host": profiled_host, "times": times}), flush=True)


def answers_of(steps):
    processes = {
        way: subprocess.Popen([sys.executable, __file__, "--way", way, str(steps)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for way in WAYS
    }
    answers = {way: [] for way in WAYS}
    ready = {way: process.stdout.readline().strip() for way, process in processes.items()}
    living = [way for way in WAYS if ready[way]]
    for _ in range(TURNS):
        for way in living:
            processes[way].stdin.write("go\n")
            processes[way].stdin.flush()
            line = processes[way].stdout.readline()
            if line:
                answers[way].append(json.loads(line))
    for process in processes.values():
        process.stdin.close()
        process.wait(60)
    return answers, next(filter(None, ready.values()), "")


def sum_of(answers, steps, name=None):
    """Microseconds of a step on the device."""
    return min(sum(time for kernel, time in each["times"].items() if name in (None, kernel)) for each in answers) / steps / 1e3


def main():
    if sys.argv[1:2] == ["--way"]:
        return take_turns(sys.argv[2], int(sys.argv[3]))
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    answers, ready = answers_of(steps)
    if not ready:
        return 3
    print(f"{ready.removeprefix('ready: ')}, {TURNS} times {steps} steps; microseconds of a step")
    print(f"{'':10} {'plain':>9} {'profiled':>9} {'':>8}   {'host':>9} {'profiled':>9}")
    overheads = {}
    for way, results in answers.items():
        if not results:
            print(f"{way:10} has failed")
            continue
        best = {key: min(each[key] for each in results) * 1e6 for key in results[0] if key != "times"}
        overheads[way] = best["profiled"] / best["plain"] - 1
        print(f"{way:10} {best['plain']:9.1f} {best['profiled']:9.1f} {overheads[way]:+8.2%}   {best['plain host']:9.1f} {best['profiled host']:9.1f}")
    bad = not overheads.get("nereid", 1) <= MOST_OVERHEAD
    if answers["nereid"] and answers["torch"]:
        print(f"{'kernel':14} {'nereid':>9} {'torch':>9}")
        for name in ("gelu", "scale_rows", None):
            ours, theirs = (sum_of(answers[way], steps, name) for way in ("nereid", "torch"))
            apart = ours / theirs - 1 if theirs else float("nan")
            bad |= not abs(apart) <= MOST_TIME_APART
            print(f"{name or 'all':14} {ours:9.2f} {theirs:9.2f} {apart:+8.2%}")
    return 1 if bad or len(overheads) < len(WAYS) else 0


if __name__ == "__main__":
    sys.exit(main())
