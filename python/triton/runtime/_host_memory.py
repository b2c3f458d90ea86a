"""Arguments of kernels in the memory of the host, where interpreters work, and back to their devices."""
from ..tools.tensor_descriptor import TensorDescriptor


def tuple_like(like, items):
    """A tuple of the class of another, which may be a named one."""
    return type(like)(*items) if hasattr(like, "_fields") else type(like)(items)


def _tensor_of(arg):
    from .jit import TensorWrapper
    return arg.base if isinstance(arg, TensorWrapper) else arg


def to_host(args, kwargs):
    """The arguments with the tensors of other devices copied to the host; those that share memory still do."""
    from .jit import TensorWrapper
    storages = {}

    def host(arg):
        if isinstance(arg, tuple):
            return tuple_like(arg, map(host, arg))
        if isinstance(arg, TensorDescriptor):
            base = host(arg.base)
            return arg if base is arg.base else TensorDescriptor(base, arg.shape, arg.strides, arg.block_shape, arg.padding)
        tensor = _tensor_of(arg)
        if not getattr(tensor, "is_cuda", False) or not hasattr(tensor, "untyped_storage"):
            return arg
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in storages:
            storages[storage.data_ptr()] = storage.cpu()
        copy = tensor.new_empty(0, device="cpu")
        copy.set_(storages[storage.data_ptr()], tensor.storage_offset(), tensor.size(), tensor.stride())
        return TensorWrapper(copy, arg.dtype) if isinstance(arg, TensorWrapper) else copy

    return [host(arg) for arg in args], {name: host(value) for name, value in kwargs.items()}


def to_devices(args, args_hst, kwargs, kwargs_hst):
    """What was written on the host, back to where the arguments are."""
    storages = {}

    def collect(device, host):
        if isinstance(device, tuple):
            for pair in zip(device, host):
                collect(*pair)
        elif isinstance(device, TensorDescriptor):
            collect(device.base, host.base)
        elif device is not host:
            device, host = _tensor_of(device).untyped_storage(), _tensor_of(host).untyped_storage()
            storages[device.data_ptr()] = (device, host)

    for pair in zip(args, args_hst):
        collect(*pair)
    for name, value in kwargs.items():
        collect(value, kwargs_hst[name])
    for device, host in storages.values():
        device.copy_(host)
