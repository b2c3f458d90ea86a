"""Random numbers from a seed, in place: a seed gives the same ones on every device."""
from __future__ import annotations

import math

from ._arrays import dtype_name, empty, is_torch, require, require_floats
from ._declare import op
from ._library import VECTOR_BLOCK, cache_modifier, cdiv, launch, warps
from .ordering import sorted_with_places


def _fill(x, seed, low, high, kind):
    count = math.prod(x.shape)
    launch("random_fill", "random_fill", (cdiv(count, VECTOR_BLOCK), ), x, count, seed, low, high, kind, VECTOR_BLOCK, cache_modifier(x), num_warps=warps(VECTOR_BLOCK))


def _require_contiguous(x):
    require(x.is_contiguous() if is_torch(x) else x.flags.c_contiguous, "`x` must be contiguous: it is filled in place")


@op("")
def uniform_(x: Changed, seed: int, low: float = 0.0, high: float = 1.0):
    """Floats of [low, high)."""
    require_floats(x=x)
    _require_contiguous(x)
    yield
    _fill(x, seed, float(low), float(high), "uniform")


@op("")
def normal_(x: Changed, seed: int, mean: float = 0.0, std: float = 1.0):
    """Normally distributed floats."""
    require_floats(x=x)
    _require_contiguous(x)
    yield
    _fill(x, seed, float(mean), float(std), "normal")


@op("")
def exponential_(x: Changed, seed: int, lambd: float = 1.0):
    """Exponentially distributed floats with the rate lambd."""
    require_floats(x=x)
    _require_contiguous(x)
    require(lambd > 0, f"`lambd` is {lambd}, but must be above 0")
    yield
    _fill(x, seed, float(lambd), 0.0, "exponential")


@op("")
def randint_(x: Changed, seed: int, low: int, high: int):
    """Integers of [low, high), at most 2^32 apart."""
    require(dtype_name(x) in ("int8", "int16", "int32", "int64", "uint8"), f"`x` has type {dtype_name(x)}, but integers are expected")
    _require_contiguous(x)
    require(0 < high - low <= 2**32, f"integers of {low} to {high} are asked for, but 1 to 2^32 are expected")
    yield
    _fill(x, seed, low, high, "integer")


@op("")
def bernoulli_(x: Changed, seed: int, p: float = 0.5):
    """1 with probability p, else 0, in any type."""
    require(0 <= p <= 1, f"`p` is {p}, but 0 to 1 is expected")
    _require_contiguous(x)
    yield
    _fill(x, seed, float(p), 0.0, "coin")


@op("")
def randperm_(x: Changed, seed: int):
    """The numbers 0 … n - 1 in a random order; x: a vector of int32 or int64."""
    require(dtype_name(x) in ("int32", "int64") and len(x.shape) == 1, f"`x` has type {dtype_name(x)} and shape {tuple(x.shape)}, but a vector of int32 or int64 is expected")
    yield
    # Equal keys stay in order: there are hardly any among so few keys of 32 bits, or keys of 64.
    count, is_long = x.shape[0], x.shape[0] > 65536
    keys = empty(x, (count, ), "int64" if is_long else "int32")
    words = keys
    if is_long and is_torch(x):
        import torch
        words = keys.view(torch.int32)
    elif is_long:
        words = keys.view("int32")
    _fill(words, seed, 0.0, 0.0, "key")
    if count:
        x[...] = sorted_with_places(keys, 64 if is_long else 32, False)[1]
