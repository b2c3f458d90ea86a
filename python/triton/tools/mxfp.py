"""Microscaled numbers on the host: 4-bit floats (E2M1) and their 8-bit scales (E8M0), as uint8 tensors of torch."""
import torch

# The magnitudes of E2M1 by code: two exponents' worth of steps of 0.5, then 1, then 2.
_MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


class _CodeTensor:
    """Codes in `data`, made from float32 numbers or for a size to be filled by `random`."""

    def __init__(self, data=None, size=None, device=None):
        if data is None and size is None:
            raise ValueError("Either parameter data or size must be provided")
        self.device = device
        if data is None:
            self.size = size if isinstance(size, tuple) else (size, )
        else:
            assert isinstance(data, torch.Tensor), "Parameter data must be a torch tensor"
            self.device = data.device
            self.data = self._from_float(data)

    def _random_codes(self, low, high):
        return torch.randint(low, high, size=self.size, dtype=torch.uint8, device=self.device)


class MXFP4Tensor(_CodeTensor):
    """Floats of 4 bits: sign, two bits of exponent, one of mantissa; neither infinite nor NaN."""

    def random(self):
        self.data = self._random_codes(0, 16)
        return self

    def to(self, dtype):
        assert dtype == torch.float32, f"4-bit floats convert to float32 only, not {dtype}"
        values = torch.tensor(_MAGNITUDES, dtype=dtype, device=self.data.device)[(self.data & 7).long()]
        return torch.where(self.data & 8 != 0, -values, values)

    def _from_float(self, values):
        """The nearest code, the even one of two that are as near; what is too large, or no number, becomes the largest."""
        magnitude = torch.nan_to_num(values.abs().float(), nan=6.0, posinf=6.0).clamp(max=6.0)
        steps = torch.tensor(_MAGNITUDES, device=values.device)
        halves = (steps[1:] + steps[:-1]) / 2
        above = torch.bucketize(magnitude, halves, right=True)  # a tie goes up
        below = torch.bucketize(magnitude, halves, right=False)  # a tie goes down
        code = torch.where(above % 2 == 0, above, below)
        return (code.to(torch.uint8) | (torch.signbit(values).to(torch.uint8) << 3)).to(torch.uint8)

    def to_packed_tensor(self, dim):
        """Pairs along a dimension in one byte each, the first in the low bits; an odd end is paired with zero."""
        assert 0 <= dim < self.data.ndim, "The dimension to pack along is not within the range of tensor dimensions"
        data = self.data
        if data.shape[dim] % 2:
            extra = list(data.shape)
            extra[dim] = 1
            data = torch.cat([data, data.new_zeros(extra)], dim=dim)
        low, high = data.unflatten(dim, (-1, 2)).unbind(dim + 1)
        return (high << 4) | low

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """What `to_packed_tensor` packed, one code a byte."""
        pairs = torch.stack((packed_tensor & 15, packed_tensor >> 4), dim=dim + 1)
        return pairs.flatten(dim, dim + 1).narrow(dim, 0, original_shape[dim]).to(torch.uint8)


class MXScaleTensor(_CodeTensor):
    """Powers of two in 8 bits: the exponent plus 127; 255 is NaN."""

    def random(self, low=None, high=None):
        """Random scales from `low` to `high`, never NaN."""
        first = 0 if low is None else max(0, self._exponent(low) + 127)
        last = 254 if high is None else min(254, max(0, self._exponent(high) + 127))
        assert first <= last, "Low must be less than or equal to high"
        self.data = self._random_codes(first, last + 1)
        return self

    @staticmethod
    def _exponent(value):
        return int(torch.log2(torch.tensor(value)))

    def to(self, dtype):
        assert dtype == torch.float32, f"scales convert to float32 only, not {dtype}"
        values = torch.exp2(self.data.float() - 127)
        return torch.where(self.data == 255, torch.nan, values)

    def _from_float(self, values):
        """The power of two at or below each number; what is not positive and finite becomes NaN."""
        usable = torch.isfinite(values) & (values > 0)
        exponent = torch.floor(torch.log2(torch.where(usable, values, 1.0))) + 127
        return torch.where(usable, exponent.clamp(0, 254), 255.0).to(torch.uint8)
