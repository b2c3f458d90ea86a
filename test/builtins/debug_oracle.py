"""Output, assertions, hints, loops, the grid, and what a kernel knows of its target."""
from builtin_test import NUMBERS, Checks, Data, NereidError, evaluate, expect_error, make, np, random, run_kernel, tl

checks = Checks()
rng = np.random.default_rng(24)


def test_print(dtype):
    x = make(dtype, [1, 2, 3, 4])
    printed = run_kernel("def kernel(a):\n    tl.device_print('value', tl.load(a + tl.arange(0, 4)))\n", [x], grid=(2, ))
    number = (lambda v: f"{v:.6f}") if dtype[0] in "fb" else str
    for program in range(2):
        for i in range(4):
            line = f"pid ({program}, 0, 0) idx ({i}) value: {number(i + 1)}"
            checks.expect(line in printed, f"device_print {dtype}: `{line}` in {printed!r}")


for dtype in NUMBERS:
    checks.run(f"device_print {dtype}", test_print, dtype)


def test_print_forms():
    x = make("int32", [-1, 255])
    printed = run_kernel("def kernel(a):\n    print('hex', tl.load(a + tl.arange(0, 2)), hex=True)\n", [x])
    checks.expect("0xffffffff" in printed and "0x000000ff" in printed, f"print in hex: {printed!r}")
    printed = run_kernel("def kernel(a):\n    tl.device_print('done')\n", [x])
    checks.expect("done" in printed, f"print without values: {printed!r}")
    printed = run_kernel("def kernel(a):\n    tl.device_print('two', 1, tl.load(a))\n", [x])
    checks.expect("(operand 0) 1" in printed and "(operand 1) -1" in printed, f"print of two values: {printed!r}")
    printed = run_kernel("def kernel(a):\n    tl.device_print('unsigned', tl.load(a).to(tl.uint32, bitcast=True))\n", [x])
    checks.expect("4294967295" in printed, f"print of unsigned: {printed!r}")


checks.run("print forms", test_print_forms)

ASSERT = "def kernel(a):\n    x = tl.load(a + tl.arange(0, 4))\n    tl.device_assert(x < {limit}, 'too large'{mask})\n"


def test_assert(limit, mask, debug, fails):
    text = ASSERT.format(limit=limit, mask=mask)
    try:
        run_kernel(text, [make("int32", [1, 2, 3, 4])], debug=debug)
    except NereidError as error:
        checks.expect(fails and "too large" in str(error), f"device_assert {limit} {mask}: {error}")
    else:
        checks.expect(not fails, f"device_assert x < {limit} {mask} debug={debug} did not fail")


for limit, mask, debug, fails in ((5, "", True, False), (4, "", True, True), (4, "", False, False), (4, ", mask=x != 4", True, False), (3, ", mask=x != 4", True, True)):
    checks.run("device_assert", test_assert, limit, mask, debug, fails)


def test_expect_zero(value, debug, fails):
    x = make("fp32", [0, 0, value, 1])
    try:
        run_kernel("def kernel(a):\n    o = tl.arange(0, 4)\n    tl.store(a + o, tl.expect_zero(tl.load(a + o), o < 3) + 1)\n", [x], debug=debug)
    except NereidError as error:
        checks.expect(fails and "expect_zero" in str(error), f"expect_zero: {error}")
    else:
        checks.expect(not fails and (x.values == [1, 1, value + 1, 2]).all(), f"expect_zero {value} debug={debug}: {x.values}")


for value, debug, fails in ((0, True, False), (5, True, True), (5, False, False)):
    checks.run("expect_zero", test_expect_zero, value, debug, fails)

one = make("int32", np.ones(53))
for what, body, message in (("static_assert", "tl.static_assert(BLOCK == 63, 'the block is 64')\nr = a", "the block is 64"),
                            ("static_assert of a tensor", "tl.static_assert(n == 53)\nr = a", "known at compile time"),
                            ("multiple_of", "r = tl.multiple_of(a, [4, 4])", "dimension"), ("static_range", "r = a\nfor i in tl.static_range(n):\n    r += i", "compile time"),
                            ("device_print", "tl.device_print('größe')\nr = a", "ASCII"), ("assume", "tl.assume(BLOCK == 3)\nr = a", "false at compile time")):
    checks.run(what, expect_error, checks, what, body, [one], "int32", message)


def test_hints(dtype):
    x = random(rng, dtype, 53)
    body = "r = tl.max_constancy(tl.max_contiguous(tl.multiple_of(a, 1), [1]), (1,))\ntl.assume(n > 0)\ntl.debug_barrier()"
    checks.equal(evaluate(body, [x], dtype), x.values, f"hints leave {dtype} alone")


for dtype in NUMBERS:
    checks.run(f"hints {dtype}", test_hints, dtype)


def test_loops():
    for what, head, expected in (("range", "for i in range(n - 50):", 3), ("range with a step", "for i in range(10, 0, -3):", 22), ("tl.range", "for i in tl.range(0, n, 10, num_stages=3):", 150),
                                 ("tl.range options", "for i in tl.range(4, flatten=True, loop_unroll_factor=2, disallow_acc_multi_buffer=True, warp_specialize=False):", 6),
                                 ("static_range", "for i in tl.static_range(2, 9, 3):", 15)):
        total = evaluate(f"r = a - 1\n{head}\n    r += i", [one], "int32")
        checks.equal(total, np.full(53, expected), what)
    counted = evaluate("i = 0\nwhile tl.condition(i < n):\n    i += 2\nr = a * i", [one], "int32")
    checks.equal(counted, np.full(53, 54), "condition")


checks.run("loops", test_loops)


def test_grid():
    out = make("int32", np.zeros((2, 3, 4)))
    text = "def kernel(r):\n    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(axis=2)\n    count = tl.num_programs(0) * 100 + tl.num_programs(1) * 10 + tl.num_programs(2)\n"
    text += "    tl.store(r + (x * 3 + y) * 4 + z, count * 1000 + x * 100 + y * 10 + z)\n"
    run_kernel(text, [out], grid=(2, 3, 4))
    x, y, z = np.meshgrid(range(2), range(3), range(4), indexing="ij")
    checks.equal(out.bits, 234000 + x * 100 + y * 10 + z, "program_id and num_programs")


checks.run("grid", test_grid)


def test_swizzle():
    rows, columns, group = 5, 4, 2
    out = make("int32", np.zeros((rows, columns)))
    text = "def kernel(r, rows, columns, group):\n    i, j = tl.program_id(0), tl.program_id(1)\n    p, q = tl.swizzle2d(i, j, rows, columns, group)\n    tl.store(r + p * columns + q, i * columns + j)\n"
    run_kernel(text, [out, rows, columns, group], grid=(rows, columns))
    expected = np.concatenate([np.arange(8).reshape(4, 2).T, np.arange(8, 16).reshape(4, 2).T, np.arange(16, 20).reshape(4, 1).T])
    checks.equal(out.bits, expected, "swizzle2d")


checks.run("swizzle2d", test_swizzle)


def test_target():
    body = "NAME: tl.constexpr = tl.target_info.current_target().backend\ntl.static_assert(NAME == 'cuda')\ntl.static_assert(tl.target_info.is_cuda())\n"
    body += "tl.static_assert(tl.target_info.cuda_capability_geq(8, 0))\ntl.static_assert(not tl.target_info.cuda_capability_geq(99))\ntl.static_assert(not tl.target_info.is_hip())\n"
    body += "tl.static_assert(not tl.target_info.is_hip_cdna3())\nr = a + tl.extra.cuda.num_warps() + tl.extra.cuda.num_threads()"
    checks.equal(evaluate(body, [one], "int32", num_warps=2), np.full(53, 67), "target_info, num_warps and num_threads")
    timed = evaluate("tl.extra.cuda.gdc_wait()\nstart = tl.extra.cuda.globaltimer()\ntl.extra.cuda.gdc_launch_dependents()\nr = a * (tl.extra.cuda.globaltimer() - start) + tl.extra.cuda.smid()", [make("int64", np.ones(53))], "int64")
    checks.expect((timed >= 0).all(), "globaltimer goes forward")


checks.run("target", test_target)


def test_tensormap():
    x, out, space = random(rng, "fp32", (16, 32)), make("fp32", np.zeros((16, 32))), Data("int8", np.zeros(256, np.int8))
    text = """def kernel(a, r, space, rows, columns):
    tl.extra.cuda.experimental_device_tensormap_create2d(desc_ptr=space, global_address=a, load_size=[8, 16], global_size=[rows, columns], element_ty=a.dtype.element_ty)
    tl.extra.cuda.experimental_device_tensormap_create2d(desc_ptr=space + 128, global_address=r, load_size=[8, 16], global_size=[rows, columns], element_ty=r.dtype.element_ty)
    tl.extra.cuda.experimental_tensormap_fenceproxy_acquire(space)
    tl.extra.cuda.experimental_tensormap_fenceproxy_acquire(space + 128)
    v = tl._experimental_descriptor_load(space, [8, 16], [8, 16], tl.float32)
    tl._experimental_descriptor_store(space + 128, v, [0, 16])
"""
    run_kernel(text, [x, out, space, 16, 32], reachable=[x.argument, out.argument])
    expected = np.zeros((16, 32))
    expected[:8, 16:] = x.values[8:, 16:]
    checks.equal(out.values, expected, "tensor maps in memory")


checks.run("tensor maps", test_tensormap)


def test_scopes():
    imports = "import triton.profiler as proton\nimport triton.profiler.language as pl\n"
    body = "pl.enter_scope('all')\nwith pl.scope('sum'), pl.scope(name=f'{BLOCK}'):\n    r = a + 1\n    with proton.scope('of the host'):\n        r += 1\npl.exit_scope('all')"
    checks.equal(evaluate(body, [one], "int32", before=imports), np.full(53, 3), "scopes leave values alone")
    for what, body, message in (("a number", "with pl.scope(3):\n    r = a", "`name` must be a string"), ("no name", "with pl.scope():\n    r = a", "name")):
        try:
            evaluate(body, [one], "int32", before=imports)
        except NereidError as error:
            checks.expect(message in str(error), f"a scope with {what}: {error}")
        else:
            checks.expect(False, f"a scope with {what} was accepted")


checks.run("scopes", test_scopes)
assert tl
checks.exit()
