"""The autotuner with kernels that only record their calls."""
import pickle

import numpy as np
import pytest
import triton
from triton.compiler.errors import CompileTimeAssertionFailure
from triton.runtime.autotuner import Autotuner
from triton.runtime.errors import AutotunerError


class FakeKernel:
    """A kernel whose time is its BLOCK; `fails` maps a BLOCK to what its launch raises."""

    cache_key = "fake"

    def __init__(self, fails=None, writes=None):
        self.arg_names = ["x", "n", "BLOCK"]
        self.calls = []
        self.fails, self.writes = fails or {}, writes

        def fake(x, n, BLOCK):
            pass

        self.fn = fake

    def run(self, *args, **kwargs):
        self.calls.append(kwargs)
        if kwargs["BLOCK"] in self.fails:
            raise self.fails[kwargs["BLOCK"]]
        if self.writes is not None:
            args[0][...] += self.writes
        return kwargs["BLOCK"]

    warmup = run


def bench(call, quantiles):
    """Runs once and reports the BLOCK of the launch as its time."""
    call()
    time = float(bench.kernel.calls[-1]["BLOCK"])
    return [time] * len(quantiles)


def tuned(kernel, blocks=(64, 16, 32), **options):
    bench.kernel = kernel
    configs = [triton.Config({"BLOCK": block}) for block in blocks]
    return triton.autotune(configs, key=["n"], do_bench=bench, **options)(kernel)


X = np.zeros(4, dtype=np.float32)


def test_equal_code_on_the_cpu_is_timed_once():
    kernel = FakeKernel()
    bench.kernel = kernel
    configs = [triton.Config({"BLOCK": block}, num_warps=warps, num_stages=stages) for block in (64, 16) for warps in (4, 8) for stages in (2, 3)]
    auto = triton.autotune(configs, key=["n"], do_bench=bench)(kernel)
    assert auto.run(X, 10) == 16 and len(kernel.calls) == 3
    assert len(auto.configs_timings) == 8


def test_takes_the_fastest_once_for_each_key():
    kernel = FakeKernel()
    auto = tuned(kernel)
    assert auto.run(X, 10) == 16 and len(kernel.calls) == 4
    assert auto.run(X, 10) == 16 and len(kernel.calls) == 5
    assert auto.run(X, 20) == 16 and len(kernel.calls) == 9
    assert auto.run(X.astype(np.float16), 20) == 16 and len(kernel.calls) == 13
    assert auto.best_config.kwargs == {"BLOCK": 16} and len(auto.cache) == 3
    assert kernel.calls[-1]["num_warps"] == 4 and kernel.calls[-1]["num_stages"] == 3


def test_arguments_by_name():
    auto = tuned(FakeKernel())
    auto.run(X, n=10)
    auto.run(x=X, n=10)
    assert len(auto.cache) == 1


@pytest.mark.parametrize("error", [triton.OutOfResources(3, 2, "shared memory"), CompileTimeAssertionFailure(None, None, "no")],
                         ids=["resources", "assertion"])
def test_a_config_that_does_not_fit_is_infinitely_slow(error):
    auto = tuned(FakeKernel(fails={16: error}))
    assert auto.run(X, 10) == 32
    assert sorted(timing[0] for timing in auto.configs_timings.values()) == [32.0, 64.0, float("inf")]


def test_other_errors_come_through():
    with pytest.raises(ZeroDivisionError):
        tuned(FakeKernel(fails={16: ZeroDivisionError()})).run(X, 10)


def test_restore_value_and_reset_to_zero():
    x = np.ones(4)
    tuned(FakeKernel(writes=1), restore_value=["x"]).run(x, 10)
    assert (x == 2).all()
    tuned(FakeKernel(writes=1), reset_to_zero=["x"]).run(x, 10)
    assert (x == 1).all()
    tuned(FakeKernel(), reset_to_zero=["x"], restore_value=["x"]).run(None, 10)  # an argument that may be left out


def test_listener(monkeypatch):
    heard = []
    monkeypatch.setattr(triton.knobs.autotuning, "listener", lambda **about: heard.append(about))
    auto = tuned(FakeKernel())
    auto.run(X, 10)
    auto.run(X, 10)
    assert len(heard) == 1 and heard[0]["best_config"] is auto.best_config and not heard[0]["cache_hit"]
    assert heard[0]["fn"] is auto.fn and heard[0]["duration"] >= 0 and len(heard[0]["configs_timings"]) == 3


def test_hooks_of_the_user():
    seen = []
    auto = tuned(FakeKernel(fails={16: triton.OutOfResources(3, 2, "threads")}),
                 pre_hook=lambda args, reset_only=False: seen.append(("pre", reset_only)),
                 post_hook=lambda args, exception: seen.append(("post", type(exception).__name__)))
    auto.run(X, 10)
    assert seen == [("pre", False), ("post", "NoneType"), ("pre", False), ("post", "OutOfResources"), ("pre", False),
                    ("post", "NoneType"), ("pre", True)]


def test_hook_of_a_config():
    seen = []
    config = triton.Config({"BLOCK": 8}, pre_hook=lambda args: seen.append(args["BLOCK"]))
    triton.autotune([config], key=[])(FakeKernel()).run(X, 10)
    assert seen == [8]


def test_pruning():
    asked = {}

    def early(configs, named_args, **kwargs):
        asked.update(names=sorted(named_args), kwargs=kwargs)
        return configs[:2]

    auto = tuned(FakeKernel(), prune_configs_by={"early_config_prune": early})
    assert auto.run(X, n=10) == 16 and asked == {"names": ["x"], "kwargs": {"n": 10}}
    model = {"perf_model": lambda **all: -all["BLOCK"], "top_k": 1}
    assert tuned(FakeKernel(), prune_configs_by=model).run(X, 10) == 64
    assert tuned(FakeKernel(), prune_configs_by={**model, "top_k": 0.1}).run(X, 10) == 64  # one is always left
    kernel = FakeKernel()  # half of the two that are left is one, which is not timed
    assert tuned(kernel, prune_configs_by={**model, "early_config_prune": early, "top_k": 0.5}).run(X, 10) == 64
    assert len(kernel.calls) == 1
    with pytest.raises(AutotunerError, match="at least one config"):
        tuned(FakeKernel(), prune_configs_by={"early_config_prune": lambda *args, **kwargs: []}).run(X, 10)
    with pytest.raises(TypeError, match="top_k"):
        tuned(FakeKernel(), prune_configs_by={"perf_model": lambda **all: 0, "top_k": 2.5}).run(X, 10)


def test_configs_with_other_code_have_other_texts():
    plain, other = triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 16}, ir_override="kernel.ptx")
    assert "ir_override" not in str(plain) and str(other) == f"{plain}, ir_override: kernel.ptx"  # what is on the disk is found by them


def test_conflicting_meta_parameter():
    with pytest.raises(ValueError, match="Conflicting meta-parameters: BLOCK"):
        tuned(FakeKernel()).run(X, 10, BLOCK=3)


def test_print(capsys, monkeypatch):
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    tuned(FakeKernel()).run(X, 10)
    text = capsys.readouterr().out
    assert "Autotuning kernel fake with config BLOCK: 64" in text and "best config selected: BLOCK: 16" in text


def test_results_on_disk(fresh_cache):
    first, second = FakeKernel(), FakeKernel()
    assert tuned(first, cache_results=True).run(X, 10) == 16
    assert tuned(second, cache_results=True).run(X, 10) == 16
    assert len(first.calls) == 4 and len(second.calls) == 1


def test_warmup_compiles_all():
    assert tuned(FakeKernel()).warmup(X, 10) == [64, 16, 32]


def test_heuristics():
    kernel = FakeKernel()
    wrapped = triton.heuristics({"BLOCK": lambda args: args["n"] * 2})(kernel)
    assert wrapped.run(X, 10) == 20
    both = triton.autotune([triton.Config({})], key=[])(wrapped)
    assert both.run(X, 8) == 16


def test_config():
    config = triton.Config({"B": 4}, num_warps=8, maxnreg=128)
    assert config.all_kwargs() == {"B": 4, "num_warps": 8, "num_ctas": 1, "num_stages": 3, "maxnreg": 128}
    assert str(config) == "B: 4, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: 128"
    assert pickle.loads(pickle.dumps(config)) == config and hash(config) == hash(triton.Config({"B": 4}, 8, maxnreg=128))
    assert config != triton.Config({"B": 4})


def test_no_configs():
    assert isinstance(auto := triton.autotune([], key=[])(FakeKernel()), Autotuner) and len(auto.configs) == 1
