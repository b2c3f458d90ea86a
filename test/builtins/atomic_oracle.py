"""atomic_add, atomic_max, atomic_min, atomic_and, atomic_or, atomic_xor, atomic_xchg and atomic_cas: results, values from before, masks, collisions inside a tile and between programs."""
from builtin_test import Checks, make, np, random, run_kernel

checks = Checks()
rng = np.random.default_rng(21)
ADD = ["int32", "uint32", "int64", "uint64", "fp16", "bf16", "fp32", "fp64"]
ORDER = ["int32", "uint32", "int64", "uint64", "fp32", "fp64"]
BITS = ["int32", "uint32", "int64", "uint64"]
FUNCTIONS = {"add": np.add, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
             "xchg": lambda old, new: new}


def test_distinct(name, dtype, sem, scope):
    """Every lane has its own address: the old value comes back, the new one is stored where the mask is true."""
    what = f"atomic_{name} {dtype} {sem} {scope}"
    old = make(dtype, rng.integers(0, 100, 64)) if dtype[0] in "fb" else random(rng, dtype, 64)
    value = make(dtype, rng.integers(0, 100, 64)) if dtype[0] in "fb" else random(rng, dtype, 64)
    before = old.values.copy()
    back = make(dtype, np.zeros(64))
    text = f"""def kernel(p, v, r):
    o = tl.arange(0, 64)
    old = tl.atomic_{name}(p + o, tl.load(v + o), mask=o < 53, sem={sem!r}, scope={scope!r})
    tl.store(r + o, old, mask=o < 53)
"""
    run_kernel(text, [old, value, back])
    with np.errstate(over="ignore"):
        after = make(dtype, FUNCTIONS[name](before, value.values)).values
    checks.equal(back.values[:53], before[:53], what + ": values from before")
    checks.equal(old.values, np.where(np.arange(64) < 53, after, before), what)


for name, types in (("add", ADD), ("max", ORDER), ("min", ORDER), ("and", BITS), ("or", BITS), ("xor", BITS), ("xchg", ORDER)):
    for dtype in types:
        checks.run(f"atomic_{name} {dtype}", test_distinct, name, dtype, None, None)
for sem in ("relaxed", "acquire", "release", "acq_rel"):
    for scope in ("cta", "gpu", "sys"):
        checks.run(f"atomic_add {sem} {scope}", test_distinct, "add", "int32", sem, scope)


def test_collisions(name, dtype):
    """Many lanes of many programs at few addresses; whole numbers, so that the order does not matter."""
    bins = make(dtype, np.full(8, 5))
    index = make("int32", rng.integers(0, 8, 256))
    value = make(dtype, rng.integers(0, 7, 256))
    text = f"def kernel(p, i, v):\n    o = tl.program_id(0) * 64 + tl.arange(0, 64)\n    tl.atomic_{name}(p + tl.load(i + o), tl.load(v + o))\n"
    run_kernel(text, [bins, index, value], grid=(4, ))
    expected = np.full(8, 5.0)
    {"add": np.add, "max": np.maximum, "min": np.minimum}[name].at(expected, index.bits, value.values.astype(np.float64))
    checks.equal(bins.values.astype(np.float64), expected, f"atomic_{name} {dtype} with collisions")


for name in ("add", "max", "min"):
    for dtype in (ADD if name == "add" else ORDER):
        checks.run(f"collisions {name} {dtype}", test_collisions, name, dtype)


def test_neighbours(dtype, sem, shift, limit, is_used):
    """Tiles in which a thread has many neighbours, from an address that is more or less aligned; two programs for each tile."""
    rows, columns = 16, 128
    bins, value = make(dtype, rng.integers(0, 9, 2 * rows * columns + 8)), make(dtype, rng.integers(0, 9, 2 * rows * columns))
    back = make(dtype, np.full(value.values.size, 7))
    before, added = bins.values.astype(np.float64)[shift:shift + value.values.size], value.values.astype(np.float64)
    expected = bins.values.astype(np.float64)
    kept = np.tile(np.arange(columns) < limit, 2 * rows)
    expected[shift:shift + kept.size] += np.where(kept, 2 * added, 0)
    text = f"""def kernel(p, v, r):
    rows, columns = tl.arange(0, {rows})[:, None] + {rows} * (tl.program_id(0) // 2), tl.arange(0, {columns})[None, :]
    o = rows * {columns} + columns
    old = tl.atomic_add(p + {shift} + o, tl.load(v + o), mask=columns < {limit}, sem={sem!r})
"""
    if is_used:
        text += f"    tl.store(r + o, old, mask=(tl.program_id(0) % 2 == 0) & (columns < {limit}))\n"
    run_kernel(text, [bins, value, back], grid=(4, ), num_warps=2)
    what = f"{dtype} {sem} from {shift}, {limit} of a row"
    checks.equal(bins.values.astype(np.float64), expected, what)
    if is_used:  # either program may have been the first
        found = back.values.astype(np.float64)
        checks.expect(np.all((found == before) | (found == before + added) | ~kept), what + ": values from before")


for dtype in ADD:
    for sem in ("relaxed", "acquire", "release", "acq_rel"):
        for shift, limit, is_used in ((0, 128, False), (0, 128, True), (1, 128, False), (2, 96, True), (4, 100, False), (0, 77, False)):
            checks.run(f"neighbours {dtype} {sem} {shift} {limit} {is_used}", test_neighbours, dtype, sem, shift, limit, is_used)


def test_negative_floats(name, dtype):
    old, value = random(rng, dtype, 64), random(rng, dtype, 64)
    before = old.values.copy()
    run_kernel(f"def kernel(p, v):\n    o = tl.arange(0, 64)\n    tl.atomic_{name}(p + o, tl.load(v + o))\n", [old, value])
    checks.equal(old.values, FUNCTIONS[name](before, value.values), f"atomic_{name} of negative {dtype}")


for name in ("max", "min"):
    for dtype in ("fp32", "fp64"):
        checks.run(f"negative {name} {dtype}", test_negative_floats, name, dtype)


def test_cas(dtype):
    memory = make(dtype, rng.integers(0, 3, 64))
    before = memory.values.copy()
    back = make(dtype, np.zeros(64))
    text = "def kernel(p, r):\n    o = tl.arange(0, 64)\n    old = tl.atomic_cas(p + o, tl.full((64,), 1, p.dtype.element_ty), tl.full((64,), 9, p.dtype.element_ty))\n    tl.store(r + o, old)\n"
    run_kernel(text, [memory, back])
    checks.equal(back.values, before, f"atomic_cas {dtype}: values from before")
    checks.equal(memory.values, np.where(before == 1, 9, before), f"atomic_cas {dtype}")


for dtype in ("int16", "uint16", "int32", "uint32", "int64", "uint64", "fp16", "bf16", "fp32", "fp64"):
    checks.run(f"atomic_cas {dtype}", test_cas, dtype)


def test_scalar():
    memory, lock = make("int32", [5]), make("int32", [0])
    text = """def kernel(p, lock):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(p, tl.load(p) + 3)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
"""
    run_kernel(text, [memory, lock], grid=(20, ))
    checks.equal(memory.bits, [65], "a lock of atomic_cas and atomic_xchg")
    checks.equal(lock.bits, [0], "the lock is free again")


checks.run("lock", test_scalar)
checks.exit()
