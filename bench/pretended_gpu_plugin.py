"""pytest plugin: tests of a project on a GPU that only compiles (pretended_gpu.py). What they launch is compiled, and written to PRETENDED_OUT with what each test
ended by: a line of JSON for each. Values are not looked at: assertions of test files compute their condition, and nothing else."""
import ast
import json
import os
import signal
import sys
import time
import traceback

import pytest

LIMIT = float(os.environ.get("PRETENDED_LIMIT", "20"))  # seconds of a test
END = time.monotonic() + float(os.environ.get("PRETENDED_SECONDS", "600"))


class TooLong(BaseException):
    pass


class Written:
    """A recorder of launches (machine_code.Recorder is one) that only asks whether they compile."""

    def __init__(self, path):
        self.file, self.seen, self.test = open(path, "a", encoding="utf-8"), {}, "import"

    def write(self, **row):
        self.file.write(json.dumps({"test": self.test, **row}) + "\n")
        self.file.flush()

    def launch(self, function, args, kwargs):
        from machine_code import compiled, source_of
        source, options, text = source_of(function, args, kwargs)
        if text not in self.seen:
            begin = time.process_time()
            self.write(begins=text)
            try:
                self.seen[text] = kernel = compiled(source, options)
                meta = kernel.metadata
                self.write(kernel=text, warps=meta.num_warps, asked=options.num_warps, shared=meta.shared, seconds=time.process_time() - begin)
            except TooLong:
                self.write(kernel=text, error="took too long")
                raise
            except Exception as problem:
                self.seen[text] = problem
                self.write(kernel=text, error=f"{type(problem).__name__}: {problem}"[-1500:])
        if isinstance(self.seen[text], Exception):
            raise self.seen[text]
        return self.seen[text]


class WithoutAssertions(ast.NodeTransformer):

    def visit_Assert(self, node):
        return ast.copy_location(ast.Expr(node.test), node)

    def visit_FunctionDef(self, node):
        names = [ast.unparse(each) for each in node.decorator_list]
        return node if any("jit" in name for name in names) else self.generic_visit(node)


def forget_assertions():
    from _pytest.assertion import rewrite
    rewrite.rewrite_asserts = lambda module, *_, **__: ast.fix_missing_locations(WithoutAssertions().visit(module))
    rewrite._read_pyc = lambda *_, **__: None
    sys.dont_write_bytecode = True


def install():
    import numpy
    import torch
    import triton
    from machine_code import install as take_launches
    from pretended_gpu import pretend_wholly
    recorder = Written(os.environ["PRETENDED_OUT"])
    take_launches(recorder)
    pretend_wholly()
    torch.set_num_threads(1)
    torch.testing.assert_close = torch.testing._comparison.assert_close = lambda *_, **__: None
    torch.allclose = lambda *_, **__: True
    torch.Tensor.allclose = lambda *_, **__: True
    for name in ("assert_allclose", "assert_equal", "assert_array_equal", "assert_almost_equal", "assert_array_almost_equal"):
        setattr(numpy.testing, name, lambda *_, **__: None)
    torch.ops.load_library = lambda *_: None  # machine code of the project, which was not built

    def do_bench(call, *_, quantiles=None, return_mode="mean", **__):
        call()
        return [1.0] * len(quantiles) if quantiles else [1.0] if return_mode == "all" else 1.0

    def run_first(self, bench, *args, **kwargs):
        values = bench.x_vals[0]
        values = values if isinstance(values, (list, tuple)) else [values] * len(bench.x_names)
        for line in bench.line_vals:
            self.fn(**dict(zip(bench.x_names, values)), **{bench.line_arg: line}, **bench.args)

    triton.testing.do_bench = triton.testing.do_bench_cudagraph = do_bench
    triton.testing.Mark._run = run_first
    triton.testing.Mark.run = lambda self, *_, **__: [run_first(self, bench) for bench in (self.benchmarks if isinstance(self.benchmarks, (list, tuple)) else [self.benchmarks])]
    return recorder


forget_assertions()
RECORDER = install()


def pytest_collection_modifyitems(config, items):
    import zlib
    items.sort(key=lambda item: zlib.crc32(item.nodeid.encode()))
    wanted = os.environ.get("PRETENDED_ONLY")
    if wanted:
        with open(wanted, encoding="utf-8") as file:
            names = set(json.load(file))
        items[:] = [item for item in items if item.nodeid in names]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    if time.monotonic() > END:
        pytest.exit("no time left", returncode=0)
    RECORDER.test = item.nodeid
    RECORDER.write(starts=True)

    def ring(*_):
        raise TooLong

    signal.signal(signal.SIGALRM, ring)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        return (yield)
    except TooLong:
        pytest.skip("took too long")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call" or report.failed or report.skipped:
        RECORDER.write(**ended(call, report))
    return report


def ended(call, report):
    row = {"outcome": report.outcome, "when": call.when}
    if call.excinfo is not None:
        frames = traceback.extract_tb(call.excinfo.value.__traceback__)
        row["problem"] = f"{call.excinfo.type.__name__}: {call.excinfo.value}"[:1500]
        row["frames"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames][-6:]
    return row


def pytest_collectreport(report):
    if report.failed:
        RECORDER.write(collect=report.nodeid, problem=str(report.longrepr)[-1500:])
