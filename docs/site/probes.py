"""probes.py: what a function of the language takes and gives, asked of the compiler.

The call in a function's example is replaced by one that stops the compilation and says the types and shapes of its operands and of its
result. That is done once for each element type, so that the table of a function says what the compiler does, not what somebody remembers."""
import ast
import os
import re
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "python"))
from nereid_test import Descriptor, Module, NereidError, Typed  # noqa: E402

TENSOR = re.compile(r"^(?:randn|rand|zeros|ones|empty|arange|full\([^)]*\)|randint\([^)]*\)):(?P<dtype>\w+)\[(?P<extents>[^\]]*)\](?:@\[(?P<block>[^\]]*)\])?$")
# Names of `nereid run`, and what numpy or our library calls them.
TYPES = {"i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
         "f8e4m3": "fp8e4nv", "f8e5m2": "fp8e5", "f16": "float16", "bf16": "bf16", "f32": "float32", "f64": "float64"}  # yapf: disable
STORED = {"bf16": np.uint16, "fp8e4nv": np.uint8, "fp8e5": np.uint8}
ASKED = ["i1", "i8", "i32", "i64", "u8", "u32", "f8e4m3", "f16", "bf16", "f32", "f64"]


def tensor(dtype, extents):
    name = TYPES[dtype]
    array = np.zeros(extents, STORED.get(name, None) or name)
    return Typed(array, name) if name in STORED else array


def arguments(words, dtype):
    """Those of an example's command; tensors of the type of the first one have `dtype` instead."""
    result, first = {}, None
    for word in words:
        name, _, text = word.partition("=")
        if found := TENSOR.match(text):
            first = first or found["dtype"]
            made = tensor(dtype if dtype and found["dtype"] == first else found["dtype"], tuple(int(extent) for extent in found["extents"].split(",")))
            result[name] = Descriptor(made, [int(extent) for extent in found["block"].split(",")]) if found["block"] else made
        else:
            result[name] = ast.literal_eval({"true": "True", "false": "False"}.get(text, text))
    return result


def spelled(node):
    """`tl.extra.libdevice.sin` of libdevice.sin, `.sum` of x.sum."""
    return ast.unparse(node)


class Asked(ast.NodeTransformer):
    """The first call of a function becomes one that says what went in and came out."""

    def __init__(self, name):
        self.full, self.last, self.call = name, name.rsplit(".", 1)[-1], None

    def is_call(self, node):
        text = spelled(node.func)
        if self.full.startswith(("tensor.", "dtype.", "descriptor.")):
            return isinstance(node.func, ast.Attribute) and node.func.attr == self.last
        return text == self.full or text == "libdevice." + self.last or text == self.last

    def visit_Call(self, node):
        if self.call is None and self.is_call(node):
            own = [node.func.value] if self.full.startswith(("tensor.", "descriptor.")) else []
            named = [keyword.value for keyword in node.keywords if keyword.arg]
            self.operands = [operand for operand in own + node.args + named if not isinstance(operand, (ast.Constant, ast.List, ast.Tuple, ast.Starred))]
            self.call = node
            return ast.Name("SEEN")
        return self.generic_visit(node)


def probe_text(example, name, keep, result):
    """The example with a probe for the operands `keep`, and for `result`: a text in which `{}` is the value; None: it has none."""
    tree = ast.parse(example)
    asked = Asked(name)
    tree = asked.visit(tree)
    if asked.call is None:
        return None
    operands = [asked.operands[i] for i in keep if i < len(asked.operands)]
    parameters = ", ".join(["result"] * bool(result) + [f"a{i}" for i in range(len(operands))])
    given = ", ".join([ast.unparse(asked.call)] * bool(result) + [ast.unparse(operand) for operand in operands])
    described = [f"{{a{i}.dtype}} {{a{i}.shape}}" for i in range(len(operands))]
    described.append(f"{{{result.format('result')}.dtype}} {{{result.format('result')}.shape}}" if result else "")
    head = f"@triton.jit\ndef _seen({parameters}):\n    tl.static_assert(False, f\"SEEN {' ; '.join(described)} SEEN\")\n    return {parameters.split(',')[0]}\n\n\n"
    text = ast.unparse(tree).replace("SEEN", f"_seen({given})")
    at = text.index("@triton.jit")
    return text[:at] + head + text[at:]


def ask(module, kernel, words, dtype):
    """[(type, shape) of each operand, then of the result], or None where the compiler says something else."""
    try:
        module.compile(kernel, arguments(words, dtype))
    except NereidError as problem:
        found = re.search(r"SEEN ([^{}]*?) SEEN", str(problem))
        if not found:
            return None
        return [tuple(part.rsplit(" (", 1)) if " (" in part else None for part in found[1].split(" ; ")]
    except (ValueError, SyntaxError, KeyError):
        return None
    return None


def probe(name, example, command):
    """{type of the tensors: (operands, result)} for each element type that the example compiles with; each is (type, shape)."""
    command = re.sub(r"--(?:save|expect|grid|tolerance) (?:'[^']*'|\S)+", "", command)
    words = [word for word in re.findall(r"(?:'[^']*'|\S)+", command) if re.match(r"^\w+=", word)]
    found = re.match(r"run \S+\.py:(\w+)", command)
    if not found:
        return {}
    kernel, count = found[1], 6
    for keep in [list(range(count)), [0, 1, 2], [0, 1], [0, 2], [0], [1], []]:
        for result in ("{}", "{}[0]", None):
            text = probe_text(example, name, keep, result) if keep or result else None
            module = Module(text=text) if text else None
            if module and (seen := ask(module, kernel, words, None)):
                rows = {None: seen}
                for dtype in ASKED:
                    if answer := ask(module, kernel, words, dtype):
                        rows[dtype] = answer
                return rows
    return {}


def as_text(value):
    """fp32[4, 8], of ("fp32", "4, 8)")."""
    if not value:
        return ""
    dtype, shape = value
    extents = shape.rstrip(")").rstrip(",").strip()
    return dtype + (f"[{extents}]" if extents else "")


def types_only(values):
    return ", ".join(value[0] for value in values if value)
