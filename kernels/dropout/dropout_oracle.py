"""dropout against a Philox written here from its publication: the mask is the one that Triton draws, bit by bit."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import Checks, kernel_file, launch, np

checks = Checks()
rng = np.random.default_rng(4)


def philox_uniform(seed, counters):
    """The first word of Philox 4x32-10 for (counter, 0, 0, 0) under the key `seed`, as a float in [0, 1)."""
    mask = (1 << 32) - 1
    result = []
    for counter in counters:
        c, k = [int(counter) & mask, 0, 0, 0], [seed & mask, (seed >> 32) & mask]
        for _ in range(10):
            a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
            k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
        signed = c[0] - (1 << 32) if c[0] >> 31 else c[0]
        result.append(np.float32(~signed if signed < 0 else signed) * np.float32(4.6566127342e-10))
    return np.array(result, np.float32)


def test(n, p, seed):
    x = rng.standard_normal(n).astype(np.float32)
    out = np.full(n + 4, 9, np.float32)
    launch(kernel_file("dropout"), "dropout", {"x_ptr": x, "out_ptr": out, "n": n, "p": p, "seed": seed, "BLOCK": 64}, grid=(-(-n // 64), ))
    keep = philox_uniform(seed, range(n)) > np.float32(p)
    checks.equal(out[:n] != 0, keep, f"dropout n={n} p={p} seed={seed}: mask")
    checks.close(out[:n], np.where(keep, x.astype(np.float64) / (1 - p), 0), f"dropout n={n} p={p} seed={seed}", rtol=1e-6)
    checks.expect((out[n:] == 9).all(), f"dropout n={n}: nothing written past the end")


for n, p, seed in ((1000, 0.5, 123), (77, 0.1, 0), (500, 0.9, 2**40 + 12345), (64, 0.25, 2**31 - 1)):
    checks.run(f"dropout n={n}", test, n, p, seed)
checks.exit()
