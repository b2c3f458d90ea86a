"""triton.tools.ragged_tma: groups of rows of a larger tensor, which are neither read nor written beyond their ends."""
from builtin_test import Checks, make, np, random, run_kernel

checks = Checks()
rng = np.random.default_rng(27)
IMPORT = "from triton.tools.ragged_tma import atomic_add_ragged, load_ragged, store_ragged\n"
DESCRIBE = """    {name} = tl.make_tensor_descriptor({name}_ptr, shape=[0x7fff0000, 0x7fff0000, 0x40000000, 16],
                                      strides=[2**34 - 16, 16, 16, 1], block_shape=[1, 1, 8, 16])
"""


def test(dtype, offset, size, row):
    x, out = random(rng, dtype, (32, 16)), make(dtype, np.ones((32, 16)))
    text = "def kernel(a_ptr, r_ptr, offset, size, row):\n" + DESCRIBE.format(name="a") + DESCRIBE.format(name="r")
    text += "    block = load_ragged(a, offset, size, [row, 0])\n    store_ragged(r, offset, size, [row, 0], block)\n"
    run_kernel(text, [x, out, offset, size, row], before=IMPORT)
    expected = make(dtype, np.ones((32, 16))).values
    end = min(row + 8, size)
    expected[offset + row:offset + end] = x.values[offset + row:offset + end]
    checks.equal(out.values, expected, f"ragged load and store {dtype} offset={offset} size={size} row={row}")


for dtype in ("fp32", "fp16", "int32"):
    for offset, size, row in ((4, 20, 0), (4, 20, 16), (0, 5, 0), (30, 2, 0)):
        checks.run(f"ragged {dtype}", test, dtype, offset, size, row)


def test_atomic():
    total = make("fp32", np.ones((32, 16)))
    text = "def kernel(r_ptr, offset, size, row):\n" + DESCRIBE.format(name="r")
    text += "    atomic_add_ragged(r, offset, size, [row, 0], tl.full((8, 16), 2.0, tl.float32))\n"
    run_kernel(text, [total, 10, 12, 8], before=IMPORT, grid=(3, ))
    expected = np.ones((32, 16))
    expected[18:22] += 6
    checks.equal(total.values, expected, "atomic_add_ragged")


checks.run("atomic_add_ragged", test_atomic)
checks.exit()
