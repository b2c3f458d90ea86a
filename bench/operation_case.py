"""operation_case.py: what the cases of nereid.ops share: where they lie, how large they are, and a case from a call. Used by library_against_peers.py."""
import torch
from library_cases import Case

_place = {"device": "cuda", "shrink": 1}


def try_on(device, shrink):
    """Another device, and sizes divided by a number: to see that the cases are right before a GPU is asked."""
    _place.update(device=device, shrink=shrink)


def device():
    return _place["device"]


def sized(n, multiple=1):
    return max(n // _place["shrink"] // multiple, 1) * multiple


def random(*shape, dtype=torch.bfloat16):
    return torch.randn(shape, device=device()).to(dtype)


def integers(low, high, *shape, dtype=torch.int64):
    return torch.randint(low, high, shape, device=device(), dtype=dtype)


def listed(given):
    return given if isinstance(given, (tuple, list)) else [given]


def operation_case(name, call, peers, reference, tolerance, **work):
    """A case whose results are what the call gives."""
    results = []

    def ours():
        results[:] = listed(call())

    return Case(name, ours, peers, results, lambda: listed(reference()), tolerance, **work)
