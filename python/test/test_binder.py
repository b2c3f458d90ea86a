"""What programs ask of a kernel without a launch: how arguments are bound and specialized, what hooks hear, how code comes back."""
import json

import numpy as np
import pytest

import triton
import triton.language as tl
from triton import knobs
from triton.backends.compiler import BaseBackend, GPUTarget
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit(do_not_specialize=["count"], do_not_specialize_on_alignment=["shift"])
def scale(x, out, count, shift, small: "i16", ratio: "fp64" = 2.0, BLOCK: tl.constexpr = 8):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * ratio + shift + small + count, mask=i < count)


def test_a_binder_says_what_each_argument_adds():
    x = np.zeros(8, np.float32)
    _, _, target, backend, bind = scale.create_binder()
    assert target == triton.runtime.driver.active.get_current_target() and backend.target == target
    arguments, specialization, options = bind(x, x, 1, np.int64(16), 32, num_warps=8)
    assert list(arguments) == ["x", "out", "count", "shift", "small", "ratio", "BLOCK"] and options == {"num_warps": 8}
    aligned = BaseBackend.get_int_specialization(x.ctypes.data, align=True)
    assert specialization == [("*fp32", aligned), ("*fp32", aligned), ("i32", None), ("i32", ""), ("i16", "D"), ("fp64", None),
                              ("constexpr", 8)]  # yapf: disable
    assert len(scale.device_caches[0]) == 5
    with pytest.raises(TypeError, match="missing a required argument: 'shift'"):
        bind(x, x, 1)


def heard_of(launch):
    heard = []
    knobs.runtime.jit_cache_hook = lambda **about: heard.append(about)
    try:
        launch()
    finally:
        knobs.runtime.jit_cache_hook = None
    return heard


def test_hooks_hear_the_types_of_arrays_and_preload_brings_the_code_back():
    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    [about] = heard_of(lambda: scale[(1, )](x, out, 1, 16, 32))
    assert about["compile"]["signature"] == {"x": "*fp32", "out": "*fp32", "count": "i32", "shift": "i32", "small": "i16",
                                             "ratio": "fp64", "BLOCK": "constexpr"}  # yapf: disable
    assert about["compile"]["constants"] == {(6, ): 8}
    assert (4, ) in about["compile"]["configs"][0] and (3, ) not in about["compile"]["configs"][0]
    assert "(x: *fp32, out: *fp32, count: i32," in about["repr"]
    data = about["compile"]["specialization_data"]
    assert json.loads(data)["signature"]["small"] == "i16"
    # The same code, for launches as well as by its hash; and where it is gone, it is compiled once more, and a launch finds it.
    compiled = scale[(1, )](x, out, 1, 16, 32)
    assert scale.preload(data) is compiled
    scale.device_caches.clear()
    heard = heard_of(lambda: scale.preload(data))
    assert len(heard) == 1 and scale.preload(data).hash == compiled.hash
    assert heard_of(lambda: scale[(1, )](x, out, 1, 16, 32)) == [] and scale[(1, )](x, out, 1, 16, 32).hash == compiled.hash


@triton.jit
def first_of(desc, pair, out):
    tl.store(out, tl.sum(desc.load([0])) + pair[0])


def test_hooks_hear_of_descriptors_and_tuples():
    x, out = np.ones(16, np.float16), np.zeros(1, np.float32)
    desc = TensorDescriptor(x, [16], [1], [16])
    [about] = heard_of(lambda: first_of[(1, )](desc, (3, None), out))
    assert about["compile"]["signature"] == {"desc": "tensordesc<fp16[16]>", "pair": ("i32", "constexpr"), "out": "*fp32"}
    assert about["compile"]["constants"] == {(1, 1): None}
    assert out[0] == 19


def test_least_products_and_options_of_nvidia_gpus():
    from triton.backends.nvidia.compiler import CUDAOptions, min_dot_size
    least = min_dot_size(GPUTarget("cuda", 90, 32))
    assert least(tl.float16, tl.bfloat16) == (1, 1, 16) and least(tl.int8, tl.float8e5) == (1, 1, 32)
    with pytest.raises(AssertionError, match="16 and 8 bits"):
        least(tl.float16, tl.int8)
    options = CUDAOptions(num_warps=8, enable_fp_fusion=False)
    assert (options.num_warps, options.num_stages, options.enable_fp_fusion, options.arch) == (8, 3, False, None)
    with pytest.raises(TypeError, match="no option `warps`: there are allowed_dot_input_precisions, "):
        CUDAOptions(warps=8)
    types = {"x": "*fp32", "out": "*fp32", "count": "i32", "shift": "i32", "small": "i16", "ratio": "fp64", "BLOCK": "constexpr"}
    source = triton.compiler.ASTSource(scale, types, {"BLOCK": 8})
    assert triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options.__dict__).metadata.num_warps == 8


def test_one_sequence_in_place_of_arguments():
    unwrap = tl.core._unwrap_iterable
    assert unwrap((2, 3)) == (2, 3) and unwrap(([2, 3], )) == [2, 3] and unwrap((4, )) == (4, ) and unwrap(((5, ), )) == (5, )


def test_what_an_annotation_says():
    """`KernelParam`, and the binder of host code: an annotation is a type where it is one that arguments have, else it says nothing (`x: tl.tensor`)."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend
    from triton.runtime.jit import create_function_from_signature

    @triton.jit
    def kernel(a: tl.tensor, b: tl.int64, c: "const float*", d: tl.pointer_type(tl.float16), e: "int32_t", f: int, g: tl.const, h: "tl.uint32", i: bool, j: tl.constexpr):
        pass

    assert [parameter.annotation for parameter in kernel.params] == ["tensor", "i64", "*kfp32", "*fp16", "i32", "i32", "const", "u32", "u1", "constexpr"]
    assert [parameter.annotation_type for parameter in kernel.params] == ["", "i64", "*kfp32", "*fp16", "i32", "i32", "", "u32", "u1", ""]
    assert [parameter.name for parameter in kernel.params if parameter.is_const] == ["c", "g"]
    x = np.zeros(4, np.float32)
    bind = create_function_from_signature(kernel.signature, kernel.params, make_backend(GPUTarget("cuda", 90, 32)))
    types = [kind for kind, _ in bind(x, 5, x, x, 6, 7, x, 8, True, 9)[1]]
    assert types == ["*fp32", "i64", "*kfp32", "*fp16", "i32", "i32", "*kfp32", "u32", "u1", "constexpr"]
