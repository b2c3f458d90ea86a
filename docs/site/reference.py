"""reference.py: the language reference, from the table behind `nereid help tl.dot`: meaning, shapes, types, and an example with what it prints."""
import concurrent.futures
import glob
import html
import json
import os
import re
import shlex
import subprocess
import tempfile

import probes
from markdown import Markdown, colour_python

ROOT = probes.ROOT
# The families: a file of examples each, and what is true of all its functions.
FAMILIES = {
    "memory": ("Memory and programs", "Pointers are tensors as well: `x_ptr + offsets` has the shape of the offsets. A load gives a tensor of that shape with the pointers' element type; "
               "a mask must broadcast to it, and so must `other`. A store casts the value to the element type."),
    "shapes": ("Shapes", "Extents of blocks are powers of two and known when the kernel is compiled. Operands of different shapes broadcast as in numpy. These functions move elements and "
               "take any element type."),
    "math": ("Arithmetic and mathematics", "Element by element: shapes broadcast, and a number beside a tensor takes the tensor's type where it fits. Two types meet in the wider one; an integer "
             "beside a float becomes that float. Integers wrap around."),
    "products": ("Products", "Blocks of two or three axes; the inner extents must be equal, and each is 16 or more. Sums are kept in fp32, or in int32 for bytes."),
    "reductions": ("Reductions, scans and sorting", "Along one axis, which goes away in a reduction (`keep_dims=True` keeps it with extent 1) and stays in a scan. Without an axis a reduction takes all elements."),
    "random": ("Random numbers", "By a counter, not by a state: the same seed and offset give the same number in every program, and offsets may have any shape."),
    "descriptors": ("Descriptors and block pointers", "A descriptor knows base, shape and strides of a tensor and the block of one access: what lies outside reads as 0 and is not written."),
    "types": ("Types and conversions", "Of a tensor, `x.dtype` and `x.shape` are known when the kernel is compiled."),
    "loops": ("Loops, compile time and debugging", "What a loop does and what is printed or checked, while compiling or while running."),
    "host": ("On the host", "Around kernels: what makes them, launches them and chooses their constants."),
    "cuda": ("On NVIDIA GPUs", "What there is on one kind of device alone."),
    "libdevice": ("libdevice", "Functions of CUDA's device library by their names, `from triton.language.extra import libdevice`. They work element by element, on every device: the interpreter and the "
                  "CPU compute them too."),
}


def family_of(names):
    """{function: family}"""
    families = {}
    for path in glob.glob(os.path.join(ROOT, "src", "lang", "examples", "*.py")):
        with open(path, encoding="utf-8") as file:
            for line in re.findall(r"^# ([\w., ]+): (?:run|compile|check) ", file.read(), re.M):
                families.update({name.strip(): os.path.basename(path)[:-3] for name in line.split(",")})
    for name in names:
        if "libdevice" in name:
            families[name] = "libdevice"
        elif name.startswith("tl.math."):
            families.setdefault(name, "math")
        families.setdefault(name, "host")
    return families


def run_example(entry, nereid):
    """What its command prints, without times."""
    words = shlex.split(entry["command"])
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, words[1].partition(":")[0]), "w", encoding="utf-8") as file:
            file.write(entry["example"])
        if words[0] == "run" and "--device" not in words and "--target" not in words:
            words += ["--device", "interp"]
        done = subprocess.run([nereid, *words, "--color", "never"], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise RuntimeError(f"the example of {entry['name']} failed: nereid {entry['command']}\n{done.stdout}")
    lines = [line for line in done.stdout.splitlines() if not re.match(r"^\w+: \d+ programs? on ", line)]
    return "\n".join(lines[:12] + ["…"] * (len(lines) > 12))


def types_text(rows):
    """HTML of what a function takes and gives: the shapes in its example, then the types, those of one pattern together."""
    shown = [value for value in rows[None][:-1] if value]
    result = rows[None][-1]
    if not shown and not result:
        return ""
    arrow = ", ".join(probes.as_text(value) for value in shown) + (" → " + probes.as_text(result) if result else "")
    patterns = {}
    for dtype, values in rows.items():
        if dtype is None:
            continue
        own = next((re.sub(r"^pointer<(.*)>$", r"\1", value[0]) for value in values if value), "")
        texts = [re.sub(rf"\b{re.escape(own)}\b", "T", value[0]) if value else "" for value in values]
        patterns.setdefault((", ".join(text for text in texts[:-1] if text), texts[-1]), []).append(own)
    text = f'<p class="shapes">In the example: <code>{html.escape(arrow, False)}</code></p>'
    if all(len(set(types)) == 1 for types in patterns.values()) and len(patterns) == 1:  # it does not depend on the tensors
        return text
    lines = [f"<li><code>{html.escape(operands + (' → ' + given if given else ''), False)}</code> with T: {', '.join(dict.fromkeys(types))}</li>"
             for (operands, given), types in patterns.items()]  # yapf: disable
    return text + f'<ul class="types">{"".join(lines)}</ul>'


def entry_html(entry, rows, output):
    signature = entry["name"] + entry["signature"][entry["signature"].find("("):] if "(" in entry["signature"] else entry["name"]
    text = f'<section class="function" id="{entry["name"]}"><h2><code>{entry["name"]}</code></h2><pre class="signature"><code>{colour_python(signature)}</code></pre>'
    text += "<p>" + Markdown().inline(entry["documentation"] + (" Also a method of tensors." if entry["member"] else "")) + "</p>"
    text += types_text(rows) if rows else ""
    example = re.sub(r"^import triton\nimport triton.language as tl\n+", "", entry["example"])
    text += f"<pre><code>{colour_python(example.strip())}</code></pre>"
    text += f'<pre class="shell"><code>nereid {html.escape(entry["command"], False)}</code></pre>'
    text += f'<pre class="text"><code>{html.escape(output, False)}</code></pre>' if output else ""
    return text + "</section>"


def read(nereid):
    """{family: [(entry, html)]}, every example run and every function asked."""
    done = subprocess.run([nereid, "info", "--builtins", "--json"], text=True, stdout=subprocess.PIPE, check=True)
    entries = json.loads(done.stdout)["builtins"]
    families = family_of([entry["name"] for entry in entries])
    unique = list({(entry["example"], entry["command"]): entry for entry in entries}.values())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {(entry["example"], entry["command"]): pool.submit(run_example, entry, nereid) for entry in unique}
        asked = [probes.probe(entry["name"], entry["example"], entry["command"]) for entry in entries]
        outputs = {key: future.result() for key, future in running.items()}
    pages = {family: [] for family in FAMILIES}
    for entry, rows in zip(entries, asked):
        pages[families[entry["name"]]].append((entry, entry_html(entry, rows, outputs[entry["example"], entry["command"]])))
    return pages
