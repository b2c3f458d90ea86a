"""packed_weights against words that are packed here by the formats' definitions; bit-exact, with group sizes, orders of activations, 2, 4 and 8 bits."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Array, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(25)
FILE = kernel_file("packed_weights")
AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)  # the columns of a word from its low bits to its high ones


def packed(codes, bits, axis, order=None):
    """Codes put into words of 32 bits along an axis."""
    per_word = 32 // bits
    codes = np.moveaxis(codes, axis, -1).astype(np.uint64)
    words = codes.reshape(*codes.shape[:-1], codes.shape[-1] // per_word, per_word)[..., list(order or range(per_word))]
    words = sum(words[..., i] << np.uint64(bits * i) for i in range(per_word)).astype(np.uint32).view(np.int32)
    return np.ascontiguousarray(np.moveaxis(words, -1, axis))


def expect(what, out, codes, zeros, scale, group, dtype):
    """The float32 product, rounded once to the type of out."""
    expected = (codes.astype(np.float32) - zeros[group].astype(np.float32)) * scale.values.astype(np.float32)[group]
    checks.equal(out.values, Array(expected, dtype).values, what)


def matrices(K, N, groups, bits, dtype):
    return rng.integers(0, 2**bits, (K, N)), rng.integers(0, 2**bits, (groups, N)), random_array(rng, (groups, N), dtype), empty_array((K, N), dtype)


def test_awq(K, N, group_size, dtype):
    codes, zeros, scale, out = matrices(K, N, cdiv(K, group_size), 4, dtype)
    launch(FILE, "dequantize_awq", {"q_ptr": packed(codes, 4, 1, AWQ_ORDER), "zeros_ptr": packed(zeros, 4, 1, AWQ_ORDER), "scale_ptr": scale.argument,
                                    "out_ptr": out.argument, "K": K, "N": N, "group_size": group_size, "BLOCK_K": 8, "BLOCK_N": 32},
           grid=(cdiv(N, 32), cdiv(K, 8)))
    expect(f"dequantize_awq {K}x{N} by {group_size} {dtype}", out, codes, zeros, scale, np.arange(K) // group_size, dtype)


def test_gptq(K, N, group_size, dtype, bits=4, offset=1, ordered=False):
    groups = cdiv(K, group_size)
    codes, zeros, scale, out = matrices(K, N, groups, bits, dtype)
    group = rng.integers(0, groups, K).astype(np.int32) if ordered else np.arange(K) // group_size
    launch(FILE, "dequantize_gptq", {"q_ptr": packed(codes, bits, 0), "zeros_ptr": packed(zeros, bits, 1), "scale_ptr": scale.argument,
                                     "groups_ptr": group if ordered else None, "out_ptr": out.argument, "K": K, "N": N, "group_size": group_size, "BITS": bits,
                                     "ZERO_OFFSET": offset, "BLOCK_K": 8, "BLOCK_N": 32}, grid=(cdiv(N, 32), cdiv(K, 8)))
    expect(f"dequantize_gptq {K}x{N} by {group_size} {dtype} {bits} bits", out, codes, zeros + offset, scale, group, dtype)


for dtype in DTYPES:
    for shape in ((32, 64, 16), (5, 8, 32), (48, 40, 48)):
        checks.run(f"dequantize_awq {shape} {dtype}", test_awq, *shape, dtype)
    for shape in ((32, 64, 16), (16, 16, 128), (48, 32, 48)):
        for bits in (2, 4, 8):
            checks.run(f"dequantize_gptq {shape} {bits} {dtype}", test_gptq, *shape, dtype, bits)
    checks.run(f"dequantize_gptq ordered {dtype}", test_gptq, 64, 48, 16, dtype, 4, 1, True)
checks.run("dequantize_gptq of version 2", test_gptq, 32, 32, 16, "fp32", 4, 0)
checks.run("dequantize_awq of nothing", test_awq, 0, 8, 16, "fp32")
checks.exit()
