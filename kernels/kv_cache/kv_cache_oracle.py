"""write_kv_cache and copy_pages against numpy: pages of any size, padded rows, slots that are left out, fp8 with scales, no tokens."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, UNTOUCHED, Array, Checks, Typed, cdiv, empty_array, kernel_file, launch, np, random_array
from nereid_test import fp8_from_float

checks = Checks()
rng = np.random.default_rng(20)
FILE = kernel_file("kv_cache")
PAGES = 5


def slots_of(tokens, page_size):
    slots = rng.permutation(PAGES * page_size)[:tokens].astype(np.int64)
    if tokens > 2:
        slots[1] = -1
    return slots


def arguments(tokens, page_size, n, padding, slots, k, v, k_cache, v_cache, scaled, scales):
    return {"k_ptr": k, "v_ptr": v, "k_cache_ptr": k_cache, "v_cache_ptr": v_cache, "slots_ptr": slots, "k_scale": scales[0], "v_scale": scales[1],
            "k_stride_t": n + padding, "v_stride_t": n + padding, "k_cache_stride_p": page_size * n, "k_cache_stride_s": n,
            "v_cache_stride_p": page_size * n, "v_cache_stride_s": n, "page_size": page_size, "n": n, "BLOCK": 32, "SCALED": scaled}


def written(before, slots, rows):
    """The cache, by rows, after a write."""
    after = before.copy()
    for token, slot in enumerate(slots):
        if slot >= 0:
            after.reshape(-1, rows.shape[1])[slot] = rows[token]
    return after


def test_write(tokens, page_size, n, padding, dtype):
    what = f"write_kv_cache {tokens} tokens, pages of {page_size}x{n} {dtype}"
    slots = slots_of(tokens, page_size)
    k, v = (random_array(rng, (tokens, n + padding), dtype) for _ in range(2))
    k_cache, v_cache = (empty_array((PAGES, page_size, n), dtype) for _ in range(2))
    launch(FILE, "write_kv_cache", arguments(tokens, page_size, n, padding, slots, k.argument, v.argument, k_cache.argument, v_cache.argument, False, (1.0, 1.0)),
           grid=(tokens, cdiv(n, 32)))
    before = np.full((PAGES, page_size, n), Array(UNTOUCHED, dtype).values)
    checks.equal(k_cache.values, written(before, slots, k.values[:, :n]), what + ": k")
    checks.equal(v_cache.values, written(before, slots, v.values[:, :n]), what + ": v")


def test_narrow(dtype):
    """Written in fp8: the nearest value, or the largest one."""
    tokens, page_size, n, scales = 6, 4, 40, (0.5, 2.0)
    slots = slots_of(tokens, page_size)
    k, v = random_array(rng, (tokens, n), dtype, 300), random_array(rng, (tokens, n), dtype)
    caches = [np.zeros((PAGES, page_size, n), np.uint8) for _ in range(2)]
    launch(FILE, "write_kv_cache", arguments(tokens, page_size, n, 0, slots, k.argument, v.argument, *(Typed(cache, "fp8e4nv") for cache in caches), True, scales),
           grid=(tokens, cdiv(n, 32)))
    for cache, x, scale in zip(caches, (k, v), scales):
        expected = written(np.zeros_like(cache), slots, fp8_from_float((x.values / scale).astype(np.float32), "fp8e4nv"))
        checks.equal(cache, expected, f"write_kv_cache in fp8 from {dtype}, scale {scale}")


def test_copy(pairs, n, dtype):
    cache = random_array(rng, (PAGES, n), dtype)
    expected = cache.data.copy()
    for source, destination in pairs:
        expected[destination] = expected[source]
    launch(FILE, "copy_pages", {"cache_ptr": cache.argument, "pairs_ptr": np.array(pairs, np.int64).reshape(-1, 2), "stride_p": n, "n": n, "BLOCK": 32},
           grid=(len(pairs), cdiv(n, 32)))
    checks.equal(cache.data, expected, f"copy_pages {pairs} of {n} {dtype}")


for dtype in DTYPES:
    for shape in ((7, 4, 24, 0), (3, 16, 65, 7), (1, 3, 32, 0), (0, 4, 8, 0)):
        checks.run(f"write_kv_cache {shape} {dtype}", test_write, *shape, dtype)
    checks.run(f"copy_pages {dtype}", test_copy, [(0, 3), (4, 1), (0, 2)], 70, dtype)
    checks.run(f"write_kv_cache in fp8 from {dtype}", test_narrow, dtype)
checks.run("copy_pages of none", test_copy, [], 70, "fp32")
checks.exit()
