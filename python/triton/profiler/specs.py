"""What GPUs can do at most, from their data sheets: dense products of 8-bit numbers, and memory."""

_HOPPER_SMS, _HOPPER_KHZ = 114, 1755e3  # of the PCIe card, which the figure below is for
_FLOPS_8_BIT = {"80": 624e12, "89": 330.3e12, "90": 1513e12}


def max_flops(device_type, arch, width, num_sms, clock_rate):
    """Operations per second on elements of `width` bits; the clock in kHz."""
    if device_type != "CUDA":
        raise ValueError(f"Unsupported device type: {device_type}")
    if arch == "100":
        return num_sms * 16384 * clock_rate * 1e3 * 8 / width
    if arch not in _FLOPS_8_BIT:
        raise ValueError(f"Unsupported architecture: {arch}")
    scale = num_sms / _HOPPER_SMS * clock_rate / _HOPPER_KHZ if arch == "90" else 1
    return _FLOPS_8_BIT[arch] * scale * 8 / width


def max_bps(device_type, arch, bus_width, memory_clock_rate):
    """Bytes per second; the clock in kHz, two transfers in each of its ticks."""
    if device_type != "CUDA":
        raise ValueError(f"Unsupported device type: {device_type}")
    return 2 * bus_width * memory_clock_rate * 1e3 / 8
