"""machine_code.py: what a kernel's machine code is made of, whichever `triton` compiled it: instructions by kind, as they stand and weighted by loops, registers, local memory.

`Recorder` takes the place of launches (corpus_against_triton.py knows one that measures): it compiles the kernel for an H200 and keeps the figures."""
import collections
import contextlib
import os
import re
import subprocess
import tempfile
import time

TURNS = 8  # that a loop is taken for
KINDS = (
    ("tensor", ("HGMMA", "HMMA", "IMMA", "QGMMA", "IGMMA", "DMMA", "BGMMA")),
    ("local", ("LDL", "STL")),
    ("shared", ("LDS", "STS", "LDSM", "STSM", "ATOMS", "LDGSTS")),
    ("global", ("LDG", "STG", "LD", "ST", "ATOM", "ATOMG", "RED", "UTMALDG", "UTMASTG", "UBLKCP")),
    ("shuffle", ("SHFL", "REDUX")),
    ("barrier", ("BAR", "SYNCS", "MEMBAR", "WARPSYNC", "DEPBAR", "WARPGROUP", "LDGDEPBAR", "FENCE")),
    ("special", ("MUFU", )),
    ("f64", ("DADD", "DMUL", "DFMA", "DSETP")),
    ("convert", ("F2F", "F2I", "I2F", "F2FP", "I2FP", "F2IP", "FRND")),
)  # yapf: disable
KIND_OF = {opcode: kind for kind, opcodes in KINDS for opcode in opcodes}
NOT_WORK = ("NOP", )


def tool(name):
    """The disassembler of the toolkit, or the one in Triton's wheel, of which only the path is asked for."""
    import shutil
    return shutil.which(name) or os.path.join(os.environ["TRITON_BINARIES"], name)


def disassemble(cubin):
    """The text of the instructions, and what is said of registers and memory."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        text = subprocess.run([tool("nvdisasm"), "-c", file.name], stdout=subprocess.PIPE, text=True, check=True).stdout
        usage = subprocess.run([tool("cuobjdump"), "-res-usage", file.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    return text, usage


INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?P<condition>@!?U?P\w+ )?\s*(?P<opcode>[A-Z0-9_]+)(?P<suffixes>(?:\.\w+)*)(?P<operands>[^;]*);")
Instruction = collections.namedtuple("Instruction", "opcode suffixes target goes_on")  # `target`: the label that it jumps to
LABEL = re.compile(r"^(\.L\w+):")


def instructions_of(text):
    """All of them, and where labels are."""
    found, labels = [], {}
    for line in text.splitlines():
        if label := LABEL.match(line):
            labels[label[1]] = len(found)
        elif one := INSTRUCTION.match(line):
            opcode, jumps = one["opcode"], one["opcode"] in ("BRA", "BRX", "JMP")
            target = re.search(r"`\((\.L\w+)\)", one["operands"]) if jumps else None
            goes_on = not (jumps or opcode in ("EXIT", "RET")) or bool(one["condition"]) or "DIV" in one["suffixes"] or "P" in one["operands"].split("`")[0]
            found.append(Instruction(opcode, one["suffixes"], target and target[1], goes_on))
    return found, labels


def reached_without(found, labels, begin):
    """The instructions that are reached from the first one without that at `begin`."""
    seen, places = set(), [0]
    while places:
        place = places.pop()
        if place != begin and place < len(found) and place not in seen:
            seen.add(place)
            places += [place + 1] if found[place].goes_on else []
            places += [labels[found[place].target]] if found[place].target in labels else []
    return seen


def loops_of(found, labels):
    """How many loops each instruction is in: a jump back to a label before it closes one, if there is no other way to the jump. A jump to itself ends the code."""
    depth = [0] * len(found)
    closed = {}
    for place, instruction in enumerate(found):
        begin = labels.get(instruction.target)
        if begin is not None and begin < place and place not in reached_without(found, labels, begin):
            closed[begin] = max(place, closed.get(begin, 0))
    for begin, end in closed.items():
        for place in range(begin, end + 1):
            depth[place] += 1
    return depth


def figures(cubin):
    text, usage = disassemble(cubin)
    found, labels = instructions_of(text)
    depth = loops_of(found, labels)
    counts, weighted = {}, {}
    for (opcode, *_), loops in zip(found, depth):
        if opcode in NOT_WORK:
            continue
        kind = KIND_OF.get(opcode, "other")
        counts[kind] = counts.get(kind, 0) + 1
        weighted[kind] = weighted.get(kind, 0) + TURNS**min(loops, 3)
    resources = {name.lower(): int(value) for name, value in re.findall(r"\b(REG|STACK|SHARED|LOCAL):(\d+)", usage)}
    widths = {}
    for (opcode, suffixes, *_), loops in zip(found, depth):
        if KIND_OF.get(opcode) == "global":
            width = next((part for part in re.findall(r"\.(128|64|U16|S16|U8|S8)\b", suffixes)), "32")
            widths[width] = widths.get(width, 0) + TURNS**min(loops, 3)
    return {"count": sum(counts.values()), "weighted": sum(weighted.values()), "kinds": counts, "weighted_kinds": weighted, "widths": widths, **resources}


def source_of(function, args, kwargs):
    """The kernel with the types and constants of a launch, and its options, as both sides make them for an H200; with a text that is the same on both."""
    from triton._utils import find_paths_if, get_iterable_path
    from triton.compiler.compiler import ASTSource, make_backend
    from triton.runtime import driver
    from triton.runtime.jit import create_function_from_signature
    target = driver.active.get_current_target()
    backend = make_backend(target)
    kwargs = {**kwargs, "debug": bool(kwargs.get("debug", function.debug))}
    bound, specialization, given = create_function_from_signature(function.signature, function.params, backend)(*args, **kwargs)
    options = backend.parse_options({**kwargs, **given})
    kinds = [kind for kind, _ in specialization]
    keys = [key for _, key in specialization]
    paths = find_paths_if(kinds, lambda _, kind: kind == "constexpr")
    constants = {path: get_iterable_path(list(bound.values()), path) for path in paths}
    attributes = {path: backend.parse_attr(get_iterable_path(keys, path)) for path in find_paths_if(keys, lambda _, key: isinstance(key, str))}
    for path, value in constants.items():
        if callable(value) and not hasattr(value, "cache_key"):
            raise TypeError(f"callable constexpr at index {path} is not supported")
    names = [each.name for each in function.params]
    known = {path[0]: value for path, value in constants.items() if len(path) == 1}
    words = [f"{name}={known[i]}" if i in known else f"{name}:{kind}{':16' if key == 'D' else ''}" for i, (name, kind, key) in enumerate(zip(names, kinds, keys))]
    text = f"{function.__name__}({', '.join(words)}) warps={options.num_warps} stages={options.num_stages}"
    return ASTSource(function, dict(zip(names, kinds)), constants, attributes), options, re.sub(r" at 0x[0-9a-f]+", "", text)


def compiled(source, options):
    import triton
    from triton.runtime import driver
    return triton.compile(source, target=driver.active.get_current_target(), options=options.__dict__)


class Recorder:
    """In the place of one that measures (kernel_times.Recorder)."""
    must_time = False

    def __init__(self):
        self.rows, self.values = {}, None

    @contextlib.contextmanager
    def alone(self):
        yield

    on = compiling = alone

    def launch(self, function, args, kwargs):
        source, options, text = source_of(function, args, kwargs)
        if text in self.rows:
            return
        row = self.rows[text] = {}
        begin = time.process_time()
        try:
            kernel = compiled(source, options)
            row.update(figures(kernel.asm["cubin"]), warps=kernel.metadata.num_warps, shared=kernel.metadata.shared)
        except Exception as problem:  # noqa: BLE001 a row of the table
            row["error"] = f"{type(problem).__name__}: {problem}"[:400]
        row["seconds"] = time.process_time() - begin


def install(recorder):
    """Launches are compiled and not run from now on."""
    from triton.runtime.jit import JITFunction

    def run(self, *args, grid=None, warmup=False, **kwargs):
        return recorder.launch(self, args, kwargs)

    JITFunction.run = run
    return recorder
