"""rejection_sampling: against the same rule in numpy with the same random numbers, and the distribution of what comes out against that of the target."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Array, Checks, kernel_file, launch, launch_once, np

checks = Checks()
rng = np.random.default_rng(44)
FILE = kernel_file("rejection_sampling")


def run(tokens, counts, draft, target, bonus, seeds, greedy=False, block=16, start=launch):
    batch, most = tokens.shape
    columns = target.data.shape[2]
    out, accepted = np.full((batch, most + 1), 777, np.int64), np.full(batch, 777, np.int32)
    start(FILE, "rejection_sampling", {"draft_tokens_ptr": tokens, "counts_ptr": counts, "draft_ptr": None if draft is None else draft.argument, "target_ptr": target.argument,
                                       "bonus_ptr": bonus, "seeds_ptr": None if greedy else seeds, "out_ptr": out, "accepted_ptr": accepted, "draft_stride_b": most * columns,
                                       "draft_stride_k": columns, "target_stride_b": most * columns, "target_stride_k": columns, "most": most, "n_columns": columns,
                                       "GREEDY": greedy, "BLOCK": block}, grid=(batch, ))
    return out, accepted


def words(seed, count):
    """The first word of Philox for counters 0 … count - 1, as floats in [0, 1)."""
    c = [np.arange(count, dtype=np.uint64), *(np.zeros(count, np.uint64) for _ in range(3))]
    keys, low, half = [seed & 0xFFFFFFFF, seed >> 32], np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        first, second = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(second >> half) ^ c[1] ^ np.uint64(keys[0]), second & low, (first >> half) ^ c[3] ^ np.uint64(keys[1]), first & low]
        keys = [(keys[0] + 0x9E3779B9) % 2**32, (keys[1] + 0xBB67AE85) % 2**32]
    signed = c[0].astype(np.uint32).view(np.int32).astype(np.int64)
    return np.where(signed < 0, -signed - 1, signed) * 4.6566127342e-10


def probabilities(shape, dtype):
    weights = rng.random(shape)**3
    return Array(weights / weights.sum(axis=-1, keepdims=True), dtype)


def test(batch, most, columns, dtype, with_draft, with_counts=False, greedy=False):
    what = f"rejection_sampling {batch}x{most} of {columns} {dtype} draft={with_draft} counts={with_counts} greedy={greedy}"
    target, draft = probabilities((batch, most, columns), dtype), probabilities((batch, most, columns), dtype) if with_draft else None
    tokens, bonus, seeds = rng.integers(0, columns, (batch, most)), rng.integers(0, columns, batch), rng.integers(0, 2**40, batch)
    if greedy or not with_draft:  # tokens that are accepted now and then
        tokens = np.where(rng.random((batch, most)) < 0.7, target.values.argmax(axis=2), tokens)
    counts = rng.integers(0, most + 1, batch).astype(np.int32) if with_counts else None
    out, accepted = run(tokens, counts, draft, target, bonus, seeds, greedy)
    for b in range(batch):
        uniform, expected = words(int(seeds[b]), most + columns), []
        for i in range(most if counts is None else counts[b]):
            p, q = target.values[b, i], draft.values[b, i] if with_draft else np.eye(columns)[tokens[b, i]]
            is_kept = p.argmax() == tokens[b, i] if greedy else uniform[i] * q[tokens[b, i]] < p[tokens[b, i]]
            if is_kept:
                expected.append(tokens[b, i])
                continue
            with np.errstate(divide="ignore"):
                noise = -np.log(-np.log(np.maximum(uniform[most:], 1e-300)))
                expected.append(p.argmax() if greedy else (np.log(np.maximum(p - q, 0)) + noise).argmax())
            break
        else:
            expected.append(bonus[b])
        checks.equal(accepted[b], len(expected) - 1, f"{what}: accepted of {b}")
        checks.equal(out[b], expected + [-1] * (most + 1 - len(expected)), f"{what}: tokens of {b}")


def test_distribution():
    """The first token is distributed as the target says, whatever the draft."""
    batch, p, q = 6000, np.array([0.5, 0.2, 0.3, 0.0]), np.array([0.1, 0.6, 0.2, 0.1])
    tokens = rng.choice(4, (batch, 1), p=q)
    target, draft = (Array(np.tile(each, (batch, 1, 1)), "fp32") for each in (p, q))
    out, _ = run(tokens, None, draft, target, np.zeros(batch, np.int64), np.arange(batch), block=4, start=launch_once)
    checks.close(np.bincount(out[:, 0], minlength=4) / batch, p, "rejection_sampling: shares", rtol=0, atol=0.03)
    same, _ = run(tokens, None, target, target, np.zeros(batch, np.int64), np.arange(batch), block=4, start=launch_once)
    kept = tokens[:, 0] != 3  # where the models agree, all that the target knows is kept
    checks.equal(same[kept, 0], tokens[kept, 0], "rejection_sampling: equal models")


for dtype in DTYPES:
    for with_draft in (False, True):
        checks.run(f"rejection_sampling {dtype} {with_draft}", test, 12, 4, 50, dtype, with_draft)
checks.run("rejection_sampling with counts", test, 9, 5, 33, "fp32", True, True)
checks.run("rejection_sampling, greedy", test, 9, 5, 33, "fp32", False, True, True)
checks.run("rejection_sampling without a draft", test, 3, 0, 5, "fp32", False)
checks.run("rejection_sampling of no sequences", test, 0, 2, 5, "fp32", True)
checks.run("rejection_sampling, distribution", test_distribution)
checks.exit()
