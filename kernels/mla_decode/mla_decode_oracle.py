"""mla_decode with decode_attention's reduction against float64: pages of any size and none, splits, odd numbers of heads and elements, fp8 caches, sequences
without keys."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Checks, Typed, cdiv, empty_array, kernel_file, launch, np, power_of_two, random_array
from nereid_test import fp8_from_float, fp8_to_float

checks = Checks()
rng = np.random.default_rng(42)
TOLERANCE = {"fp32": 3e-5, "fp16": 6e-3, "bf16": 4e-2}


def test(lengths, heads, rank, rope, page_size, splits, dtype, fp8=False, block_n=16):
    what = f"mla_decode {lengths} heads={heads} {rank}+{rope} page={page_size} splits={splits} {dtype} fp8={fp8}"
    batch, longest, width = len(lengths), max(lengths), rank + rope
    pages_each = cdiv(longest, page_size) if page_size else 1
    n_pages, rows = (batch * pages_each + 3, page_size) if page_size else (batch, longest)
    table = rng.permutation(n_pages)[:batch * pages_each].reshape(batch, pages_each).astype(np.int32) if page_size else None
    cache, v_scale = random_array(rng, (n_pages, rows, width + 4), dtype), 0.5 if fp8 else 1.0
    argument, values = cache.argument, cache.values
    if fp8:
        bits = fp8_from_float(values, "fp8e4nv")
        argument, values = Typed(bits, "fp8e4nv"), fp8_to_float(bits, "fp8e4nv").astype(np.float64)
    q, out, scale = random_array(rng, (batch, heads, width), dtype), empty_array((batch, heads, rank), dtype), 0.7 * width**-0.5
    partial, lse = np.full((batch, heads, splits, rank), 1e9, np.float32), np.full((batch, heads, splits), 1e9, np.float32)
    block_r = max(16, power_of_two(rank))
    launch(kernel_file("mla_decode"), "mla_decode",
           {"q_ptr": q.argument, "cache_ptr": argument, "lengths_ptr": np.array(lengths, np.int32), "pages_ptr": table, "out_ptr": partial if splits > 1 else out.argument,
            "lse_ptr": lse, "scale": scale, "v_scale": v_scale, "q_stride_b": heads * width, "q_stride_h": width, "cache_stride_p": rows * (width + 4),
            "cache_stride_s": width + 4, "pages_stride": pages_each, "heads": heads, "RANK": rank, "ROPE": rope, "PAGE_SIZE": page_size or 1, "BLOCK_H": 16,
            "BLOCK_N": block_n, "BLOCK_R": block_r, "BLOCK_P": max(16, power_of_two(rope)), "PRECISION": "ieee"}, grid=(splits, cdiv(heads, 16), batch))
    if splits > 1:
        launch(kernel_file("decode_attention"), "decode_attention_combine",
               {"partial_ptr": partial, "lse_ptr": lse, "out_ptr": out.argument, "splits": splits, "DIM": rank, "BLOCK_S": power_of_two(splits), "BLOCK_D": block_r},
               grid=(batch * heads, ))
    for b, length in enumerate(lengths):
        rows_of = (values[table[b]].reshape(-1, width + 4) if page_size else values[b])[:length, :width]
        score = q.values[b] @ rows_of.T * scale
        p = np.exp(score - score.max(axis=1, keepdims=True, initial=-1e300))
        expected = p / np.maximum(p.sum(axis=1, keepdims=True), 1e-300) @ rows_of[:, :rank] * v_scale
        checks.close(out.values[b], expected, f"{what}: sequence {b}", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


for dtype in DTYPES:
    for page_size, splits in ((0, 1), (16, 3), (64, 2), (7, 1)):
        checks.run(f"mla_decode page={page_size} {dtype}", test, (37, 5, 100), 20, 64, 16, page_size, splits, dtype)
checks.run("mla_decode of odd sizes", test, (21, 40), 3, 40, 12, 8, 2, "fp32")
checks.run("mla_decode of 512 and 64 elements", test, (33, ), 16, 512, 64, 16, 2, "fp16")
checks.run("mla_decode of an fp8 cache", test, (50, 17), 16, 32, 16, 32, 2, "bf16", True, block_n=32)
checks.run("mla_decode without keys", test, (0, 3), 2, 16, 16, 4, 2, "fp32")
checks.exit()
