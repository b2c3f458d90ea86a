"""Proton: scopes and launches by name, with their metrics."""
import numpy as np
import triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.viewer as viewer


def describe(grid, kernel, args):
    return {"name": f"add {args['BLOCK']} {args['by']}", "flops32": 1.0 * args["n"], "bytes": 8.0 * args["n"]}


@triton.jit(launch_metadata=describe)
def add(x, n, BLOCK: tl.constexpr, by: tl.constexpr = 1):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + by, mask=i < n)


def test_scopes_and_launches(tmp_path, capsys):
    x = np.zeros(1000, np.float32)
    name = str(tmp_path / "session")
    session = proton.start(name, hook="triton")
    proton.deactivate()
    add[(8, )](x, 1000, BLOCK=128)  # not seen
    proton.activate(session)
    for _ in range(3):
        add[(8, )](x, 1000, BLOCK=128)
    with proton.scope("outside", {"flops32": 5.0}):
        add[(8, )](x, 1000, BLOCK=128, by=2)
    proton.deactivate(session)
    proton.finalize()
    assert (x == 6).all()
    tree, metrics = viewer.parse(["count", "time/ms", "gflop32/s", "flops32"], name + ".hatchet")
    rows = dict(tree)
    assert {key: row[0] for key, row in rows.items()} == {"add 128 1": 3, "add 128 2": 1, "outside": 1}
    assert rows["add 128 1"][3] == 3000 and rows["outside"][3] == 5
    assert all(row[1] > 0 for row in rows.values())
    assert np.isclose(rows["add 128 1"][2], 3000 / (rows["add 128 1"][1] * 1e-3) / 1e9)
    viewer.print_tree(tree, metrics)
    assert "outside" in capsys.readouterr().out


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
    import pytest

    @proton.profile(name=str(tmp_path / "call"))
    def work():
        with proton.state("inside"):
            return proton.context.depth()

    assert work() == 0 and proton.context.depth() is not None
    proton.finalize()
    assert "inside" in (tmp_path / "call.hatchet").read_text() and proton.context.depth() is None
    with pytest.raises(NotImplementedError, match="leave `backend` and `mode` out"):
        proton.start("x", backend="instrumentation", mode=proton.mode.MMA())
    assert proton.specs.max_flops("CUDA", "80", 16, 108, 1.41e6) == 312e12
