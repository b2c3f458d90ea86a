"""`aggregate`: classes of the user whose instances live inside of kernels."""
import builtins
import sys

from ._constexpr import base_type, base_value, constexpr
from ._dtype import tuple_type
from ._tensor import tuple


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


def _fields_of(cls):
    """The annotated fields of a class and of the aggregates that it is derived from, in order, and the values of those that have one."""
    import inspect
    fields, defaults = {}, {}
    for base in reversed(cls.__bases__):
        if base is not object and not getattr(base, "__triton_aggregate__", False):
            raise TypeError(f"Aggregates can only inherit from other aggregates, but got non-aggregate base: {base}")
        fields.update(getattr(base, "__aggregate_types__", {}))
        defaults.update(getattr(base, "__aggregate_defaults__", {}))
    for name, annotation in inspect.get_annotations(cls).items():
        fields[name] = _resolved(annotation, cls)
        if name in vars(cls):
            defaults[name] = vars(cls)[name]
    return fields, defaults


def _resolved(annotation, cls):
    """What an annotation that is a text stands for; the text itself where that is not known here."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, vars(sys.modules[cls.__module__]))
    except Exception:
        return annotation


def _as_field(value):
    """What a program gives a field, as kernels have it: numbers are constants."""
    if isinstance(value, (builtins.tuple, tuple)):
        fields = value.type.fields if isinstance(value, tuple) else getattr(value, "_fields", None)
        items = [_as_field(item) for item in value]
        return tuple(items, tuple_type([item.type for item in items], fields))
    return value if isinstance(value, base_value) else constexpr(value)


def _bind_fields(name, fields, defaults, args, kwargs):
    """The values that a call without an `__init__` of the class gives each field."""
    if len(args) > len(fields):
        raise TypeError(f"{name}.__init__() takes {len(fields) + 1} positional arguments but {len(args) + 1} were given")
    values = dict(zip(fields, args))
    for field, value in kwargs.items():
        if field in values:
            raise TypeError(f"{name}.__init__() got multiple values for argument '{field}'")
        if field not in fields:
            raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{field}'")
        values[field] = value
    for field in fields:
        if field not in values and field not in defaults:
            raise TypeError(f"{name}.__init__() missing required argument: '{field}'")
    return {field: _as_field(values[field] if field in values else defaults[field]) for field in fields}


def _aggregate(cls):
    """Class decorator: instances are values of kernels, with the annotated fields and nothing else."""
    fields, defaults = _fields_of(cls)
    initialize = vars(cls).get("__init__")

    class aggregate_value(base_value):
        __triton_builtin__ = True
        __triton_aggregate__ = True
        __aggregate_types__ = fields
        __aggregate_fields__ = builtins.tuple(fields)
        __aggregate_defaults__ = defaults
        __aggregate_class__ = cls

        def __new__(value_class, *args, _semantic=None, _generator=None, **kwargs):
            instance = object.__new__(value_class)
            if initialize:
                initialize(instance, *args, **kwargs)
            else:
                for name, value in _bind_fields(cls.__name__, fields, defaults, args, kwargs).items():
                    setattr(instance, name, value)
            for name in fields:
                if name not in vars(instance):
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

    own = _OWN_NAMES | set(vars(aggregate_value)) | set(fields)
    members = [initialize] if initialize else []
    for owner in reversed(cls.__mro__[:-1]):
        for name, member in vars(owner).items():
            if name not in own and (callable(member) or isinstance(member, (staticmethod, classmethod))):
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
        raise TypeError(f"aggregate_replace() expects an aggregate instance, got {cls}")
    copy = object.__new__(cls)
    copy.__dict__.update(instance.__dict__)
    for name, value in changes.items():
        if name not in cls.__aggregate_fields__:
            raise TypeError(f"{cls.__name__} has no field '{name}'")
        setattr(copy, name, _as_field(value))
    return copy
