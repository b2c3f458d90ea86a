"""Kernels with configurations, for tune.test."""
import triton
import triton.language as tl


def fits(configs, named_args, **kwargs):
    return [config for config in configs if config.kwargs["BLOCK"] <= named_args["n"]]


def estimate(n, BLOCK, **rest):
    return abs(BLOCK - 64)


SIZES = [32, 64, 100, 128, 4096]


# Adds in place: trials that were left in the tensor would show.
@triton.autotune([triton.Config({"BLOCK": size}) for size in SIZES], key=["n"], prune_configs_by={"early_config_prune": fits})
@triton.jit
def increase(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) + 1, i < n)


@triton.autotune([triton.Config({"BLOCK": size}) for size in (16, 32, 64, 128)], key=["n"], reset_to_zero=["total"],
                 prune_configs_by={"perf_model": estimate, "top_k": 2})
@triton.jit
def count(total, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(total, tl.sum((i < n).to(tl.int32)))


@triton.autotune([triton.Config({"BLOCK": 3}), triton.Config({"BLOCK": 5})], key=[])
@triton.jit
def hopeless(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0)


def unknown(configs, named_args, **kwargs):
    return [config for config in configs if named_args["x"].element_size() > 1]


@triton.autotune([triton.Config({"BLOCK": 16}, num_warps=warps) for warps in (1, 2)], key=[],
                 prune_configs_by={"early_config_prune": unknown})
@triton.jit
def noted(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1)


@triton.jit
def plain(x):
    tl.store(x, 1)


@triton.autotune(configs=[], key=[])
@triton.jit
def unlisted(x):
    tl.store(x, 1)
