"""Surprise 9: Python that runs at compile time."""
import math

import torch
import triton
import triton.language as tl

LOWEST = tl.constexpr(torch.finfo(torch.float32).min)
IS_HIP = tl.constexpr(torch.version.hip is not None)
HALF_PI = tl.constexpr(math.pi / 2)


@triton.constexpr_function
def digits_of(n):
    digits = []
    while n > 0:
        digits.append(n % 10)
        n //= 10
    return tuple(reversed(digits))


@triton.constexpr_function
def padded(n, multiple=8):
    return n if n % multiple == 0 else (n // multiple + 1) * multiple


@tl.constexpr
def doubled(n):
    return n * 2


def instruction(name):
    return "\n".join(["{", f"{name}.u32 $0, $1, $2;", "}"])


ADD = tl.constexpr(instruction("add"))


@triton.jit
def computed_constants(y, N: tl.constexpr, LOW: tl.constexpr = torch.finfo(torch.float16).min):
    digits: tl.constexpr = digits_of(N)
    for k in tl.static_range(len(digits)):
        tl.store(y + k, digits[k] * 1.0)
    tl.store(y + 4, padded(doubled(N)) * 1.0)
    tl.store(y + 5, LOWEST)
    tl.store(y + 6, LOW)
    tl.store(y + 7, HALF_PI)
    if IS_HIP:
        tl.store(y + 8, 1.0)
    else:
        tl.store(y + 8, 2.0)
    if torch.version.hip is not None:
        tl.store(y + 9, 1.0)
    else:
        tl.store(y + 9, 2.0)


@triton.jit
def built_instruction(x, y):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    text: tl.constexpr = ADD
    tl.store(y + i, tl.inline_asm_elementwise(text, "=r,r,r", [v, v * 2], dtype=tl.uint32, is_pure=True, pack=1))
