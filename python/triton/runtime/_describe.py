"""Arguments of a call in a few words, for people."""


def argument_text(value):
    """`float32[1000]` of a tensor, the beginning of its `repr` of anything else."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None:
        return f"{str(dtype).split('.')[-1]}[{','.join(map(str, shape))}]"
    return repr(value)[:80]
