"""Tutorials 03, 08 and 09: matrix products with pointers, groups and descriptors."""
import numpy as np

from cases import case, cdiv, expect_close
from nereid_test import Descriptor, Typed, fp8_from_float, fp8_table

BLOCKS = {"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 32}


def matrix(seed, shape, dtype):
    """A random matrix: as the kernel takes it, and its exact values."""
    values = np.random.default_rng(seed).standard_normal(shape)
    if dtype == "float16":
        stored = values.astype(np.float16)
        return stored, stored.astype(np.float64)
    stored = fp8_from_float(values, dtype)
    return Typed(stored, dtype), fp8_table(dtype)[stored]


def output(shape, dtype):
    """Memory for a result, as the kernel takes it, and a function that reads its values."""
    if dtype == "float16":
        stored = np.full(shape, np.nan, np.float16)
        return stored, lambda: stored.astype(np.float64)
    stored = np.full(shape, 0x7F, np.uint8)
    return Typed(stored, dtype), lambda: fp8_table(dtype)[stored]


def expect_product(got, want, depth, dtype):
    # The sum is of fp32 terms; storing rounds by half a unit of the last place: 2^-11 in fp16, 2^-4 in fp8e4nv, whose
    # smallest step is 2^-9.
    rounding, step = (2.0**-11, 0) if dtype == "float16" else (2.0**-4, 2.0**-10)
    expect_close(got, want, 1e-5 * depth**0.5 + step, rounding * 1.01)


def transposed(pair):
    stored, exact = pair
    return Typed(stored.array.T, stored.dtype) if isinstance(stored, Typed) else stored.T, exact.T


def memory(stored):
    return stored.array if isinstance(stored, Typed) else stored


@case(3, *({"dtype": dtype, "activation": activation, "shape": (77, 93, 51)} for dtype in ("float16", "fp8e5") for activation in ("", "leaky_relu")),
      {"dtype": "float16", "activation": "", "shape": (300, 129, 65)})
def matmul(tutorial, dtype, activation, shape):
    M, N, K = shape
    a, exact_a = matrix(1, (M, K), dtype)
    b, exact_b = transposed(matrix(2, (N, K), dtype))
    c, read = output((M, N), "float16")
    grid = (cdiv(M, 32) * cdiv(N, 64),)
    tutorial.launch("matmul_kernel", grid, a, b, c, M, N, K, K, 1, 1, K, N, 1, **BLOCKS, GROUP_SIZE_M=2, ACTIVATION=activation)
    want = exact_a @ exact_b
    if activation:
        want = np.where(want >= 0, want, 0.01 * want)
    expect_product(read(), want, K, "float16")


@case(3)
def matmul_with_a_configuration_of_the_file(tutorial, M=77, N=93, K=51):
    a, exact_a = matrix(1, (M, K), "float16")
    b, exact_b = matrix(2, (K, N), "float16")
    c, read = output((M, N), "float16")
    tutorial.launch("matmul_kernel", "lambda META: (triton.cdiv(M, META['BLOCK_SIZE_M']) * triton.cdiv(N, META['BLOCK_SIZE_N']), )",
                    a, b, c, M, N, K, K, 1, N, 1, N, 1, ACTIVATION="")
    expect_product(read(), exact_a @ exact_b, K, "float16")


@case(8)
def grouped_matmul(tutorial):
    # The kernel takes whole tiles only: odd numbers of tiles.
    shapes = [(96, 64, 32), (32, 192, 160), (160, 64, 96)]
    problems = [(matrix(i, (M, K), "float16"), matrix(i + 9, (K, N), "float16"), output((M, N), "float16"))
                for i, (M, N, K) in enumerate(shapes)]
    addresses = [np.array([memory(problem[part][0]).ctypes.data for problem in problems], np.int64) for part in range(3)]
    sizes = np.array(shapes, np.int32)
    strides = np.array([(K, N, N) for M, N, K in shapes], np.int32)
    tutorial.launch("grouped_matmul_kernel", (5,), *addresses, sizes, strides, len(shapes), NUM_SM=5, **BLOCKS,
                    reachable=[tensor for problem in problems for tensor, _ in problem])
    for (M, N, K), ((_, a), (_, b), (_, read)) in zip(shapes, problems):
        expect_product(read(), a @ b, K, "float16")


@case(8, {"dtype": "float16"}, {"dtype": "fp8e4nv"})
def grouped_matmul_with_descriptors(tutorial, dtype):
    shapes = [(77, 96, 48), (33, 112, 160), (129, 64, 80)]
    problems = []
    for i, (M, N, K) in enumerate(shapes):
        a, b = matrix(i, (M, K), dtype), matrix(i + 9, (N, K), dtype)
        problems.append((a, b, output((M, N), dtype)))
    addresses = [np.array([memory(problem[part][0]).ctypes.data for problem in problems], np.int64) for part in range(3)]
    sizes = np.array(shapes, np.int32)
    strides = np.array([(K, K, N) for M, N, K in shapes], np.int32)
    tutorial.launch("grouped_matmul_tma_kernel", (5,), *addresses, sizes, strides, len(shapes), NUM_SM=5, FP8=dtype != "float16",
                    **BLOCKS, reachable=[tensor for problem in problems for tensor, _ in problem])
    for (M, N, K), ((_, a), (_, b), (_, read)) in zip(shapes, problems):
        expect_product(read(), a @ b.T, K, dtype)


def square(dtype, M, N, K):
    return matrix(3, (M, K), dtype), matrix(4, (N, K), dtype), output((M, N), dtype)


@case(9, {"dtype": "float16"}, {"dtype": "fp8e4nv"})
def matmul_again(tutorial, dtype, M=77, N=93, K=51):
    (a, exact_a), b, (c, read) = square(dtype, M, N, K)
    b, exact_b = transposed(b)
    grid = (cdiv(M, 32) * cdiv(N, 64),)
    tutorial.launch("matmul_kernel", grid, a, b, c, M, N, K, K, 1, 1, K, N, 1, **BLOCKS, GROUP_SIZE_M=8)
    expect_product(read(), exact_a @ exact_b, K, dtype)


@case(9, {"dtype": "float16", "programs": 3}, {"dtype": "fp8e4nv", "programs": 4})
def persistent(tutorial, dtype, programs, M=77, N=157, K=51):
    (a, exact_a), b, (c, read) = square(dtype, M, N, K)
    b, exact_b = transposed(b)
    tutorial.launch("matmul_kernel_persistent", (programs,), a, b, c, M, N, K, K, 1, 1, K, N, 1, **BLOCKS, GROUP_SIZE_M=2, NUM_SMS=programs)
    expect_product(read(), exact_a @ exact_b, K, dtype)


@case(9, {"dtype": "float16", "specialize": False}, {"dtype": "float16", "specialize": True}, {"dtype": "fp8e4nv", "specialize": False})
def descriptors_from_the_host(tutorial, dtype, specialize, M=77, N=96, K=80):
    (a, exact_a), (b, exact_b), (c, read) = square(dtype, M, N, K)
    tutorial.launch("matmul_kernel_tma", (cdiv(M, 32) * cdiv(N, 64),), Descriptor(a, [32, 32]), Descriptor(b, [64, 32]),
                    Descriptor(c, [32, 64]), M, N, K, **BLOCKS, GROUP_SIZE_M=8, FP8_OUTPUT=dtype != "float16", WARP_SPECIALIZE=specialize)
    expect_product(read(), exact_a @ exact_b.T, K, dtype)


@case(9, *({"dtype": dtype, "subtile": subtile} for dtype in ("float16", "fp8e4nv") for subtile in (False, True)))
def persistent_with_descriptors_from_the_host(tutorial, dtype, subtile, M=77, N=160, K=80, programs=3):
    (a, exact_a), (b, exact_b), (c, read) = square(dtype, M, N, K)
    tutorial.launch("matmul_kernel_tma_persistent", (programs,), Descriptor(a, [32, 32]), Descriptor(b, [64, 32]),
                    Descriptor(c, [32, 32 if subtile else 64]), M, N, K, **BLOCKS, GROUP_SIZE_M=8, FP8_OUTPUT=dtype != "float16",
                    EPILOGUE_SUBTILE=subtile, NUM_SMS=programs, WARP_SPECIALIZE=False)
    expect_product(read(), exact_a @ exact_b.T, K, dtype)


@case(9, *({"dtype": dtype, "subtile": subtile, "flatten": flatten} for dtype, subtile, flatten in (
    ("float16", False, True), ("float16", True, True), ("float16", False, False), ("fp8e4nv", True, True))))
def persistent_with_descriptors_made_in_the_kernel(tutorial, dtype, subtile, flatten, M=77, N=160, K=80, programs=3):
    (a, exact_a), (b, exact_b), (c, read) = square(dtype, M, N, K)
    tutorial.launch("matmul_kernel_descriptor_persistent", (programs,), a, b, c, M, N, K, **BLOCKS, GROUP_SIZE_M=8,
                    EPILOGUE_SUBTILE=subtile, NUM_SMS=programs, WARP_SPECIALIZE=False, FLATTEN=flatten)
    expect_product(read(), exact_a @ exact_b.T, K, dtype)
