"""The functions of nereid.ops: on numpy arrays against float64, on torch tensors (where torch is installed) the same numbers, torch's own
checks of operators, and gradients against differences."""
import math
import mmap
import os
import subprocess
import sys

import numpy as np
import pytest
from flex_rules import of_floats, of_integers
from nereid import ops
from ops_cases import CASES, arrays

TOLERANCE = 2e-5


def leaves(results):
    return results if isinstance(results, tuple) else (results, )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_numpy(case):
    actual, expected = leaves(case.call(*case.args)), leaves(case.reference(*map(case.wide, case.args)))
    for a, e in zip(actual, expected, strict=True):
        assert isinstance(a, (np.ndarray, np.generic))
        np.testing.assert_allclose(a, e, rtol=case.tolerance, atol=case.tolerance)


def backwards_in_structures(x):
    """The same numbers, which stand backwards along every axis and 1 byte apart: in no steps that a kernel could count."""
    if not isinstance(x, np.ndarray) or not x.ndim:
        return x
    structures = np.zeros(x.shape, [("mark", np.int8), ("value", x.dtype)])
    view = structures["value"][(slice(None, None, -1), ) * x.ndim]
    view[...] = x
    return view


@pytest.mark.parametrize("case", CASES, ids=str)
def test_any_strides(case):
    expected = leaves(case.call(*case.args))
    for a, e in zip(leaves(case.call(*map(backwards_in_structures, case.args))), expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-4)


def with_repeated_rows(x):
    """The first along its first axis, again and again: all of them are one in memory."""
    return np.broadcast_to(x[:1], x.shape) if isinstance(x, np.ndarray) and x.ndim > 1 else x


@pytest.mark.parametrize("case", CASES, ids=str)
def test_repeated_rows(case):
    args = [*map(with_repeated_rows, case.args)]
    expected = leaves(case.call(*(arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args)))
    for a, e in zip(leaves(case.call(*args)), expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-4)


def far_apart(x, axis):
    """The same numbers, of which the last along an axis is more than 2^31 elements behind the first: memory is reserved, and little of it used."""
    if not isinstance(x, np.ndarray) or x.ndim < 2 or x.shape[axis] < 2:
        return x
    near = np.empty_like(np.moveaxis(x, axis, 0)[0], order="C")
    step = max(near.size, 2**31 // (x.shape[axis] - 1) + 64) // 16 * 16 + 16
    memory = mmap.mmap(-1, (x.shape[axis] * step + near.size) * x.itemsize, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # MAP_NORESERVE
    view = np.moveaxis(np.ndarray((x.shape[axis], *near.shape), x.dtype, memory, 0, (step * x.itemsize, *near.strides)), 0, axis)
    view[...] = x
    return view


@pytest.mark.parametrize("axis", [0, -2, -1])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_places_beyond_32_bits(case, axis):
    expected = leaves(case.call(*case.args))
    for a, e in zip(leaves(case.call(*(far_apart(arg, axis) for arg in case.args))), expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name, types, shapes", [
    ("sort", ["f4"], [(2**31, )]), ("sort", ["f4"], [(2**29, 4)]), ("nonzero", ["i1"], [(2**31, )]), ("masked_select", ["i1", "i1"], [(2**31, )] * 2), ("unique", ["i4"], [(2**31, )]),
    ("cumsum", ["f4"], [(1, 2**31)]), ("cummax", ["f4"], [(2, 2**31)]), ("linear_scan", ["f4", "f4"], [(1, 2**31)] * 2), ("newton_schulz", ["f4"], [(2**16, 2**15)]),
    ("conv2d", ["f4", "f4"], [(1, 1, 2**16, 2**15), (1, 1, 1, 1)]), ("conv2d", ["f4", "f4"], [(2**15, 1, 2**8, 2**8), (1, 1, 1, 1)]),
])  # yapf: disable
def test_more_elements_than_can_be_counted(name, types, shapes):
    """Their kernels count places in 32 bits: what is beyond was read and written before the arrays. The arrays here are one number each."""
    with pytest.raises(ValueError, match="elements, but at most 2145386496 can be counted"):
        getattr(ops, name)(*(np.broadcast_to(np.ones((), dtype), shape) for dtype, shape in zip(types, shapes, strict=True)))


def test_more_elements_than_can_be_counted_and_numbers():
    many, picture, two = (np.broadcast_to(np.float32(1), shape) for shape in ((2**31, ), (1, 1, 2**16, 2**15), (2, )))
    for call in (lambda: ops.dropout(many, 0.5, 1), lambda: ops.max_pool2d(picture, 2), lambda: ops.avg_pool2d(picture, 2), lambda: ops.interpolate(picture, None, 0.5),
                 lambda: ops.interpolate(picture[..., :2, :2], (2**16, 2**15)), lambda: ops.scatter_add(many, 0, np.array([0]), two[:1]),
                 lambda: ops.moe_order(np.broadcast_to(np.int32(1), (2**30, 2)), 4)):
        with pytest.raises(ValueError, match="elements, but at most 2145386496 can be counted"):
            call()


def test_every_function_has_a_case():
    assert {case.name for case in CASES} == set(ops.__all__)


def test_functions_show_themselves():
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "docs", "kernels.md"), encoding="utf-8") as file:
        table = file.read().partition("## From Python")[2]
    for name in ops.__all__:
        assert getattr(ops, name).__doc__ and f"`{name}`" in table, name


def test_wrong_use():
    x, w = arrays((3, 5), (4, ))
    with pytest.raises(ValueError, match=r"`weight` has shape \(4,\), but \(5,\) is expected"):
        ops.layer_norm(x, w)
    with pytest.raises(ValueError, match="`x` has type float64, but float32, float16 or bfloat16 is expected"):
        ops.softmax(x.astype(np.float64))


def test_products_of_infinities():
    x = np.array([[2, np.inf, 3, -1, 0.5], [-2, -np.inf, -3, np.nan, 2]], np.float32)
    np.testing.assert_array_equal(ops.cumprod(x), x.cumprod(axis=1))


def test_axes_that_are_not_there():
    x = np.ones((3, 5), np.float32)
    for dim in (2, -3, (0, 5)):
        with pytest.raises(ValueError, match="there is no axis"):
            ops.reduce(x, "sum", dim)
        with pytest.raises(ValueError, match="there is no axis"):
            ops.var_mean(x, dim)


def test_sums_of_what_is_no_number_of_ours():
    for dtype in (np.complex64, ">f4", "M8[s]", np.uint64):
        with pytest.raises(ValueError, match="`x` has type .*, but a float or an integer that int64 holds is expected"):
            ops.reduce(np.ones((3, 5), np.float32).astype(dtype), "sum", 1)


def test_copies_within_the_same_memory():
    for to, of in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
        x = np.arange(100000, dtype=np.float32)
        expected = x.copy()
        expected[to] = x[of].copy()
        ops.copy_(x[to], x[of])
        np.testing.assert_array_equal(x, expected)
    square = np.arange(250000, dtype=np.float32).reshape(500, 500)
    expected = square.T.copy()
    ops.copy_(square, square.T)
    np.testing.assert_array_equal(square, expected)
    one_row = np.lib.stride_tricks.as_strided(np.zeros(8, np.float32), (4, 8), (0, 4))
    with pytest.raises(ValueError, match="several of its elements are one"):
        ops.copy_(one_row, np.ones((4, 8), np.float32))


@pytest.mark.parametrize("value, kind", [(None, "NoneType"), ("x", "str"), (b"x", "bytes"), (3, "int"), ([[1.0]], "list"), (memoryview(b"abcd"), "memoryview"), (object(), "object"),
                                         (np.float32(3), "float32"), (np.ma.masked_array([[1.0]], mask=True), "MaskedArray")])  # yapf: disable
def test_what_is_no_array(value, kind):
    for call in (lambda: ops.softmax(value), lambda: ops.layer_norm(np.ones((1, 1), np.float32), weight=value), lambda: ops.adamw_(*[np.ones(1, np.float32)] * 3, value, 1)):
        with pytest.raises(TypeError, match=f"is of type `{kind}`, but an array of numpy or a tensor of torch is expected"):
            call()


def test_what_is_no_number():
    x, w = arrays((3, 5), (5, ))
    for value in ("1", None, (1, 2), 1j, np.ones(2)):
        with pytest.raises(TypeError, match="`eps` of `nereid.ops.layer_norm` is of type `.*`, but a number is expected"):
            ops.layer_norm(x, w, None, value)
    for value in (1.0, "1", None):
        with pytest.raises(TypeError, match="`num_groups` of `nereid.ops.group_norm` is of type `.*`, but an integer is expected"):
            ops.group_norm(x[None], value)
    with pytest.raises(TypeError, match="`approximate` of `nereid.ops.gelu` is of type `int`, but a str is expected"):
        ops.gelu(x, 3)
    assert ops.layer_norm(x, w, None, np.float64(0.1)).shape == ops.layer_norm(x, w, None, 1).shape == x.shape  # numbers of all kinds


def test_integers_of_numpy():
    x, w = arrays((1, 4, 7, 6), (4, 2, 3, 3))
    np.testing.assert_array_equal(ops.conv2d(x, w, None, np.int64(2), np.int32(1), 1, np.uint8(2)), ops.conv2d(x, w, None, 2, 1, 1, 2))
    np.testing.assert_array_equal(ops.group_norm(x, num_groups=np.int64(2)), ops.group_norm(x, 2))


def test_kernels_that_are_larger_than_their_pictures():
    x, w = arrays((1, 4, 7, 6), (5, 4, 2, 2))
    for settings in ((1, 0, 7), (1, 0, (1, 6)), (3, 0, 2**63)):
        with pytest.raises(ValueError, match="pictures of 7 x 6 with a padding of 0 and 0 are smaller than kernels of 2 x 2"):
            ops.conv2d(x, w, None, *settings)
    assert ops.conv2d(x, w, None, 1, 0, (6, 5)).shape == (1, 5, 1, 1)


def test_settings_of_windows():
    (x, ), (w, ) = arrays((1, 4, 7, 6)), arrays((5, 4, 2, 2))
    np.testing.assert_array_equal(ops.max_pool2d(x, (2, ), []), ops.max_pool2d(x, 2))
    for call, message in ((lambda: ops.max_pool2d(x, 2, 0), "kernel, stride and dilation are at least 1"), (lambda: ops.avg_pool2d(x, 2, 0), "kernel, stride and dilation are at least 1"),
                          (lambda: ops.avg_pool2d(x, 2, divisor_override=0), "`divisor_override` is 0"), (lambda: ops.max_pool2d(x, (2, 2, 2)), "`kernel_size` has 3 numbers"),
                          (lambda: ops.conv2d(x, w, None, 1, "full"), "`padding` is 'full', but numbers, 'same' or 'valid' are expected"),
                          (lambda: ops.conv2d(x, w, None, 2, "same"), "`padding` is 'same', for which strides of 1 are expected"), (lambda: ops.conv2d(x, w, None, (1, 1, 1)), "`stride` has 3 numbers")):  # yapf: disable
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize("name", ["alibi_slopes", "sinks"])
def test_numbers_of_heads_that_lie_apart(name):
    """A view of every second number was read as if it had all of them, and one number for all heads as if there were more behind it."""
    q, k, numbers = arrays((1, 9, 4, 16), (1, 12, 2, 16), (8, ))
    for view in (numbers[::2], np.broadcast_to(numbers[:1], (4, ))):
        np.testing.assert_array_equal(ops.flash_attn_func(q, k, k, causal=True, **{name: view}), ops.flash_attn_func(q, k, k, causal=True, **{name: view.copy()}))


@pytest.mark.parametrize("rule", [of_integers, of_floats])
def test_masks_of_numbers(rule):
    """Whatever is not 0 is seen: a 2 was no bit of the mask, and made block numbers that there are not."""
    q, k, v = arrays((1, 2, 50, 16), (1, 2, 70, 16), (1, 2, 70, 16))
    mask = ops.create_block_mask(rule, None, None, 50, 70)
    expected = ops.flex_attention(q, k, v, block_mask=ops.create_block_mask("causal", None, None, 50, 70))
    np.testing.assert_array_equal(ops.flex_attention(q, k, v, block_mask=mask), expected)


def test_masks_of_no_size():
    for sizes in ((0, 2, 40, 40), (None, 0, 40, 40), (1, 2, -1, 40), (1, 2, 40, -1)):
        with pytest.raises(ValueError, match="there is no mask for a batch of"):
            ops.create_block_mask("causal", *sizes)
    assert ops.create_block_mask("causal", None, 2, 0, 40) is not None


@pytest.mark.parametrize("shape", [(7, 0), (7, 5), (6, 9), (3, 1, 7, 9), (1, 3, 7, 9), (1, 1, 1, 7, 9)])
@pytest.mark.parametrize("kind", [bool, np.float32])
def test_masks_of_another_size(shape, kind):
    query, key = np.ones((1, 2, 7, 16), np.float32), np.ones((1, 2, 9, 16), np.float32)
    with pytest.raises(ValueError, match="`attn_mask` has shape .*, which does not broadcast to \\(1, 2, 7, 9\\)"):
        ops.scaled_dot_product_attention(query, key, key, np.ones(shape, kind))


def test_rows_of_no_group():
    """They are 0, and not what the memory held."""
    a, b = arrays((6, 20), (2, 20, 6))
    for ends in ([2, 4], [0, 0], [6, 6]):
        for _ in range(3):
            c = ops.grouped_matmul(a, b, np.array(ends, np.int32))
            assert not c[ends[1]:].any()
    assert not ops.grouped_matmul(a, b[:0], np.zeros(0, np.int32)).any()
    with pytest.raises(ValueError, match="`a` and `b` have types float32 and float16, but one is expected"):
        ops.grouped_matmul(a, b.astype(np.float16), np.array([2, 4], np.int32))


def sequences():
    """Three sequences over a cache of 20 pages of 8 rows."""
    q, k, v = arrays((3, 6, 32), (20, 8, 2, 32), (20, 8, 2, 32))
    return q, k, v, np.array([3, 40, 17], np.int32), np.arange(15, dtype=np.int32).reshape(3, 5)


def test_places_outside_of_what_they_count():
    """On the processor numbers that lead outside of an array are refused, before a kernel goes there."""
    q, k, v, lengths, pages = sequences()
    for name, wrong in (("`pages` has shape", (lengths, pages[:2])), ("`pages` has shape", (lengths, pages[0])), ("`pages` has numbers from 0 to 20", (lengths, np.where(pages == 5, 20, pages).astype(np.int32))),
                        ("`lengths` has numbers", (lengths + 1, pages)), ("`lengths` has numbers", (lengths - 4, pages)), ("`lengths` has numbers", (lengths, pages[:, :4]))):  # yapf: disable
        with pytest.raises(ValueError, match=name):
            ops.decode_attention(q, k, v, *wrong)
    unused = np.where(np.arange(5) * 8 < lengths[:, None], pages, -1).astype(np.int32)  # what is not read may be anything
    np.testing.assert_array_equal(ops.decode_attention(q, k, v, lengths, unused), ops.decode_attention(q, k, v, lengths, pages))
    for window in (1, 9, 17, 100):  # nor is what lies before a window
        before = np.where((np.arange(5) + 1) * 8 > lengths[:, None] - window, unused, -1).astype(np.int32)
        np.testing.assert_array_equal(ops.decode_attention(q, k, v, lengths, before, window=window), ops.decode_attention(q, k, v, lengths, pages, window=window))
        with pytest.raises(ValueError, match="`pages` has numbers"):
            ops.decode_attention(q, k, v, lengths, np.where(before == 2 * 5 + 2, 20, before).astype(np.int32), window=window)
    with pytest.raises(ValueError, match="`alibi_slopes` is not of shape"):
        ops.decode_attention(q, k, v, lengths, pages, alibi_slopes=np.ones(5, np.float32))
    with pytest.raises(ValueError, match="`pages` has shape"):
        ops.mla_decode(q, k[:, :, 0], lengths, 20, pages[:, 0])

    q, k, starts, starts_k = *arrays((8, 4, 16), (43, 2, 16)), np.array([0, 1, 1, 8], np.int32), np.array([0, 9, 10, 43], np.int32)
    for name, wrong in (("`starts_k` has shape", (starts, starts_k[:3], 7)), ("`starts_q` has numbers", (starts + 1, starts_k, 7)), ("`starts_k` has numbers", (starts, starts_k + 1, 7)),
                        ("must ascend", (starts[[0, 2, 1, 3]][::-1].copy(), starts_k, 7)), ("`longest_q` is 6, but there is a run of 7 rows", (starts, starts_k, 6))):  # yapf: disable
        with pytest.raises(ValueError, match=name):
            ops.varlen_attention(q, k, k, *wrong)


def test_rows_outside_of_what_they_count():
    cache, = arrays((5, 4, 3))
    with pytest.raises(ValueError, match="`block_mapping` has numbers from 1 to 5, but 0 to 4 are expected"):
        ops.copy_blocks(cache, np.array([[1, 5]]))
    key, caches = arrays((2, 2, 8))[0], arrays((3, 4, 2, 8), (3, 4, 2, 8))
    with pytest.raises(ValueError, match="`slot_mapping` has numbers from -1 to 12"):
        ops.reshape_and_cache_flash(key, key, *caches, np.array([-1, 12]))
    x, positions = arrays((4, 10))[0], np.arange(12, dtype=np.int32).reshape(4, 3)
    with pytest.raises(ValueError, match="`positions` has numbers from 0 to 11, but -1 to 7 are expected"):
        ops.moe_permute(x, positions[:, [0, 2]])
    with pytest.raises(ValueError, match="`positions` has numbers from 0 to 11, but -1 to 3 are expected"):
        ops.moe_combine(x, positions)
    a, b = arrays((11, 20), (3, 20, 6))
    for ends in ([2, 5, 12], [5, 2, 11], [-1, 2, 11]):
        with pytest.raises(ValueError, match="`ends`"):
            ops.grouped_matmul(a, b, np.array(ends, np.int32))
    out, x, down, up = arrays((9, 20), (9, 30), (2, 4, 30), (2, 20, 4))
    starts, adapters = np.array([0, 2, 7, 9], np.int32), np.array([1, -1, 0], np.int32)
    for name, wrong in (("`adapters` has numbers from -1 to 2", (starts, adapters + (adapters == 1), 5)), ("`starts` has numbers", (starts + 1, adapters, 5)), ("`longest` is 4", (starts, adapters, 4))):
        with pytest.raises(ValueError, match=name):
            ops.add_lora_(out, x, down, up, *wrong)
    probabilities, drafts, bonus = np.full((3, 2, 4), 0.25, np.float32), np.array([[1, 2], [3, -1], [0, 0]]), np.zeros(3, np.int64)
    blocks, (crow, col) = arrays((3, 16, 16))[0], (np.array(numbers, np.int32) for numbers in ((0, 2, 3, 3), (0, 3, 1)))
    for name, wrong in (("`crow_indices` has numbers from 0 to 4", (crow + (crow == 3), col)), ("the numbers of `crow_indices` must ascend", (crow[[0, 2, 1, 3]], col)),
                        ("`col_indices` has numbers from 0 to 4", (crow, col + (col == 3))), ("`col_indices` has numbers from -1 to 3", (crow, np.where(col, col, -1).astype(np.int32)))):  # yapf: disable
        with pytest.raises(ValueError, match=name):
            ops.block_sparse_matmul(arrays((5, 64))[0], blocks, *wrong)
    with pytest.raises(ValueError, match="`draft_tokens` has numbers from -1 to 3, but 0 to 3 are expected"):
        ops.rejection_sample(drafts, probabilities, bonus)
    assert ops.rejection_sample(drafts, probabilities, bonus, counts=np.array([2, 1, 2], np.int32))[0].shape == (3, 3)
    a, scale = arrays((5, 64), (3, 6))
    with pytest.raises(ValueError, match="of which 64 is a multiple"):
        ops.int8_weight_matmul(a, np.ones((64, 6), np.int8), scale)


def test_factors_that_are_not_there():
    for call, states in ((ops.adamw_, 2), (ops.lion_, 1)):
        parameter, *others = arrays(*[(6, )] * (2 + states))
        with pytest.raises(ValueError, match=r"`factor` has shape \(0,\), but one number is expected"):
            call(parameter, *others, *([1] if states == 2 else []), factor=np.empty(0, np.float32))
    with pytest.raises(ValueError, match=r"`factor` has shape \(2,\), but one number is expected"):
        ops.muon_(*arrays((4, 3), (4, 3), (4, 3)), factor=np.ones(2, np.float32))


def test_steps_without_end():
    x, = arrays((3, 5))
    for steps in (-1, 100, 2**70):
        with pytest.raises(ValueError, match="steps` is .*, but 0 to 99 are expected"):
            ops.newton_schulz(x, steps)
        with pytest.raises(ValueError, match="ns_steps` is .*, but 0 to 99 are expected"):
            ops.muon_(x.copy(), x, np.zeros_like(x), ns_steps=steps)


def test_empty():
    for rows, columns in ((0, 7), (3, 0)):
        x, w = arrays((rows, columns), (columns, ))
        assert ops.layer_norm(x, w).shape == (rows, columns) and ops.softmax(x).shape == (rows, columns)
        assert ops.matmul(x, x.T).shape == (rows, rows)


def test_dropout_keeps_about_as_many_as_it_should():
    out = ops.dropout(np.ones(20000, np.float32), 0.25, 3)
    assert set(np.unique(out)) == {np.float32(0), np.float32(1 / 0.75)} and abs((out != 0).mean() - 0.75) < 0.02


def test_samples_have_their_shares():
    """Of two tokens that are kept one is twice as likely; another seed draws another time."""
    logits = np.tile(np.log(np.array([[0.5, 0.25, 0.25 - 1e-6, 1e-6]], np.float32)), (3000, 1))
    tokens = ops.sample(logits, np.arange(3000), None, np.full(3000, 2, np.int32))
    assert set(np.unique(tokens)) == {0, 1} and abs((tokens == 0).mean() - 2 / 3) < 0.04


def test_torch_is_not_imported():
    code = "import sys, numpy as np; from nereid import ops; ops.softmax(np.ones((2, 3), np.float32)); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, timeout=120).returncode == 0


def tensors(case, torch, requires_grad=False):
    def convert(value, index):
        if not isinstance(value, np.ndarray):
            return value
        return torch.from_numpy(value.copy()).requires_grad_(requires_grad and index in case.differentiable)

    return [convert(value, index) for index, value in enumerate(case.args)]


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_torch(case, torch):
    with torch.no_grad():
        actual = leaves(case.call(*tensors(case, torch)))
    for a, e in zip(actual, leaves(case.call(*case.args)), strict=True):
        np.testing.assert_allclose(np.asarray(a), e, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("case", [case for case in CASES if case.operation], ids=str)
def test_operator_of_torch(case, torch):
    torch.library.opcheck(getattr(torch.ops.nereid, case.operation.name).default, tensors(case, torch, requires_grad=True))


@pytest.mark.filterwarnings("ignore:Input #")
@pytest.mark.parametrize("case", [case for case in CASES if case.differentiable], ids=str)
def test_gradient(case, torch):
    """Kernels compute in fp32: differences are taken over a wide step."""
    torch.manual_seed(0)
    torch.autograd.gradcheck(case.call, tensors(case, torch, requires_grad=True), eps=1e-2, atol=2e-2, rtol=2e-2, nondet_tol=1e-6)


def test_no_gradient_is_an_error(torch):
    x = torch.randn(3, 5, requires_grad=True)
    with pytest.raises(RuntimeError, match="`nereid.ops.silu` has no gradient"):
        ops.silu(x).sum().backward()


def test_compiled(torch):
    x, w = torch.randn(4, 32), torch.randn(32)
    function = lambda x, w: ops.layer_norm(x * 2, w) + 1  # noqa: E731
    assert torch.equal(torch.compile(function, fullgraph=True, backend="aot_eager")(x, w), function(x, w))
    q, window = torch.randn(1, 9, 2, 16), lambda q: ops.flash_attn_func(q, q, q, causal=True, window_size=(3, 0))
    assert torch.equal(torch.compile(window, fullgraph=True, backend="aot_eager")(q), window(q))


def test_layouts_of_attention(torch):
    """Results and gradients have the layout of what they belong to; expanded gradients are taken as they come."""
    q, k = torch.randn(1, 9, 2, 16, requires_grad=True), torch.randn(1, 9, 2, 16, requires_grad=True)
    out = ops.flash_attn_func(q, k, k, causal=True)
    assert out.is_contiguous()
    out.sum().backward()
    wide = torch.nn.functional.scaled_dot_product_attention(*(x.detach().double().transpose(1, 2).requires_grad_() for x in (q, k, k)), is_causal=True)
    torch.testing.assert_close(out.detach().double(), wide.detach().transpose(1, 2), rtol=TOLERANCE, atol=TOLERANCE)
    assert q.grad.stride() == q.stride()


def test_narrow_types(torch):
    x, w = torch.randn(4, 100).bfloat16(), torch.randn(100).bfloat16()
    expected = torch.nn.functional.layer_norm(x.double(), (100, ), w.double())
    torch.testing.assert_close(ops.layer_norm(x, w).double(), expected, rtol=1e-2, atol=1e-2)
    assert math.isclose(ops.softmax(x).float().sum().item(), 4, abs_tol=0.1)


def test_types_of_results(torch):
    logits, target = torch.randn(3, 5).half(), torch.tensor([1, 4, 0])
    assert ops.cross_entropy(logits, target, reduction="none").dtype == torch.float32


def test_fp8(torch):
    """The values are those of torch's own cast."""
    x = torch.randn(5, 70)
    q, scale = ops.quantize_per_row(x, "float8_e4m3fn")
    assert q.dtype == torch.float8_e4m3fn
    torch.testing.assert_close(scale, x.abs().amax(1) / 448)
    assert torch.equal(q.float(), (x / scale[:, None]).to(torch.float8_e4m3fn).float())
    torch.testing.assert_close(ops.dequantize(q, scale[:, None], 1, 70), q.float() * scale[:, None])
    k, v = torch.randn(3, 2, 16), torch.randn(3, 2, 16)
    caches = [torch.zeros(2, 4, 2, 16, dtype=torch.float8_e4m3fn) for _ in range(2)]
    ops.reshape_and_cache_flash(k, v, *caches, torch.tensor([5, -1, 0]), 0.5, 2.0)
    assert torch.equal(caches[0][1, 1].float(), (k[0] / 0.5).to(torch.float8_e4m3fn).float()) and not caches[1][0, 1:].float().any()
    a, b, a_scale, b_scale = torch.randn(5, 150).to(torch.float8_e4m3fn), torch.randn(40, 150).to(torch.float8_e4m3fn), torch.rand(5, 2), torch.rand(1, 2)
    wide = [(x.double() * scale.double().repeat_interleave(128, 1)[:, :150]) for x, scale in ((a, a_scale), (b, b_scale))]
    product = ops.w8a8_block_fp8_matmul(a, b, a_scale, b_scale, output_dtype=torch.bfloat16)
    assert product.dtype == torch.bfloat16
    torch.testing.assert_close(product.double(), wide[0] @ wide[1].T, rtol=1e-2, atol=1e-1)
