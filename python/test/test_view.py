"""`nereid.view`: the page of `nereid view`, from kernels of the process."""
import json

import nereid
import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    value = tl.load(x + i, mask=mask)
    tl.store(out + i, value * factor, mask=mask)


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, BLOCK, mask=i < n)


def data_of(page):
    text = str(page)
    begin = text.index('id="data">') + len('id="data">')
    return json.loads(text[begin:text.index("</script>", begin)])[0]


def test_the_page_has_source_stages_values_and_counters(tmp_path):
    x, out = np.arange(200, dtype=np.float32), np.zeros(200, np.float32)
    x.flags.writeable = False
    page = nereid.view(scale, lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]), ), x, out, 200, 2.0, BLOCK=64)
    view = data_of(page)
    assert view["grid"] == [4, 1, 1] and ["x", "float32[200]"] in view["arguments"] and ["BLOCK", "64"] in view["arguments"]
    assert {"tile", "gpu", "llvm", "ptx", "asm"} <= {stage["name"] for stage in view["code"]["stages"]}
    assert "value = tl.load" in view["sources"][0]["text"]
    assert view["trace"]["programs"][-1]["accesses"][0]["touched"] == [192, 8, 1, 0]
    assert view["cost"]["counted"]["total"]["bytes_read"] == 800
    assert not out.any()  # the arguments are as they were
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == str(page)


def test_counters_are_those_of_the_code():
    x, out = np.ones(4096, np.float32), np.zeros(4096, np.float32)
    counted = data_of(nereid.view(scale, 4, x, out, 4096, 2.0, BLOCK=1024))["cost"]["counted"]
    total = nereid.count(scale, 4, x, out, 4096, 2.0, BLOCK=1024)["total"]
    assert counted["total"]["requests"] == total["requests"] == 2 * 4096 * 4 // (32 * 16)  # 16 bytes a thread
    assert counted["total"]["fp32_instructions"] == 4096 // 32
    assert any(note["text"] == "reads of 16 bytes a thread" for note in counted["notes"])


def test_a_notebook_shows_it():
    html = nereid.view(scale, 1, np.ones(8, np.float32), np.zeros(8, np.float32), 8, 2.0, BLOCK=8, target="cpu")._repr_html_()
    assert html.startswith("<iframe") and "&lt;!DOCTYPE html&gt;" in html and "<script" not in html


def test_configurations_and_mistakes():
    view = data_of(nereid.view(tuned, 2, np.zeros(100, np.float32), 100, target="cpu"))
    assert ["BLOCK", "64"] in view["arguments"] and not any(stage["name"] == "ptx" for stage in view["code"]["stages"])
    with pytest.raises(ValueError, match="there is no target `sm_1`"):
        nereid.view(scale, 1, np.ones(8, np.float32), np.zeros(8, np.float32), 8, 2.0, BLOCK=8, target="sm_1")
    with pytest.raises(TypeError, match="`nereid.view` takes a kernel"):
        nereid.view(print, 1)
