"""llama_oracle.py: the engine of examples/llama against the same model in numpy, in float64: greedy output, many requests at a time, weights of
8 and 4 bits, a cache that is too small for all, and the losses and weights of training. The model here shares nothing with the example's."""
import json
import os
import struct
import subprocess
import tempfile

import numpy as np
from nereid_test import Checks

BUILD = os.environ.get("NEREID_BUILD") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build")
PROGRAM = os.path.join(BUILD, "bin", "llama-example")
DEVICE = "cuda" if os.environ.get("NEREID_DEVICE", "").startswith("cuda") else "cpu"
TEXT = b"a moon of neptune, small and far; it goes its way in three hundred sixty days. "


def llama(*words, status=0):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, errors="surrogateescape")
    assert done.returncode == status, f"{words}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout if status == 0 else done.stderr


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    config = json.loads(header.pop("__metadata__")["config"])
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + place for place in entry["data_offsets"])
        if entry["dtype"] == "BF16":
            values = (np.frombuffer(data[begin:end], np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            values = np.frombuffer(data[begin:end], {"F32": np.float32}[entry["dtype"]])
        tensors[name] = values.reshape(entry["shape"]).astype(np.float64)
    return config, tensors


def round_to_fp8(matrix):
    """The same with the numbers of fp8 (e4m3), and one scale for each output."""
    codes = np.arange(127)
    numbers = np.where(codes < 8, codes / 512, (1 + codes % 8 / 8) * 2.0**(codes // 8 - 7))
    middles = (numbers[1:] + numbers[:-1]) / 2
    values = matrix.astype(np.float32)
    step = np.abs(values).max(axis=1, keepdims=True) / np.float32(448)
    scaled = np.abs(values / step).astype(np.float64)
    place = np.searchsorted(middles, scaled)
    place += (np.append(middles, np.inf)[place] == scaled) & (place % 2 == 1)  # a tie goes to the even code
    return np.sign(values) * numbers[place] * step.astype(np.float64)


def round_weights(weights, bits):
    """Matrices of layers as `bits` hold them: for each output and each group of inputs, the largest magnitude is the largest number."""
    rounded = {}
    for name, matrix in weights.items():
        if matrix.ndim < 2 or "layers" not in name:
            rounded[name] = matrix
            continue
        if bits == "fp8":
            rounded[name] = round_to_fp8(matrix)
            continue
        group = next(size for size in (128, 64, 32) if matrix.shape[1] % size == 0)
        most = 2**(bits - 1) - 1
        parts = matrix.reshape(matrix.shape[0], -1, group).astype(np.float32)
        step = (np.abs(parts).max(axis=2, keepdims=True) / np.float32(most)).astype(np.float32)
        rounded[name] = (np.round(parts / step).astype(np.float64) * step).reshape(matrix.shape)
    return rounded


class Numpy:
    """One sequence through the model, and back."""

    def __init__(self, config, weights):
        self.config, self.weights = config, weights
        self.heads, self.heads_k = config["num_attention_heads"], config["num_key_value_heads"]
        self.dim = config["hidden_size"] // self.heads

    def rope(self, x, sign=1):
        half = self.dim // 2
        angles = np.arange(x.shape[0])[:, None] * self.config["rope_theta"]**(-np.arange(half) / half)
        cos, sin = np.cos(angles)[:, None], sign * np.sin(angles)[:, None]
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=2)

    def norm(self, x, weight):
        scale = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + self.config["rms_norm_eps"])
        return x * scale * weight, scale

    def norm_back(self, grad, x, weight, scale):
        """Gradients of x and of the weight."""
        unit = x * scale
        through = grad * weight
        return scale * (through - unit * (through * unit).mean(axis=1, keepdims=True)), (grad * unit).sum(axis=0)

    def forward(self, tokens):
        w, tape = self.weights, []
        x = w["model.embed_tokens.weight"][tokens]
        n, group = len(tokens), self.heads // self.heads_k
        hidden = np.triu(np.ones((n, n), bool), 1)
        for i in range(self.config["num_hidden_layers"]):
            p = f"model.layers.{i}."
            h, scale = self.norm(x, w[p + "input_layernorm.weight"])
            q = self.rope((h @ w[p + "self_attn.q_proj.weight"].T).reshape(n, self.heads, -1))
            k = self.rope((h @ w[p + "self_attn.k_proj.weight"].T).reshape(n, self.heads_k, -1))
            v = (h @ w[p + "self_attn.v_proj.weight"].T).reshape(n, self.heads_k, -1)
            k_all, v_all = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
            scores = np.einsum("qhd,khd->hqk", q, k_all) / np.sqrt(self.dim)
            scores[:, hidden] = -np.inf
            weight = np.exp(scores - scores.max(axis=2, keepdims=True))
            weight /= weight.sum(axis=2, keepdims=True)
            heads = np.einsum("hqk,khd->qhd", weight, v_all).reshape(n, -1)
            middle = x + heads @ w[p + "self_attn.o_proj.weight"].T
            h2, scale2 = self.norm(middle, w[p + "post_attention_layernorm.weight"])
            gate, up = h2 @ w[p + "mlp.gate_proj.weight"].T, h2 @ w[p + "mlp.up_proj.weight"].T
            sigmoid = 1 / (1 + np.exp(-gate))
            active = gate * sigmoid * up
            tape.append((p, x, h, scale, q, k_all, v_all, weight, heads, middle, h2, scale2, gate, up, sigmoid, active))
            x = middle + active @ w[p + "mlp.down_proj.weight"].T
        h, scale = self.norm(x, w["model.norm.weight"])
        return h @ w["lm_head.weight"].T, (tape, x, h, scale)

    def generate(self, tokens, count):
        tokens = list(tokens)
        for _ in range(count):
            tokens.append(int(np.argmax(self.forward(tokens)[0][-1])))
        return tokens[-count:]

    def loss_and_gradients(self, tokens, following):
        logits, (tape, x, h, scale) = self.forward(tokens)
        n, w, grads = len(tokens), self.weights, {}
        shifted = logits - logits.max(axis=1, keepdims=True)
        p = np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)
        loss = -np.log(p[np.arange(n), following]).mean()
        p[np.arange(n), following] -= 1
        p /= n
        grads["lm_head.weight"] = p.T @ h
        grad, grads["model.norm.weight"] = self.norm_back(p @ w["lm_head.weight"], x, w["model.norm.weight"], scale)
        for name, x, h, scale, q, k, v, weight, heads, middle, h2, scale2, gate, up, sigmoid, active in reversed(tape):

            def through(which, gradient, value):
                grads[name + which] = gradient.T @ value
                return gradient @ w[name + which]

            grad_active = through("mlp.down_proj.weight", grad, active)
            grad_gate = grad_active * up * sigmoid * (1 + gate * (1 - sigmoid))
            grad_h2 = through("mlp.gate_proj.weight", grad_gate, h2) + through("mlp.up_proj.weight", grad_active * gate * sigmoid, h2)
            change, grads[name + "post_attention_layernorm.weight"] = self.norm_back(grad_h2, middle, w[name + "post_attention_layernorm.weight"], scale2)
            grad = grad + change
            grad_heads = through("self_attn.o_proj.weight", grad, heads).reshape(n, self.heads, -1)
            grad_weight = np.einsum("qhd,khd->hqk", grad_heads, v)
            grad_scores = weight * (grad_weight - (grad_weight * weight).sum(axis=2, keepdims=True)) / np.sqrt(self.dim)
            shared = lambda gradient: gradient.reshape(n, self.heads_k, -1, self.dim).sum(axis=2)  # heads that share a key
            grad_q = self.rope(np.einsum("hqk,khd->qhd", grad_scores, k), -1)
            grad_k = self.rope(shared(np.einsum("hqk,qhd->khd", grad_scores, q)), -1)
            grad_v = shared(np.einsum("hqk,qhd->khd", weight, grad_heads))
            grad_h = (through("self_attn.q_proj.weight", grad_q.reshape(n, -1), h) + through("self_attn.k_proj.weight", grad_k.reshape(n, -1), h) +
                      through("self_attn.v_proj.weight", grad_v.reshape(n, -1), h))
            change, grads[name + "input_layernorm.weight"] = self.norm_back(grad_h, x, w[name + "input_layernorm.weight"], scale)
            grad = grad + change
        table = np.zeros_like(w["model.embed_tokens.weight"])
        np.add.at(table, tokens, grad)
        grads["model.embed_tokens.weight"] = table
        return loss, grads


def train_in_numpy(config, weights, tokens, following, steps, rate=3e-3, decay=0.01, warmup=10):
    mean, square, losses = {}, {}, []
    for step in range(1, steps + 1):
        loss, grads = Numpy(config, weights).loss_and_gradients(tokens, following)
        losses.append(loss)
        norm = np.sqrt(sum((grad**2).sum() for grad in grads.values()))
        for name, grad in grads.items():
            grad = grad * min(1.0, 1 / norm)
            mean[name] = 0.9 * mean.get(name, 0) + 0.1 * grad
            square[name] = 0.99 * square.get(name, 0) + 0.01 * grad**2
            now = rate * min(1.0, step / warmup)
            weights[name] = weights[name] * (1 - now * (decay if weights[name].ndim > 1 else 0))
            weights[name] -= now * (mean[name] / (1 - 0.9**step)) / (np.sqrt(square[name] / (1 - 0.99**step)) + 1e-8)
    return losses


def test_training(checks, folder):
    """A text of one token more than a sequence has but one window, so that numpy knows every batch."""
    length, steps = 24, 12
    path, text = os.path.join(folder, "short.safetensors"), os.path.join(folder, "short.txt")
    with open(text, "wb") as file:
        file.write(TEXT[:length + 1])
    start = os.path.join(folder, "start.safetensors")
    llama("init", "tiny", "--dtype", "f32", "--seed", 3, "-o", start)
    output = llama("train", text, "--steps", steps, "--length", length, "--batch", 2, "--seed", 3, "-o", path, "--device", DEVICE)
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in output.splitlines()]
    config, weights = read_safetensors(start)
    tokens, following = list(TEXT[:length]), list(TEXT[1:length + 1])
    expected = train_in_numpy(config, weights, tokens, following, steps)
    checks.close(np.array(losses), np.array([expected[0], expected[-1]]), "losses of the first and the last step", rtol=2e-3, atol=2e-3)
    output = llama("train", text, "--steps", steps, "--length", length, "--batch", 2, "--seed", 3, "-o", path + ".bf16", "--device", DEVICE, "--dtype", "bf16")
    narrow = [float(line.split("loss ")[1].split(",")[0]) for line in output.splitlines()]
    checks.close(np.array(narrow), np.array([expected[0], expected[-1]]), "losses with products in bf16", rtol=2e-2, atol=5e-2)
    trained = read_safetensors(path)[1]
    # A step of Adam is as long for a gradient near 0 as for any other, so that single elements may go the other way.
    for name, values in weights.items():
        difference = np.abs(trained[name] - values)
        checks.expect(np.mean(difference > 2e-3) < 0.01, f"{name}: {np.mean(difference > 2e-3):.2%} of the elements differ after {steps} steps")


def test_generation(checks, folder):
    path, text = os.path.join(folder, "moon.safetensors"), os.path.join(folder, "moon.txt")
    with open(text, "wb") as file:
        file.write(TEXT)
    llama("train", text, "--steps", 60, "--length", 32, "--batch", 4, "-o", path, "--device", DEVICE)
    model = Numpy(*read_safetensors(path))
    prompts = [list(TEXT[:9]), list(TEXT[20:23]), list(TEXT[5:50]), [120]]
    words = [",".join(map(str, prompt)) for prompt in prompts]

    def generate(*more):
        lines = llama("generate", path, *words, "--numbers", "--tokens", 64, "--device", DEVICE, *more).splitlines()
        return [list(map(int, line.split(","))) for line in lines]

    expected = [model.generate(prompt, 64) for prompt in prompts]
    checks.expect(generate() == expected, "64 tokens of four requests at a time are those of float64")
    # 10 pages hold 160 tokens, the four requests need 314; and a prompt comes in pieces.
    checks.expect(generate("--pages", 10, "--step-tokens", 7) == expected, "the same where sequences give their pages up, and prompts come in pieces")
    checks.expect(generate("--ahead", 7, "--page", 32) == expected, "the same where seven tokens of each come at a time, with larger pages")
    one = llama("generate", path, words[1], "--numbers", "--tokens", 64, "--device", DEVICE, "--ahead", 5).strip()
    checks.expect(list(map(int, one.split(","))) == expected[1], "one request by itself, whose norms and sums are part of its products")
    for bits in (8, 4, "fp8"):
        rounded = Numpy(model.config, round_weights(model.weights, bits))
        kind = bits if bits == "fp8" else f"int{bits}"
        checks.expect(generate("--weights", kind) == [rounded.generate(prompt, 64) for prompt in prompts], f"weights of {kind}")
    one = llama("generate", path, words[0], "--numbers", "--tokens", 64, "--device", DEVICE, "--weights", "fp8").strip()
    checks.expect(list(map(int, one.split(","))) == rounded.generate(prompts[0], 64), "one request by itself with weights of fp8")
    drawn = generate("--temperature", 0.8, "--top-k", 5, "--seed", 7)
    checks.expect(drawn == generate("--temperature", 0.8, "--top-k", 5, "--seed", 7), "the same seed draws the same tokens")
    checks.expect(drawn == generate("--temperature", 0.8, "--top-k", 5, "--seed", 7, "--ahead", 6), "also where six of each come at a time")


def changed_header(whole, change):
    """The file with a header that `change` has changed, and the same bytes behind it."""
    length = struct.unpack("<Q", whole[:8])[0]
    header = json.loads(whole[8:8 + length])
    change(header)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + whole[8 + length:]


def changed_config(whole, name, value):
    def change(header):
        config = json.loads(header["__metadata__"]["config"])
        config[name] = value
        header["__metadata__"]["config"] = json.dumps(config)

    return changed_header(whole, change)


def test_models_of_other_kinds(checks, folder):
    """What would be another model, and was taken for the smallest one or for a part of itself."""
    path, other = os.path.join(folder, "tiny.safetensors"), os.path.join(folder, "other.safetensors")
    llama("init", "tiny", "-o", path)
    with open(path, "rb") as file:
        whole = file.read()
    norms = "model.layers.0.input_layernorm.weight", "model.layers.1.input_layernorm.weight"
    files = [(f"config.{name} = {value}", changed_config(whole, name, value), name)
             for name, values in (("num_hidden_layers", (0, 2.5, 2**31, 1e300, "x", None)), ("hidden_size", (-64, [])), ("vocab_size", (0.5, 2**53)),
                                  ("rope_theta", (0, -1, "x")), ("rms_norm_eps", (0, [])), ("attention_bias", (True, )), ("rope_scaling", ({"type": "linear"}, )),
                                  ("hidden_act", ("gelu", )), ("head_dim", (32, ))) for value in values]
    files.append(("overlap", changed_header(whole, lambda header: header[norms[1]].update(data_offsets=header[norms[0]]["data_offsets"])), "one behind the other"))
    files.append(("behind the end", whole + b"\0" * 16, "one behind the other"))
    files.append(("another tensor", changed_header(whole, lambda header: header.update({"model.layers.0.self_attn.q_proj.bias": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}})), "q_proj.bias"))
    files.append(("one layer of two", changed_config(whole, "num_hidden_layers", 1), "model.layers.1."))
    for what, data, message in files:
        with open(other, "wb") as file:
            file.write(data)
        checks.expect(message in llama("generate", other, "x", status=2), f"{what}: the message says `{message}`")
    for name, value in (("head_dim", 16), ("attention_bias", False), ("rope_scaling", None), ("hidden_act", "silu")):
        with open(other, "wb") as file:
            file.write(changed_config(whole, name, value))
        llama("generate", other, "x", "--tokens", 1, "--device", DEVICE)


def test_mistakes(checks, folder):
    path = os.path.join(folder, "tiny.safetensors")
    llama("init", "tiny", "-o", path)
    with open(path, "rb") as file:
        whole = file.read()
    damaged = os.path.join(folder, "damaged.safetensors")
    for what, data in (("cut", whole[:-100]), ("header", whole[:9]), ("length", struct.pack("<Q", 2**63) + whole[8:]), ("empty", b""),
                       ("deep", struct.pack("<Q", 100000) + b"[" * 100000), ("shape", whole.replace(b'"shape":[64]', b'"shape":[65]'))):
        with open(damaged, "wb") as file:
            file.write(data)
        done = subprocess.run([PROGRAM, "generate", damaged, "x"], capture_output=True, text=True)
        checks.expect(done.returncode in (2, 3) and damaged in done.stderr, f"{what}: {done.returncode} {done.stderr}")
    for words, message in ((["generate", path], "is expected"), (["generate", path, ""], "at least one token"), (["generate", path, "x", "--tokens", "9999"], "long"),
                           (["generate", path, "x", "--top-k", "many"], "`--top-k` is `many`"), (["init", "huge", "-o", path], "tiny, 15m"),
                           (["generate", path, "x", "--wieghts", "int8"], "no option `--wieghts`"), (["generate", path, "300", "--numbers"], "vocabulary")):
        checks.expect(message in llama(*words, status=2), f"{words}: the message says `{message}`")


def main():
    checks = Checks()
    if not os.path.exists(PROGRAM):
        print("skipped: the example is not built")
        raise SystemExit(77)
    with tempfile.TemporaryDirectory() as folder:
        for test in (test_training, test_generation, test_mistakes, test_models_of_other_kinds):
            checks.run(test.__name__, test, checks, folder)
    checks.exit()


if __name__ == "__main__":
    main()
