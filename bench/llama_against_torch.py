"""llama_against_torch.py: the engine of examples/llama on a GPU against the same model in PyTorch under torch.compile (bench/llama_torch.py), in one run.

    python3 bench/llama_against_torch.py [--library build/portable/lib] [--seconds 240] [--markdown FILE] [--json FILE]

1. Builds the example with g++ against include/, kernels/ and a libnereid.so, while torch compiles its side.
2. Checks: test/examples/llama_oracle.py on the device (greedy tokens are those of float64), and which kernels of ours ran there.
3. Tunes the engine's kernels for each batch (`llama tune`), as torch's compiler tunes its own.
4. Times: tokens a second behind the prompts at each batch, a step of training, the first token from the start of the process with a warm cache.
5. The table: ours, torch's, and the ratio, above 1 where ours is faster.

The weights are random, in bf16 (about a billion of them); `--model 15m --device cpu` tries it on a machine without a GPU. What is not done when the seconds
are over is left out and said."""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import torch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = {
    "1b": dict(num_hidden_layers=16, hidden_size=2048, num_attention_heads=32, num_key_value_heads=8, intermediate_size=8192, vocab_size=128256,
               rope_theta=500000.0),
    "110m": dict(num_hidden_layers=12, hidden_size=768, num_attention_heads=12, num_key_value_heads=12, intermediate_size=2048, vocab_size=32000,
                 rope_theta=10000.0),
    "15m": dict(num_hidden_layers=6, hidden_size=288, num_attention_heads=6, num_key_value_heads=6, intermediate_size=768, vocab_size=32000,
                rope_theta=10000.0),
    "tiny": dict(num_hidden_layers=2, hidden_size=64, num_attention_heads=4, num_key_value_heads=2, intermediate_size=192, vocab_size=256,
                 rope_theta=10000.0),
}  # yapf: disable


def config_of(name):
    return {**MODELS[name], "max_position_embeddings": 2048, "rms_norm_eps": 1e-5}


def say(text):
    print(f"[{time.monotonic() - BEGUN:6.1f} s] {text}", flush=True)


BEGUN = time.monotonic()


# ---- Building ----------------------------------------------------------------------------------------------------------------------


def embed(files, path):
    """Texts as C++ rows, as cmake/EmbedText.cmake writes them."""
    with open(path, "w", encoding="utf-8") as out:
        for name in sorted(files):
            if not name.endswith("_oracle.py"):
                with open(name, encoding="utf-8") as file:
                    out.write(f'{{"{os.path.splitext(os.path.basename(name))[0]}", R"py({file.read()})py"}},\n')


def build(library, folder, compiler):
    """The program, in folder/bin, with its library beside it."""
    headers = os.path.join(folder, "include", "nereid", "kernels")
    os.makedirs(headers)
    os.makedirs(os.path.join(folder, "bin"))
    os.makedirs(os.path.join(folder, "lib"))
    for name in glob.glob(os.path.join(ROOT, "kernels", "*.hpp")) + glob.glob(os.path.join(ROOT, "kernels", "*", "*.hpp")):
        shutil.copy(name, headers)
    embed(glob.glob(os.path.join(ROOT, "kernels", "*", "*.py")), os.path.join(headers, "sources.inc"))
    for source, target in (("kernels", os.path.join(headers, "configurations.inc")),
                           ("examples/llama/kernels", os.path.join(folder, "include", "llama_configurations.inc"))):
        with open(os.path.join(ROOT, source, "configurations.md"), encoding="utf-8") as file, open(target, "w", encoding="utf-8") as out:
            out.write(f'R"py({file.read()})py"\n')
    embed(glob.glob(os.path.join(ROOT, "examples", "llama", "kernels", "*", "*.py")), os.path.join(folder, "include", "llama_kernels.inc"))
    for name in ("libnereid.so", "libnereid.so.0"):  # whichever the library calls itself
        os.symlink(os.path.realpath(os.path.join(library, "libnereid.so")), os.path.join(folder, "lib", name))
    flags = [compiler, "-std=c++20", "-O2", "-I", os.path.join(folder, "include"), "-I", os.path.join(ROOT, "include")]

    def compile_one(source):
        target = os.path.join(folder, os.path.basename(source) + ".o")
        subprocess.run([*flags, "-c", source, "-o", target], check=True)
        return target

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sorted(glob.glob(os.path.join(ROOT, "examples", "llama", "*.cpp")))))
    program = os.path.join(folder, "bin", "llama-example")
    subprocess.run([compiler, *objects, "-o", program, "-L", os.path.join(folder, "lib"), "-lnereid", "-Wl,-rpath," + os.path.join(folder, "lib")], check=True)
    return program


# ---- Weights -----------------------------------------------------------------------------------------------------------------------


def write_weights(path, config, device):
    """Random ones, in bf16, under the names of Llama checkpoints."""
    width, hidden, dim = config["hidden_size"], config["intermediate_size"], config["hidden_size"] // config["num_attention_heads"]
    keys = config["num_key_value_heads"] * dim
    shapes = {"model.embed_tokens.weight": (config["vocab_size"], width), "lm_head.weight": (config["vocab_size"], width), "model.norm.weight": (width, )}
    for i in range(config["num_hidden_layers"]):
        name = f"model.layers.{i}."
        shapes |= {name + "input_layernorm.weight": (width, ), name + "post_attention_layernorm.weight": (width, ),
                   name + "self_attn.q_proj.weight": (width, width), name + "self_attn.k_proj.weight": (keys, width),
                   name + "self_attn.v_proj.weight": (keys, width), name + "self_attn.o_proj.weight": (width, width),
                   name + "mlp.gate_proj.weight": (hidden, width), name + "mlp.up_proj.weight": (hidden, width),
                   name + "mlp.down_proj.weight": (width, hidden)}  # yapf: disable
    header, place = {"__metadata__": {"config": json.dumps(config)}}, 0
    for name, shape in shapes.items():
        size = 2 * int(np.prod(shape))
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [place, place + size]}
        place += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    torch.manual_seed(1)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in shapes.items():
            values = torch.ones(shape) if len(shape) == 1 else torch.randn(shape, device=device) / shape[1]**0.5
            file.write(values.to(torch.bfloat16).cpu().view(torch.uint8).numpy().data)
    return place


# ---- Torch's side ------------------------------------------------------------------------------------------------------------------


class Peer:
    """bench/llama_torch.py as a process: its lines come as they are told."""

    def __init__(self, words):
        self.process = subprocess.Popen([sys.executable, os.path.join(ROOT, "bench", "llama_torch.py"), *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)  # yapf: disable
        self.lines, self.ready = [], threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            figures = json.loads(line)
            self.lines.append(figures)
            if "ready" in figures:
                self.ready.set()
            elif "compiled" in figures or "left_out" in figures:
                say(f"torch: {line.strip()}")
        self.ready.set()

    def time(self, seconds):
        """All that it has told, after it has timed what was compiled."""
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            self.process.wait(seconds)
        except (OSError, subprocess.TimeoutExpired):
            self.end()
        self.reader.join(5)
        return self.lines

    def end(self):
        self.process.kill()
        self.process.wait()


# ---- Ours --------------------------------------------------------------------------------------------------------------------------


def run(words, environment, seconds):
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **environment}, timeout=max(seconds, 1))
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words[:3])} …: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


class Ours:

    def __init__(self, program, weights, options, folder):
        self.program, self.weights, self.options, self.folder = program, weights, options, folder
        self.environment = {"NEREID_CACHE_DIR": os.path.join(folder, "cache")}

    def left(self):
        return self.options.seconds - (time.monotonic() - BEGUN)

    def bench(self, batch, *more):
        return run([self.program, "bench", self.weights, "--device", self.options.device, "--batch", str(batch), "--prompt", str(self.options.prompt),
                    "--tokens", str(self.options.tokens), *more], self.environment, self.left())  # yapf: disable

    def check(self):
        """The last line of the oracle."""
        environment = {**self.environment, "NEREID_BUILD": self.folder, "NEREID_DEVICE": self.options.device, "PYTHONPATH": os.path.join(ROOT, "test", "python")}
        return run([sys.executable, os.path.join(ROOT, "test", "examples", "llama_oracle.py")], environment, self.left()).splitlines()[-1]

    def serving(self, batch):
        """{tokens a second, seconds of the prompts, tokens of the first sequence}, the best of the rounds behind the first."""
        text = self.bench(batch, "--rounds", "4", "--numbers")
        rounds = re.findall(r"prompts after ([\d.]+) s, then ([\d.]+) tokens", text)[1:]
        drawn = re.search(r"^tokens ([\d,]+)$", text, re.M).group(1)
        return {"tokens_a_second": max(float(rate) for _, rate in rounds), "prompt_seconds": min(float(seconds) for seconds, _ in rounds),
                "drawn": list(map(int, drawn.split(",")))}  # yapf: disable

    def tune(self, batch):
        """What was found; the answers stay in the cache of this run."""
        return run([self.program, "tune", self.weights, "--device", self.options.device, "--batch", str(batch), "--prompt", str(self.options.prompt), "--seconds",
                    str(self.options.tune)], self.environment, self.left())  # yapf: disable

    def training(self, size, batch, length):
        text = os.path.join(self.folder, "text.txt")
        with open(text, "wb") as file:
            file.write(bytes(np.random.default_rng(0).integers(32, 127, 1 << 20, dtype=np.uint8)))
        out = run([self.program, "train", text, "-o", os.path.join(self.folder, "trained.safetensors"), "--size", size, "--batch", str(batch), "--length",
                   str(length), "--steps", "100" if self.options.device == "cuda" else "3", "--dtype", "bf16", "--device", self.options.device],
                  self.environment, self.left())  # yapf: disable
        return float(re.findall(r"([\d.e+]+) ms a step", out)[-1]) * 1e-3

    def first_token(self):
        """Seconds from the start of the process to its first token, with what earlier runs left in the cache."""
        prompt = ",".join(str(i * 31 % 256) for i in range(self.options.prompt))
        best = None
        for _ in range(3):
            start = time.monotonic()
            process = subprocess.Popen([self.program, "generate", self.weights, prompt, "--numbers", "--tokens", "1", "--device", self.options.device],
                                       stdout=subprocess.PIPE, env={**os.environ, **self.environment})  # yapf: disable
            line = process.stdout.readline()
            seconds = time.monotonic() - start
            process.communicate()
            if process.returncode != 0 or not line.strip():
                raise RuntimeError(f"generate: exit status {process.returncode}")
            best = seconds if best is None else min(best, seconds)
        return best

    def kernels_on_device(self, batch):
        """The profile of a short run, of which the last words count: which kernels of ours ran, how long, and where."""
        text = self.bench(batch, "--rounds", "2", "--profile", "--prompt", "16", "--tokens", "18")
        return text[text.index("round 2"):].split("\n", 1)[1]


def agreement(a, b):
    """How many tokens agree from the first one on."""
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def attempt(rows, name, work):
    """One failure must not cost the others."""
    try:
        return work()
    except Exception as error:
        say(f"{name}: {type(error).__name__}: {str(error)[:1500]}")
        rows.append({"name": name, "problem": f"{type(error).__name__}"})
        return None


def compare(options, ours, peer):
    rows, failed = [], []
    checked = attempt(failed, "oracle", ours.check)
    say(f"oracle on {options.device}: {checked}")
    found = {"batch": {}}
    # Ours is timed when torch has compiled: nothing else runs then.
    for batch in options.batches:
        profile = attempt(failed, f"profile of batch {batch}", lambda: ours.kernels_on_device(batch))
        say(f"profile of batch {batch}, a prompt of 16 and 18 tokens, two rounds, beside torch's compiler:\n{profile}")
        attempt(failed, f"compiling for batch {batch}", lambda: ours.bench(batch, "--rounds", "1"))
    say("ours is compiled")
    peer.ready.wait(max(1, min(options.compile_seconds + 30 - (time.monotonic() - BEGUN), ours.left() - 60)))
    for batch in options.batches if options.tune else ():
        text = attempt(failed, f"tuning for batch {batch}", lambda: ours.tune(batch))
        say(f"tuned for batch {batch}:\n{text}")
    say("timing ours")
    for batch in options.batches:
        found["batch"][batch] = attempt(failed, f"batch {batch}", lambda: ours.serving(batch))
        say(f"batch {batch}: {({**found['batch'][batch], 'drawn': '…'} if found['batch'][batch] else None)}")
    if options.train:
        found["training"] = attempt(failed, "training", lambda: ours.training(options.train, *options.train_shape))
        say(f"training: {found['training']}")
    found["first_token"] = attempt(failed, "first token", ours.first_token)
    say(f"first token: {found['first_token']}; timing torch")
    theirs = peer.time(max(ours.left(), 20))
    for batch in options.batches:
        us = found["batch"][batch]
        them = next((line for line in theirs if line.get("batch") == batch), None)
        if us and them:
            rows.append({"name": f"tokens a second, batch {batch}", "ours": us["tokens_a_second"], "torch": them["tokens_a_second"],
                         "ratio": us["tokens_a_second"] / them["tokens_a_second"],
                         "note": f"the first {agreement(us['drawn'], them['drawn'])} of {len(us['drawn'])} tokens are the same"})  # yapf: disable
            rows.append({"name": f"prompts of {options.prompt}, batch {batch}, ms", "ours": us["prompt_seconds"] * 1e3, "torch": them["prompt_seconds"] * 1e3,
                         "ratio": them["prompt_seconds"] / us["prompt_seconds"], "note": "torch's is not compiled, as gpt-fast's"})  # yapf: disable
        elif us:
            rows.append({"name": f"tokens a second, batch {batch}", "ours": us["tokens_a_second"], "note": "torch's is missing"})
    trained = next((line["training_seconds"] for line in theirs if "training_seconds" in line), None)
    if found.get("training"):
        rows.append({"name": "training step {}, {} x {}, ms".format(options.train, *options.train_shape), "ours": found["training"] * 1e3,
                     **({"torch": trained * 1e3, "ratio": trained / found["training"]} if trained else {})})  # yapf: disable
    if found["first_token"]:
        rows.append({"name": "first token from process start, s", "ours": found["first_token"], "note": "at most 1.5 is asked for"})
    versions = next((line["versions"] for line in theirs if "versions" in line), {})
    return rows, failed, {"oracle": checked, "versions": versions}


def table(rows):
    lines = ["| what | ours | torch | ratio | |", "|---|---|---|---|---|"]
    for row in rows:
        figures = [f"{row[key]:.4g}" if key in row else "" for key in ("ours", "torch")] + [f"{row['ratio']:.2f}" if "ratio" in row else ""]
        lines.append(f"| {row['name']} | {' | '.join(figures)} | {row.get('note', '')} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = os.path.join(ROOT, "build", "portable", "lib")
    parser.add_argument("--library", default=usual if os.path.exists(os.path.join(usual, "libnereid.so")) else os.path.join(ROOT, "build", "lib"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--model", default="1b", choices=MODELS)
    parser.add_argument("--train", default="110m", choices=["", *MODELS], help="the model that is trained, with a vocabulary of 256")
    parser.add_argument("--train-shape", default="16x512")
    parser.add_argument("--batches", default="1,16,128")
    parser.add_argument("--prompt", type=int, default=128)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--tune", type=float, default=20, help="seconds for each batch in which the engine tunes its kernels on the device; 0: as the table has them")
    parser.add_argument("--compile-seconds", type=float, default=110, help="torch compiles nothing more after that")
    parser.add_argument("--compiler", default=shutil.which("g++-13") or "g++")
    parser.add_argument("--markdown", help="write the table there too")
    parser.add_argument("--json", help="write all figures there")
    options = parser.parse_args()
    train_words = options.train_shape
    options.train_shape = tuple(map(int, options.train_shape.split("x")))
    options.batches = list(map(int, options.batches.split(",")))
    memory = "/dev/shm" if os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free > 8 << 30 else None
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(dir=memory) as weights_folder:
        weights = os.path.join(weights_folder, "model.safetensors")
        size = write_weights(weights, config_of(options.model), options.device)
        say(f"weights: {size / 2e9:.2f} billion parameters")
        words = ["--weights", weights, "--device", options.device, "--batches", ",".join(map(str, options.batches)), "--prompt", str(options.prompt),
                 "--tokens", str(options.tokens), "--compile-seconds", str(options.compile_seconds)]  # yapf: disable
        if options.train:
            words += ["--train", train_words, "--train-config", json.dumps({**config_of(options.train), "vocab_size": 256})]
        peer = Peer(words)
        try:
            program = build(options.library, folder, options.compiler)
            say("built")
            rows, failed, facts = compare(options, Ours(program, weights, options, folder), peer)
        finally:
            peer.end()
    name = torch.cuda.get_device_name(0) if options.device == "cuda" else "this CPU"
    text = table(rows)
    say(f"{options.model} on {name}, torch {facts['versions'].get('torch')}; oracle: {facts['oracle']}\n\n{text}")
    for path, content in ((options.markdown, text + "\n"), (options.json, json.dumps({"device": name, "rows": rows, "failed": failed, **facts}, indent=1))):
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
