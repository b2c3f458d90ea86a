"""torch_compile_cases.py: the worker of torch_compile_against_triton.py: compiles and runs cases with whatever `triton` comes first,
and writes a row of JSON for each: how far it is from eager, when its first call began and ended, what a compiled call costs the host."""
import argparse
import hashlib
import importlib
import json
import os
import re
import statistics
import time
import traceback

import torch


def leaves(value):
    """All tensors of a result, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, dict):
        return leaves(list(value.values()))
    return []


def step(function, arguments, parameters, grad):
    """One call, with a backward pass where the case has one: outputs and gradients."""
    outputs = leaves(function(*arguments))
    if not grad:
        return outputs
    wanted = [value for value in (*arguments, *parameters) if isinstance(value, torch.Tensor) and value.requires_grad]
    loss = sum((output.float() * torch.linspace(-1, 1, output.numel(), device=output.device).view_as(output)).sum()
               for output in outputs if output.is_floating_point())
    found = torch.autograd.grad(loss, wanted, allow_unused=True)
    return [output.detach() for output in outputs] + [gradient for gradient in found if gradient is not None]


def size(value):
    """The root mean square of a tensor of floats, without what is not finite."""
    value = value.double().nan_to_num(0, 0, 0)
    return (value.norm() / max(1, value.numel())**0.5).item()


def distance(expected, found):
    """The largest relative distance of two lists of tensors; infinite where they do not even have one shape. What is smaller than the
    largest by over four digits is taken relative to these: some gradients are zero but for rounding (the bias of keys, which softmax
    takes away again), and their relative distance says nothing."""
    if len(expected) != len(found):
        return float("inf")
    worst = 0.0
    least = 1e-4 * max((size(want) for want in expected if want.is_floating_point()), default=0.0)
    for want, have in zip(expected, found):
        if want.shape != have.shape or want.dtype != have.dtype:
            return float("inf")
        if not want.is_floating_point():
            worst = max(worst, (want != have).double().mean().item() if want.numel() else 0.0)
            continue
        want, have = want.double(), have.double()
        if not torch.equal(want.isnan(), have.isnan()) or not torch.equal(want.isinf(), have.isinf()):
            return float("inf")
        want, have = want.nan_to_num(0, 0, 0), have.nan_to_num(0, 0, 0)
        worst = max(worst, size(want - have) / (max(size(want), least) + 1e-15))
    return worst


def host_time(call):
    """What a call costs the host: the median of some calls, five at least, for 10 ms; each begins when the device has nothing to do."""
    times, end = [], time.perf_counter() + 0.01
    while len(times) < 5 or time.perf_counter() < end:
        torch.cuda.synchronize()
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    torch.cuda.synchronize()
    return statistics.median(times)


def device_time(call, host):
    """By CUDA events around calls that were queued behind a kernel which takes longer than the host does over them."""
    count = 5 if host < 2e-3 else 2
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    torch.cuda._sleep(int(2e9 * (2e-3 + 1.5 * count * host)))  # at most 2e9 clocks a second
    begin.record()
    for _ in range(count):
        call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / count * 1e-3


def times_of(call):
    host = host_time(call)
    return host, device_time(call, host)


class Turns:
    """Times are taken in turns with the other side, while all other processes halt: the process that started this one says when."""

    def __init__(self, ask, answer):
        self.ask, self.answer = ask, answer

    def take(self, number, call):
        """The times of the host and of the device, one of each for a turn."""
        if self.ask is None:
            return zip(*(times_of(call) for _ in range(3)))
        os.write(self.ask, number.to_bytes(2, "little"))
        times = []
        while os.read(self.answer, 1) == b"g":
            times.append(times_of(call))
            os.write(self.ask, b"d")
        return zip(*times)


# What torch times of a first call, by the part that a compiler of kernels can change; keys by how they end.
PHASES = {"kernels compiled in the process": "async_compile.precompile", "waiting for processes that compile": "async_compile.wait",
          "compiled again for fewer registers": "reload_kernel_in_parent", "templates compiled": "_template_precompiling",
          "templates timed": "_template_autotuning", "tuning": "CachingAutotuner.benchmark_all_configs"}  # yapf: disable


def phases():
    """Seconds of the parts of what was compiled last."""
    times = torch._dynamo.utils.compilation_time_metrics
    return {name: sum(sum(values) for key, values in times.items() if key.endswith(end)) for name, end in PHASES.items()}


def launches_of(call):
    """How many kernels a call starts through Inductor, and how many of these go another way than its static launcher."""
    from torch._inductor.runtime import triton_heuristics
    plain, started = triton_heuristics.CachingAutotuner.run, []

    def counted(self, *args, **kwargs):
        result = plain(self, *args, **kwargs)
        started.append(all(isinstance(made, triton_heuristics.StaticTritonCompileResult) for made in self.compile_results))
        return result

    triton_heuristics.CachingAutotuner.run = counted
    try:
        call()
    finally:
        triton_heuristics.CachingAutotuner.run = plain
    return {"kernels": len(started), "not static": started.count(False)}


def run(number, case, turns):
    torch.manual_seed(0)
    torch._dynamo.reset()
    function, arguments = case.make()
    parameters = getattr(function, "parameters", [])
    expected = step(function, arguments, parameters, case.grad)
    torch.cuda.synchronize()
    settings = {"mode": case.mode} if case.mode else {"options": case.options} if case.options else {}
    compiled = torch.compile(function, fullgraph=True, dynamic=case.dynamic, **settings)
    torch._dynamo.utils.counters.clear()
    torch._dynamo.utils.compilation_time_metrics.clear()
    begin = time.perf_counter()
    found = step(compiled, arguments, parameters, case.grad)
    torch.cuda.synchronize()
    row = {"name": case.name, "begin": begin, "end": time.perf_counter(), "phases": phases()}
    found = [value.clone() for value in found]  # CUDA graphs write to the same memory again
    row["distance"] = distance(expected, found) if case.check is None else 0.0 if case.check(expected[0], found[0]) else float("inf")
    row["repeats"] = case.check is not None or distance(found, step(compiled, arguments, parameters, case.grad)) < 1e-3
    if case.dynamic:
        other = (torch.randn(77, 131, device="cuda"), )
        row["distance"] = max(row["distance"], distance(leaves(function(*other)), leaves(compiled(*other))))
    call = (lambda: step(compiled, arguments, parameters, True)) if case.grad else (lambda: compiled(*arguments))
    row["launches"] = launches_of(call)
    row["graph breaks"] = sum(torch._dynamo.utils.counters["graph_break"].values())
    row["host"], row["device"] = map(list, turns.take(number, call))
    row["half"] = any(value.dtype in (torch.float16, torch.bfloat16, torch.float8_e4m3fn) for value in (*leaves(arguments), *parameters, *expected))
    return row


def warm_up():
    """What the first compilation of a process costs once belongs to no case: imports, and the start of the processes that compile."""
    torch.compile(lambda x: x + 1)(torch.zeros(8, device="cuda"))
    torch._inductor.async_compile.AsyncCompile.wait_pool_ready()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--kinds", default="models,functions")
    parser.add_argument("--only", default="")
    parser.add_argument("--shuffle", action="store_true")
    parser.add_argument("--ask", type=int, help="the pipe to ask for turns on")
    parser.add_argument("--answer", type=int, help="the pipe that says whose turn it is")
    options = parser.parse_args()
    import triton
    cases = []
    for kind in options.kinds.split(","):
        cases += importlib.import_module(f"torch_compile_{kind}").CASES
    index, count = map(int, options.shard.split("/"))
    cases = [case for case in cases if re.search(options.only, case.name)]
    if options.shuffle:
        cases.sort(key=lambda case: hashlib.sha256(case.name.encode()).digest())
    # Dealt out to and fro: in one direction all cases for training would come to one process.
    cases = [case for number, case in enumerate(cases) if min(number % (2 * count), 2 * count - 1 - number % (2 * count)) == index]
    with open(options.out, "a", encoding="utf-8") as out:
        def write(row):
            out.write(json.dumps(row) + "\n")
            out.flush()

        write({"whose": "nereid" if hasattr(triton, "__nereid__") else "triton", "version": triton.__version__})
        warm_up()
        for number, case in enumerate(cases):
            if number < options.first:
                continue
            write({"begins": case.name, "number": number})
            try:
                write(run(number, case, Turns(options.ask, options.answer)))
            except Exception as problem:  # noqa: BLE001 a row of the table
                write({"name": case.name, "error": f"{type(problem).__name__}: {problem}"[:1500], "traceback": traceback.format_exc()[-6000:]})
                if "CUDA" in str(problem) or "cuda" in str(problem):
                    raise SystemExit(9)  # the context may be lost: a new process goes on
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
