"""Types as compile-time values: their predicates, limits and names; scalars and views of tensors; private names that kernels use."""
from builtin_test import FLOATS, INTEGERS, NUMBERS, UNSIGNED, Checks, Data, evaluate, make, np, random, run_kernel, tl

checks = Checks()
rng = np.random.default_rng(26)
BITS = {"fp16": 16, "bf16": 16, "fp32": 32, "fp64": 64, "fp8e4nv": 8, "fp8e5": 8, "fp8e4b15": 8, "int1": 1} | {name: int(name.strip("uint")) for name in INTEGERS}
EXACTLY = """is_int1 is_int8 is_int16 is_int32 is_int64 is_uint8 is_uint16 is_uint32 is_uint64 is_fp16 is_bf16 is_fp32 is_fp64
is_fp8e4nv is_fp8e5 is_fp8e4b15""".split()
one = make("int32", np.ones(53))


def facts(dtype):
    """What is true of a type, by its name."""
    is_float = dtype[0] in "fb"
    result = {f"{predicate}()": predicate == f"is_{dtype}" for predicate in EXACTLY}
    result |= {"is_fp8()": dtype.startswith("fp8"), "is_floating()": is_float, "is_standard_floating()": dtype in FLOATS, "is_int()": not is_float,
               "is_int_signed()": dtype in INTEGERS and dtype not in UNSIGNED, "is_int_unsigned()": dtype in UNSIGNED or dtype == "int1", "is_bool()": dtype == "int1",
               "is_ptr()": False, "is_block()": False, "is_void()": False, "is_const()": False, "is_fp8e4b8()": False, "is_fp8e5b16()": False}
    return result


def test_facts(dtype):
    lines = [f"T: tl.constexpr = {tl(dtype)}"]
    lines += [f"tl.static_assert({'' if holds else 'not '}T.{name})" for name, holds in facts(dtype).items()]
    lines += [f"tl.static_assert(T.primitive_bitwidth == {BITS[dtype]})", f"tl.static_assert(T.name == '{dtype}')", f"tl.static_assert(T.scalar == {tl(dtype)})"]
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        lines += [f"tl.static_assert(T.int_bitwidth == {BITS[dtype]})", f"tl.static_assert(T.get_int_max_value() == {info.max})", f"tl.static_assert(T.get_int_min_value() == {info.min})"]
    if dtype in ("fp16", "bf16", "fp32", "fp64"):
        lines.append(f"tl.static_assert(T.fp_mantissa_width == {({'fp16': 10, 'bf16': 7, 'fp32': 23, 'fp64': 52})[dtype]})")
    checks.equal(evaluate("\n".join(lines) + "\nr = a", [one], "int32"), one.bits, f"facts of {dtype}")


for dtype in ["int1"] + NUMBERS + ["fp8e4nv", "fp8e5", "fp8e4b15"]:
    checks.run(f"facts of {dtype}", test_facts, dtype)


def test_tensor_facts():
    body = """tl.static_assert(a.dtype == tl.int32 and a.dtype is tl.int32)
tl.static_assert(a.type.scalar == tl.int32)
tl.static_assert(a.type.is_block())
tl.static_assert(a.shape[0] == 64 and len(a.shape) == 1)
tl.static_assert(a.numel == 64)
tl.static_assert(a_ptr.dtype.is_ptr())
tl.static_assert(a_ptr.dtype.element_ty == tl.int32)
tl.static_assert(a_ptr.type.element_ty == tl.int32)
tl.static_assert((a_ptr + offsets).type.scalar.element_ty == tl.int32)
tl.static_assert(isinstance(a, tl.tensor))
tl.static_assert(a.type.get_block_shapes()[0] == 64)
tl.static_assert(tl.TRITON_MAX_TENSOR_NUMEL == 1048576)
r = a"""
    checks.equal(evaluate(body, [one], "int32"), one.bits, "attributes of tensors")


checks.run("tensor facts", test_tensor_facts)


def test_scalars(dtype):
    x, out = random(rng, dtype, 1), make(dtype, np.zeros(1))
    run_kernel("def kernel(a, r):\n    tl.store(r, tl.load(a + tl.arange(0, 1)).item())\n", [x, out])
    checks.equal(out.values, x.values, f"item {dtype}")
    out = make(dtype, np.zeros((4, 2)))
    x = random(rng, dtype, 8)
    run_kernel("def kernel(a, r):\n    v = tl.view(tl.load(a + tl.arange(0, 8)), (4, 2))\n    tl.store(r + tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :], v)\n", [x, out])
    checks.equal(np.sort(out.values.ravel()), np.sort(x.values), f"view {dtype}")


for dtype in NUMBERS:
    checks.run(f"scalars {dtype}", test_scalars, dtype)


def test_constants():
    for value, dtype in ((True, "int1"), (7, "int32"), (-7, "int32"), (2**31, "uint32"), (2**32, "int64"), (-2**31 - 1, "int64"), (2**63, "uint64"), (0.5, "fp32"), (1e39, "fp64"), (1e-50, "fp64")):
        body = f"c = tl.to_tensor({value})\ntl.static_assert(c.dtype == {tl(dtype)}, '{value} should be {dtype}')\nr = a"
        checks.equal(evaluate(body, [one], "int32"), one.bits, f"to_tensor({value}) is {dtype}")


checks.run("constants", test_constants)


def test_private_names():
    body = """tl.static_assert(tl.standard._log2(64) == 6 and tl.standard._log2(1) == 0)
tl.static_assert(tl.standard._is_power_of_two(64) and not tl.standard._is_power_of_two(48))
tl.static_assert(tl.core.CONSTEXPR_0 == 0)
tl.static_assert(tl.core.get_int_dtype(16, signed=False) == tl.uint16)
first = tl.core.reshape(a, (8, 8))
total = tl.core.reduce(first, 1, tl.standard._sum_combine)
high = tl.reduce(first, 1, tl.standard._elementwise_max)
low = tl.reduce(first, 1, tl.standard._elementwise_min)
bits = tl.reduce(first, 1, tl.standard._xor_combine) | tl.reduce(first, 1, tl.standard._or_combine)
value, index = tl.core._reduce_with_indices(first, 1, tl.standard._argmax_combine_tie_break_left)
r = tl.reshape((total + high + low + bits + value + index)[:, None] + tl.zeros((8, 8), tl.int32), (64,))"""
    x = random(rng, "int16", 64)
    x = make("int32", x.bits)
    rows = x.bits.reshape(8, 8)
    expected = rows.sum(1) + 2 * rows.max(1) + rows.min(1) + (np.bitwise_xor.reduce(rows, 1) | np.bitwise_or.reduce(rows, 1)) + rows.argmax(1)
    checks.equal(evaluate(body, [x], "int32", n=64), np.repeat(expected, 8), "private names of tl.standard and tl.core")


checks.run("private names", test_private_names)


def test_old_compare_and_swap(dtype):
    """The form of Triton 3.0 to 3.4, where the bits of the last dimension are counted from the front."""
    x = random(rng, dtype, 64)
    body = "for i in tl.static_range(6):\n    a = tl.standard._compare_and_swap(a, 0, i, 6)\nr = a"
    half = np.sort(x.values.reshape(2, 32), axis=1)
    bitonic = np.concatenate([half[0], half[1][::-1]])
    checks.equal(evaluate(body, [make(dtype, bitonic)], dtype, n=64), np.sort(x.values), f"_compare_and_swap {dtype}")


for dtype in ("int32", "fp32", "fp16", "int8"):
    checks.run(f"_compare_and_swap {dtype}", test_old_compare_and_swap, dtype)


def test_tl_math():
    x, y = random(rng, "fp32", 53), random(rng, "fp32", 53)
    checks.equal(evaluate("r = tl.math.min(a, b)", [x, y], "fp32"), np.minimum(x.values, y.values), "tl.math.min")
    checks.equal(evaluate("r = tl.math.max(a, b)", [x, y], "fp32"), np.maximum(x.values, y.values), "tl.math.max")


checks.run("tl.math", test_tl_math)


def test_fp8e4b15(name):
    """The values that Triton's conversion keeps: exponent bias 15, no infinity and no NaN."""
    codes = Data("fp8e4b15", np.arange(256, dtype=np.uint8))
    finite = np.ones(256, bool)
    finite[[0x7F, 0xFF]] = False
    up = evaluate(f"r = tl.extra.cuda.{name}(a, tl.float32)", [codes], "fp32", n=256, block=256)
    checks.equal(up[finite], codes.values[finite], f"{name} to fp32")
    half = evaluate(f"r = tl.extra.cuda.{name}(a, tl.float16)", [codes], "fp16", n=256, block=256)
    checks.equal(half[finite], codes.values[finite], f"{name} to fp16")
    down = evaluate(f"r = tl.extra.cuda.{name}(a, tl.float8e4b15)", [make("fp16", codes.values[finite])], "fp8e4b15", n=254, block=256)
    checks.equal(down, codes.values[finite], f"{name} from fp16")


for name in ("convert_custom_float8_sm70", "convert_custom_float8_sm80"):
    checks.run(name, test_fp8e4b15, name)


def test_descriptor_atomics(name, dtype):
    x = make(dtype, rng.integers(0, 50, (8, 16)))
    y = make(dtype, rng.integers(0, 50, (8, 16)))
    before = x.values.copy()
    text = f"""def kernel(p, v):
    desc = tl.make_tensor_descriptor(p, shape=[8, 16], strides=[16, 1], block_shape=[8, 16])
    desc.atomic_{name}([0, 0], tl.load(v + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]))
"""
    run_kernel(text, [x, y])
    function = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[name]
    checks.equal(x.values, function(before, y.values), f"descriptor.atomic_{name} {dtype}")


for name, types in (("add", ["int32", "uint32", "uint64", "fp16", "bf16", "fp32"]), ("min", ["int32", "uint32", "int64", "fp16", "bf16"]), ("max", ["int32", "uint32", "int64", "fp16", "bf16"]),
                    ("and", ["int32", "uint32", "uint64"]), ("or", ["int32", "uint32", "uint64"]), ("xor", ["int32", "uint32", "uint64"])):
    for dtype in types:
        checks.run(f"descriptor.atomic_{name} {dtype}", test_descriptor_atomics, name, dtype)


def test_old_descriptors():
    x, out, space = random(rng, "fp32", 64), make("fp32", np.zeros(64)), Data("int8", np.zeros(128, np.int8))
    text = """def kernel(a, r, space):
    tl.extra.cuda.experimental_device_tensormap_create1d(space, a, 16, 64, tl.float32)
    tl.extra.cuda.experimental_tensormap_fenceproxy_acquire(space)
    desc = tl.reinterpret_tensor_descriptor(space, [16], tl.float32)
    old = tl._experimental_reinterpret_tensor_descriptor(space, [16], tl.float32)
    tl.store(r + tl.arange(0, 16), desc.load([48]) + old.load([0]))
"""
    run_kernel(text, [x, out, space], reachable=[x.argument])
    checks.close(out.values[:16], x.values[48:] + x.values[:16], "reinterpret_tensor_descriptor", rtol=1e-6)
    x, out = random(rng, "fp32", (8, 16)), make("fp32", np.zeros((8, 16)))
    text = """def kernel(a, r):
    x = tl._experimental_make_tensor_descriptor(a, shape=[8, 16], strides=[16, 1], block_shape=[8, 16])
    tl.store(r + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :], x.load([0, 0]))
"""
    run_kernel(text, [x, out])
    checks.equal(out.values, x.values, "_experimental_make_tensor_descriptor")


checks.run("old descriptors", test_old_descriptors)


def test_poll():
    flag, out = make("int32", [3]), make("int32", np.zeros(2))
    text = "def kernel(flag, r):\n    tl.store(r, tl.atomic_poll(flag, 3).to(tl.int32))\n    tl.store(r + 1, tl.atomic_poll(flag, 4, timeout_ns=1000).to(tl.int32))\n"
    run_kernel(text, [flag, out])
    checks.equal(out.bits, [1, 0], "atomic_poll")


checks.run("atomic_poll", test_poll)


def test_atomic_load_and_store():
    for kind in ("int32", "uint32", "int64", "uint64", "fp32", "fp64"):
        x, out = make(kind, [5, 6, 7, 8]), make(kind, [1, 2, 3, 4])
        text = """def kernel(x, r):
    i = tl.arange(0, 4)
    tl.atomic_store(r + i, tl.atomic_load(x + i) + 1, mask=i != 2)
    (r + 3).atomic_store((x + 3).atomic_load(sem="relaxed", scope="sys"), sem="relaxed")
"""
        run_kernel(text, [x, out])
        checks.equal(out.values, [6, 7, 3, 8], f"atomic_load and atomic_store of {kind}")


checks.run("atomic_load", test_atomic_load_and_store)


def test_static_print():
    body = 'tl.static_print("block", BLOCK, a.dtype, sep="-")\nr = a'
    checks.equal(evaluate(body, [one], "int32"), one.bits, "static_print")


checks.run("static_print", test_static_print)


def test_names_of_targets():
    names = "is_hip is_hip_cdna3 is_hip_cdna4 is_hip_gfx1250".split()
    body = "\n".join(f"tl.static_assert(not tl.target_info.{name}())" for name in names) + "\nr = a"
    checks.equal(evaluate(body, [one], "int32"), one.bits, "target_info on an NVIDIA GPU")


checks.run("target_info", test_names_of_targets)
checks.exit()
