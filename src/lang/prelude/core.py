# Names of triton.language.core that are constants or small functions of the language itself.
import triton
import triton.language as tl

CONSTEXPR_0 = tl.constexpr(0)


# Whether minimum, maximum and clamp give NaN when one operand is NaN (ALL) or the other operand (NONE).
class PropagateNan:
    NONE = 0
    ALL = 65535


@triton.constexpr_function
def get_int_dtype(bitwidth, signed):
    """The integer type of a number of bits."""
    if bitwidth == 1:
        return tl.int1
    if bitwidth == 8:
        return tl.int8 if signed else tl.uint8
    if bitwidth == 16:
        return tl.int16 if signed else tl.uint16
    if bitwidth == 32:
        return tl.int32 if signed else tl.uint32
    if bitwidth == 64:
        return tl.int64 if signed else tl.uint64
    raise ValueError(f"there is no integer type of {bitwidth} bits")


# What Triton's own code calls on values that may be wrapped; here they are not.
@triton.jit
def _unwrap_if_constexpr(o):
    return o


@triton.jit
def _promote_bfloat16_to_float32(t):
    if t.dtype == tl.bfloat16:
        return t.to(tl.float32)
    return t


@triton.jit
def _reduce_with_indices(input, axis, combine_fn, keep_dims=False):
    indices = tl.arange(0, input.shape[axis])
    for d in tl.static_range(len(input.shape)):
        if d != axis:
            indices = tl.expand_dims(indices, d)
    indices = tl.broadcast_to(indices, input.shape)
    return tl.reduce((input, indices), axis, combine_fn, keep_dims=keep_dims)
