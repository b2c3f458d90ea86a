"""nereid.profile: launches, scopes and compiling of this process, and of a process that `nereid profile` has started."""
import json
import os
import subprocess
import sys
import threading

import nereid
import numpy as np
import pytest
import triton
import triton.language as tl
import triton.profiler.language as pl

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "python"))
from check_trace import check as check_trace  # noqa: E402


@triton.jit
def add(x, n, by, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + by, mask=i < n)


@triton.jit(launch_metadata=lambda grid, kernel, args: {"name": f"copy of {args['n']}", "bytes": 8 * args["n"], "flops32": 1.5})
def copy(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def marked(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    with pl.scope("load"):
        value = tl.load(x + i)
    pl.enter_scope("loop")
    for k in range(3):
        with pl.scope("turn"):
            value += tl.load(x + i) * k
    pl.exit_scope("loop")
    tl.store(out + i, value)


def run(times=1, n=1000):
    x = np.zeros((2, n // 2), np.float32)
    for _ in range(times):
        add[(triton.cdiv(n, 128), )](x, n, 1.5, BLOCK=128)
    return x


def test_a_session():
    run()
    with nereid.profile() as p:
        x = run(3)
        with nereid.profile.scope("copies", {"loss": 0.5}):
            copy[(8, )](x, np.empty_like(x), 1000, BLOCK=128)
    run()
    kernels = {row["name"]: row for row in p.summary()["kernels"]}
    assert {name: row["calls"] for name, row in kernels.items()} == {"add": 3, "copy of 1000": 1}
    assert kernels["copy of 1000"]["metrics"] == {"bytes": 8000, "flops32": 1.5}
    assert p._repr_html_().startswith("<iframe") and "copy of 1000" in p._repr_html_()  # a notebook shows the page
    assert kernels["add"]["arguments"] == [{"name": "x", "type": "*f32", "shape": [2, 500]},
                                           {"name": "n", "type": "int", "value": "1000"},
                                           {"name": "by", "type": "float", "value": "1.5"},
                                           {"name": "BLOCK", "type": "constexpr", "value": "128"}]  # yapf: disable
    assert kernels["add"]["grid"] == [8, 1, 1] and 0 < kernels["add"]["device_ns"] <= kernels["add"]["host_ns"]
    scopes = {node["name"]: node for node in p.summary()["scopes"]["children"]}
    assert scopes["copies"]["metrics"] == {"loss": 0.5} and [node["name"] for node in scopes["copies"]["children"]] == ["copy of 1000"]
    assert "copies\n" not in p.table() and "  copy of 1000" in p.table() and str(p) == p.table()


def test_what_is_compiled_is_told():
    @triton.jit
    def fresh(x, B: tl.constexpr):
        tl.store(x + tl.arange(0, B), 1.0)

    with nereid.profile() as p:
        fresh[(1, )](np.zeros(64, np.float32), B=64)
        fresh[(1, )](np.zeros(64, np.float32), B=64)
    code = [record for record in p.records() if record["kind"] == "code"]
    assert [(record["name"], record["device"]) for record in code] == [("fresh", "cpu")] and code[0]["detail"] in ("compiled", "found")
    assert p.summary()["code"]["compiled"] + p.summary()["code"]["found"] == 1


def test_saved(tmp_path):
    with nereid.profile() as p:
        with nereid.profile.scope("a <b> \"c\""):
            run(2, 100000)
            with pytest.raises(ValueError, match="inside"), nereid.profile.scope("inner"):
                raise ValueError("inside")
        p.save(tmp_path / "early.json")
    p.save(tmp_path / "trace.json")
    p.save(tmp_path / "page.html")
    for name in ("early.json", "trace.json"):
        counts = check_trace(json.loads((tmp_path / name).read_text()))
        assert counts["scope"] == 2 and counts["launch"] == counts["kernel"] == 2
    page = (tmp_path / "page.html").read_text()
    assert "a \\u003cb>" in page and "a <b>" not in page
    with pytest.raises(ValueError, match="not as `.*txt`"):
        p.save(tmp_path / "x.txt")


def test_threads_have_scopes_of_their_own():
    def work(name):
        with nereid.profile.scope(name):
            run(5)

    with nereid.profile() as p:
        threads = [threading.Thread(target=work, args=(f"thread {i}", )) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    nodes = p.summary()["scopes"]["children"]
    assert {node["name"] for node in nodes} == {f"thread {i}" for i in range(4)}
    assert all([inner["calls"] for inner in node["children"]] == [5] for node in nodes)
    check_trace(json.loads(p._text("trace")))


def test_scopes_without_a_session_and_sessions_in_sessions():
    @nereid.profile.scope("decorated")
    def work():
        run()
        return 3

    assert work() == 3
    with nereid.profile() as outer:
        with nereid.profile() as inner:
            work()
        work()
    assert [p.summary()["scopes"]["children"][0]["calls"] for p in (inner, outer)] == [1, 2]
    with pytest.raises(RuntimeError, match="goes on already"), outer:
        with outer:
            pass


def test_a_failed_launch_is_one():
    @triton.jit
    def fails(x):
        tl.device_assert(tl.load(x) == 1.0, "no")

    with nereid.profile() as p:
        with pytest.raises(RuntimeError):
            fails[(1, )](np.zeros(1, np.float32), debug=True)
        with pytest.raises(TypeError):
            add[(1, )](np.zeros(1, np.float32))  # refused: it has run nowhere
    [launch] = [record for record in p.records() if record["kind"] == "launch"]
    assert launch["name"] == "fails" and "no" in launch["detail"]


def test_metadata_that_raises():
    @triton.jit(launch_metadata=lambda grid, kernel, args: args["missing"])
    def wrong(x):
        tl.store(x, 1.0)

    x = np.zeros(1, np.float32)
    wrong[(1, )](x)
    with nereid.profile(), pytest.raises(KeyError, match="missing"):
        wrong[(1, )](x)


def test_scopes_inside_of_kernels(tmp_path):
    x = np.ones(64 * 200, np.float32)
    out = np.zeros_like(x)
    marked[(200, )](x, out, BLOCK=64)
    with nereid.profile() as p:
        marked[(200, )](x, out, BLOCK=64)
    assert (out == 4).all()
    inner = [record for record in p.records() if record["kind"] == "inner"]
    for program in range(200):
        mine = [record for record in inner if record.get("programs", 0) == program]
        assert sorted(record["name"] for record in mine) == ["load", "loop", "turn", "turn", "turn"], program
        loop = next(record for record in mine if record["name"] == "loop")
        assert all(loop["begin"] <= record["begin"] <= record["end"] <= loop["end"] for record in mine if record["name"] == "turn")
    assert check_trace(json.loads(p._text("trace")))["inner"] == 1000
    import triton.profiler as proton
    proton.start(str(tmp_path / "inner"), data="trace", backend="instrumentation")
    marked[(2, )](x, out, BLOCK=64)
    proton.finalize()
    events = json.loads((tmp_path / "inner.chrome_trace").read_text())["traceEvents"]
    assert sorted(event["args"]["call_stack"][-1] for event in events) == ["load"] * 2 + ["loop"] * 2 + ["marked"] + ["turn"] * 6


KILLED = """
import os, signal, sys
sys.path[:0] = {path!r}
import test_profile
test_profile.run(2)
if os.fork() == 0:
    test_profile.run(1)
    sys.exit(0)
os.wait()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_and_its_child(tmp_path):
    command = [sys.executable, "-m", "nereid._command"]
    path = [path for path in sys.path if path] + [os.path.dirname(os.path.abspath(__file__))]
    script = tmp_path / "killed.py"
    script.write_text(KILLED.format(path=path))
    done = subprocess.run([*command, "profile", "--json", "-o", str(tmp_path / "trace.json"), "--", sys.executable, str(script)],
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(path)}, capture_output=True, text=True)
    assert done.returncode == 137 and "signal 9" in done.stderr, done.stderr
    summary = json.loads(done.stdout)
    assert [(row["name"], row["calls"]) for row in summary["kernels"]] == [("add", 3)]
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert check_trace(trace)["launch"] == 3 and len({event["pid"] for event in trace["traceEvents"] if event.get("cat") == "launch"}) == 2
