"""nf4: all codes of NF4 and FP4 by their published tables, nearest values, scales of eight bits; odd lengths, runs that are cut off, zeros."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Array, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(24)
FILE = kernel_file("nf4")
# NF4: Dettmers, Pagnoni, Holtzman and Zettlemoyer, "QLoRA", appendix E. FP4: sign, two bits of exponent and one of mantissa, in bitsandbytes' order.
NF4 = np.array([-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0,
                0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
                0.7229568362236023, 1.0], np.float32)
FP4 = np.array([0, 0.0625, 8, 12, 4, 6, 2, 3, -0.0, -0.0625, -8, -12, -4, -6, -2, -3], np.float32) / np.float32(12)
TABLES = {"nf4": NF4, "fp4": FP4}


def levels(table):
    """Codes in the order of their values, one of equal ones, and the middle between each and the one before."""
    values, codes = np.unique(table.astype(np.float64), return_index=True)
    missing = 16 - len(codes)
    return np.concatenate([codes, np.zeros(missing + 1), (values[1:] + values[:-1]) / 2, np.full(missing, np.inf)]).astype(np.float32)


def packed(codes):
    codes = np.append(codes, [0] * (len(codes) % 2)).astype(np.uint8)
    return codes[::2] << 4 | codes[1::2]


def unpacked(q, n):
    return np.stack([q >> 4, q & 15], axis=1).reshape(-1)[:n]


def dequantized(q, table, scale, n, blocksize, dtype):
    out = empty_array(n + 3, dtype)
    launch(FILE, "dequantize_4bit", {"q_ptr": q, "table_ptr": table, "scale_ptr": scale, "out_ptr": out.argument, "n": n, "BLOCKSIZE": blocksize, "BLOCK": 16},
           grid=(cdiv(cdiv(n, 2), 16), ))
    checks.expect(out.untouched[n:].all(), "dequantize_4bit: nothing written past the end")
    return out.values[:n]


def test_decoding(name, dtype):
    """Every pair of codes, exactly."""
    table, n = TABLES[name], 512
    codes = np.stack(np.divmod(np.arange(256), 16), axis=1).reshape(-1)
    scale = rng.uniform(0.5, 2, n // 64).astype(np.float32)
    expected = Array(table[codes] * scale.repeat(64), dtype).values
    checks.equal(dequantized(packed(codes), table, scale, n, 64, dtype), expected, f"dequantize_4bit: all codes of {name} as {dtype}")


def test(n, blocksize, name, dtype):
    what = f"quantize_4bit {n} by {blocksize} {name} {dtype}"
    table, x = TABLES[name], random_array(rng, n, dtype, 3)
    if n > blocksize:
        x.data[:blocksize] = 0
    q, scale = np.full(cdiv(n, 2), 99, np.uint8), np.full(cdiv(n, blocksize), 1e9, np.float32)
    launch(FILE, "quantize_4bit", {"x_ptr": x.argument, "levels_ptr": levels(table), "q_ptr": q, "scale_ptr": scale, "n": n, "BLOCKSIZE": blocksize, "ROWS": 2},
           grid=(cdiv(len(scale), 2), ))
    largest = np.array([np.abs(x.values[first:first + blocksize]).max() for first in range(0, n, blocksize)])
    checks.equal(scale, largest.astype(np.float32), what + ": scales")
    wide = scale.astype(np.float64).repeat(blocksize)[:n]
    distance = np.abs((x.values / np.where(wide == 0, 1, wide))[:, None] - table.astype(np.float64)[None, :])
    chosen = distance[np.arange(n), unpacked(q, n)]
    checks.close(chosen, distance.min(axis=1), what + ": nearest values", rtol=0, atol=1e-6)
    out = dequantized(q, table, scale, n, blocksize, dtype)
    checks.close(out, table[unpacked(q, n)] * wide, what + ": back", rtol=TOLERANCE[dtype], atol=1e-7)


def test_scales(n, blocksize):
    table = np.sort(rng.uniform(-1, 1, 256)).astype(np.float32)
    q, scale, out = rng.integers(0, 256, n).astype(np.uint8), rng.uniform(0.5, 2, cdiv(n, blocksize)).astype(np.float32), np.full(n, 1e9, np.float32)
    launch(FILE, "dequantize_8bit", {"q_ptr": q, "table_ptr": table, "scale_ptr": scale, "offset": 0.75, "out_ptr": out, "n": n, "BLOCKSIZE": blocksize,
                                     "BLOCK": 32}, grid=(cdiv(n, 32), ))
    checks.close(out, table[q].astype(np.float64) * scale.repeat(blocksize)[:n] + 0.75, f"dequantize_8bit {n} by {blocksize}", rtol=1e-6, atol=1e-6)


for name in TABLES:
    for dtype in DTYPES:
        checks.run(f"decoding of {name} {dtype}", test_decoding, name, dtype)
        for n, blocksize in ((256, 64), (200, 64), (77, 32), (1, 64), (640, 128)):
            checks.run(f"quantize_4bit {n} {name} {dtype}", test, n, blocksize, name, dtype)
checks.run("quantize_4bit of nothing", test, 0, 64, "nf4", "fp32")
for n in (100, 256, 513):
    checks.run(f"dequantize_8bit {n}", test_scales, n, 256)
checks.exit()
