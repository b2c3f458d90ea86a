"""`nereid.count`: what a launch does, in numbers, in the process."""
import nereid
import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) * factor, mask=mask)


def test_totals_and_lines():
    x, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    counted = nereid.count(scale, lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]), ), x, out, n=1000, factor=2.0, BLOCK=128)
    np.testing.assert_array_equal(out, x * 2)
    total = counted["total"]
    assert (total["programs"], total["bytes_read"], total["bytes_written"], total["fp32_flops"]) == (8, 4000, 4000, 1024)
    assert counted["target"] == "sm_90a" and counted["device"] == "H200"
    assert sum(line["counts"].get("masked_elements", 0) for line in counted["lines"]) == 48


def test_a_notebook_shows_tables():
    x, out = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    html = nereid.count(scale, 8, x, out, n=1000, factor=2.0, BLOCK=128)._repr_html_()
    assert "<b>scale</b>: 8 programs, counted for sm_90a on H200; at least" in html
    assert "<th>bytes read</th>" in html and "<td style=\"text-align: right\">4,000</td>" in html
    assert "tl.load(x + i, mask=mask)" in html and "i &lt; n" not in html  # lines that only compute integers are left out
    assert "multiprocessors idle<br><i>try: take smaller blocks" in html


def test_targets_and_devices():
    x, out = np.ones(128, np.float32), np.zeros(128, np.float32)
    assert nereid.count(scale, 1, x, out, 128, 2.0, BLOCK=128, target="sm_80")["device"] == "A100"
    with pytest.raises(ValueError, match="there is no row for a device `H9000`"):
        nereid.count(scale, 1, x, out, 128, 2.0, BLOCK=128, device_row="H9000")


@pytest.mark.parametrize("precision, name", [("tf32", "tensor_flops_tf32"), ("ieee", "fp32_flops")])
def test_products_are_those_of_the_target(precision, name):

    @triton.jit
    def product(a, b, c, PRECISION: tl.constexpr):
        at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
        tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at), input_precision=PRECISION))

    a = np.ones((16, 16), np.float32)
    assert nereid.count(product, 1, a, a, np.zeros_like(a), precision)["total"][name] == 2 * 16**3
