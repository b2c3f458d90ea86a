"""pytest plugin of pytest_shards.py: keeps every N-th test, leaves out those that are done, and writes a row a test.

SUITE_SHARD=i/N  which tests;  SUITE_SAMPLE=i/K  only the i-th of K samples, drawn by the tests' names;  SUITE_SHUFFLE=1  in an order drawn by their names;  SUITE_LOG  rows `started|passed|failed|skipped <tab> test <tab> reason`, added as they happen, so
that a crash loses nothing;  SUITE_LIMIT  seconds after which a test ends the process;  SUITE_FORK=1  each test in a process of its own;
SUITE_CONFTEST  a file with fixtures and options that is no conftest of the tests (newer checkouts of Triton have it beside their `triton`, which pytest would import).
"""
import faulthandler
import json
import os
import runpy
import sys
import zlib

import pytest

_index, _count = map(int, os.environ["SUITE_SHARD"].split("/"))
_sample, _samples = map(int, os.environ.get("SUITE_SAMPLE", "0/1").split("/"))
_limit = float(os.environ.get("SUITE_LIMIT", 300))
_log = open(os.environ["SUITE_LOG"], "a+", buffering=1)
_log.seek(0)
_done = {line.split("\t")[1] for line in _log if "\t" in line}

if os.environ.get("SUITE_CONFTEST"):
    globals().update({name: value for name, value in runpy.run_path(os.environ["SUITE_CONFTEST"]).items() if not name.startswith("_")})


def pytest_collection_modifyitems(session, config, items):
    # By name, not by position: every K-th in order would meet the same values of the parameters again and again.
    drawn = [item for item in items if zlib.crc32(item.nodeid.encode()) % _samples == _sample]
    if os.environ.get("SUITE_SHUFFLE") == "1":
        drawn.sort(key=lambda item: zlib.crc32(item.nodeid.encode()))
    items[:] = [item for item in drawn[_index::_count] if item.nodeid not in _done]


def _drivers():
    """The driver that answers questions, and the class of the GPU's driver, of our `triton`."""
    import triton
    return (triton.runtime.driver, triton.backends.backends["nvidia"].driver) if hasattr(triton, "__nereid__") else (None, None)


def pytest_runtest_setup(item):
    # `--device` says where data is. A test that asks for no device only compiles: for the GPU where the machine has one.
    if item.config.getoption("--device", None) != "cpu" or os.environ.get("TRITON_INTERPRET") == "1":
        return
    driver, gpu = _drivers()
    if driver is None:
        return
    if "device" not in item.fixturenames and gpu.is_active():
        driver.set_active(gpu())
    else:
        driver.reset_active()


def _run_in_child(item, nextitem):
    """The reports of a test that ran in a child, or one that says how the child ended."""
    from _pytest.runner import runtestprotocol
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        with open(theirs, "w") as pipe:
            json.dump([item.config.hook.pytest_report_to_serializable(config=item.config, report=report) for report in reports], pipe)
        os._exit(0)
    os.close(theirs)
    with open(ours) as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 0:
        return [item.config.hook.pytest_report_from_serializable(config=item.config, data=data) for data in json.loads(text)]
    return [pytest.TestReport(item.nodeid, item.location, {}, "failed", f"its process ended with {status}", "call")]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    if os.environ.get("SUITE_FORK") != "1":
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _run_in_child(item, nextitem):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_runtest_logstart(nodeid, location):
    _log.write(f"started\t{nodeid}\t\n")
    faulthandler.dump_traceback_later(_limit, exit=True)


def pytest_runtest_logfinish(nodeid, location):
    faulthandler.cancel_dump_traceback_later()
    # Other shards use the same GPU: what torch keeps for later is theirs.
    torch = sys.modules.get("torch")
    if torch and torch.cuda.is_initialized() and torch.cuda.memory_reserved() > 2 << 30:
        torch.cuda.empty_cache()


def _reason(report):
    if report.outcome == "skipped":
        return str(report.longrepr[-1]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
    crash = getattr(report.longrepr, "reprcrash", None)
    return crash.message if crash else str(report.longrepr)


def pytest_runtest_logreport(report):
    if report.when != "call" and report.outcome == "passed":
        return
    if report.when == "teardown" and report.outcome != "failed":
        return
    outcome = "passed" if report.outcome == "passed" or hasattr(report, "wasxfail") else report.outcome
    lines = _reason(report).strip().splitlines() if outcome != "passed" else []
    # The last line of a compiler's message says what is wrong; the first line of an assertion does.
    text = "" if not lines else lines[-1] if "CompilationError" in lines[0] else lines[0]
    _log.write(f"{outcome}\t{report.nodeid}\t{text[:300]}\n")
