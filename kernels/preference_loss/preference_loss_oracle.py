"""dpo_loss and grpo_loss with their gradients against float64: every kind, odd sizes, clipping on both sides, masks, nothing at all."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import Checks, cdiv, kernel_file, launch, np

checks = Checks()
rng = np.random.default_rng(49)
FILE = kernel_file("preference_loss")


def test_dpo(n, kind, beta, smoothing=0.0):
    what = f"dpo_loss {n} {kind} beta={beta} smoothing={smoothing}"
    names = ("chosen_ptr", "rejected_ptr", "ref_chosen_ptr", "ref_rejected_ptr")
    inputs = {name: (5 * rng.standard_normal(n)).astype(np.float32) for name in names}
    loss, grad = np.full((2, n), 1e9, np.float32)
    launch(FILE, "dpo_loss", inputs | {"loss_ptr": loss, "grad_ptr": grad, "n": n, "beta": beta, "smoothing": smoothing, "KIND": kind, "BLOCK": 16}, grid=(cdiv(n, 16), ))
    chosen, rejected, ref_chosen, ref_rejected = (inputs[name].astype(float) for name in names)
    h = chosen - rejected - (ref_chosen - ref_rejected)
    sigmoid = 1 / (1 + np.exp(-beta * h))
    expected = {"sigmoid": (-(1 - smoothing) * np.log(sigmoid) - smoothing * np.log(1 - sigmoid), beta * (smoothing * sigmoid - (1 - smoothing) * (1 - sigmoid))),
                "hinge": (np.maximum(1 - beta * h, 0), np.where(beta * h < 1, -beta, 0)), "ipo": ((h - 0.5 / beta)**2, 2 * (h - 0.5 / beta))}[kind]
    checks.close(loss, expected[0], what, rtol=1e-5, atol=1e-5)
    checks.close(grad, expected[1], what + ": gradient", rtol=1e-5, atol=1e-5)


def test_grpo(sequences, length, with_old=True, with_ref=True, with_mask=True):
    what = f"grpo_loss {sequences}x{length} old={with_old} ref={with_ref} mask={with_mask}"
    logp, old, ref = (-2 * rng.random((3, sequences, length))).astype(np.float32)
    advantages, mask = rng.standard_normal(sequences).astype(np.float32), rng.random((sequences, length)) < 0.7
    loss, grad = np.full((2, sequences, length), 1e9, np.float32)
    launch(FILE, "grpo_loss", {"logp_ptr": logp, "old_ptr": old if with_old else None, "ref_ptr": ref if with_ref else None, "advantages_ptr": advantages, "mask_ptr": mask if with_mask else None,
                               "loss_ptr": loss, "grad_ptr": grad, "length": length, "low": 0.2, "high": 0.3, "beta": 0.1, "BLOCK": 16}, grid=(cdiv(length, 16), sequences))
    x, a = logp.astype(float), advantages.astype(float)[:, None]
    ratio = np.exp(x - (old if with_old else x))
    free, held = ratio * a, np.clip(ratio, 0.8, 1.3) * a
    apart = (ref - x) if with_ref else np.zeros(x.shape)
    counts = mask if with_mask else np.ones(x.shape)
    checks.close(loss, (-np.minimum(free, held) + 0.1 * (np.exp(apart) - apart - 1)) * counts, what, rtol=1e-5, atol=1e-5)
    checks.close(grad, (np.where(free <= held, -free, 0) + 0.1 * (1 - np.exp(apart)) * with_ref) * counts, what + ": gradient", rtol=1e-5, atol=1e-5)


for n in (1, 37, 0):
    for kind in ("sigmoid", "hinge", "ipo"):
        checks.run(f"dpo_loss {n} {kind}", test_dpo, n, kind, 0.1)
checks.run("dpo_loss, smoothed", test_dpo, 20, "sigmoid", 0.5, 0.2)
for options in ((True, True, True), (False, False, False), (True, False, True), (False, True, False)):
    checks.run(f"grpo_loss {options}", test_grpo, 4, 37, *options)
checks.run("grpo_loss of nothing", test_grpo, 0, 5)
checks.run("grpo_loss without tokens", test_grpo, 3, 0)
checks.exit()
