"""How Proton looks into kernels; `triton.profiler.start` has none of these modes, and says so."""


class BaseMode:
    """A mode by its name, with its options."""

    name = ""

    def __init__(self, **options):
        self.options = options

    def __str__(self):
        return ":".join([self.name, *(f"{name}={value}" for name, value in self.options.items())])


class PCSampling(BaseMode):
    name = "pcsampling"

    def __init__(self, interval=1000):
        if interval <= 0:
            raise ValueError(f"`interval` must be positive, got {interval}")
        super().__init__(interval=interval)


class InstrumentationMode(BaseMode):
    """Marks inside of kernels."""


class Default(InstrumentationMode):
    name = "default"


class MMA(InstrumentationMode):
    name = "mma"
