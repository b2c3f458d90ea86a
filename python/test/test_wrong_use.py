"""Wrong use raises the class that Triton raises, and says what to do."""
import ctypes

import numpy as np
import pytest

import triton
import triton.language as tl


@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), n)


@pytest.fixture
def x():
    return np.zeros(4, np.float32)


def test_without_a_grid(x):
    with pytest.raises(RuntimeError, match=r"fill\[grid\]"):
        fill(x, 1, 4)


def test_unknown_keyword(x):
    with pytest.raises(KeyError, match="Keyword argument colour was specified but unrecognised"):
        fill[(1, )](x, 1, BLOCK=4, colour=3)


def test_number_of_arguments(x):
    with pytest.raises(TypeError, match="missing 1 required argument: 'BLOCK'"):
        fill[(1, )](x, 1)
    with pytest.raises(TypeError, match="takes 3 positional arguments but 4 were given"):
        fill[(1, )](x, 1, 4, 5)
    with pytest.raises(TypeError, match="multiple values for argument 'BLOCK'"):
        fill[(1, )](x, 1, 4, BLOCK=4)


@pytest.mark.parametrize("value", [object(), "text", b"bytes", {}, {1}, len, lambda: 1, np.void(b"1234"), np.zeros(1, "f4,i4")[0]], ids=lambda value: type(value).__name__)
def test_type_of_an_argument(value):
    with pytest.raises(TypeError, match="failed to specialize argument of type: .* `x: tl.constexpr`"):
        fill[(1, )](value, 1, 4)


def test_type_of_elements(x):
    with pytest.raises(TypeError, match="convert it to one of the types"):
        fill[(1, )](np.array([None]), 1, 4)
    torch = pytest.importorskip("torch")
    with pytest.raises(KeyError, match="torch.complex64"):
        fill[(1, )](torch.zeros(4, dtype=torch.complex64), 1, 4)


def test_size_of_an_integer(x):
    with pytest.raises(OverflowError, match="does not fit 64 bits"):
        fill[(1, )](x, 2**70, 4)


@pytest.mark.parametrize("grid, error", [((1, 1, 1, 2), ValueError), ((-1, ), ValueError), ((1.5, ), TypeError), (None, TypeError),
                                         ((), ValueError), (b"ab", TypeError), ("ab", TypeError), ((2**31, ), ValueError),
                                         ((1, 65536), ValueError), ((2**31 - 1, 2), ValueError), ((2**70, ), ValueError),
                                         ((40000, 40000, 2), ValueError)])  # yapf: disable
def test_grid(x, grid, error):
    from nereid import _native
    with pytest.raises(error):
        fill[grid](x, 1, 4)
    with pytest.raises(error):
        _native.grid_extents(grid)  # of kernels that run as Python
    with pytest.raises(error):
        fill[lambda meta: grid](x, 1, 4)


def test_grid_filled_up_with_ones(x):
    fill[(1, 1, 1, 1, 1)](x, 7, 4)
    assert (x[:4] == 7).all()


def test_grid_says_what_to_write(x):
    for grid in ((4 / 2, ), lambda meta: (meta["n"] / 2, )):
        with pytest.raises(TypeError, match=r"extent 0 of the grid is .*, which is no integer: write `triton.cdiv\(n, BLOCK\)`"):
            fill[grid](x, 1, 4)
    for grid in (None, "1", lambda meta: None):
        with pytest.raises(TypeError, match="a grid is a tuple of one to three integers, or a function that gives one"):
            fill[grid](x, 1, 4)


def test_names_that_are_not_there(x):
    with pytest.raises(KeyError, match="BLOCK_SIZE, for which the grid asks: the kernel's parameters are `x`, `n`, `BLOCK`"):
        fill[lambda meta: (triton.cdiv(4, meta["BLOCK_SIZE"]), )](x, 1, BLOCK=4)
    with pytest.raises(KeyError, match="its parameters are `x`, `n`, `BLOCK`"):
        fill[(1, )](x, 1, BLOCK_SIZE=4)
    with pytest.raises(TypeError, match="`BLOCK` of `@triton.heuristics` is 4: write a function of the arguments, `lambda args: 4`"):
        triton.heuristics({"BLOCK": 4})(fill)


def test_options(x):
    with pytest.raises(KeyError, match="did you mean `BLOCK`"):
        fill[(1, )](x, 1, BLOK=4)
    with pytest.raises(KeyError, match="did you mean `num_warps`"):
        fill[(1, )](x, 1, BLOCK=4, num_warp=4)
    with pytest.raises(TypeError, match="num_warps must be an integer, got '4'"):
        fill[(1, )](x, 1, BLOCK=4, num_warps="4")


def test_tensor_of_another_device():
    torch = pytest.importorskip("torch")
    meta = torch.zeros(4, device="meta")
    fill.warmup(meta, 1, 4, grid=(1, ))  # only compiles
    for argument in (meta, triton.reinterpret(meta, tl.int32)):
        with pytest.raises(ValueError, match="cannot be accessed from Triton"):
            fill[(1, )](argument, 1, 4)


@triton.jit
def first_of(pair):
    tl.store(pair[0], 1)


def test_tensor_of_another_device_in_a_tuple():
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match="cannot be accessed from Triton"):
        first_of[(1, )]((torch.zeros(4, device="meta"), 3))


def test_order_of_decorators():
    for decorator in (triton.autotune([triton.Config({})], key=[]), triton.heuristics({})):
        with pytest.raises(TypeError, match="`test_order_of_decorators` is not a kernel: write `@triton.jit` between"):
            decorator(test_order_of_decorators)
        with pytest.raises(TypeError, match="`@triton.jit` stands right above `def`, below the other decorators"):
            triton.jit(decorator(fill))
    with pytest.raises(TypeError, match="`@triton.jit` takes a function; got 'text'"):
        triton.jit("text")


@pytest.mark.parametrize("grid", [(1, 1, 1, 2), (), (-1, ), (2**31, ), (1, 65536), (2**31 - 1, 2)])
def test_grid_of_compiled_code(x, grid, tmp_path, monkeypatch):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    monkeypatch.setattr(triton.knobs.cache, "dir", str(tmp_path))
    source = ASTSource(fill, {"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 4})
    kernel = triton.compile(source, GPUTarget("cpu", "native", 1))
    with pytest.raises(ValueError, match="grid"):
        kernel[grid](x, 1, 4)
    kernel[(1, )](x, 1, 4)
    assert (x == 1).all()


@triton.jit
def store_constant(x, VALUE: tl.constexpr):
    tl.store(x, VALUE)


@triton.jit
def store_item(x, pair):
    tl.store(x, pair[0])


class Derived(int):
    """Shows itself as no decimal number."""

    def __str__(self):
        return hex(self)

    __repr__ = __str__


def nested(make, depth, width=1):
    value = make([1])
    for _ in range(depth):
        value = make([value] * width)
    return value


def itself():
    value = [1]
    value.append(value)
    return value


def test_constants_that_are_too_large():
    x = np.zeros(4, np.int64)
    for value in (2**127, -2**127, 10**5000, Derived(2**200)):
        with pytest.raises(triton.CompilationError, match="an integer of this size cannot be used at compile time"):
            store_constant[(1, )](x, value)
    store_constant[(1, )](x, Derived(2**62 + 5))
    assert x[0] == 2**62 + 5
    store_constant[(1, )](x.view(np.uint64), Derived(2**63 + 5))
    assert x.view(np.uint64)[0] == 2**63 + 5


def test_text_that_is_none():
    with pytest.raises(triton.CompilationError, match="surrogates not allowed"):
        store_constant[(1, )](np.zeros(4, np.int64), "\ud800")


@pytest.mark.parametrize("value", [nested(tuple, 10**5), nested(list, 10**5), nested(lambda items: {0: items[0]}, 10**5), nested(tuple, 40, 2), nested(list, 40, 2), itself()],
                         ids=["deep tuple", "deep list", "deep dict", "wide tuple", "wide list", "itself"])  # yapf: disable
def test_values_without_end(value):
    x = np.zeros(4, np.int64)
    with pytest.raises((triton.CompilationError, TypeError, RecursionError), match="cannot be used at compile time|failed to specialize"):
        store_constant[(1, )](x, value)
    with pytest.raises((triton.CompilationError, TypeError, RecursionError), match="cannot be used at compile time|failed to specialize"):
        store_item[(1, )](x, value)


def test_sequences_that_lie():

    class Liar(list):
        __len__ = lambda self: 10**9

        def __getitem__(self, i):
            raise KeyError(i)

    class Base:
        dtype = "int64"
        data_ptr = lambda self: 8

    x = np.zeros(4, np.int64)
    with pytest.raises(triton.CompilationError, match="got list"):
        store_constant[(1, )](x, Liar([1]))
    with pytest.raises(triton.CompilationError, match="expected a tensor or a number"):
        store_item[(1, )](x, Liar([x]))
    wrong = Base()
    wrong.base = wrong
    with pytest.raises((ValueError, RuntimeError)):
        store_constant[(1, )](wrong, 3)

    class Endless:
        __len__ = lambda self: 2**62
        __getitem__ = lambda self, i: 1

    with pytest.raises(ValueError, match="a grid has one to three extents"):
        fill[Endless()](np.zeros(4, np.float32), 1, 4)


def test_options_that_are_too_large(x):
    for option in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
        for value in (2**32 + 4, 2**70, -2**31 - 1):
            with pytest.raises(OverflowError, match="is too large for an option of a launch"):
                fill[(1, )](x, 1, 4, **{option: value})


def test_options_without_a_truth(x):
    for option in ("debug", "check", "sanitize_overflow", "enable_fp_fusion", "launch_pdl"):
        with pytest.raises(ValueError, match="truth value"):
            fill[(1, )](x, 1, 4, **{option: np.zeros(2)})


def test_options_outside_of_their_range(x):
    for options in ({"num_stages": -1}, {"num_stages": 10**9}, {"num_ctas": -1}, {"num_warps": 2**20}):
        with pytest.raises(ValueError, match="it must be from 0 to 1024"):
            fill[(1, )](x, 1, 4, **options)
    for option in ("default_dot_input_precision", "ptx_options"):
        with pytest.raises(TypeError, match=f"{option} must be a str, got 5"):
            fill[(1, )](x, 1, 4, **{option: 5})


def test_a_grid_that_launches_its_own_kernel(x):

    def grid(_):
        fill[grid](x, 1, 4)
        return (1, )

    with pytest.raises(RecursionError, match="more than 50 launches are nested"):
        fill[grid](x, 1, 4)
    fill[(1, )](x, 1, 4)
    assert (x == 1).all()


def test_arrays_with_a_mask():
    with pytest.raises(TypeError, match="argument `x`: a kernel would not see the mask of the array"):
        fill[(1, )](np.ma.masked_array(np.zeros(4, np.float32), mask=True), 1, 4)


class Lying:
    """Is what its attributes say."""

    def __init__(self, **attributes):
        vars(self).update(attributes)


def of(**attributes):
    return type("Lying", (Lying, ), {name: None for name in attributes})(**attributes)


def struct_of(**fields):
    """`__array_struct__` of four floats, with fields that are not theirs."""
    capsule = np.zeros(4, np.float32).__array_struct__
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    places = {"two": 0, "dimensions": 4, "flags": 16}
    for name, value in fields.items():
        ctypes.c_int.from_address(address(capsule, None) + places[name]).value = value
    return of(__array_struct__=capsule, dtype=np.dtype("float32"))


@pytest.mark.parametrize("wrong, error, message", [
    (struct_of(two=3), TypeError, "describes no array"),
    (struct_of(dimensions=10**9), TypeError, "describes no array"),
    (struct_of(dimensions=-1), TypeError, "describes no array"),
    (struct_of(flags=0x501), TypeError, "describes no array"),
    (of(__cuda_array_interface__=5, dtype="float32"), TypeError, "is no address and a bool"),
    (of(__cuda_array_interface__={"data": ()}, dtype="float32"), TypeError, "is no address and a bool"),
    (of(__cuda_array_interface__={"data": (-5, False)}, dtype="float32"), OverflowError, None),
    (of(__array_struct__=np.zeros(4, np.float32).__array_struct__, dtype=np.dtype("float64")), TypeError, "its dtype is `float64`, but its elements have 4 bytes"),
    (of(__array_struct__=5, dtype=np.dtype("float32")), ValueError, "PyCapsule"),
    (type("Lying", (), {"__array_struct__": property(lambda self: 1 / 0)})(), ZeroDivisionError, None),
    (of(data_ptr=lambda: 1 / 0, dtype="float32"), ZeroDivisionError, None),
    (of(data_ptr=lambda: "text", dtype="float32"), TypeError, None),
    (of(data_ptr=lambda: -8, dtype="float32"), OverflowError, None),
])
def test_objects_that_lie_about_their_memory(wrong, error, message):
    with pytest.raises(error, match=message):
        fill[(1, )](wrong, 1, 4)


@pytest.mark.parametrize("count", [1, 2])
def test_what_the_autotuner_sets_is_given_too(x, count):
    tuned = triton.autotune([triton.Config({"BLOCK": 4}, num_warps=2**i) for i in range(count)], key=[])(fill)
    with pytest.raises(ValueError, match="Conflicting meta-parameters: BLOCK"):
        tuned[(1, )](x, 1, BLOCK=4)


@pytest.mark.parametrize("configs", [{"BLOCK": 4}, triton.Config({"BLOCK": 4})])
def test_configurations_that_are_no_list(configs):
    with pytest.raises(TypeError, match="is a list: write"):
        triton.autotune(configs, key=[])(fill)


def test_a_tensor_where_a_constant_belongs(x):

    @triton.jit
    def kernel(x, BLOCK: tl.constexpr):
        tl.store(x + tl.program_id(0) * BLOCK, 1.0)

    torch = pytest.importorskip("torch")
    with pytest.raises(triton.CompilationError, match="a `Tensor` of the host is no number that is known at compile time"):
        kernel[(1, )](x, BLOCK=torch.tensor(4))
