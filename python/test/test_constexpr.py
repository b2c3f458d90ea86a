"""`tl.constexpr` folds on the host as the plain values do."""
import operator
import pickle

import pytest
import triton.language as tl
from triton.language.core import _unwrap_if_constexpr

BINARY = [operator.add, operator.sub, operator.mul, operator.mod, operator.truediv, operator.floordiv, operator.pow,
          operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor, operator.eq, operator.ne,
          operator.lt, operator.le, operator.gt, operator.ge]  # yapf: disable


@pytest.mark.parametrize("operation", BINARY)
@pytest.mark.parametrize("left, right", [(7, 3), (2, 5), (4, 4)])
def test_binary_operators(operation, left, right):
    expected = operation(left, right)
    for a, b in ((tl.constexpr(left), tl.constexpr(right)), (tl.constexpr(left), right), (left, tl.constexpr(right))):
        result = operation(a, b)
        assert isinstance(result, tl.constexpr)
        assert result.value == expected and type(result.value) is type(expected)


@pytest.mark.parametrize("operation", [operator.neg, operator.pos, operator.invert])
def test_unary_operators(operation):
    assert operation(tl.constexpr(5)).value == operation(5)


def test_logic():
    assert tl.constexpr(0).logical_and(3).value == 0
    assert tl.constexpr(0).logical_or(tl.constexpr(3)).value == 3
    assert tl.constexpr(0).__not__().value is True
    assert not tl.constexpr(0)


def test_wrapping_twice_changes_nothing():
    assert tl.constexpr(tl.constexpr(3)).value == 3


def test_stands_where_a_number_does():
    three = tl.constexpr(3)
    assert [10, 11, 12, 13][three] == 13
    assert list(range(three)) == [0, 1, 2]
    assert hex(three) == "0x3"
    assert {three: 1}[tl.constexpr(3)] == 1


def test_sequences_and_calls():
    assert tl.constexpr([1, 2, 3])[tl.constexpr(1)] == 2
    assert list(tl.constexpr((1, 2))) == [1, 2]
    assert tl.constexpr(max)(3, 4) == 4


def test_unwrap():
    assert _unwrap_if_constexpr([tl.constexpr(1), (tl.constexpr(2), 3)]) == [1, (2, 3)]
    assert _unwrap_if_constexpr("text") == "text"


def test_repr_type_and_pickle():
    value = tl.constexpr(3)
    assert repr(value) == "constexpr[3]"
    assert value.type == tl.constexpr_type(3) and value.type != tl.constexpr_type(4)
    assert pickle.loads(pickle.dumps(value)).value == 3


def test_tuple():
    pair = tl.tuple([1, 2.5])
    assert len(pair) == 2 and pair[tl.constexpr(1)] == 2.5 and list(pair) == [1, 2.5]
    assert list(pair + (3, )) == [1, 2.5, 3]
    assert bool(pair == tl.tuple([1, 2.5])) and not bool(pair == (1, 2))
    assert list((pair * tl.constexpr(2))[1:3]) == [2.5, 1]
