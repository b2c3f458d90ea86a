"""Surprise 10: parameters named num_warps and num_stages, which heuristics may set as well."""
import triton
import triton.language as tl


@triton.jit
def own_launch_options(y, n, num_warps: tl.constexpr, num_stages: tl.constexpr):
    total = 0
    for k in tl.range(0, n, num_stages=num_stages):
        total += k
    tl.store(y, total)
    tl.store(y + 1, num_warps)
    tl.store(y + 2, num_stages)


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"]), "num_warps": lambda args: 8 if args["BLOCK"] >= 32 else 2})
@triton.jit
def decided_by_heuristics(y, n, BLOCK: tl.constexpr, num_warps: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, num_warps * 100 + BLOCK, mask=i < n)


@triton.autotune(configs=[triton.Config({"BLOCK": 16}, num_warps=2, num_stages=4)], key=["n"])
@triton.jit
def decided_by_a_configuration(y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.num_programs(0) * 100 + BLOCK, mask=i < n)
