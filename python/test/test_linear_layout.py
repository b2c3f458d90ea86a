"""`triton.tools.LinearLayout`: maps that are linear over bits."""
import pytest
from triton.tools import LinearLayout


def swizzled():
    """8 rows of 8 columns; the column is shifted by exclusive or with the row."""
    return LinearLayout.from_bases([("column", [(0, 1), (0, 2), (0, 4)]), ("row", [(1, 1), (2, 2), (4, 4)])], ["y", "x"])


def test_apply():
    layout = swizzled()
    for row in range(8):
        for column in range(8):
            assert layout.apply({"column": column, "row": row}) == {"y": row, "x": column ^ row}
    with pytest.raises(ValueError, match="has 8 values"):
        layout.apply({"column": 8, "row": 0})


def test_product_puts_bits_above():
    layout = LinearLayout.identity_1d(4, "thread", "x") * LinearLayout.strided_1d(2, 2, "warp", "x")
    assert layout.apply({"thread": 3, "warp": 1}) == {"x": 3 + 8} and not layout.is_surjective() and layout.is_injective()
    both = LinearLayout.zeros_1d(2, "warp", "y") * LinearLayout.identity_1d(2, "warp", "y")
    assert [both.apply({"warp": warp})["y"] for warp in range(4)] == [0, 0, 1, 1]


def test_inverse():
    layout = swizzled()
    back = layout.invert()
    assert back.get_in_dim_names() == ["y", "x"] and back.get_out_dim_names() == ["column", "row"]
    for row in range(8):
        for column in range(8):
            assert back.apply(layout.apply({"column": column, "row": row})) == {"column": column, "row": row}
    assert layout.compose(back).get_matrix_view() == [[int(i == j) for j in range(6)] for i in range(6)]
    with pytest.raises(ValueError, match="not invertible"):
        LinearLayout.zeros_1d(4, "a", "b").invert()


def test_inverse_of_another():
    plain = LinearLayout.from_bases([("register", [(0, 1), (0, 2), (0, 4), (1, 0), (2, 0), (4, 0)])], ["y", "x"])
    moved = plain.invert_and_compose(swizzled())
    for register in range(64):
        assert swizzled().apply(moved.apply({"register": register})) == plain.apply({"register": register})


def test_sizes_and_mistakes():
    layout = LinearLayout.from_bases([("a", [[1]])], ["x"], [4], require_surjective=False)
    assert layout.out_dims == [("x", 4)] and layout.bases == [("a", [[1]])] and (layout.num_in_dims, layout.num_out_dims) == (1, 1)
    with pytest.raises(ValueError, match="do not reach all"):
        LinearLayout.from_bases([("a", [[1]])], ["x"], [4])
    with pytest.raises(ValueError, match="must be a power of 2"):
        LinearLayout.identity_1d(6, "a", "b")
