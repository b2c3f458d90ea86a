"""Functions on elements: map_elementwise, extern_elementwise, inline assembly."""
import os

from builtin_test import HEADER, NUMBERS, Checks, Module, NereidError, evaluate, expect_error, make, np, random

checks = Checks()
rng = np.random.default_rng(23)
FUNCTIONS = """
@triton.jit
def branch(x, y):
    if x > y:
        result = x - y
    else:
        result = y + y
    return result


@triton.jit
def two(x):
    return x + x, x > 0


@triton.jit
def swap(first, second):
    return second, first

"""


def test_map(dtype):
    x, y = make(dtype, rng.integers(0, 20, 53)), make(dtype, rng.integers(0, 20, 53))
    expected = np.where(x.values > y.values, x.values - y.values, y.values + y.values)
    checks.equal(evaluate("r = tl.map_elementwise(branch, a, b)", [x, y], dtype, before=FUNCTIONS), expected, f"map_elementwise {dtype}")
    double, positive = evaluate("r0, r1 = tl.map_elementwise(two, a)", [x], [dtype, "int1"], before=FUNCTIONS)
    checks.equal(double, x.values + x.values, f"map_elementwise {dtype}: first of two results")
    checks.equal(positive, x.values > 0, f"map_elementwise {dtype}: second of two results")


for dtype in NUMBERS:
    checks.run(f"map_elementwise {dtype}", test_map, dtype)


def test_pack():
    x = make("int32", np.arange(64))
    actual = evaluate("r, = tl.map_elementwise(swap, a, pack=2)", [x], "int32", n=64, before=FUNCTIONS)
    checks.equal(np.sort(actual), np.arange(64), "map_elementwise with pack=2 gives each element once")
    checks.expect((actual != x.bits).all(), "map_elementwise with pack=2 swaps within groups of two")
    scalar = evaluate("r = a + tl.map_elementwise(branch, 3, 5)", [x], "int32", n=64, before=FUNCTIONS)
    checks.equal(scalar, x.bits + 10, "map_elementwise of scalars")


checks.run("pack", test_pack)

EXTERN = """
SYMBOLS = tl.constexpr({
    (tl.float32, tl.float32): ("__nv_hypotf", tl.float32),
    (tl.float64, tl.float64): ("__nv_hypot", tl.float64),
})


@triton.jit
def call(x, y):
    return tl.core.extern_elementwise("libdevice", "", [x, y], SYMBOLS, is_pure=True)


@tl.core.extern
def wrapped(x, y, _semantic=None):
    return tl.core.extern_elementwise(
        "", "", [x, y], {
            (tl.core.dtype("fp32"), tl.core.dtype("fp32")): ("__nv_hypotf", tl.core.dtype("fp32")),
            (tl.core.dtype("fp64"), tl.core.dtype("fp64")): ("__nv_hypot", tl.core.dtype("fp64")),
        }, is_pure=True, _semantic=_semantic)

"""


def test_extern(dtype):
    x, y = random(rng, dtype, 53), random(rng, dtype, 53)
    checks.close(evaluate("r = call(a, b)", [x, y], dtype, before=EXTERN), np.hypot(x.values, y.values), f"extern_elementwise {dtype}", rtol=1e-6)
    checks.close(evaluate("r = wrapped(a, b)", [x, y], dtype, before=EXTERN), np.hypot(x.values, y.values), f"a function marked @core.extern, {dtype}", rtol=1e-6)
    checks.close(evaluate("r = call(a, 3.0)", [x], dtype, before=EXTERN), np.hypot(x.values, 3), f"extern_elementwise {dtype} and a constant", rtol=1e-6)


for dtype in ("fp32", "fp64"):
    checks.run(f"extern_elementwise {dtype}", test_extern, dtype)

ASSEMBLY = """
@triton.jit
def kernel(a_ptr, r_ptr):
    o = tl.arange(0, 64)
    a = tl.load(a_ptr + o)
    r, s = tl.inline_asm_elementwise("mov.b32 $0, $2; mov.b32 $1, $2;", "=r,=r,r", [a], dtype=(tl.int32, tl.float32), is_pure=True, pack=1)
    t = tl.inline_asm_elementwise("add.u32 $0, $1, $2;", "=r,r,r", [r, 4], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(r_ptr + o, t + s.to(tl.int32, bitcast=True))
"""


def test_assembly():
    module = Module(text=HEADER + ASSEMBLY, name="assembly.py")
    data, out = make("int32", rng.integers(0, 1000, 64)), make("int32", np.zeros(64))
    if os.environ.get("NEREID_DEVICE") == "cpu":
        try:
            module.launch("kernel", [data.argument, out.argument])
            checks.expect(False, "inline assembly on the CPU is an error")
        except NereidError as problem:
            checks.expect("assembly.py:10:12: error: inline assembly is written for the GPU" in str(problem), "inline assembly on the CPU is an error")
    else:
        module.launch("kernel", [data.argument, out.argument])
        checks.equal(out.bits, 2 * data.bits + 4, "inline assembly of moves and sums")
    text = module.compile("kernel", [data.argument, out.argument])
    for part in ('tile.inline_asm "mov.b32 $0, $2; mov.b32 $1, $2;" "=r,=r,r"', "(tensor<64xi32>, tensor<64xf32>)", '"add.u32 $0, $1, $2;"'):
        checks.expect(part in text, f"inline assembly: the IR contains {part}")


checks.run("inline assembly", test_assembly)
checks.run("inline assembly without a type", expect_error, checks, "no result type", 'r = tl.inline_asm_elementwise("nop;", "r", [a], dtype=(), is_pure=False, pack=1)',
           [make("int32", np.ones(53))], "int32", "result type")
checks.exit()
