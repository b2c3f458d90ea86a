"""Timing and reports."""
import numpy as np
import pytest
from triton import testing


def test_quantiles_agree_with_numpy():
    values = list(np.random.RandomState(0).rand(37))
    found = testing._quantile(values, [0, 0.2, 0.5, 0.77, 1])
    np.testing.assert_allclose(found, np.quantile(values, [0, 0.2, 0.5, 0.77, 1]))
    with pytest.raises(ValueError):
        testing._quantile(values, [1.5])


@pytest.mark.parametrize("mode, expected", [("min", 1), ("max", 9), ("mean", 4), ("median", 3), ("all", [9, 1, 3, 3])])
def test_summaries(mode, expected):
    assert testing._summarize_statistics([9, 1, 3, 3], None, mode) == expected


def test_do_bench_calls_and_answers():
    calls = []
    time = testing.do_bench(lambda: calls.append(1), warmup=1, rep=5)
    assert isinstance(time, float) and len(calls) > 6
    assert len(testing.do_bench(lambda: None, warmup=1, rep=5, quantiles=[0.5, 0.2, 0.8])) == 3
    assert isinstance(testing.do_bench_cudagraph(lambda: None, rep=5, quantiles=[0.5]), float)
    with pytest.raises(AssertionError):
        testing.do_bench(lambda: None, return_mode="best")


def test_do_bench_drops_gradients():

    class Tensor:
        grad = 1

    tensor = Tensor()
    testing.do_bench(lambda: None, warmup=1, rep=1, grad_to_none=[tensor])
    assert tensor.grad is None


def test_assert_close():
    testing.assert_close(np.ones(3), np.ones(3) + 5e-3)
    testing.assert_close([1.0, float("nan")], [1.0, float("nan")])
    testing.assert_close(1.0, 1.5, atol=lambda dtype: 1)
    with pytest.raises(AssertionError):
        testing.assert_close(np.ones(3), np.ones(3) * 1.1)
    with pytest.raises(AssertionError, match="is not close to"):
        testing.assert_close(1.0, 2.0)


def report(**options):
    bench = testing.Benchmark(["n"], [1, 2], "provider", ["a", "b"], ["A", "B"], "plot", {"scale": 10}, ylabel="ms", **options)

    @testing.perf_report(bench)
    def run(n, provider, scale, extra=0):
        value = float(n * scale + extra) + (provider == "b")
        return value if provider == "b" else (value, value - 1, value + 1)

    return run


def test_report_prints(capsys):
    report().run(print_data=True)
    text = capsys.readouterr().out
    assert text.startswith("plot:\n") and "A (ms)" in text and "B (ms)" in text and "21.0" in text


def test_report_writes(tmp_path):
    report(styles=[("red", "-"), ("blue", "--")]).run(save_path=str(tmp_path / "out"), extra=1)
    lines = (tmp_path / "out" / "plot.csv").read_text().splitlines()
    assert lines == ["n,A (ms),B (ms)", "1,11.000000,12.000000", "2,21.000000,22.000000"]
    assert "plot.png" in (tmp_path / "out" / "results.html").read_text()


def test_report_over_pairs_of_sizes():
    bench = testing.Benchmark(["m", "n"], [(1, 2), 3], "p", [0], ["P"], "", {})
    seen = []
    testing.perf_report([bench])(lambda m, n, p: seen.append((m, n)) or 1.0).run()
    assert seen == [(1, 2), (3, 3)]
    with pytest.raises(ValueError, match="Expected 2 values"):
        testing.perf_report(testing.Benchmark(["m", "n"], [(1, 2, 3)], "p", [0], ["P"], "", {}))(lambda **all: 1.0).run()


def test_limits_need_a_gpu():
    with pytest.raises(RuntimeError, match="processor"):
        testing.get_dram_gbps()
