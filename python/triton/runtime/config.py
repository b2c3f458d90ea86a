"""`Config`: one choice of meta-parameters and compile options that the autotuner may try."""

_OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")
_DEFAULTS = {"kwargs": {}, "num_warps": 4, "num_stages": 3, "num_ctas": 1, "maxnreg": None, "pre_hook": None,
             "ir_override": None}  # yapf: disable


class Config:
    """Values for a kernel's meta-parameters (`kwargs`) and its compile options; `pre_hook(args)` runs before each launch."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None):
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def __setstate__(self, state):
        self.__dict__.update(_DEFAULTS, **state)  # a pickle of an older version may lack some

    def all_kwargs(self):
        """Everything that goes to the launch by name."""
        options = {name: getattr(self, name) for name in _OPTIONS}
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def __str__(self):
        shown = {**self.kwargs, **{name: getattr(self, name) for name in _OPTIONS[:4]}}
        return ", ".join(f"{name}: {value}" for name, value in shown.items())

    def __repr__(self):
        return f"<triton.Config {self}>"

    def _identity(self):
        return (*self.all_kwargs().items(), self.pre_hook)

    def __hash__(self):
        return hash(self._identity())

    def __eq__(self, other):
        return isinstance(other, Config) and self._identity() == other._identity()
