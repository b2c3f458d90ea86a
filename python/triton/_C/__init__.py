"""Triton's compiled module lives here; nereid's is `nereid._native`."""


def __getattr__(name):
    if name != "libtriton":
        raise AttributeError(f"module 'triton._C' has no attribute '{name}'")
    from importlib import import_module
    return import_module(".libtriton", __name__)
