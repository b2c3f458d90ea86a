"""`Config`: one choice of meta-parameters and compile options that the autotuner may try."""

_RARE_OPTIONS = ("maxnreg", "ir_override")  # None: not given
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
        result = dict(self.kwargs, num_warps=self.num_warps, num_ctas=self.num_ctas, num_stages=self.num_stages)
        for name in _RARE_OPTIONS:
            value = getattr(self, name)
            if value is not None:
                result[name] = value
        return result

    def __str__(self):
        shown = {**self.kwargs, **{name: getattr(self, name) for name in ("num_warps", "num_ctas", "num_stages", "maxnreg")}}
        if self.ir_override is not None:
            shown["ir_override"] = self.ir_override
        return ", ".join(f"{name}: {value}" for name, value in shown.items())

    def __repr__(self):
        return f"<triton.Config {self}>"

    def _identity(self):
        return (*self.all_kwargs().items(), self.pre_hook)

    def __hash__(self):
        return hash(self._identity())

    def __eq__(self, other):
        return isinstance(other, Config) and self._identity() == other._identity()
