"""fp8_attention against float64 on the very values of fp8: full and causal, grouped heads, scales, values that lie either way, odd lengths, more keys than queries and fewer, none, descriptors, both types, codes in uint8."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import Checks, Typed, cdiv, empty_array, kernel_file, launch, np
from nereid_test import fp8_from_float, fp8_to_float

checks = Checks()
rng = np.random.default_rng(68)
FILE = kernel_file("fp8_attention")


def heads_of(shape, kind):
    bits = fp8_from_float(rng.standard_normal(shape), kind)
    return bits, fp8_to_float(bits, kind).astype(np.float64)


def test(batch, heads, group, n, m, dim, causal=False, kind="fp8e4nv", dtype="fp32", lies="SD", scaled=True, by_descriptor=False, as_codes=False):
    what = f"fp8_attention {batch}x{heads}/{group} {n}x{m}x{dim} causal={causal} {kind} {dtype} {lies} scaled={scaled} descriptor={by_descriptor}"
    heads_k, pad = heads // group, 16 if by_descriptor else 3
    (q_bits, q), (k_bits, k) = heads_of((batch, heads, n, dim + pad), kind), heads_of((batch, heads_k, m, dim + pad), kind)
    v_shape = (batch, heads_k, m, dim + pad) if lies == "SD" else (batch, heads_k, dim, cdiv(m, 16) * 16 + pad)
    v_bits, v = heads_of(v_shape, kind)
    q, k, v = q[..., :dim], k[..., :dim], v[..., :dim] if lies == "SD" else v[..., :m].swapaxes(2, 3)
    scales = [rng.uniform(0.5, 2, (batch, heads_k)).astype(np.float32) if scaled else None for _ in range(3)]
    factors = [np.ones((batch, heads_k)) if each is None else each.astype(np.float64) for each in scales]
    out, lse = empty_array((batch, heads, n, dim), dtype), np.full((batch, heads, n), 1e9, np.float32)
    typed = (lambda bits: bits) if as_codes else (lambda bits: Typed(bits, kind))
    steps = {f"{name}_stride_{axis}": bits.strides[i] for name, bits in (("q", q_bits), ("k", k_bits)) for i, axis in enumerate("bhs")}
    steps |= {"v_stride_b": v_bits.strides[0], "v_stride_h": v_bits.strides[1], "v_stride": v_bits.strides[2], "out_stride_b": heads * n * dim, "out_stride_h": n * dim, "out_stride_s": dim}
    launch(FILE, "fp8_attention", {
        "q_ptr": typed(q_bits), "k_ptr": typed(k_bits), "v_ptr": typed(v_bits), "q_scale_ptr": scales[0], "k_scale_ptr": scales[1], "v_scale_ptr": scales[2], "out_ptr": out.argument, "lse_ptr": lse,
        "scale": dim**-0.5, "heads": heads, "group": group, "length_q": n, "length_k": m, "DIM": dim, "BLOCK_M": 16, "BLOCK_N": 32, "CAUSAL": causal, "V_LIES": lies, "BY_DESCRIPTOR": by_descriptor} | steps,
        grid=(cdiv(n, 16), batch * heads))
    q, k, v = (x * factor.repeat(x.shape[1] // heads_k, axis=1)[:, :, None, None] for x, factor in zip((q, k, v), factors))
    k, v = (x.repeat(group, axis=1) for x in (k, v))
    score = q @ k.swapaxes(2, 3) * dim**-0.5
    if causal:
        score = np.where(np.arange(m) <= np.arange(n)[:, None] + m - n, score, -np.inf)
    seen = np.isfinite(score).any(axis=3)
    largest = np.where(seen, score.max(axis=3, initial=-np.inf), 0)
    weight = np.exp(score - largest[..., None])
    total = weight.sum(axis=3)
    total = np.where(seen, total, 1)
    expected = weight @ v / total[..., None]
    # Weights of keys are rounded to fp8, with 4 bits: an error of up to 1/16 of each, of either sign.
    rough = weight @ abs(v) / total[..., None]
    error = abs(out.values - expected) - (0.02 * abs(expected) + 0.045 * rough + 1e-3)
    checks.expect(error.size == 0 or error.max() <= 0, f"{what}: {error.max() if error.size else 0} too much")
    with np.errstate(divide="ignore"):
        checks.close(lse, np.where(seen, np.log(total) + largest, -np.inf), what + ": lse", rtol=2e-3, atol=2e-3)


for causal in (False, True):
    for lies in ("SD", "DS"):
        checks.run(f"fp8_attention causal={causal} {lies}", test, 2, 4, 2, 37, 70, 32, causal, lies=lies)
for kind in ("fp8e4nv", "fp8e5"):
    checks.run(f"fp8_attention {kind}", test, 1, 2, 1, 20, 33, 64, kind=kind, scaled=False)
for dtype in ("fp16", "bf16"):
    checks.run(f"fp8_attention to {dtype}", test, 1, 1, 1, 20, 40, 32, dtype=dtype)
for lies in ("SD", "DS"):
    checks.run(f"fp8_attention by descriptors {lies}", test, 2, 2, 1, 40, 60, 32, True, lies=lies, by_descriptor=True)
checks.run("fp8_attention of codes", test, 1, 2, 2, 16, 40, 32, as_codes=True)
for n, m in ((1, 1), (30, 12), (12, 0), (0, 5), (5, 200)):
    checks.run(f"fp8_attention {n}x{m}", test, 1, 2, 1, n, m, 32, True)
checks.exit()
