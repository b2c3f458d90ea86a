"""`aggregate`: classes of the user whose instances live inside of kernels."""
from ._constexpr import base_type, base_value


# What the wrapping class defines itself; the annotation functions are Python 3.14's.
_OWN_NAMES = {"__init__", "__new__", "__setattr__", "__annotate__", "__annotate_func__"}


class _aggregate_type(base_type):
    """An aggregate's class, and the types of its fields."""

    def __init__(self, base_cls, fields):
        self.base_cls = base_cls
        self.fields = fields

    def __eq__(self, other):
        return isinstance(other, _aggregate_type) and self.base_cls is other.base_cls and self.fields == other.fields

    def __hash__(self):
        return hash(self.mangle())

    def mangle(self):
        name = f"{self.base_cls.__module__}.{self.base_cls.__qualname__}"
        return f"{name}<{', '.join(type.mangle() for _, type in self.fields)}>"


def _aggregate(cls):
    """Class decorator: instances are values of kernels, with the annotated fields and nothing else."""
    fields = getattr(cls, "__annotations__", {})

    class aggregate_value(base_value):
        __triton_builtin__ = True
        __triton_aggregate__ = True
        __wrapped__ = cls

        def __new__(value_class, *args, _semantic=None, _generator=None, **kwargs):
            instance = object.__new__(value_class)
            cls.__init__(instance, *args, **kwargs)
            for name in fields:
                if not hasattr(instance, name):
                    raise AttributeError(f"constructor for {cls.__name__} did not initialize attribute '{name}'")
            return instance

        def __init__(self, *args, **kwargs):
            pass  # `__new__` has called the constructor of the user's class

        def __setattr__(self, name, value):
            if name not in fields:
                raise AttributeError(f"{cls.__name__} has no attribute '{name}'")
            if isinstance(fields[name], type) and not isinstance(value, fields[name]):
                raise TypeError(f"Expected {fields[name]} for attribute '{name}', got {type(value)}")
            super().__setattr__(name, value)

        @property
        def type(self):
            return _aggregate_type(aggregate_value, [(name, getattr(self, name).type) for name in fields])

    members = [cls.__init__]
    for owner in reversed(cls.__mro__[:-1]):
        for name, member in vars(owner).items():
            if name not in _OWN_NAMES and (callable(member) or isinstance(member, (staticmethod, classmethod))):
                setattr(aggregate_value, name, member)
                members.append(member)
    aggregate_value.hash_attrs = members
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(aggregate_value, name, getattr(cls, name))
    return aggregate_value


aggregate = _aggregate


def aggregate_replace(instance, **changes):
    """A copy of an aggregate with some fields changed."""
    cls = type(instance)
    if not getattr(cls, "__triton_aggregate__", False):
        raise TypeError(f"`aggregate_replace` takes an instance of an aggregate, got {cls.__name__}")
    copy = object.__new__(cls)
    copy.__dict__.update(instance.__dict__)
    for name, value in changes.items():
        setattr(copy, name, value)
    return copy
