"""Kernels inside of a function that looks through data which is not known: its loop has no end, as far as that goes."""
import json

import triton
import triton.language as tl


def looks(path):

    @triton.jit
    def copy(x, y):
        tl.store(y, tl.load(x))

    with path.open() as file:
        queue = [json.load(file)]
    while len(queue) > 0:
        for child in queue.pop(0)["children"]:
            queue.append(child)


@triton.jit
def behind(x, y):
    tl.store(y, tl.load(x))
