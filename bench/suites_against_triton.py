"""suites_against_triton.py: the tests of other projects' kernels through our `import triton` and through Triton, on one GPU.

    python3 bench/suites_against_triton.py --checkouts FOLDER [--suites LIST] [--ours python] [--jobs 16] [--seconds N] [--out FOLDER]

FOLDER holds checkouts by their names (triton, FlagGems, Liger-Kernel, flash-linear-attention, mamba, vllm). Prints what passed, failed and was
skipped on each side, and every test that passes through Triton and not through ours. `--sides nereid --against FOLDER` compares with the
rows that an earlier run of Triton left in its `--out`. Nothing of these projects is part of this repository."""
import argparse
import collections
import glob
import os
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
from pytest_shards import Shard, print_reasons, read_rows  # noqa: E402

SIDES = ("nereid", "triton")


class Suite:
    """Where the tests of a project are. `path` is what Python must find, relative to the checkout; `shards` the processes of a side;
    `first_config`: autotuned kernels take their first configuration, since a test of results needs no best one."""

    def __init__(self, name, folder, files, path=(), options=(), shards=4, first_config=False, environment=None, limit=60):
        self.name, self.folder, self.files, self.path, self.options = name, folder, files, path, options
        self.shards, self.first_config, self.environment, self.limit = shards, first_config, environment or {}, limit


_LIGER = ["cross_entropy", "dyt", "embedding", "fused_add_rms_norm", "fused_linear_cross_entropy", "fused_linear_jsd", "geglu", "group_norm", "jsd",
          "kl_div", "layer_norm", "llama4_rope", "poly_norm", "qwen2vl_mrope", "relu_squared", "rms_norm", "rope", "softmax", "sparsemax", "swiglu",
          "tvd", "grpo_loss", "multi_token_attention", "fused_neighborhood_attention", "mm_int8int2", "tiled_mlp"]  # yapf: disable
_VLLM = ["attention/test_triton_decode_attention", "attention/test_triton_prefill_attention", "attention/test_triton_unified_attention",
         "attention/test_prefix_prefill", "attention/test_lightning_attn", "attention/test_merge_attn_states", "attention/test_pack_unpack_triton",
         "mamba/test_mamba_ssm", "mamba/test_mamba_ssm_ssd", "mamba/test_causal_conv1d", "quantization/test_awq_triton",
         "quantization/test_triton_scaled_mm", "quantization/test_int8_kernel", "quantization/test_triton_w4a16",
         "moe/test_count_expert_num_tokens", "test_fla_layernorm_guard"]  # yapf: disable

SUITES = [
    Suite("triton_kernels", "triton/python/triton_kernels", ["tests"], ["triton/python/triton_kernels"], shards=8),
    Suite("FlagGems", "FlagGems", ["tests"], ["FlagGems/src"], ["--mode", "quick"], shards=8, first_config=True),
    Suite("Liger", "Liger-Kernel", [f"test/transformers/test_{name}.py" for name in _LIGER], ["Liger-Kernel/src", "Liger-Kernel"], shards=4),
    Suite("fla", "flash-linear-attention", ["tests/ops"], ["flash-linear-attention"], shards=8, first_config=True),
    Suite("mamba", "mamba", ["tests/ops/triton"], ["mamba"], shards=2, first_config=True),
    Suite("vLLM", "vllm", [f"tests/kernels/{name}.py" for name in _VLLM], ["vllm"], ["--noconftest", "--continue-on-collection-errors", "-p", "vllm_kernels_plugin"], shards=6, first_config=True),
]


def environment_of(options, suite, whose):
    path = [options.ours] if whose == "nereid" else []
    path += [os.path.join(options.checkouts, part) for part in suite.path] + [os.path.join(ROOT, "bench")]
    path += os.environ.get("PYTHONPATH", "").split(os.pathsep)
    caches = {name: os.path.join(options.scratch, f"{whose}-{suite.name}-{name}") for name in ("TRITON_CACHE_DIR", "NEREID_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")}
    return {**os.environ, **suite.environment, **caches, "PYTHONPATH": os.pathsep.join(filter(None, map(os.path.abspath, path))),
            "SUITE_WHOSE": whose, "SUITE_SAMPLE": options.sample, "SUITE_SHUFFLE": str(int(options.shuffle)), "OMP_NUM_THREADS": "1"}  # yapf: disable


class Task:
    """One shard of one side of one suite, started when there is room."""

    def __init__(self, options, suite, whose, index):
        self.options, self.suite, self.whose, self.index, self.shard = options, suite, whose, index, None
        self.log = os.path.join(options.out, f"{suite.name}-{whose}-{index}.tsv")

    def start(self):
        suite = self.suite
        folder = os.path.join(self.options.checkouts, suite.folder)
        files = [path for name in suite.files for path in (glob.glob(os.path.join(folder, name)))]
        command = [self.options.python, "-m", "pytest", "-q", "--tb=short", *files, *suite.options, "-p", "whose_triton_plugin"]
        command += ["-p", "first_config_plugin"] if suite.first_config else []
        if os.path.exists(self.log):
            os.remove(self.log)
        self.shard = Shard(command, folder, environment_of(self.options, suite, self.whose), self.index, suite.shards, self.log, suite.limit)


def run(tasks, jobs, deadline):
    """All tasks, `jobs` at a time; what has not ended at the deadline is stopped, and its rows count as far as they go."""
    waiting, running = collections.deque(tasks), []
    while waiting or running:
        while waiting and len(running) < jobs:
            task = waiting.popleft()
            task.start()
            running.append(task)
        running = [task for task in running if not task.shard.is_done()]
        if time.monotonic() > deadline:
            for task in running:
                task.shard.stop()
            return
        time.sleep(0.2)


def rows_of(folder, suite, whose):
    rows = {}
    for log in sorted(glob.glob(os.path.join(folder, f"{suite.name}-{whose}-*.tsv"))):
        rows.update(read_rows(log))
    return rows


def report(options, suites):
    print(f"{'suite':<16} {'side':<8} {'passed':>7} {'failed':>7} {'skipped':>8}")
    for suite in suites:
        ours = rows_of(options.out, suite, "nereid")
        theirs = rows_of(options.against or options.out, suite, "triton")
        for whose, rows in (("nereid", ours), ("triton", theirs)):
            counts = collections.Counter(outcome for outcome, _ in rows.values())
            print(f"{suite.name:<16} {whose:<8} {counts['passed']:>7} {counts['failed']:>7} {counts['skipped']:>8}")
        both = ours.keys() & theirs.keys()
        lost = {test: ours[test] for test in both if theirs[test][0] == "passed" and ours[test][0] != "passed"}
        won = [test for test in both if theirs[test][0] != "passed" and ours[test][0] == "passed"]
        print(f"{'':<16} both ran {len(both)}; pass through Triton alone: {len(lost)}; through ours alone: {len(won)}", flush=True)
        print_reasons(lost, "failed", options.reasons)
        print_reasons(lost, "skipped", options.reasons)
        if not both:
            for log in sorted(glob.glob(os.path.join(options.out, f"{suite.name}-*-0.txt"))):
                with open(log, errors="replace") as file:
                    print(f"  {os.path.basename(log)}: no test ran:\n    " + "\n    ".join(file.read().strip().splitlines()[-8:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", required=True)
    parser.add_argument("--suites", default=",".join(suite.name for suite in SUITES))
    parser.add_argument("--sides", default=",".join(SIDES))
    parser.add_argument("--against", help="the --out of an earlier run whose rows of Triton count")
    parser.add_argument("--ours", default=os.path.join(ROOT, "python"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--sample", default="0/1", help="I/K: only the I-th of K samples of each suite")
    parser.add_argument("--shuffle", action="store_true", help="tests in an order drawn by their names, so that a deadline cuts all files alike")
    parser.add_argument("--shards", type=int, default=8, help="processes for a side of a suite at most")
    parser.add_argument("--reasons", type=int, default=12)
    parser.add_argument("--out")
    options = parser.parse_args()
    options.scratch = tempfile.mkdtemp(prefix="suites-")
    options.out = options.out or options.scratch
    os.makedirs(options.out, exist_ok=True)
    suites = [suite for suite in SUITES if suite.name in options.suites.split(",")]
    for suite in suites:
        suite.shards = min(suite.shards, options.shards)
    most = max(suite.shards for suite in suites)
    # In turns: the first shards of every suite and side, then the second ones, so that a deadline cuts all alike.
    tasks = [Task(options, suite, whose, index) for index in range(most) for suite in suites if index < suite.shards
             for whose in options.sides.split(",")]  # yapf: disable
    run(tasks, options.jobs, time.monotonic() + options.seconds)
    report(options, suites)


if __name__ == "__main__":
    main()
