#!/usr/bin/python3
"""Shape changes, reductions, scans, sorts, histograms, gathers, matrix products and atomics, against numpy."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python"))
from formats import BF16, E4M3, E5M2, F16, F32, F64, INTEGERS, Integer  # noqa: E402
from harness import Kernel, Tally, run_tool  # noqa: E402

random = np.random.default_rng(7)
tally = Tally()
I1, I8, I16, I32, I64 = INTEGERS
NUMPY = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "f16": np.float16, "i8": np.int8, "i16": np.int16}


def dims(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def sample(kind, count):
    if kind.name.startswith("f"):
        return random.standard_normal(count).astype(NUMPY[kind.name])
    return random.integers(-100, 100, count).astype(NUMPY[kind.name])


def as_bits(array, kind):
    return array.view(kind.numpy) if array.dtype.itemsize * 8 == kind.bits else array.astype(kind.numpy)


cases = 0


def tile_case(what, kind, shape, build, expected, result_kind=None, exact=True, tolerance=0.0):
    """`build(kernel, value)` emits ops on a tile of `shape` and returns (value, count). Every third case runs checked too."""
    global cases
    cases += 1
    result_kind = result_kind or kind
    data = sample(kind, int(np.prod(shape)))
    kernel = Kernel(data.size)
    value = kernel.input("a", kind, as_bits(data, kind))
    kernel.emit(f"%tile = tile.reshape {value} : {dims([data.size], kind.mlir)} -> {dims(shape, kind.mlir)}")
    name, out_shape = build(kernel, "%tile")
    want = expected(data.reshape(shape))
    want = np.asarray(want)
    tally.check(f"{what} shape", tuple(want.shape) == tuple(out_shape), f"{want.shape} and {out_shape}")
    flat = name
    count = int(np.prod(out_shape)) if len(out_shape) else 1
    if len(out_shape) == 0:
        kernel.emit(f"%flat = tile.splat {name} : {result_kind.mlir} -> {dims([1], result_kind.mlir)}")
        flat = "%flat"
    elif len(out_shape) > 1:
        kernel.emit(f"%flat = tile.reshape {name} : {dims(out_shape, result_kind.mlir)} -> {dims([count], result_kind.mlir)}")
        flat = "%flat"
    got = kernel.output(flat, result_kind, count)
    for options in ([], ["--check"])[:2 if cases % 3 == 0 else 1]:
        got[...] = 0
        report = kernel.run(options)
        tally.check(f"{what} {options} reports", "report" not in report, report[:300])
        numbers = got.view(NUMPY[result_kind.name]) if result_kind.name in NUMPY else got
        same = np.array_equal(numbers, want.reshape(-1).astype(numbers.dtype), equal_nan=numbers.dtype.kind == "f") if exact else \
            np.allclose(numbers, want.reshape(-1), rtol=tolerance, atol=tolerance)
        tally.check(f"{what} {kind.name} {options}", same, f"{numbers[:8]} expected {want.reshape(-1)[:8]}")


def one(text, name, out):
    def build(kernel, value):
        kernel.emit(text.replace("$", value))
        return name, out
    return build


# ---- Shape changes.
for kind in (F32, I8, I16, I64):
    e = kind.mlir
    tile_case("tile.trans", kind, (4, 8), one(f"%r = tile.trans $ {{order = array<i32: 1, 0>}} : {dims((4, 8), e)} -> {dims((8, 4), e)}", "%r", (8, 4)), lambda x: x.T)
    tile_case("tile.trans 3-D", kind, (2, 4, 8), one(f"%r = tile.trans $ {{order = array<i32: 2, 0, 1>}} : {dims((2, 4, 8), e)} -> {dims((8, 2, 4), e)}", "%r", (8, 2, 4)), lambda x: x.transpose(2, 0, 1))
    tile_case("tile.broadcast", kind, (4, 1, 2), one(f"%r = tile.broadcast $ : {dims((4, 1, 2), e)} -> {dims((4, 8, 2), e)}", "%r", (4, 8, 2)), lambda x: np.broadcast_to(x, (4, 8, 2)))
    tile_case("tile.expand_dims", kind, (4, 8), one(f"%r = tile.expand_dims $ {{axis = 1 : i32}} : {dims((4, 8), e)} -> {dims((4, 1, 8), e)}", "%r", (4, 1, 8)), lambda x: x[:, None])
    for axis in (0, 1):
        tile_case(f"tile.flip {axis}", kind, (4, 8), one(f"%r = tile.flip $ {{axis = {axis} : i32}} : {dims((4, 8), e)} -> {dims((4, 8), e)}", "%r", (4, 8)), lambda x, axis=axis: np.flip(x, axis))
        out = (8, 8) if axis == 0 else (4, 16)
        tile_case(f"tile.cat {axis}", kind, (4, 8), one(f"%r = tile.cat $, $ {{axis = {axis} : i32}} : {dims((4, 8), e)}, {dims((4, 8), e)} -> {dims(out, e)}", "%r", out), lambda x, axis=axis: np.concatenate([x, x], axis))
    tile_case("tile.join", kind, (4, 8), one(f"%t = tile.flip $ {{axis = 0 : i32}} : {dims((4, 8), e)} -> {dims((4, 8), e)}\n  %r = tile.join $, %t : {dims((4, 8), e)} -> {dims((4, 8, 2), e)}", "%r", (4, 8, 2)), lambda x: np.stack([x, x[::-1]], -1))
    tile_case("tile.split", kind, (4, 2), one(f"%r, %s = tile.split $ : {dims((4, 2), e)} -> {dims((4,), e)}", "%s", (4,)), lambda x: x[:, 1])

    def gather(kernel, value, axis, e=e):
        shape = (4, 8)
        kernel.emit(f"%i = arith.constant {'dense<[' + ', '.join('[' + ', '.join(str((3 * r + 5 * c) % shape[axis]) for c in range(8)) + ']' for r in range(4)) + ']>'} : {dims(shape, 'i32')}")
        kernel.emit(f"%r = tile.gather {value}[%i] {{axis = {axis} : i32}} : {dims(shape, e)}, {dims(shape, 'i32')} -> {dims(shape, e)}")
        return "%r", shape
    index = np.array([[3 * r + 5 * c for c in range(8)] for r in range(4)])
    for axis in (0, 1):
        tile_case(f"tile.gather {axis}", kind, (4, 8), lambda k, v, axis=axis: gather(k, v, axis), lambda x, axis=axis: np.take_along_axis(x, index % (4, 8)[axis], axis))


# ---- Reductions and scans.

def combine(op, kind, body, axis, shape, scan=False, reverse=False):
    e = kind.mlir
    out = shape if scan else tuple(x for d, x in enumerate(shape) if d != axis)
    result = dims(out, e) if out else e
    attributes = f"{{axis = {axis} : i32{', reverse' if reverse else ''}}}"

    def build(kernel, value):
        kernel.emit(f"%r = tile.{op} {value} {attributes} : ({dims(shape, e)}) -> {result} {{\n  ^bb0(%x: {e}, %y: {e}):\n    {body}\n    tile.yield %c : {e}\n  }}")
        return "%r", out
    return build


def sequential(x, axis, function):
    x = np.moveaxis(x, axis, 0)
    total = x[0].copy()
    steps = [total]
    for row in x[1:]:
        total = function(total, row)
        steps.append(total)
    return np.moveaxis(np.stack(steps), 0, axis)


def in_pairs(x, axis, function):
    """Neighbours, then neighbours of those: how floats of 16 bits are reduced."""
    rows = list(np.moveaxis(x, axis, 0))
    while len(rows) > 1:
        rows = [function(*rows[k:k + 2]) if k + 1 < len(rows) else rows[k] for k in range(0, len(rows), 2)]
    return rows[0]


for kind in (F32, F64, F16, I32, I8):
    is_float = kind.name.startswith("f")
    ops = {"addf": np.add, "mulf": np.multiply, "maxnumf": np.fmax, "minnumf": np.fmin} if is_float else \
        {"addi": np.add, "muli": np.multiply, "maxsi": np.maximum, "minsi": np.minimum, "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor}
    for name, function in ops.items():
        text = f"%c = arith.{name} %x, %y : {kind.mlir}"
        # One dimension and three others for the plain ops; the rest on one shape each.
        common = name in ("addf", "addi", "maxnumf")
        for shape, axis in (((64,), 0), ((8, 16), 0), ((8, 16), 1), ((4, 8, 2), 1)) if common else (((64,), 0), ((8, 16), 1)):
            with np.errstate(all="ignore"):
                tile_case(f"tile.reduce {name} {shape} {axis}", kind, shape, combine("reduce", kind, text, axis, shape),
                          lambda x: in_pairs(x, axis, function) if kind is F16 else np.take(sequential(x, axis, function), -1, axis))
                for reverse in (False, True):
                    flip = (lambda x: np.flip(x, axis)) if reverse else (lambda x: x)
                    tile_case(f"tile.scan {name} {shape} {axis} {reverse}", kind, shape, combine("scan", kind, text, axis, shape, True, reverse),
                              lambda x: flip(sequential(flip(x), axis, function)))

# Two ops in the region, not one: a subtraction after a product.
body = "%p = arith.mulf %x, %y : f32\n    %c = arith.subf %p, %y : f32"
for shape, axis in (((16,), 0), ((4, 8), 1), ((4, 8), 0)):
    tile_case("tile.reduce region", F32, shape, combine("reduce", F32, body, axis, shape), lambda x: np.take(sequential(x, axis, lambda a, b: a * b - b), -1, axis))
# Control flow in the region: it runs lane by lane.
body = "%k = arith.cmpf ogt, %x, %y : f32\n    %c = scf.if %k -> f32 {\n      scf.yield %x : f32\n    } else {\n      scf.yield %y : f32\n    }"
for shape, axis in (((16,), 0), ((4, 8), 1), ((4, 8), 0)):
    tile_case("tile.reduce branch", F32, shape, combine("reduce", F32, body, axis, shape), lambda x: x.max(axis))


def argmax(shape, axis):
    out = tuple(x for d, x in enumerate(shape) if d != axis)
    def build(kernel, value):
        grid = np.indices(shape)[axis]
        flat = ", ".join(map(str, grid.reshape(-1)))
        kernel.emit(f"%fi = arith.constant dense<[{flat}]> : {dims([grid.size], 'i32')}")
        kernel.emit(f"%i = tile.reshape %fi : {dims([grid.size], 'i32')} -> {dims(shape, 'i32')}")
        kernel.emit(f"""%m, %r = tile.reduce {value}, %i {{axis = {axis} : i32}} : ({dims(shape, 'f32')}, {dims(shape, 'i32')}) -> ({dims(out, 'f32') if out else 'f32'}, {dims(out, 'i32') if out else 'i32'}) {{
  ^bb0(%ra: f32, %rai: i32, %rb: f32, %rbi: i32):
    %gt = arith.cmpf ogt, %ra, %rb : f32
    %eq = arith.cmpf oeq, %ra, %rb : f32
    %lt = arith.cmpi slt, %rai, %rbi : i32
    %tie = arith.andi %eq, %lt : i1
    %take = arith.ori %gt, %tie : i1
    %v = arith.select %take, %ra, %rb : f32
    %vi = arith.select %take, %rai, %rbi : i32
    tile.yield %v, %vi : f32, i32
  }}""")
        return "%r", out
    return build


for shape, axis in (((64,), 0), ((128,), 0), ((8, 16), 1), ((8, 16), 0)):
    tile_case(f"argmax {shape}", F32, shape, argmax(shape, axis), lambda x: x.argmax(axis).astype(np.int32), result_kind=I32)

# ---- Sort, topk, histogram.
for kind in (F32, F16, I32, I8, F64):
    for count, descending in ((16, False), (16, True), (4, True)):
        flag = ", descending" if descending else ""
        attributes = f" {{descending}}" if descending else ""
        tile_case(f"tile.sort {count} {descending}", kind, (4, 16), one(f"%r = tile.sort $ count {count}{attributes} : {dims((4, 16), kind.mlir)} -> {dims((4, count), kind.mlir)}", "%r", (4, count)),
                  lambda x: (-np.sort(-x.astype(np.float64), -1) if descending else np.sort(x, -1))[:, :count].astype(x.dtype))
tile_case("tile.histogram", I32, (128,), one(f"%r = tile.histogram $ : {dims((128,), 'i32')} -> {dims((64,), 'i32')}", "%r", (64,)),
          lambda x: np.bincount(x[(x >= 0) & (x < 64)], minlength=64).astype(np.int32), result_kind=I32)

# ---- map, with pack 1 and 2.
tile_case("tile.map", F32, (4, 8), one(f"%r = tile.map $ pack 1 : ({dims((4, 8), 'f32')}) -> {dims((4, 8), 'f32')} {{\n  ^bb0(%x: f32):\n    %y = arith.mulf %x, %x : f32\n    tile.yield %y : f32\n  }}", "%r", (4, 8)), lambda x: x * x)
tile_case("tile.map pack 2", F32, (16,), one(f"%r = tile.map $ pack 2 : ({dims((16,), 'f32')}) -> {dims((16,), 'f32')} {{\n  ^bb0(%x: f32, %y: f32):\n    %s = arith.addf %x, %y : f32\n    %d = arith.subf %x, %y : f32\n    tile.yield %s, %d : f32, f32\n  }}", "%r", (16,)),
          lambda x: np.stack([x[0::2] + x[1::2], x[0::2] - x[1::2]], -1).reshape(-1))


# ---- Matrix products.

def f32_of(kind, bits):
    return np.array([float(kind.decode(int(b))) for b in bits.reshape(-1)], np.float64).reshape(bits.shape)


def product(what, lhs_kind, acc_kind, shape, precision, tolerance, unsigned=False):
    batch, m, n, k = shape
    def bits(rows, columns):
        count = batch * rows * columns
        if isinstance(lhs_kind, Integer):
            return random.integers(0, 256, count).astype(np.uint8)
        return np.array([lhs_kind.encode(float(x)) for x in random.standard_normal(count)], lhs_kind.numpy)
    a, b = bits(m, k), bits(k, n)
    if isinstance(lhs_kind, Integer):
        values = [x.astype(np.int64) if unsigned else x.view(np.int8).astype(np.int64) for x in (a, b)]
        c = random.integers(-9, 9, batch * m * n).astype(np.int32)
    else:
        values = [f32_of(lhs_kind, x) for x in (a, b)]
        c = random.standard_normal(batch * m * n).astype(np.float64 if acc_kind is F64 else np.float32)
    if acc_kind is F16:
        c = c.astype(np.float16)
    expected = values[0].reshape(batch, m, k) @ values[1].reshape(batch, k, n) + c.reshape(batch, m, n)
    front = [batch] if batch > 1 else []
    size = max(a.size, b.size, c.size)
    kernel_text = []
    names = []
    for name, array, kind, tile in (("a", a, lhs_kind, front + [m, k]), ("b", b, lhs_kind, front + [k, n]), ("c", c, acc_kind, front + [m, n])):
        e, count = kind.mlir, array.size
        names.append(f"%{name}: !tile.ptr<{e}>")
        kernel_text.append(f"""%{name}l = tile.arange 0 to {count} : tensor<{count}xi32>
  %{name}b = tile.splat %{name} : !tile.ptr<{e}> -> tensor<{count}x!tile.ptr<{e}>>
  %{name}p = tile.addptr %{name}b, %{name}l : tensor<{count}x!tile.ptr<{e}>>, tensor<{count}xi32>
  %{name}f = tile.load %{name}p : tensor<{count}x!tile.ptr<{e}>> -> tensor<{count}x{e}>
  %{name}t = tile.reshape %{name}f : tensor<{count}x{e}> -> {dims(tile, e)}""")
    flags = [f"precision = #tile<precision {precision}>"] if precision else []
    if unsigned:
        flags += ["lhsUnsigned", "rhsUnsigned"]
    e = acc_kind.mlir
    source = f"""func.func @dot({', '.join(names)}) {{
  {chr(10).join(kernel_text)}
  %r = tile.dot %at, %bt, %ct {{{', '.join(flags)}}} : {dims(front + [m, k], lhs_kind.mlir)}, {dims(front + [k, n], lhs_kind.mlir)} -> {dims(front + [m, n], e)}
  %rf = tile.reshape %r : {dims(front + [m, n], e)} -> tensor<{c.size}x{e}>
  tile.store %cp, %rf : tensor<{c.size}x!tile.ptr<{e}>>, tensor<{c.size}x{e}>
  return
}}
"""
    out = c.copy()
    run_tool(source, [("a", lhs_kind.name, a), ("b", lhs_kind.name, b), ("c", acc_kind.name, out)])
    error = np.abs(out.astype(np.float64) - expected.reshape(-1)).max() / max(1.0, np.sqrt(k))
    tally.check(f"tile.dot {what}", error <= tolerance, f"error {error}")
    return error


for shape in ((1, 16, 16, 16), (1, 32, 8, 64), (2, 16, 32, 16), (1, 5, 7, 3)):
    product(f"f32 ieee {shape}", F32, F32, shape, "ieee", 1e-6)
    product(f"f64 {shape}", F64, F64, shape, "ieee", 1e-14)
    product(f"f16 {shape}", F16, F32, shape, "", 1e-6)
    product(f"bf16 {shape}", BF16, F32, shape, "", 1e-6)
    product(f"e4m3 {shape}", E4M3, F32, shape, "", 1e-6)
    product(f"e5m2 {shape}", E5M2, F32, shape, "", 1e-6)
    product(f"f16 to f16 {shape}", F16, F16, shape, "", 1e-2)
    product(f"i8 {shape}", I8, I32, shape, "", 0)
    product(f"u8 {shape}", I8, I32, shape, "", 0, unsigned=True)
errors = {p: product(p, F32, F32, (1, 32, 32, 64), p, bound) for p, bound in
          (("tf32", 2e-3), ("tf32x3", 3e-6), ("ieee", 3e-6), ("bf16x3", 3e-6), ("bf16x6", 3e-6))}
tally.check("tf32 is less exact than ieee", errors["tf32"] > 20 * errors["ieee"], str(errors))
# ---- Microscaled products: small whole numbers, so that the result is exact.

E2M1_VALUES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])


def load_bytes(name, element, shape):
    count = int(np.prod(shape))
    return f"""%{name}l = tile.arange 0 to {count} : tensor<{count}xi32>
  %{name}b = tile.splat %{name} : !tile.ptr<{element}> -> tensor<{count}x!tile.ptr<{element}>>
  %{name}p = tile.addptr %{name}b, %{name}l : tensor<{count}x!tile.ptr<{element}>>, tensor<{count}xi32>
  %{name}f = tile.load %{name}p : tensor<{count}x!tile.ptr<{element}>> -> tensor<{count}x{element}>
  %{name}t = tile.reshape %{name}f : tensor<{count}x{element}> -> {dims(shape, element)}"""


def packed(nibbles, axis):
    """Two nibbles a byte along an axis, the first one low."""
    low, high = np.take(nibbles, range(0, nibbles.shape[axis], 2), axis), np.take(nibbles, range(1, nibbles.shape[axis], 2), axis)
    return (low | high << 4).astype(np.uint8)


def scaled(left_packed_along_k, right_packed_along_k):
    m, n, k = 8, 4, 64
    left, right = random.integers(0, 16, (m, k)), random.integers(0, 16, (k, n))
    left_scale, right_scale = random.integers(125, 130, (m, k // 32)).astype(np.uint8), random.integers(125, 130, (n, k // 32)).astype(np.uint8)
    a, b = packed(left, 1 if left_packed_along_k else 0), packed(right, 0 if right_packed_along_k else 1)
    factor = lambda scale: np.repeat(2.0 ** (scale.astype(np.float64) - 127), 32, 1)
    expected = (E2M1_VALUES[left] * factor(left_scale)) @ (E2M1_VALUES[right] * factor(right_scale).T) + 1
    out = np.ones((m, n), np.float32)
    types = [dims(x.shape, "i8") for x in (a, left_scale, b, right_scale)]
    flags = f"lhsKPack = {str(left_packed_along_k).lower()}, rhsKPack = {str(right_packed_along_k).lower()}"
    source = f"""func.func @kernel(%a: !tile.ptr<i8>, %s: !tile.ptr<i8>, %b: !tile.ptr<i8>, %r: !tile.ptr<i8>, %c: !tile.ptr<f32>) {{
  {load_bytes('a', 'i8', a.shape)}
  {load_bytes('s', 'i8', left_scale.shape)}
  {load_bytes('b', 'i8', b.shape)}
  {load_bytes('r', 'i8', right_scale.shape)}
  {load_bytes('c', 'f32', out.shape)}
  %d = tile.dot_scaled %at scale %st : {types[1]} e2m1, %bt scale %rt : {types[3]} e2m1, %ct {{{flags}}} : {types[0]}, {types[2]}, {dims(out.shape, 'f32')} -> {dims(out.shape, 'f32')}
  %o = tile.reshape %d : {dims(out.shape, 'f32')} -> tensor<{out.size}xf32>
  tile.store %cp, %o : tensor<{out.size}x!tile.ptr<f32>>, tensor<{out.size}xf32>
  return
}}
"""
    run_tool(source, [("a", "i8", a), ("s", "i8", left_scale), ("b", "i8", b), ("r", "i8", right_scale), ("c", "f32", out)])
    tally.check(f"tile.dot_scaled {flags}", np.array_equal(out, expected.astype(np.float32)), f"{out[0]} expected {expected[0]}")


for left_along_k in (True, False):
    for right_along_k in (True, False):
        scaled(left_along_k, right_along_k)

# ---- A tile of one element as a scalar, and facts about a value, which change nothing.
tile_case("tile.unsplat", F32, (1, 1), one(f"%r = tile.unsplat $ : {dims((1, 1), 'f32')} -> f32", "%r", ()), lambda x: x.reshape(()))
tile_case("tile.hint", F32, (4, 8), one(f"%r = tile.hint $ {{divisibility = array<i64: 16, 16>}} : {dims((4, 8), 'f32')}", "%r", (4, 8)), lambda x: x)
sys.exit(tally.finish())
