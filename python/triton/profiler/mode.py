"""How Proton looks into kernels: options of the backend `instrumentation`. Nereid records each scope of each program; what tells Proton how to save
room in its buffers is accepted and changes nothing."""
from dataclasses import dataclass, field
from enum import Enum


def _choices(title, *names):
    return Enum(title, {name.upper(): name for name in names})


MetricType = _choices("MetricType", "cycle")
BufferStrategy = _choices("BufferStrategy", "circular", "flush")
BufferType = _choices("BufferType", "shared", "global")
SamplingStrategy = _choices("SamplingStrategy", "none", "selective")
Granularity = _choices("Granularity", "cta", "warp", "warp_2", "warp_4", "warp_8", "warp_group", "warp_group_2", "warp_group_4", "warp_group_8")


class Optimize(Enum):
    TIMESHIFT = "time_shift"
    SCHED_STORES = "sched_stores"
    SCHED_BARRIERS = "sched_barriers"
    CLOCK32 = "clock32"

    def __str__(self):
        return self.value


def _by_name(kind):
    return {each.value: each for each in kind}


metric_types, buffer_strategies, buffer_types = _by_name(MetricType), _by_name(BufferStrategy), _by_name(BufferType)
sampling_strategies, granularities, optimizations = _by_name(SamplingStrategy), _by_name(Granularity), _by_name(Optimize)


@dataclass(frozen=True)
class BaseMode:
    """A mode by its name, with its options."""

    name: str


@dataclass(frozen=True)
class PCSampling(BaseMode):
    """Samples of the program counter, which nereid does not take."""

    name: str = field(default="pcsampling", init=False)
    interval: int = 1000

    def __post_init__(self):
        if self.interval <= 0:
            raise ValueError(f"`interval` must be positive, got {self.interval}")

    def __str__(self):
        return f"{self.name}:interval={self.interval}"


@dataclass(frozen=True)
class InstrumentationMode(BaseMode):
    """Marks inside of kernels."""

    metric_type: MetricType = MetricType.CYCLE
    sampling_strategy: SamplingStrategy = SamplingStrategy.NONE
    sampling_options: str = ""
    granularity: Granularity = Granularity.WARP
    buffer_strategy: BufferStrategy = BufferStrategy.CIRCULAR
    buffer_type: BufferType = BufferType.SHARED
    buffer_size: int = 0
    optimizations: list = field(default_factory=list)

    def __post_init__(self):
        known = {"metric_type": metric_types, "sampling_strategy": sampling_strategies, "granularity": granularities,
                 "buffer_strategy": buffer_strategies, "buffer_type": buffer_types}  # yapf: disable
        for name, choices in known.items():
            value = getattr(self, name)
            if isinstance(value, str):
                if value not in choices:
                    raise ValueError(f"Unknown {name}: {value}")
                object.__setattr__(self, name, choices[value])
        if isinstance(self.optimizations, str):
            names = [name.strip() for name in self.optimizations.split(",") if name.strip()]
            for name in names:
                if name not in optimizations:
                    raise ValueError(f"Unknown optimization: {name}")
            object.__setattr__(self, "optimizations", [optimizations[name] for name in names])

    def __str__(self):
        parts = [f"{name}={getattr(getattr(self, name), 'value', getattr(self, name))}"
                 for name in ("metric_type", "sampling_strategy", "sampling_options", "granularity", "buffer_strategy", "buffer_type",
                              "buffer_size")]  # yapf: disable
        return ":".join([self.name, *parts, "optimizations=" + ",".join(map(str, self.optimizations))])


@dataclass(frozen=True)
class Default(InstrumentationMode):
    name: str = field(default="default", init=False)


@dataclass(frozen=True)
class MMA(InstrumentationMode):
    name: str = field(default="mma", init=False)
