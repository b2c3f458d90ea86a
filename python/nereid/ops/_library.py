"""The library's kernels by name, and how large their blocks are."""
from __future__ import annotations

import functools
import os

from .._places import library_folder
from ..kernels import load
from ._arrays import on_gpu

LONGEST_ROW, LONG_BLOCK = 16384, 4096  # rows up to the first are one block; longer ones are read in blocks of the second
VECTOR_BLOCK = 4096  # what one program of an elementwise kernel takes


@functools.cache
def kernels_of(folder):
    return load(os.path.join(library_folder(), folder, f"{folder}.py"))


def kernel(folder, name):
    """A jit function of a kernel file."""
    return kernels_of(folder)[name]


def launch(folder, name, grid, *args, **kwargs):
    """Runs a kernel of the library; an empty grid is no work."""
    if 0 not in grid:
        kernel(folder, name)[grid](*args, **kwargs)


def cdiv(a, b):
    return -(-a // b)


def power_of_two(n):
    """The smallest one that is not below n."""
    return 1 << max(n - 1, 0).bit_length()


def product_block(extent, most):
    """What a tile of a product takes of an extent."""
    return min(max(power_of_two(extent), 16), most)


def warps(block):
    """As many as a block of so many elements keeps busy on a GPU."""
    return 16 if block >= 16384 else min(max(block // 512, 4), 16)


def cache_modifier(out):
    """Results that no cache can hold go past it."""
    size = out.numel() * out.element_size() if hasattr(out, "numel") else out.nbytes
    return ".cs" if size > 16 << 20 else ""


def multiprocessors(x):
    """Of the GPU that holds `x`; 1 elsewhere."""
    if not on_gpu(x):
        return 1
    import torch
    return torch.cuda.get_device_properties(x.device).multi_processor_count


def row_programs(x, otherwise=32):
    """How many programs share out the rows of a kernel that sums over them: two for each multiprocessor."""
    return 2 * multiprocessors(x) if on_gpu(x) else otherwise
