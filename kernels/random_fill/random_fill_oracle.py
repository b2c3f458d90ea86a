"""random_fill against Philox in numpy, word by word, and the distributions' means: every kind, types, wide seeds, odd lengths, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np

checks = Checks()
FILE = kernel_file("random_fill")


def philox(seed, n):
    """The words of Philox 4x32-10 for counters 0, 1, … under the key `seed`: of 16 at a time the first words, then the second ones, and so on; n of them."""
    mask = np.uint64(0xFFFFFFFF)
    zero = np.zeros(cdiv(n, 64) * 16, np.uint64)
    c = [np.arange(zero.size).astype(np.uint64), zero, zero, zero]
    k = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32 & 0xFFFFFFFF)]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> np.uint64(32)) ^ c[1] ^ k[0], b & mask, (a >> np.uint64(32)) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + np.uint64(0x9E3779B9)) & mask, (k[1] + np.uint64(0xBB67AE85)) & mask]
    return np.stack([word.reshape(-1, 16) for word in c], axis=1).reshape(-1)[:n].astype(np.uint32)


def uniform(words):
    signed = words.view(np.int32)
    return np.where(signed < 0, ~signed, signed).astype(np.float32) * np.float32(4.6566127342e-10)


def fill(out, n, seed, low, high, kind, block=64):
    launch(FILE, "random_fill", {"out_ptr": out, "n": n, "seed": seed, "low": low, "high": high, "KIND": kind, "BLOCK": block}, grid=(cdiv(n, block), ))


def test_floats(kind, n, seed, dtype, low, high, block=64):
    what, out = f"random_fill {kind} {n} seed={seed} {dtype} {low} {high} BLOCK={block}", empty_array(n + 3, dtype)
    fill(out.argument, n, seed, low, high, kind, block)
    share = uniform(philox(seed, cdiv(n, 64) * 64)).astype(np.float64)
    if kind == "normal":
        u = share.reshape(-1, 4, 16)
        radius, angle = (np.sqrt(-2 * np.log(np.maximum(u[:, i], 1e-7))) for i in (0, 2)), (2 * np.pi * u[:, i] for i in (1, 3))
        (r0, r2), (a1, a3) = radius, angle
        expected = low + high * np.stack([r0 * np.cos(a1), r0 * np.sin(a1), r2 * np.cos(a3), r2 * np.sin(a3)], axis=1).reshape(-1)[:n]
    else:
        expected = (low + (high - low) * share if kind == "uniform" else -np.log(1 - share) / low)[:n]
    checks.close(out.values[:n], expected, what, rtol=5 * TOLERANCE[dtype], atol=5 * TOLERANCE[dtype])
    checks.expect(out.untouched[n:].all(), what + ": nothing behind")


def test_integers(n, seed, low, high, dtype):
    what, out = f"random_fill integers {n} seed={seed} {low} … {high} {dtype}", np.full(n, 99, dtype)
    fill(out, n, seed, low, high, "integer")
    checks.equal(out, np.array([low + (int(word) * (high - low) >> 32) for word in philox(seed, n)], dtype).reshape(n), what)


def test_others(n, seed):
    coins, keys = np.full(n, 9, np.int8), np.full(n, 9, np.int32)
    fill(coins, n, seed, 0.3, 0.0, "coin")
    checks.equal(coins, (uniform(philox(seed, n)) < np.float32(0.3)).astype(np.int8), f"coins {n} seed={seed}")
    fill(keys, n, seed, 0.0, 0.0, "key")
    checks.equal(keys, philox(seed, n).view(np.int32), f"keys {n} seed={seed}")


def test_means(n=20000):
    for kind, low, high, mean, deviation in (("uniform", -1.0, 3.0, 1.0, 4 / 12**0.5), ("normal", 0.5, 2.0, 0.5, 2.0), ("exponential", 2.0, 0.0, 0.5, 0.5)):
        out = np.zeros(n, np.float32)
        fill(out, n, 11, low, high, kind, 1024)
        checks.close([out.mean(), out.std()], [mean, deviation], f"{kind}: mean and deviation", rtol=0.03, atol=0)


for dtype in DTYPES:
    for kind, low, high in (("uniform", 0.0, 1.0), ("uniform", -2.0, 5.0), ("normal", 0.0, 1.0), ("normal", 3.0, 0.5), ("exponential", 1.5, 0.0)):
        checks.run(f"random_fill {kind} {dtype}", test_floats, kind, 100, 2**40 + 12345, dtype, low, high)
for n in (1, 64, 77, 1000, 0):
    checks.run(f"random_fill {n}", test_floats, "normal", n, 7, "fp32", 0.0, 1.0, 256)
    checks.run(f"random_fill integers {n}", test_integers, n, 3, -5, 20, "int64")
    checks.run(f"coins and keys {n}", test_others, n, 9)
checks.run("random_fill, all of int32", test_integers, 200, 5, -2**31, 2**31, "int32")
checks.run("random_fill, from 0 and 1", test_integers, 20, 5, 0, 1, "int32")
checks.run("random_fill from 1", test_integers, 20, 5, 1, 7, "int32")
checks.run("random_fill, one number", test_integers, 20, 5, 4, 5, "int32")
checks.run("means", test_means)
checks.exit()
