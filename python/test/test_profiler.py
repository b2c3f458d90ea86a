"""Proton: sessions, scopes, states, metrics and launches, as trees and traces, and its commands."""
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.viewer as viewer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "test", "python"))
from check_trace import check as check_trace  # noqa: E402


def describe(grid, kernel, args):
    return {"name": f"add {args['BLOCK']} {args['by']}", "flops32": 1.0 * args["n"], "bytes": 8.0 * args["n"]}


@triton.jit(launch_metadata=describe)
def add(x, n, BLOCK: tl.constexpr, by: tl.constexpr = 1):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + by, mask=i < n)


@pytest.fixture(autouse=True)
def no_session_is_left():
    yield
    proton.finalize()


def load(path):
    with open(path) as file:
        return json.load(file)


def names(node):
    return [child["frame"]["name"] for child in node["children"]]


def test_scopes_and_launches(tmp_path, capsys):
    x = np.zeros(1000, np.float32)
    name = str(tmp_path / "session")
    session = proton.start(name, hook="triton")
    proton.deactivate()
    add[(8, )](x, 1000, BLOCK=128)  # not seen
    proton.activate(session)
    for _ in range(3):
        add[(8, )](x, 1000, BLOCK=128)
    with proton.scope("outside", {"loss": 5.0}):
        add[(8, )](x, 1000, BLOCK=128, by=2)
    proton.deactivate(session)
    proton.finalize()
    assert (x == 6).all()
    tree, metrics = viewer.parse(["count", "time/ms", "gflop32/s", "flops32", "loss", "time/%"], name + ".hatchet")
    rows = {frame.name: [frame.values.get(column) for column in metrics] for _, frame in tree.walk()}
    assert {key: row[0] for key, row in rows.items()} == {"ROOT": 4, "add 128 1": 3, "outside": 1, "add 128 2": 1}
    assert rows["add 128 1"][3] == 3000 and rows["outside"][3] == 1000 and rows["outside"][4] == 5
    assert all(row[1] > 0 for row in rows.values()) and rows["ROOT"][5] == 100
    assert np.isclose(rows["add 128 1"][2], 3000 / (rows["add 128 1"][1] * 1e-3) / 1e9)
    viewer.print_tree(tree, metrics, print_sorted=True)
    shown = capsys.readouterr().out
    assert "   outside\n" in shown and "      add 128 2\n" in shown and "Sorted kernels by metric count (inc)" in shown
    [root, devices] = load(name + ".hatchet")
    assert names(root) == ["add 128 1", "outside"] and list(devices) == ["CPU"] and root["metrics"]["time (ns)"] == 0
    assert root["children"][0]["metrics"]["device_type"] == "CPU"


def test_without_the_hook_a_launch_has_the_name_of_its_kernel(tmp_path):
    proton.start(str(tmp_path / "plain"))
    add[(8, )](np.zeros(1000, np.float32), 1000, BLOCK=128)
    proton.finalize()
    [kernel] = load(tmp_path / "plain.hatchet")[0]["children"]
    assert kernel["frame"]["name"] == "add" and "flops32" not in kernel["metrics"]


def test_states_properties_and_times(tmp_path):
    x = np.zeros(128, np.float32)
    session = proton.start(str(tmp_path / "states"))
    with proton.scope("outer", {"text (pty)": "a", "own (exc)": 3}), proton.state("warm"):
        with proton.cpu_timed_scope("timed"):
            assert proton.context.depth(session) == 2
            add[(1, )](x, 128, BLOCK=128)
    proton.enter_scope("by hand", metrics={"own (exc)": 1})
    with pytest.raises(ValueError, match="Scope name mismatch: other != by hand"):
        proton.exit_scope("other")
    with pytest.raises(ValueError, match="no scope to exit"):
        proton.exit_scope()
    with pytest.raises(TypeError, match="type mismatch.*own.*current=uint64_t, new=double"):
        proton.enter_scope("wrong", metrics={"own (exc)": 1.5})
    proton.finalize()
    root = load(tmp_path / "states.hatchet")[0]
    outer = root["children"][0]
    assert names(root)[:2] == ["outer", "by hand"] and outer["metrics"] == {"text": "a", "own": 3}
    assert sorted(root["metrics"]) == ["count", "time (ns)"]
    timed = next(child for child in outer["children"] if child["frame"]["name"] == "timed")
    states = {child["frame"]["name"]: child for child in timed["children"]}
    assert states["warm"]["metrics"]["cpu_time (ns)"] > 0 and names(states["warm"]) == ["add"]


def test_calls_of_python(tmp_path):

    def launch():
        add[(1, )](np.zeros(128, np.float32), 128, BLOCK=128)

    proton.start(str(tmp_path / "calls"), context="python")
    launch()
    proton.finalize()
    node, path = load(tmp_path / "calls.hatchet")[0], []
    while node["children"]:
        [node] = node["children"]
        path.append(node["frame"]["name"])
    assert path[-1] == "add" and path[-2].endswith("@launch") and path[-3].endswith("@test_calls_of_python")
    assert path[-2].rpartition(":")[0].endswith("test_profiler.py")
    tree, metrics = viewer.parse(["time/us"], tmp_path / "calls.hatchet", include="@launch$")
    assert [frame.name for _, frame in viewer.format_frames(tree, "file_function").walk()][-2] == "test_profiler.py@launch"


def test_a_trace(tmp_path):
    proton.start(str(tmp_path / "kernels"), data="trace")
    with proton.scope("outer"):
        add[(8, )](np.zeros(1000, np.float32), 1000, BLOCK=128)
    with pytest.raises(ValueError, match="written as `chrome_trace`, not as `hatchet`"):
        proton.finalize(output_format="hatchet")
    proton.start(str(tmp_path / "kernels"), data="trace")
    with proton.scope("outer"):
        add[(8, )](np.zeros(1000, np.float32), 1000, BLOCK=128)
    proton.finalize(output_format="chrome_trace")
    trace = load(tmp_path / "kernels.chrome_trace")
    assert [(event["name"], event["ph"], event["args"]["call_stack"]) for event in trace["traceEvents"]] == [
        ("add", "X", ["ROOT", "outer", "add"])]  # yapf: disable
    check_trace(trace)


def test_sessions_beside_each_other_and_threads(tmp_path):
    x = np.zeros((2, 128), np.float32)
    first = proton.start(str(tmp_path / "first"))
    second = proton.start(str(tmp_path / "second"))

    def work(index):
        for step in range(20):
            with proton.scope(f"thread {index} step {step % 2}"):
                add[(1, )](x[index], 128, BLOCK=128)

    threads = [threading.Thread(target=work, args=(index, )) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    proton.finalize(first)
    work(0)
    proton.finalize(second)
    counts = [{child["frame"]["name"]: child["children"][0]["metrics"]["count"] for child in load(tmp_path / f"{name}.hatchet")[0]["children"]}
              for name in ("first", "second")]
    assert counts[0] == {f"thread {index} step {step}": 10 for index in range(2) for step in range(2)}
    assert counts[1] == {name: 20 if name.startswith("thread 0") else 10 for name in counts[0]}
    with pytest.raises(RuntimeError, match=f"Session has not been initialized: {first}"):
        proton.activate(first)


SCRIPT = """
import sys
import numpy as np
import triton.profiler as proton
from test_profiler import add

assert proton.start("ignored") is None
with proton.scope("script " + sys.argv[1]):
    add[(1, )](np.zeros(128, np.float32), 128, BLOCK=128)
sys.exit(3)
"""


def test_commands(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.py").write_text(SCRIPT)
    path = os.pathsep.join([*filter(None, sys.path), os.path.dirname(os.path.abspath(__file__))])
    done = subprocess.run([sys.executable, "-m", "triton.profiler.proton", "-n", "run", "-k", "triton", "script.py", "seven"],
                          env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)  # yapf: disable
    assert done.returncode == 3, done.stderr
    assert not (tmp_path / "ignored.hatchet").exists()

    def view(*words):
        monkeypatch.setattr(sys, "argv", ["proton-viewer", *words, "run.hatchet"])
        viewer.main()
        return capsys.readouterr().out

    shown = view("-m", "time/ns,flops32")
    assert "script seven" in shown and "add 128 1" in shown
    assert "- time\n" in view("--list") and "- flops32\n" in view("--list")
    assert [line.split()[0] for line in view("-m", "count", "-diff", "run.hatchet").splitlines()[1:]] == ["0.000"] * 3
    assert "script seven" not in view("-m", "count", "-e", "script") and "add" not in view("-m", "count", "-d", "1")
    assert "add" not in view("-m", "count", "-t", "2") and "nan" in view("-m", "util")
    (tmp_path / "run.hatchet").write_text("{}")
    with pytest.raises(ValueError, match="`run.hatchet` is no call tree of Proton's"):
        view("-m", "time")


def test_nothing_is_recorded_without_a_session(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with proton.scope("alone"):
        proton.enter_scope("inner")
        proton.exit_scope()
    proton.finalize()
    assert not list(tmp_path.iterdir())


def test_hooks_of_sessions():
    from triton.profiler.hooks import Hook, HookManager

    class Told(Hook):

        def __init__(self, priority):
            self.priority, self.events = priority, []

        def enter(self, metadata):
            self.events.append("enter")

        def exit(self, metadata):
            self.events.append("exit")

        def activate(self):
            self.events.append("on")

        def deactivate(self):
            self.events.append("off")

    first, second = Told(0), Told(5)
    x = np.zeros(128, np.float32)
    HookManager.register(first, 0)
    HookManager.register(second, 1)
    assert HookManager.active_hooks == [second, first]
    add[(1, )](x, 128, BLOCK=128)
    HookManager.deactivate(0)
    add[(1, )](x, 128, BLOCK=128)
    HookManager.unregister()
    add[(1, )](x, 128, BLOCK=128)
    assert first.events == ["on", "enter", "exit", "off"]
    assert second.events == ["on", "enter", "exit", "enter", "exit", "off"]


def test_decorator_and_limits(tmp_path):

    @proton.profile(name=str(tmp_path / "call"))
    def work():
        with proton.state("inside"):
            add[(1, )](np.zeros(128, np.float32), 128, BLOCK=128)
            return 5

    assert work() == 5
    proton.finalize()
    assert "inside" in (tmp_path / "call.hatchet").read_text() and proton.context.depth() is None
    with pytest.raises(NotImplementedError, match="leave `mode` out"):
        proton.start("x", mode=proton.mode.PCSampling())
    with pytest.raises(ValueError, match="`context` is one of 'shadow', 'python', not 'other'"):
        proton.start("x", context="other")
    assert proton.specs.max_flops("CUDA", "80", 16, 108, 1.41e6) == 312e12
    assert proton.mode.Default(granularity="warp_2").granularity.value == "warp_2"
    with pytest.raises(ValueError, match="Unknown granularity: thread"):
        proton.mode.MMA(granularity="thread")
