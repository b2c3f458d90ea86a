"""What a device is to host code."""

# The types of C that carry a kernel's arguments.
_C_TYPES = {
    "i1": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u1": "uint8_t",
    "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "fp16": "double", "bf16": "double",
    "fp32": "double", "f32": "double", "fp64": "double", "nvTmaDesc": "CUtensorMap",
}  # yapf: disable


class DriverBase:
    """One kind of device in this process."""

    name = ""
    pointer_type = "void*"

    @classmethod
    def is_active(cls):
        raise NotImplementedError

    def map_python_to_cpp_type(self, ty):
        """The C type of an argument, for code that writes launchers."""
        return self.pointer_type if ty[0] == "*" else _C_TYPES[ty]

    def get_current_target(self):
        raise NotImplementedError

    def get_active_torch_device(self):
        raise NotImplementedError

    def get_benchmarker(self):
        """The function that times kernels: `bench(call, quantiles=…)`."""
        from ..testing import do_bench
        return do_bench

    def assemble_tensormap_to_arg(self, tensormaps_info, args):
        return args


class GPUDriver(DriverBase):
    """A GPU that torch drives."""

    def __init__(self):
        import torch
        self.get_device_capability = torch.cuda.get_device_capability
        self.get_current_device = torch.cuda.current_device
        self.set_current_device = torch.cuda.set_device
        self.get_current_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or self._stream_of

    @staticmethod
    def _stream_of(device):
        import torch
        return torch.cuda.current_stream(device).cuda_stream
