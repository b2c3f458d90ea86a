"""How the library's kernels run best where: the tables of configurations.md, by facts of the device and of the problem."""
from __future__ import annotations

import functools
import os
import re

from .._places import library_folder
from ._arrays import on_gpu

_COMPARE = {"=": int.__eq__, "!=": int.__ne__, "<=": int.__le__, ">=": int.__ge__}


@functools.cache
def _rows():
    """{kernel: [(conditions, configuration)]}; a condition is (fact, comparison, number)."""
    rows = {}
    with open(os.path.join(library_folder(), "configurations.md"), encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.split("|")]
            if not line.startswith("|") or len(cells) < 5 or cells[1] in ("", "kernel") or cells[1].startswith("-"):
                continue
            when = [re.fullmatch(r"(\w+)(<=|>=|!=|=)(-?\d+)", word).groups() for word in cells[2].split()]
            numbers = {name: int(value) for name, value in (word.split("=") for word in cells[3].split())}
            rows.setdefault(cells[1], []).append(([(fact, _COMPARE[sign], int(value)) for fact, sign, value in when], numbers))
    return rows


@functools.cache
def _facts_of_gpu(device):
    import torch
    gpu = torch.cuda.get_device_properties(device)
    shared = getattr(gpu, "shared_memory_per_block_optin", 0)
    return {"gpu": 1, "capability": 10 * gpu.major + gpu.minor, "multiprocessors": gpu.multi_processor_count, "shared": shared >> 10,
            "l2": getattr(gpu, "L2_cache_size", 0) >> 20}  # yapf: disable


@functools.cache
def _first(kernel, facts):
    facts = dict(facts)
    for when, numbers in _rows().get(kernel, ()):
        if all(fact in facts and holds(facts[fact], value) for fact, holds, value in when):
            return numbers
    return {}


def configuration(kernel, x, **problem):
    """The numbers of the first row that holds where `x` lies; `num_warps` and `num_stages` are among them."""
    facts = _facts_of_gpu(x.device) if on_gpu(x) else {"gpu": 0, "cores": os.cpu_count() or 1}
    return _first(kernel, tuple(sorted({**facts, **{name: int(value) for name, value in problem.items()}}.items())))


def launch_options(numbers):
    return {name: numbers[name] for name in ("num_warps", "num_stages") if name in numbers}
