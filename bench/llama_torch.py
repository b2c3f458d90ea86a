"""llama_torch.py: the model of examples/llama in PyTorch, for bench/llama_against_torch.py: decoding with a static cache of keys and values, compiled with
graphs, and a step of training, compiled. Started as a program it compiles everything, says `ready`, and times when it reads a line.

    python3 bench/llama_torch.py --weights FILE --device cuda --batches 1,16,128 --prompt 128 --tokens 128 --train 16x512 --compile-seconds 120

Each figure is a line of JSON."""
import argparse
import json
import mmap
import struct
import sys
import time

import torch
import torch.nn.functional as F

DTYPES = {"BF16": torch.bfloat16, "F32": torch.float32}


def read_weights(path, device):
    """(config, tensors by name); tensors are copied to the device one by one."""
    with open(path, "rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    config = json.loads(header.pop("__metadata__")["config"])
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + place for place in entry["data_offsets"])
        flat = torch.frombuffer(data, dtype=torch.uint8, count=end - begin, offset=begin)
        tensors[name] = flat.view(DTYPES[entry["dtype"]]).reshape(entry["shape"]).to(device)
    return config, tensors


class Llama(torch.nn.Module):
    """As gpt-fast has it: matrices that share their input are one, and the cache is as long as it will ever be."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.heads, self.heads_k = config["num_attention_heads"], config["num_key_value_heads"]
        width, hidden, vocabulary = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
        self.dim = width // self.heads
        self.embedding = torch.nn.Embedding(vocabulary, width)
        self.head = torch.nn.Linear(width, vocabulary, bias=False)
        self.norm = torch.nn.RMSNorm(width, eps=config["rms_norm_eps"])
        self.layers = torch.nn.ModuleList()
        for _ in range(config["num_hidden_layers"]):
            self.layers.append(
                torch.nn.ModuleDict({
                    "attention_norm": torch.nn.RMSNorm(width, eps=config["rms_norm_eps"]),
                    "qkv": torch.nn.Linear(width, (self.heads + 2 * self.heads_k) * self.dim, bias=False),
                    "out": torch.nn.Linear(width, width, bias=False),
                    "mlp_norm": torch.nn.RMSNorm(width, eps=config["rms_norm_eps"]),
                    "gate_up": torch.nn.Linear(width, 2 * hidden, bias=False),
                    "down": torch.nn.Linear(hidden, width, bias=False),
                }))

    def take(self, tensors):
        own = {"embedding.weight": tensors["model.embed_tokens.weight"], "norm.weight": tensors["model.norm.weight"],
               "head.weight": tensors.get("lm_head.weight", tensors["model.embed_tokens.weight"])}
        for i in range(len(self.layers)):
            name, mine = f"model.layers.{i}.", f"layers.{i}."
            own[mine + "attention_norm.weight"] = tensors[name + "input_layernorm.weight"]
            own[mine + "mlp_norm.weight"] = tensors[name + "post_attention_layernorm.weight"]
            own[mine + "qkv.weight"] = torch.cat([tensors[name + f"self_attn.{which}_proj.weight"] for which in "qkv"])
            own[mine + "gate_up.weight"] = torch.cat([tensors[name + f"mlp.{which}_proj.weight"] for which in ("gate", "up")])
            own[mine + "out.weight"] = tensors[name + "self_attn.o_proj.weight"]
            own[mine + "down.weight"] = tensors[name + "mlp.down_proj.weight"]
        self.load_state_dict(own, assign=True)
        return self

    def tables(self, length, device):
        half = self.dim // 2
        angles = torch.arange(length, device=device)[:, None] * self.config["rope_theta"]**(-torch.arange(half, device=device) / half)
        return angles.cos(), angles.sin()

    def rope(self, x, cos, sin):
        """x is [batch, length, heads, dim], the tables [length, dim / 2]."""
        a, b = x.float().chunk(2, dim=-1)
        cos, sin = cos[None, :, None], sin[None, :, None]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).type_as(x)

    def forward(self, tokens, cos, sin, cache=None, position=None, mask=None):
        x = self.embedding(tokens)
        batch, length = tokens.shape
        for i, layer in enumerate(self.layers):
            q, k, v = layer["qkv"](layer["attention_norm"](x)).view(batch, length, -1, self.dim).split([self.heads, self.heads_k, self.heads_k], dim=2)
            q, k = self.rope(q, cos, sin).transpose(1, 2), self.rope(k, cos, sin).transpose(1, 2)
            v = v.transpose(1, 2)
            if cache is not None:
                cache[i][0][:, :, position] = k
                cache[i][1][:, :, position] = v
                k, v = cache[i]
            heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None, enable_gqa=self.heads != self.heads_k)
            x = x + layer["out"](heads.transpose(1, 2).reshape(batch, length, -1))
            gate, up = layer["gate_up"](layer["mlp_norm"](x)).chunk(2, dim=-1)
            x = x + layer["down"](F.silu(gate) * up)
        return self.head(self.norm(x))


def tell(**figures):
    print(json.dumps(figures), flush=True)


def wait_for(device):
    if device == "cuda":
        torch.cuda.synchronize()


class Serving:
    """Greedy decoding of `batch` sequences."""

    def __init__(self, model, batch, prompt, tokens, device):
        self.model, self.batch, self.tokens, self.device, self.length = model, batch, tokens, device, prompt + tokens
        self.prompts = torch.tensor([[(i * 31 + b * 17) % 256 for i in range(prompt)] for b in range(batch)], device=device)
        dtype, config = model.embedding.weight.dtype, model.config
        shape = (batch, model.heads_k, self.length, model.dim)
        self.cache = [[torch.zeros(shape, dtype=dtype, device=device) for _ in "kv"] for _ in range(config["num_hidden_layers"])]
        for each in (tensor for layer in self.cache for tensor in layer):
            torch._dynamo.mark_static_address(each)  # else CUDA graphs are left out, because the caches change
        self.cos, self.sin = model.tables(self.length, device)
        self.mask = torch.tril(torch.ones(self.length, self.length, dtype=torch.bool, device=device))

        def one(tokens, position):
            logits = model(tokens, self.cos[position], self.sin[position], self.cache, position, self.mask[position])
            return logits[:, -1].argmax(dim=-1, keepdim=True)

        self.eager, self.one = one, torch.compile(one, mode="reduce-overhead" if device == "cuda" else None, fullgraph=True, dynamic=False)

    @torch.no_grad()
    def run(self):
        """(seconds of the prompts, seconds of the rest, tokens of the first sequence)"""
        wait_for(self.device)
        start = time.perf_counter()
        position = torch.arange(self.prompts.shape[1], device=self.device)
        token = self.eager(self.prompts, position)
        wait_for(self.device)
        middle = time.perf_counter()
        position = position[-1:] + 1
        drawn = [token]
        for _ in range(self.tokens - 1):
            token = self.one(token, position).clone()
            drawn.append(token)
            position = position + 1
        wait_for(self.device)
        end = time.perf_counter()
        return middle - start, end - middle, torch.cat(drawn, dim=1)[0].tolist()


class Training:
    """Steps of AdamW in bf16 with fp32 weights, as examples/llama trains."""

    def __init__(self, config, batch, length, device):
        torch.manual_seed(0)
        self.device = device
        self.model = Llama(config).to(device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-4, betas=(0.9, 0.99), weight_decay=0.01, fused=device == "cuda")
        self.tokens = torch.randint(0, config["vocab_size"], (batch, length + 1), device=device)
        self.cos, self.sin = self.model.tables(length, device)

        def loss_of(tokens, following):
            with torch.autocast(device, dtype=torch.bfloat16):
                logits = self.model(tokens, self.cos, self.sin)
            return F.cross_entropy(logits.float().flatten(0, 1), following.flatten())

        self.loss_of = torch.compile(loss_of, dynamic=False)

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss_of(self.tokens[:, :-1], self.tokens[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()  # as the example does: the loss of every step is told

    def seconds(self, steps):
        wait_for(self.device)
        start = time.perf_counter()
        for _ in range(steps):
            self.step()
        wait_for(self.device)
        return (time.perf_counter() - start) / steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--batches", default="1,16,128")
    parser.add_argument("--prompt", type=int, default=128)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--train", default="16x512", help="sequences of a step and their length")
    parser.add_argument("--train-config", default="", help="the config of the model that is trained, as JSON")
    parser.add_argument("--compile-seconds", type=float, default=120, help="nothing more is compiled after that")
    options = parser.parse_args()
    begun = time.perf_counter()
    torch.set_float32_matmul_precision("high")
    config, tensors = read_weights(options.weights, options.device)
    with torch.device("meta"):
        model = Llama(config)
    model = model.take(tensors).eval().requires_grad_(False)
    tell(versions={"torch": torch.__version__})
    ready, training = {}, None
    if options.train_config:
        batch, length = map(int, options.train.split("x"))
        training = Training(json.loads(options.train_config), batch, length, options.device)
        for _ in range(3):
            training.step()
        tell(compiled="training", seconds=time.perf_counter() - begun)
    for batch in map(int, options.batches.split(",")):
        if time.perf_counter() - begun > options.compile_seconds:
            tell(left_out=batch, reason="no time was left to compile it")
            continue
        torch._dynamo.reset()
        ready[batch] = Serving(model, batch, options.prompt, options.tokens, options.device)
        for _ in range(2):  # the second records the graph
            ready[batch].run()
        tell(compiled=batch, seconds=time.perf_counter() - begun)
    tell(ready=True)
    sys.stdin.readline()
    for batch, serving in ready.items():
        runs = [serving.run() for _ in range(3)]
        seconds = min(run[1] for run in runs)
        tell(batch=batch, tokens_a_second=batch * (options.tokens - 1) / seconds, prompt_seconds=min(run[0] for run in runs), drawn=runs[0][2])
    if training:
        tell(training_seconds=min(training.seconds(10) for _ in range(2)))


if __name__ == "__main__":
    main()
