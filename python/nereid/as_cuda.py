"""The processor in the part of a CUDA device, for programs that insist on one: their tensors stay on the CPU, and kernels run there.

Switched on by choice: `python -m nereid --as-cuda SCRIPT`, or `-p nereid.as_cuda` for pytest. Then
- `triton.runtime.driver.active` answers with the target `cuda:90`, and its torch device is still the CPU;
- `is_cuda` of torch's tensors is true;
- `torch.cuda.get_device_properties` and `torch.cpu.get_device_properties` answer for the CPU: threads as multiprocessors, the memory of the machine.
"""
import os
import types


def device_properties(device=None):
    """The figures of the machine under the names that torch has for a GPU's."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return types.SimpleNamespace(name="cpu", multi_processor_count=len(os.sched_getaffinity(0)), total_memory=memory, major=9, minor=0)


def answer_for_cpu():
    """`get_device_properties` of torch.cpu and torch.cuda know CPU devices."""
    import torch
    of_gpu = torch.cuda.get_device_properties

    def get_device_properties(device=None):
        is_cpu = device is not None and not isinstance(device, int) and torch.device(device).type == "cpu"
        return device_properties() if is_cpu or not torch.cuda.is_available() else of_gpu(device)

    torch.cuda.get_device_properties = get_device_properties
    if not hasattr(torch.cpu, "get_device_properties"):
        torch.cpu.get_device_properties = device_properties


def enable():
    import torch
    import triton
    from triton.backends.compiler import GPUTarget
    cpu = triton.backends.backends["cpu"].driver

    class Driver(cpu):

        def get_current_target(self):
            return GPUTarget("cuda", 90, 32)

        def get_device_capability(self, device=0):
            return (9, 0)

    triton.runtime.driver.set_active(Driver())
    # Programs see that it holds; a launch asks whether it is `True`, and so still sees where the data is.
    torch.Tensor.is_cuda = property(lambda self: self.device.type == "cuda" or int(self.device.type == "cpu"))
    answer_for_cpu()


def pytest_configure(config):
    enable()
