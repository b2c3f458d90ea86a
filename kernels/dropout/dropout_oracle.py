"""dropout against a Philox written here from its publication: the mask is the one that Triton's tl.rand4x draws, bit by bit."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(4)


def philox_uniform(seed, n):
    """The words of Philox 4x32-10 for (0, 0, 0, 0), (1, 0, 0, 0), … under the key `seed`, as floats in [0, 1): of 16 at a time
    the first words, then the second ones, and so on; n of them."""
    mask = (1 << 32) - 1
    result = np.zeros((cdiv(n, 64), 4, 16), np.float32)
    for counter in range(result.size // 4):
        c, k = [counter, 0, 0, 0], [seed & mask, (seed >> 32) & mask]
        for _ in range(10):
            a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
            k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
        for place, word in enumerate(c):
            signed = word - (1 << 32) if word >> 31 else word
            result[counter // 16, place, counter % 16] = np.float32(~signed if signed < 0 else signed) * np.float32(4.6566127342e-10)
    return result.reshape(-1)[:n]


def test(n, p, seed, dtype, block=64):
    what = f"dropout n={n} p={p} seed={seed} {dtype} BLOCK={block}"
    x, out = random_array(rng, n, dtype), empty_array(n + 4, dtype)
    launch(kernel_file("dropout"), "dropout", {"x_ptr": x.argument, "out_ptr": out.argument, "n": n, "p": p, "seed": seed, "BLOCK": block},
           grid=(cdiv(n, block), ))
    keep = philox_uniform(seed, n) >= np.float32(p)
    checks.equal(out.values[:n] != 0, keep, what + ": mask")
    checks.close(out.values[:n], np.where(keep, x.values / (1 - p) if p < 1 else 0, 0), what, rtol=TOLERANCE[dtype])
    checks.expect(out.untouched[n:].all(), what + ": nothing written past the end")


for dtype in DTYPES:
    for n, p, seed in ((1000, 0.5, 123), (77, 0.1, 0), (500, 0.9, 2**40 + 12345), (64, 0.25, 2**31 - 1), (100, 0.0, 5), (100, 1.0, 6), (0, 0.5, 7)):
        checks.run(f"dropout n={n} {dtype}", test, n, p, seed, dtype)
for block in (128, 1024):
    checks.run(f"dropout BLOCK={block}", test, 3000, 0.3, 99, "fp32", block)
checks.exit()
