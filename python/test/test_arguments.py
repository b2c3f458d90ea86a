"""What calls pass: scalars of numpy are numbers, arrays that must not be written are not, and wrong objects are named."""
import decimal
import enum

import numpy as np
import pytest

import triton
import triton.language as tl


@triton.jit
def fill(x, n, value, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, value, mask=i < n)


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@pytest.mark.parametrize("n", [np.int64(5), np.int32(5), np.uint8(5), np.prod((5, 1)), np.array([5])[0], np.int64(1), np.int64(16)])
@pytest.mark.parametrize("kind", [np.int64, int])
def test_numpy_integers(n, kind):
    x = np.zeros(32, np.float32)
    fill[(kind(1), )](x, n, 1.0, BLOCK=kind(32))
    assert x.sum() == n and x[:n].all()


@pytest.mark.parametrize("value", [np.float32(2.5), np.float64(2.5), np.float16(2.5), np.longdouble(2.5), np.int16(-3), np.bool_(True)])
def test_numpy_values(value):
    x = np.zeros(4, np.float32)
    fill[(1, )](x, 4, value, 4)
    assert (x == np.float32(value)).all()


def test_numpy_numbers_are_specialized_as_pythons():
    x = np.zeros(32, np.float32)
    for number in (5, 1, 16, 2**40, 2.0, True):
        of_numpy = fill.warmup(x, np.asarray(number)[()], 1.0, 32, grid=(1, ))
        assert fill.warmup(x, number, 1.0, 32, grid=(1, )) is of_numpy


@triton.jit
def first_of(pair, x):
    tl.store(x, pair[0] + pair[1])


FOUR = tl.constexpr(np.int64(4))


@triton.jit
def with_global(x):
    tl.store(x, FOUR)


def test_numpy_numbers_in_tuples_and_constants():
    x = np.zeros(1, np.float32)
    first_of[(1, )]((np.int64(3), np.float32(0.5)), x)
    assert x[0] == 3.5
    with_global[(1, )](x)
    assert x[0] == 4


def test_array_without_axes_is_a_pointer():
    x, y = np.array(3, np.int32), np.array(0, np.int32)
    copy[(1, )](x, y, 1, 1)
    assert y == 3
    with pytest.raises(triton.CompilationError, match="a pointer cannot be compared with i32"):
        copy[(1, )](x, y, np.array(1), 1)


class Size(enum.IntEnum):
    SMALL = 4


class Mode(str, enum.Enum):
    FAST = "fast"


@pytest.mark.parametrize("value", [decimal.Decimal(1), 1j, np.complex64(1), np.datetime64("2026-01-01"), np.str_("a"), object(), np,
                                   type("Anything", (), {})(), iter(())], ids=lambda value: type(value).__name__)  # yapf: disable
def test_wrong_objects_are_named(value):
    x = np.zeros(4, np.float32)
    with pytest.raises(TypeError, match="failed to specialize argument of type: .*`n` takes"):
        fill[(1, )](x, value, 1.0, 4)


@triton.jit
def by_mode(x, SIZE: tl.constexpr, MODE: tl.constexpr):
    if MODE == "fast" and SIZE == 4:
        tl.store(x, SIZE)


def test_members_of_enums():
    x = np.zeros(4, np.float32)
    fill[(1, )](x, Size.SMALL, 1.0, 4)
    assert x.all()
    by_mode[(1, )](x, Size.SMALL, Mode.FAST)
    assert x[0] == 4


def read_only(count, dtype=np.float32):
    return np.frombuffer(np.arange(count, dtype=dtype).tobytes(), dtype)


def test_read_only_arrays_are_read():
    y = np.zeros(8, np.float32)
    for _ in range(2):
        copy[(1, )](read_only(8), y, 8, 8)
        assert (y == np.arange(8)).all()


def test_read_only_arrays_are_not_written(tmp_path):
    x, y = np.ones(8, np.float32), read_only(8)
    copy[(1, )](x, np.zeros(8, np.float32), 8, 8)
    for _ in range(2):
        with pytest.raises(ValueError, match="argument `y` is read-only, and the kernel `copy` writes to it"):
            copy[(1, )](x, y, 8, 8)
    np.save(tmp_path / "y.npy", np.zeros(8, np.float32))
    with pytest.raises(ValueError, match="argument `y` is read-only"):
        copy[(1, )](x, np.load(tmp_path / "y.npy", mmap_mode="r"), 8, 8)
    x.setflags(write=False)
    with pytest.raises(ValueError, match="argument `x` is read-only"):
        fill[(1, )](x, 8, 1.0, 8)
    assert (y == np.arange(8)).all() and x.all()


@triton.jit
def write_one(p, value):
    tl.store(p, value)


@triton.jit(noinline=True)
def write_apart(p, value):
    tl.store(p, value)


@triton.jit
def touch(a, b, n, pair, HOW: tl.constexpr):
    i = tl.arange(0, 4)
    p, q = a, b
    if HOW == "loop":  # both pointers go around; one of them is written
        for k in range(n):
            tl.store(q, tl.load(p))
            p += 1
            q += 1
    elif HOW == "branch":
        if n > 1:
            q = b + 1
        tl.store(q, tl.load(p))
    elif HOW == "where":
        tl.store(tl.where(i < 2, b + i, b + 4 + i), tl.load(a + i))
    elif HOW == "while":
        k = n
        while k > 0:
            tl.store(q, tl.load(p))
            q += 1
            k -= 1
    elif HOW == "call":
        write_one(b, tl.load(a))
    elif HOW == "noinline":
        write_apart(b, tl.load(a))
    elif HOW == "atomic":
        tl.atomic_add(b + i, tl.load(a + i))
    elif HOW == "cas":
        tl.atomic_cas(b.to(tl.pointer_type(tl.int32), bitcast=True), 0, tl.load(a).to(tl.int32))
    elif HOW == "address":
        tl.store((b.to(tl.int64) + 8).to(tl.pointer_type(tl.float32)), tl.load(a))
    elif HOW == "block":
        tl.store(tl.make_block_ptr(b, (8, ), (1, ), (0, ), (4, ), (0, )), tl.load(a + i))
    elif HOW == "descriptor":
        tl.make_tensor_descriptor(b, [8], [1], [4]).store([0], tl.load(a + i))
    elif HOW == "tuple":
        tl.store(pair[1], tl.load(pair[0]))


@pytest.mark.parametrize("how", ["loop", "branch", "where", "while", "call", "noinline", "atomic", "cas", "address", "block", "descriptor"])
def test_what_is_written(how):
    x, y = np.ones(8, np.float32), np.zeros(8, np.float32)
    touch[(1, )](read_only(8), y, 2, None, HOW=how)
    for _ in range(2):
        with pytest.raises(ValueError, match="argument `b` is read-only"):
            touch[(1, )](x, read_only(8), 2, None, HOW=how)


def test_what_is_written_in_a_tuple():
    x = np.ones(8, np.float32)
    touch[(1, )](x, x, 2, (read_only(8), np.zeros(8, np.float32)), HOW="tuple")
    with pytest.raises(ValueError, match=r"argument `pair\[1\]` is read-only"):
        touch[(1, )](x, x, 2, (x, read_only(8)), HOW="tuple")


@triton.jit
def through_descriptor(source, target):
    target.store([0], source.load([0]))


def test_what_is_written_through_descriptors():
    from triton.tools.tensor_descriptor import TensorDescriptor
    x, y = read_only(8), np.zeros(8, np.float32)

    def described(array):
        return TensorDescriptor(array, [8], [1], [8])

    through_descriptor[(1, )](described(x), described(y))
    assert (y == x).all()
    with pytest.raises(ValueError, match="argument `target` is read-only"):
        through_descriptor[(1, )](described(y), described(x))


def test_compiled_code_asks_too():
    x, y = np.ones(8, np.float32), np.zeros(8, np.float32)
    compiled = copy.warmup(x, y, 8, 8, grid=(1, ))
    compiled[(1, 1, 1)](read_only(8), y, 8, 8)
    with pytest.raises(ValueError, match="argument `y` is read-only"):
        compiled[(1, 1, 1)](x, read_only(8), 8, 8)


def test_negative_strides():
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    for backward in (x[::-1], np.flip(x.reshape(2, 4), 1)):
        with pytest.raises(ValueError, match="argument `x`: the array has a negative stride"):
            copy[(1, )](backward, y, 8, 8)
    copy[(1, )](x[3:4][::-1], y, 1, 1)  # one element has no direction
    assert y[0] == 3


def test_strides_between_elements():
    """Fields of structures without gaps: five bytes from one number to the next."""
    structures, y = np.zeros(8, [("mark", np.int8), ("value", np.float32)]), np.zeros(8, np.float32)
    for field in (structures["value"], structures["value"].reshape(2, 4)):
        with pytest.raises(ValueError, match="argument `x`: the array has a stride that is no multiple"):
            copy[(1, )](field, y, 8, 8)
        with pytest.raises(ValueError, match="argument `y`: the array has a stride that is no multiple"):
            copy[(1, )](y, field, 8, 8)
    copy[(1, )](structures["value"][:1], y, 1, 1)


def test_tensors_without_an_address():
    """What a sparse tensor of torch says is what its user hears."""

    class Sparse:
        dtype, is_cuda, is_cpu, nbytes = "float32", False, True, 32
        is_contiguous = untyped_storage = "".isascii  # written in C, where nobody may be called with an error pending

        def data_ptr(self):
            raise RuntimeError("this tensor has no storage")

    with pytest.raises(RuntimeError, match="this tensor has no storage"):
        copy[(1, )](Sparse(), np.zeros(8, np.float32), 8, 8)


def test_elements_that_there_are_not():
    with pytest.raises(TypeError, match="argument `y`: a kernel cannot take data of type `>f4`"):
        copy[(1, )](np.ones(4, np.float32), np.zeros(4, ">f4"), 4, 4)
