"""guessed_arguments.py: types, constants and data for a kernel of which nothing but the text is known.

What a parameter is follows from its uses (an address of a load, a bound of a loop, an operand of a product), then from its name and default; what a constant is, from the
configurations and launches in its file, then from its name. Several variants vary what was guessed: the types of elements, flags, sizes that are no multiples of blocks.
Strides are those of dense tensors with rows of `size` elements."""
import ast
import dataclasses
import re

ACCESSES = {"load", "store", "make_block_ptr", "make_tensor_descriptor", "_experimental_make_tensor_descriptor"}
SAME = {"to", "multiple_of", "max_contiguous", "max_constancy", "advance", "broadcast_to", "expand_dims", "reshape", "trans", "permute", "cast", "bitcast"}
INDEX = re.compile(r"idx|ind(ex|ices|ptr)|(^|_)ids?(_|$)|table|lens?(_|$)|seqlen|cu_|offsets?(_|$)|labels?(_|$)|targets?(_|$)|slot|mapping|lock|count|(^|_)cols?_ptr|perm(_|$)|seed", re.I)
FLAG = re.compile(r"^(is|has|use|do|with|need|enable|even|causal|apply|store|return|output|add|training|inplace|transpose|trans|skip|save|compute|allow|disable|fuse|no)(_|$)"
                  r"|causal|_flag$|^stride_is", re.I)
REAL = re.compile(r"(^|_)(eps|epsilon|scale|alpha|beta\d?|lr|p|momentum|decay|slope|prob|ratio|threshold|value|theta|temperature|gamma|margin|delta|lambda\w*|min(_val)?|max(_val)?"
                  r"|lower|upper|coef\w*|factor|clip|smoothing|rate|wd|fill|const|softcap|temp|val)(_|$)|^(inv_\w+|one_over\w*)$|scal(e|ar)", re.I)
TYPE = re.compile(r"d_?type|(^|_)type$|_ty$", re.I)
BLOCK = re.compile(r"block|tile|blk|^B[A-Z]{1,2}$|chunk|^[A-Z]{1,3}$|dim|head|size|^[a-z]$|_d$|width|pow2|padded", re.I)


@dataclasses.dataclass
class Parameter:
    name: str
    kind: str = "size"  # pointer, stride, size, real, flag, constant
    element: str = "real"  # of a pointer: real, index, bits
    default: object = None
    words: list = dataclasses.field(default_factory=list)  # strings and numbers that a constant is compared with
    uses: set = dataclasses.field(default_factory=set)


class Kernel:
    """A jit function among those of its module."""

    def __init__(self, name, module_text, file_text=""):
        self.functions = {node.name: node for node in ast.parse(module_text).body if isinstance(node, ast.FunctionDef)}
        self.name, self.node = name, self.functions[name]
        self.file_text = file_text
        self.parameters = self.read(self.node)
        self.axes = 1 + max([0, *(axis for function in self.functions.values() for axis in axes_in(function))])
        self.is_parallel = any(list(axes_in(function)) for function in self.functions.values())
        self.hints = constants_in_host_code(file_text, {each.name for each in self.parameters.values()})

    def read(self, function, depth=0):
        """{name: Parameter} by what the function does with each."""
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        defaults = dict(zip([each.arg for each in [*function.args.posonlyargs, *function.args.args]][::-1], function.args.defaults[::-1]))
        defaults.update({each.arg: value for each, value in zip(function.args.kwonlyargs, function.args.kw_defaults) if value})
        found = {}
        for each in arguments:
            parameter = found[each.arg] = Parameter(each.arg, default=literal(defaults.get(each.arg)))
            if "constexpr" in ast.unparse(each.annotation or ast.Constant("")):
                parameter.kind = "constant"
        uses = Uses(found, self, depth)
        for _ in range(2):  # what a loop assigns is used above
            for statement in function.body:
                uses.visit(statement)
        for parameter in found.values():
            classify(parameter)
        return found


def axes_in(function):
    for each in ast.walk(function):
        if isinstance(each, ast.Call) and last_name(each.func) == "program_id":
            values = [*each.args, *(keyword.value for keyword in each.keywords)]
            yield from (value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, int) and 0 <= value.value < 3)


def last_name(function):
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def literal(node):
    try:
        return ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError):
        return None


class Uses(ast.NodeVisitor):
    """What flows where: `origin` are the parameters a name's address begins with, `reads` the pointers whose elements a name was computed from."""

    def __init__(self, parameters, kernel, depth):
        self.parameters, self.kernel, self.depth = parameters, kernel, depth
        self.origin, self.reads = {}, {}

    def base(self, node):
        if isinstance(node, ast.Name):
            return self.origin.get(node.id, {node.id} if node.id in self.parameters and may_be_address(node.id) else set())
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            return self.base(node.left) or self.base(node.right)
        if isinstance(node, ast.Call) and last_name(node.func) in SAME | ACCESSES - {"load", "store"}:
            value = node.func.value if isinstance(node.func, ast.Attribute) and last_name(node.func.value) not in ("tl", "language") else None
            return self.base(value or (node.args[0] if node.args else next((each.value for each in node.keywords if each.arg in ("base", "input")), None)))
        if isinstance(node, ast.Subscript):
            return self.base(node.value)
        if isinstance(node, ast.IfExp):
            return self.base(node.body) | self.base(node.orelse)
        return set()

    def read(self, node):
        """The pointers whose elements are in an expression."""
        found = set()
        for each in ast.walk(node) if node is not None else []:
            if isinstance(each, ast.Name):
                found |= self.reads.get(each.id, set())
            elif isinstance(each, ast.Call) and last_name(each.func) == "load" and each.args:
                found |= self.base(each.args[0])
        return found

    def mark(self, node, use):
        for each in ast.walk(node) if node is not None else []:
            if isinstance(each, ast.Name) and each.id in self.parameters:
                self.parameters[each.id].uses.add(use)
        for name in self.read(node):
            if name in self.parameters:
                self.parameters[name].uses.add("read " + use)

    def address(self, node):
        for name in self.base(node):
            if name in self.parameters:
                self.parameters[name].uses.add("address")
        self.mark(node, "offset")

    def visit_Assign(self, node):
        self.generic_visit(node)
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple):
                values = node.value.elts if isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(target.elts) else [node.value] * len(target.elts)
                pairs = list(zip(target.elts, values))
            for each, value in pairs:
                if isinstance(each, ast.Name):
                    base, read = self.base(value), self.read(value)
                    self.origin[each.id] = base or (self.origin.get(each.id, set()) if each.id in names(value) else set())
                    self.reads[each.id] = read

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            self.reads[node.target.id] = self.reads.get(node.target.id, set()) | self.read(node.value)

    def visit_Call(self, node):
        self.generic_visit(node)
        name = last_name(node.func)
        keywords = {each.arg: each.value for each in node.keywords}
        if name in ACCESSES or name.startswith("atomic_"):
            address = node.args[0] if node.args else keywords.get("pointer", keywords.get("base"))
            if isinstance(node.func, ast.Attribute) and last_name(node.func.value) not in ("tl", "language"):
                address = node.func.value
            self.address(address)
            if name == "atomic_cas":
                for each in self.base(address):
                    if each in self.parameters:
                        self.parameters[each].uses.add("read offset")
        elif name in ("range", "static_range", "arange", "cdiv", "zeros", "full"):
            for each in node.args[:1] if name in ("zeros", "full") else node.args:
                self.mark(each, "bound")
        elif name == "dot":
            for each in node.args[:2]:
                self.mark(each, "factor")
        elif name == "to" and node.args and isinstance(node.args[0], ast.Name):
            self.mark(node.args[0], "type")
        elif isinstance(node.func, ast.Name) and name in self.kernel.functions and self.depth < 4:
            self.pass_on(self.kernel.functions[name], node, keywords)
        elif isinstance(node.func, ast.Name) and name in self.parameters:
            self.parameters[name].uses.add("called")
        if "dtype" in keywords:
            self.mark(keywords["dtype"], "type")

    def pass_on(self, function, node, keywords):
        """What a helper does with its parameters, it does with the arguments."""
        inner = self.kernel.read(function, self.depth + 1)
        for value, parameter in [*zip(node.args, inner.values()), *((value, inner[name]) for name, value in keywords.items() if name in inner)]:
            if parameter.kind == "pointer":
                self.address(value)
            for name in {value.id} & set(self.parameters) if isinstance(value, ast.Name) else self.base(value) & set(self.parameters):
                self.parameters[name].uses |= parameter.uses
                self.parameters[name].words += parameter.words

    def visit_If(self, node):
        self.test(node.test)
        self.generic_visit(node)

    visit_IfExp = visit_While = visit_If

    def test(self, node):
        for each in [node, *(value for inner in ast.walk(node) if isinstance(inner, ast.BoolOp) for value in inner.values)]:
            each = each.operand if isinstance(each, ast.UnaryOp) else each
            if isinstance(each, ast.Name):
                self.mark(each, "flag")

    def visit_Compare(self, node):
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        for side in sides:
            for other in sides:
                if isinstance(side, ast.Name) and side.id in self.parameters and isinstance(other, ast.Constant):
                    if isinstance(node.ops[0], ast.Eq) or isinstance(other.value, str):
                        self.parameters[side.id].words.append(other.value)
                    if other.value is None:
                        self.parameters[side.id].uses.add("none")

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, (ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)):
            for each in (node.left, node.right):
                self.mark(each, "bits")


def names(node):
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def may_be_address(name):
    return not re.search(r"stride|^(pid|off|num_|BLOCK)|offset$|_size$", name) or name.lower().endswith(("ptr", "ptrs"))


def classify(parameter):
    name, uses = parameter.name, parameter.uses
    if "address" in uses:
        parameter.kind = "pointer"
        is_number = "read offset" in uses or "read bound" in uses
        parameter.element = "index" if is_number or ("read factor" not in uses and INDEX.search(name)) else "bits" if "read bits" in uses else "real"
    elif parameter.kind == "constant":
        pass
    elif re.search(r"stride", name, re.I):
        parameter.kind = "stride"
    elif name.lower().endswith(("_ptr", "_ptrs")):
        parameter.kind = "pointer"
    elif uses & {"offset", "bound"}:
        parameter.kind = "size"
    elif isinstance(parameter.default, bool) or (FLAG.search(name) and "flag" in uses):
        parameter.kind = "flag"
    elif isinstance(parameter.default, float) or (REAL.search(name) and "bits" not in uses):
        parameter.kind = "real"


def constants_in_host_code(text, wanted):
    """{name: [values]} that configurations and launches in the file give."""
    found = {}
    for name, value in re.findall(r"""["']?\b(\w+)["']?\s*[:=]\s*(\d+|True|False)\s*[,)}\n]""", text):
        if name in wanted:
            values = found.setdefault(name, [])
            if literal(ast.parse(value).body[0].value) not in values:
                values.append(literal(ast.parse(value).body[0].value))
    return found


@dataclasses.dataclass
class Shape:
    """What a variant varies."""
    block: int
    size: int
    real: str
    index: str
    flag: bool
    word: int  # which of the words or given values a constant takes
    given: bool  # whether values in host code go before those guessed
    rest: str  # the type of what is no operand of a product, where there is one


SHAPES = (Shape(32, 32, "fp32", "i32", True, 0, False, "fp32"), Shape(16, 29, "fp16", "i64", False, 1, False, "fp32"), Shape(64, 64, "bf16", "i32", True, 2, True, "bf16"))


def variant(kernel, shape):
    """{signature, constants, strides and sizes, grid} as JSON can hold them; a dtype is {"dtype": name}."""
    signature, constants, values = {}, {}, {}
    strides = stride_values([name for name, each in kernel.parameters.items() if re.search(r"stride", name, re.I) and each.kind in ("stride", "constant")], shape.size)
    has_products = any("read factor" in each.uses for each in kernel.parameters.values())
    for name, each in kernel.parameters.items():
        if each.kind == "constant":
            signature[name] = "constexpr"
            constants[name] = strides[name] if name in strides else constant(each, shape, kernel.hints.get(name, []))
        elif each.kind == "pointer":
            is_rest = has_products and "read factor" not in each.uses
            signature[name] = "*" + {"real": shape.rest if is_rest else shape.real, "index": shape.index, "bits": "i32"}[each.element]
            if each.element == "real" and re.search(r"mask", name, re.I):
                signature[name] = "*i8"
        else:
            signature[name] = {"stride": "i32", "size": "i32", "real": "fp32", "flag": "i1"}[each.kind]
            values[name] = {"stride": strides.get(name), "size": shape.size, "real": 0.5 if not isinstance(each.default, (int, float)) else float(each.default), "flag": shape.flag}[each.kind]
    grid = ([4], [3, 2], [2, 2, 2])[kernel.axes - 1] if kernel.is_parallel else [1]
    return {"signature": signature, "constants": constants, "values": values, "grid": grid, "size": shape.size}


def constant(each, shape, given):
    """A constexpr's value."""
    words = [word for word in dict.fromkeys(each.words) if word is not None]
    numbers = [value for value in given if not isinstance(value, bool)]
    if each.kind == "constant" and ("type" in each.uses or TYPE.search(each.name)) and "bound" not in each.uses:
        return {"dtype": {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}[shape.real]}
    if shape.given and given:
        return given[shape.word % len(given)]
    if isinstance(each.default, bool) or (("flag" in each.uses or FLAG.search(each.name)) and not numbers and "bound" not in each.uses):
        return shape.flag
    if words:
        return words[shape.word % len(words)]
    if each.default is not None:
        return each.default
    if re.search(r"stages?$", each.name, re.I):
        return 2
    if re.search(r"warps?$", each.name, re.I):
        return 4
    if re.search(r"bits?$", each.name, re.I):
        return 4
    if re.search(r"group", each.name, re.I) and not re.search(r"size|block", each.name, re.I):
        return 4
    if REAL.search(each.name) and not each.uses & {"bound", "offset", "bits"}:
        return 0.5
    if re.match(r"(NUM|N)_", each.name) and not BLOCK.search(each.name[2:]):
        return 2
    if re.search(r"activation|act(_|$)|mode|op$|kind", each.name, re.I):
        return ""
    return shape.block


def stride_values(names_of_strides, size):
    """Those of dense tensors: strides that follow each other and are named for one tensor (`stride_qm, stride_qk`, `q_row_stride`) have steps of `size`; the last is 1, or a row
    where the first two are a batch and a head and the third is a row."""
    groups = []
    for name in names_of_strides:
        words = [word for word in re.split(r"strides?|_", name.lower()) if word]
        if len(words) == 1:  # `stride_qm`, or `stride_m` alone
            words = [words[0][:1], words[0][1:]] if 1 < len(words[0]) <= 3 else ["", words[0]]
        stem, axis = "_".join(words[:-1]), words[-1] if words else ""
        if groups and groups[-1][0] == stem:
            groups[-1][1].append((name, axis))
        else:
            groups.append((stem, [(name, axis)]))
    found = {}
    for _, members in groups:
        axes = [axis[:1] for _, axis in members]
        stride = size if len(members) == 1 or (len(members) == 3 and axes[0] in "bz" and axes[1] == "h" and axes[2] in "mnst") else 1
        for name, _ in members[::-1]:
            found[name] = min(stride, size**3)
            stride *= size
    return found


def arguments(variant, order):
    """Data of a variant: positional values in the order of the kernel's parameters, tensors and constants among them."""
    import torch
    import triton.language as tl
    elements = 8 * variant["size"]**3
    types = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16, "i32": torch.int32, "i64": torch.int64, "i8": torch.int8}
    found = {}
    for number, name in enumerate(order):
        type = variant["signature"].get(name, "constexpr")
        if type == "constexpr":
            value = variant["constants"][name]
            found[name] = getattr(tl, value["dtype"]) if isinstance(value, dict) else value
        elif type.startswith("*"):
            found[name] = elements_of(type[1:], name, elements, number).to(types[type[1:]])
        else:
            found[name] = variant["values"][name]
    return found


def elements_of(type, name, count, seed):
    """Small numbers; those of the beginnings of sequences rise, indices stay below eight."""
    import torch
    generator = torch.Generator().manual_seed(seed + 1)
    if type.startswith("i"):
        if re.search(r"cu_|indptr|offsets?(_|$)|starts?(_|$)", name, re.I):
            return (torch.arange(count) * 4).clamp(max=16)
        return torch.randint(0, 2 if "mask" in name.lower() else 8, (count, ), generator=generator)
    return torch.rand(count, generator=generator) * 2 - 1
