"""Tools around kernels: ahead-of-time compilation, machine code as text, tensor descriptors, layouts."""


def __getattr__(name):
    if name == "LinearLayout":
        from .._C.linear_layout import LinearLayout
        return LinearLayout
    raise AttributeError(f"module 'triton.tools' has no attribute '{name}'")
