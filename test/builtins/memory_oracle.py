"""load and store with masks, other values and modifiers; block pointers; descriptors; pointer arithmetic."""
from builtin_test import FLOATS, NUMBERS, Checks, Descriptor, NereidError, evaluate, make, np, random, run_kernel, tl

checks = Checks()
rng = np.random.default_rng(20)
TYPES = ["int1"] + NUMBERS + ["fp8e4nv", "fp8e5", "fp8e4b15"]


def test_masks(dtype):
    zero = "0.0" if dtype[0] in "fb" else "0"
    x, mask = random(rng, dtype, 53), random(rng, "int1", 53)
    checks.equal(evaluate("r = a", [x], dtype), x.values, f"load and store {dtype}")
    out = make(dtype, np.ones(64))
    text = "def kernel(a_ptr, m_ptr, r_ptr):\n    o = tl.arange(0, 64)\n    m = tl.load(m_ptr + o, o < 53, 0) & (o < 53)\n"
    text += f"    tl.store(r_ptr + o, tl.load(a_ptr + o, m, {zero}), m)\n"
    run_kernel(text, [x, mask, out])
    checks.equal(out.values[:53], np.where(mask.bits, x.values, make(dtype, [1]).values[0]), f"masked store {dtype}")
    out = make(dtype, np.ones(64))
    text = "def kernel(a_ptr, m_ptr, r_ptr):\n    o = tl.arange(0, 64)\n    m = tl.load(m_ptr + o, o < 53, 0)\n"
    text += f"    tl.store(r_ptr + o, tl.load(a_ptr + o, mask=m & (o < 53), other={zero}))\n"
    run_kernel(text, [x, mask, out])
    checks.equal(out.values[:53], np.where(mask.bits, x.values, 0).astype(out.values.dtype), f"masked load {dtype}")
    scalar = make(dtype, [0])
    run_kernel("def kernel(a_ptr, r_ptr):\n    tl.store(r_ptr, tl.load(a_ptr + 7))\n", [x, scalar])
    checks.equal(scalar.values[0], x.values[7], f"scalar load and store {dtype}")


for dtype in TYPES:
    checks.run(f"masks {dtype}", test_masks, dtype)


def test_modifiers():
    x = random(rng, "fp32", 64)
    for load, store in ((".ca", ".wb"), (".cg", ".cg"), (".cs", ".cs"), (".cv", ".wt")):
        for policy in ("", "evict_first", "evict_last"):
            out = make("fp32", np.zeros(64))
            text = f"def kernel(a, r):\n    o = tl.arange(0, 64)\n    v = tl.load(a + o, cache_modifier='{load}', eviction_policy='{policy}', volatile={load == '.cv'})\n"
            text += f"    tl.store(r + o, v, cache_modifier='{store}', eviction_policy='{policy}')\n"
            run_kernel(text, [x, out])
            checks.equal(out.values, x.values, f"modifiers {load} {store} {policy}")


checks.run("modifiers", test_modifiers)


def test_block_pointer(dtype, order, padding):
    rows, columns = 13, 21
    x, out = random(rng, dtype, (rows, columns)), make(dtype, np.ones((rows, columns)))
    back = make(dtype, np.ones((16, 32)))
    text = f"""def kernel(a_ptr, r_ptr, back_ptr, rows, columns):
    a = tl.make_block_ptr(a_ptr, shape=(rows, columns), strides=(columns, 1), offsets=(0, 0), block_shape=(16, 16), order={order})
    r = tl.make_block_ptr(r_ptr, shape=(rows, columns), strides=(columns, 1), offsets=(0, 0), block_shape=(16, 16), order={order})
    back = tl.make_block_ptr(back_ptr, shape=(16, 32), strides=(32, 1), offsets=(0, 0), block_shape=(16, 16), order={order})
    for _ in range(0, 2):
        block = tl.load(a, boundary_check=(0, 1), padding_option="{padding}")
        tl.store(r, block, boundary_check=(0, 1))
        tl.store(back, block)
        a = tl.advance(a, (0, 16))
        r = tl.advance(r, (0, 16))
        back = back.advance([0, 16])
"""
    run_kernel(text, [x, out, back, rows, columns])
    checks.equal(out.values, x.values, f"block pointer {dtype} order={order}")
    checks.equal(back.values[:rows, :columns], x.values, f"block pointer {dtype} order={order}: inside")
    outside = np.concatenate([back.values[rows:].ravel(), back.values[:, columns:].ravel()])
    expected = np.isnan(outside) if padding == "nan" else outside == 0
    checks.expect(expected.all(), f"block pointer {dtype} padding={padding}: outside")


for dtype in NUMBERS:
    checks.run(f"block pointer {dtype}", test_block_pointer, dtype, (1, 0), "zero")
for dtype in FLOATS:
    checks.run(f"block pointer {dtype} nan", test_block_pointer, dtype, (0, 1), "nan")

DESCRIBE = "    {name} = tl.make_tensor_descriptor({name}_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[8, 16])\n"


def test_descriptor(dtype):
    rows, columns = 13, 32
    x, out = random(rng, dtype, (rows, columns)), make(dtype, np.ones((rows, columns)))
    text = "def kernel(a_ptr, r_ptr, rows, columns):\n" + DESCRIBE.format(name="a") + DESCRIBE.format(name="r")
    text += "    for i in range(0, 16, 8):\n        for j in range(0, 32, 16):\n            r.store([i, j], a.load([i, j]))\n"
    run_kernel(text, [x, out, rows, columns])
    checks.equal(out.values, x.values, f"descriptor made in the kernel {dtype}")
    back = make(dtype, np.ones((8, 16)))
    text = "def kernel(a_ptr, r_ptr, rows, columns):\n" + DESCRIBE.format(name="a")
    text += "    v = tl.load_tensor_descriptor(a, [10, 24])\n    tl.store(r_ptr + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :], v)\n"
    run_kernel(text, [x, back, rows, columns])
    padded = np.zeros((24, 48), x.values.dtype)
    padded[:rows, :columns] = x.values
    checks.equal(back.values, padded[10:18, 24:40], f"descriptor outside {dtype}")
    out = make(dtype, np.ones((rows, columns)))
    text = "def kernel(a, r):\n    for i in range(0, 16, 8):\n        for j in range(0, 32, 16):\n            tl.store_tensor_descriptor(r, [i, j], a.load([i, j]))\n"
    run_kernel(text, [Descriptor(x.argument, (8, 16)), Descriptor(out.argument, (8, 16)), ])
    checks.equal(out.values, x.values, f"descriptor from the host {dtype}")


for dtype in reversed(NUMBERS):
    checks.run(f"descriptor {dtype}", test_descriptor, dtype)


def test_descriptor_rows(dtype):
    rows, columns = 32, 32
    x = random(rng, dtype, (rows, columns))
    index = make("int32", rng.permutation(rows)[:8])
    out, scattered = make(dtype, np.zeros((8, 16))), make(dtype, np.ones((rows, columns)))
    text = """def kernel(a_ptr, i_ptr, r_ptr, s_ptr, rows, columns):
    a = tl.make_tensor_descriptor(a_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[1, 16])
    s = tl.make_tensor_descriptor(s_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[1, 16])
    i = tl.load(i_ptr + tl.arange(0, 8))
    v = a.gather(i, 8)
    tl.store(r_ptr + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :], v)
    s.scatter(v, i, 8)
"""
    run_kernel(text, [x, index, out, scattered, rows, columns])
    checks.equal(out.values, x.values[index.bits, 8:24], f"descriptor gather {dtype}")
    expected = make(dtype, np.ones((rows, columns))).values
    expected[index.bits, 8:24] = x.values[index.bits, 8:24]
    checks.equal(scattered.values, expected, f"descriptor scatter {dtype}")


for dtype in ("int32", "fp16", "bf16", "fp32"):
    checks.run(f"descriptor rows {dtype}", test_descriptor_rows, dtype)


def test_pointers(offset_type):
    x = random(rng, "fp32", 64)
    index = make(offset_type, rng.integers(0, 64, 53))
    out = make("fp32", np.zeros(64))
    text = "def kernel(a, i, r):\n    o = tl.arange(0, 64)\n    index = tl.load(i + o, o < 53, 0)\n    tl.store(r + o, tl.load(a + 63 + index - 63), o < 53)\n"
    run_kernel(text, [x, index, out])
    checks.equal(out.values[:53], x.values[index.bits], f"pointer plus {offset_type}")


for offset_type in ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"):
    checks.run(f"pointer plus {offset_type}", test_pointers, offset_type)


def test_address():
    x, out = random(rng, "fp32", 16), make("fp32", np.zeros(16))
    text = "def kernel(address, r):\n    a = tl.load(address).to(tl.pointer_type(tl.float32))\n    o = tl.arange(0, 16)\n    tl.store(r + o, tl.load(a + o))\n"
    run_kernel(text, [make("int64", [x.bits.ctypes.data]), out], reachable=[x.argument])
    checks.equal(out.values, x.values, "an address in memory as a pointer")
    out = make("uint16", np.zeros(32))
    run_kernel("def kernel(a, r):\n    o = tl.arange(0, 32)\n    tl.store(r + o, tl.load(a.to(tl.pointer_type(tl.uint16), bitcast=True) + o))\n", [x, out])
    checks.equal(out.bits, x.bits.view(np.uint16), "a pointer seen as another type")


checks.run("address", test_address)


def test_remainders(size):
    """Runs that begin at multiples of a size and end at another one: below zero a remainder is no run."""
    x, out = random(rng, "fp32", 8192), make("fp32", np.zeros(4 * 256))
    text = """def kernel(a, r, size):
    o, p = tl.arange(0, 256), tl.program_id(0)
    tl.store(r + p * 256 + o, tl.load(a + 4096 + (o + 64 * size * p) % (128 * size)))
"""
    run_kernel(text, [x, out, size], grid=(4, ))
    places = [int(np.fmod(o + 64 * size * p, 128 * size)) for p in range(4) for o in range(256)]
    checks.equal(out.values, x.values[4096 + np.array(places)], f"remainders by multiples of {size}")


for size in (1, 3, -1, -2, -5):
    checks.run(f"remainders {size}", test_remainders, size)
assert NereidError and tl
checks.exit()
