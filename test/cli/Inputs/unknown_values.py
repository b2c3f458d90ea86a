"""What `audit` cannot know: data that a function around a kernel looks through, in a loop without an end as far as that goes; constants."""
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


@triton.jit
def below(x, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = BLOCK
    HALF: tl.constexpr = 2**(SIZE.bit_length() - 1)
    tl.store(x + tl.arange(0, HALF), 1)
