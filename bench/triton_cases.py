"""triton_cases.py: the kernels of Triton's tutorials as timed cases, and the worker that times them with whichever `triton` is
first on the path. A tutorial's definitions are executed from its own file; what it runs and prints is left out.

    python3 bench/triton_cases.py --tutorials FOLDER --out FILE [--first N] [--only TEXT]     (called by against_triton.py)

Each case becomes one line of JSON in FILE: its name, the time of the device for one call (the kernels' own times, by the
profiler), the time end to end (events around the call, the L2 cache overwritten before it), and whether the result is right."""
import argparse
import ast
import json
import os
import statistics
import sys
import time

import torch
import torch.nn.functional as F


class Tutorial:
    """The functions of one file, by attribute."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read(), path)
        self._names = {"__name__": "tutorial", "__file__": path}
        own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        for node in tree.body:
            if self._defines(node, own):
                code = compile(ast.Module([node], []), path, "exec")
                try:
                    exec(code, self._names)
                except (ImportError, AttributeError, NameError) as error:  # what only its own benchmarks need
                    print(f"{os.path.basename(path)}:{node.lineno}: left out: {error}", file=sys.stderr)

    @staticmethod
    def _defines(node, own):
        if isinstance(node, ast.FunctionDef):
            return not any(word in ast.unparse(mark) for mark in node.decorator_list for word in ("perf_report", "pytest"))
        if isinstance(node, ast.If):
            calls = {ast.unparse(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
            return "__name__" not in ast.unparse(node.test) and "print" not in calls
        if isinstance(node, ast.Assign):
            if all(isinstance(target, ast.Name) and target.id.isupper() for target in node.targets):
                return True
            calls = [ast.unparse(part.func) for part in ast.walk(node.value) if isinstance(part, ast.Call)]
            return not any(call in own or call.startswith("torch.") for call in calls)
        return isinstance(node, (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Try))

    def __getattr__(self, name):
        return self._names[name]


class Case:
    """One call to time: `call` runs it, `right` says whether what it gave is right, `bytes` or `flops` is its work."""

    def __init__(self, name, call, reference=None, tolerance=1e-2, bytes=0, flops=0, peer=None, reset=()):
        self.name, self.call, self.reference, self.tolerance = name, call, reference, tolerance
        self.bytes, self.flops, self.peer, self.reset = bytes, flops, peer, reset


def fix_config(kernel, values, num_warps, num_stages):
    """Leaves an autotuned kernel the one configuration, so that both sides run the same."""
    import triton
    hook = kernel.configs[0].pre_hook
    kernel.configs = [triton.Config(values, num_warps=num_warps, num_stages=num_stages, pre_hook=hook)]
    kernel.cache.clear()


def random(*shape, dtype=torch.float32):
    return torch.randn(shape, device="cuda").to(dtype)


def memory_cases(tutorials):
    one = Tutorial(tutorials("01-vector-add.py"))
    x, y = random(1 << 28), random(1 << 28)
    yield Case("add f32 2^28", lambda: one.add(x, y), lambda: x + y, bytes=3 * 4 << 28, peer=lambda: x + y)
    two = Tutorial(tutorials("02-fused-softmax.py"))
    for columns in (1024, 4096, 12288):
        z = random(4096, columns)
        yield Case(f"softmax f32 4096x{columns}", lambda z=z: two.softmax(z), lambda z=z: torch.softmax(z, 1), 1e-5,
                   bytes=8 * z.numel(), peer=lambda z=z: torch.softmax(z, 1))
    four = Tutorial(tutorials("04-low-memory-dropout.py"))
    w = random(1 << 26)
    yield Case("dropout f32 2^26", lambda: four.seeded_dropout(w, p=0.5, seed=123), None, bytes=8 << 26,
               peer=lambda: F.dropout(w, 0.5))


def norm_cases(tutorials):
    five = Tutorial(tutorials("05-layer-norm.py"))
    for columns in (1024, 4096, 16384):
        x = (-2.3 + 0.5 * random(4096, columns, dtype=torch.float16)).requires_grad_(True)
        weight, bias = (torch.rand(columns, dtype=torch.float16, device="cuda", requires_grad=True) for _ in range(2))
        dy = 0.1 * torch.randn_like(x)
        arguments = (x, (columns, ), weight, bias, 1e-5)
        yield Case(f"layer norm fwd f16 4096x{columns}", lambda a=arguments: five.layer_norm(*a), lambda a=arguments: F.layer_norm(*a),
                   bytes=4 * x.numel(), peer=lambda a=arguments: F.layer_norm(*a))
        theirs = F.layer_norm(*arguments)

        def backward(output, x=x, dy=dy):
            x.grad = None
            output.backward(dy, retain_graph=True)
            return x.grad

        ours = five.layer_norm(*arguments)
        yield Case(f"layer norm bwd f16 4096x{columns}", lambda run=backward, y=ours: run(y), lambda run=backward, y=theirs: run(y),
                   bytes=6 * x.numel(), peer=lambda run=backward, y=theirs: run(y))


# Of the lists in tutorial 03: what wins at each size on a Hopper.
MATMUL_CONFIGS = {1024: ((128, 128, 32, 4, 4), (128, 64, 32, 4, 4)), 4096: ((128, 256, 64, 8, 3), ), 8192: ((128, 256, 64, 8, 3), )}
FP8_CONFIGS = {1024: ((128, 128, 128, 4, 4), ), 4096: ((128, 256, 128, 8, 3), ), 8192: ((128, 256, 128, 8, 3), )}


def matmul_cases(tutorials):
    three = Tutorial(tutorials("03-matrix-multiplication.py"))
    for kind, configs in (("f16", MATMUL_CONFIGS), ("fp8", FP8_CONFIGS)):
        for size, choices in configs.items():
            a, b = random(size, size, dtype=torch.float16), random(size, size, dtype=torch.float16)
            right = lambda a=a, b=b: a @ b
            if kind == "fp8":
                a, b = a.to(torch.float8_e5m2), b.T.contiguous().to(torch.float8_e5m2).T
                right = lambda a=a, b=b: a.to(torch.float16) @ b.to(torch.float16)
            for bm, bn, bk, warps, stages in choices:
                def call(a=a, b=b, config=(bm, bn, bk, warps, stages)):
                    return three.matmul(a, b)

                def prepare(bm=bm, bn=bn, bk=bk, warps=warps, stages=stages):
                    values = {"BLOCK_SIZE_M": bm, "BLOCK_SIZE_N": bn, "BLOCK_SIZE_K": bk, "GROUP_SIZE_M": 8}
                    fix_config(three.matmul_kernel, values, warps, stages)

                prepare()
                yield Case(f"matmul {kind} {size} ({bm}x{bn}x{bk}, {warps} warps, {stages} stages)", call, right, 2e-2,
                           flops=2 * size**3, peer=right if kind == "f16" else None)


def persistent_cases(tutorials):
    nine = Tutorial(tutorials("09-persistent-matmul.py"))
    size = 8192
    a, b = random(size, size, dtype=torch.float16), random(size, size, dtype=torch.float16)
    transposed = b.T.contiguous()
    values = {"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 256, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8}
    rows = (("persistent", nine.matmul_kernel_persistent, values, lambda: nine.matmul_persistent(a, b)),
            ("TMA", nine.matmul_kernel_tma, values, lambda: nine.matmul_tma(a, transposed, False)),
            ("TMA persistent", nine.matmul_kernel_tma_persistent, values | {"EPILOGUE_SUBTILE": True},
             lambda: nine.matmul_tma_persistent(a, transposed, False)),
            ("descriptor persistent", nine.matmul_kernel_descriptor_persistent, values | {"EPILOGUE_SUBTILE": True},
             lambda: nine.matmul_descriptor_persistent(a, transposed, False)))  # yapf: disable
    for name, kernel, config, call in rows:
        fix_config(kernel, config, 8, 3)
        yield Case(f"matmul f16 {size}, 09 {name}", call, lambda: a @ b, 2e-2, flops=2 * size**3, peer=lambda: a @ b)


def attention_cases(tutorials):
    six = Tutorial(tutorials("06-fused-attention.py"))
    for batch, length in ((4, 4096), (1, 16384)):
        for width in (64, 128):
            for causal in (False, True):
                q, k, v = (random(batch, 16, length, width, dtype=torch.float16).requires_grad_(True) for _ in range(3))
                flops = 4 * batch * 16 * length * length * width * (0.5 if causal else 1)
                scale = width**-0.5
                name = f"B{batch}H16 S{length} d{width} {'causal' if causal else 'full'}"
                fused = lambda q=q, k=k, v=v, c=causal, s=scale: F.scaled_dot_product_attention(q, k, v, is_causal=c, scale=s)
                run = lambda q=q, k=k, v=v, c=causal, s=scale: six.attention(q, k, v, c, s, False)
                # What the tutorial allows: no more columns than a head is wide.
                for block, warps in ((64, 4), ) if width == 64 else ((64, 4), (128, 8)):
                    fix_config(six._attn_fwd, {"BLOCK_M": 128, "BLOCK_N": block}, warps, 3)
                    yield Case(f"attention fwd {name} (128x{block}, {warps} warps)", run, fused, flops=flops, peer=fused)
                if not causal:
                    continue  # the tutorial's backward pass is causal only
                output, theirs = run(), fused()
                gradient = torch.randn_like(output)

                def backward(out, inputs=(q, k, v), gradient=gradient):
                    for tensor in inputs:
                        tensor.grad = None
                    out.backward(gradient, retain_graph=True)
                    return inputs[0].grad

                yield Case(f"attention bwd {name}", lambda f=backward, o=output: f(o), lambda f=backward, o=theirs: f(o), 5e-2,
                           flops=2.5 * flops, peer=lambda f=backward, o=theirs: f(o))


def language_cases(tutorials):
    from language_cases import language_cases as cases  # its kernels need a file, and whichever triton this is
    yield from cases(tutorials)


TUTORIALS = {"memory": memory_cases, "norm": norm_cases, "matmul": matmul_cases, "persistent": persistent_cases, "attention": attention_cases}
GROUPS = {**TUTORIALS, "language": language_cases}


def end_to_end(call, cache, seconds=0.15):
    """Seconds from event to event, the median; the cache is overwritten before each call."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    call()
    torch.cuda.synchronize()
    count = int(min(max(seconds / (time.perf_counter() - begin), 5), 100))
    pairs = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(count)]
    for start, end in pairs:
        cache.zero_()
        start.record()
        call()
        end.record()
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in pairs) * 1e-3


def on_device(call, count=10):
    """Seconds that the kernels of one call take on the device, by the profiler."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(count):
            call()
        torch.cuda.synchronize()
    total = sum(event.self_device_time_total for event in profiler.key_averages())
    return total * 1e-6 / count


def difference(case):
    """The largest difference from the reference, over the largest value of that; None where there is no reference."""
    if case.reference is None:
        return None
    result, right = case.call().detach().float(), case.reference().detach().float()
    return ((result - right).abs().max() / right.abs().max()).item()


def measure(case, cache):
    row = {"name": case.name, "bytes": case.bytes, "flops": case.flops}
    begin = time.perf_counter()
    case.call()
    torch.cuda.synchronize()
    row["first_seconds"] = time.perf_counter() - begin
    row["difference"] = difference(case)
    row["right"] = row["difference"] is None or row["difference"] <= case.tolerance
    row["end_to_end"] = end_to_end(case.call, cache)
    row["device"] = on_device(case.call)
    if case.peer:
        row["peer_device"] = on_device(case.peer)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutorials", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--first", type=int, default=0, help="leave so many cases out")
    parser.add_argument("--only", default="", help="cases whose names hold this")
    parser.add_argument("--groups", default=",".join(TUTORIALS))
    options = parser.parse_args()
    torch.manual_seed(0)
    cache = torch.empty(64 << 20, dtype=torch.int32, device="cuda")  # 256 MiB: more than the L2 cache
    number = 0
    with open(options.out, "a", encoding="utf-8") as out:

        def say(row):
            out.write(json.dumps(row) + "\n")
            out.flush()

        for group in (GROUPS[name] for name in options.groups.split(",") if name):
            try:
                for case in group(lambda name: os.path.join(options.tutorials, name)):
                    number += 1
                    if number <= options.first or options.only not in case.name:
                        continue
                    say({"begins": case.name, "number": number})
                    try:
                        say(measure(case, cache))
                    except Exception as error:  # one case must not cost the others
                        say({"name": case.name, "error": f"{type(error).__name__}: {error}"[:500]})
                        torch.cuda.synchronize()  # a lost GPU ends the process here, and the next one goes on behind this case
            except Exception as error:
                say({"name": group.__name__, "error": f"{type(error).__name__}: {error}"[:500]})
                torch.cuda.synchronize()
    return 0


if __name__ == "__main__":
    sys.exit(main())
