"""bench/count_against_ncu.py without a GPU: what it reads of ncu, and how it compares."""
import importlib.util
import os

import pytest

PATH = os.path.join(os.path.dirname(__file__), "..", "..", "bench", "count_against_ncu.py")
SPEC = importlib.util.spec_from_file_location("count_against_ncu", PATH)
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)

HEAD = '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC"'
LAUNCH = '"{}","7","python3.12","127.0.0.1","{}","1","7","(128, 1, 1)","(16, 1, 1)","0","9.0"'
LONG = "\n".join([
    "==PROF== Connected to process 7 (/usr/bin/python3.12)",
    HEAD + ',"Section Name","Metric Name","Metric Unit","Metric Value"',
    LAUNCH.format(0, "add") + ',"Command line profiler metrics","dram__bytes_read.sum","byte","1,048,576"',
    LAUNCH.format(0, "add") + ',"Command line profiler metrics","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","4096"',
    LAUNCH.format(1, "matmul") + ',"Command line profiler metrics","dram__bytes_read.sum","byte","n/a"',
    "==PROF== Disconnected from process 7",
])  # yapf: disable
WIDE = "\n".join([HEAD + ',"dram__bytes_read.sum","lts__t_sector_hit_rate.pct"', '"","","","","","","","","","","","byte","%"', LAUNCH.format(0, "add") + ',"64","12.5"'])


def test_a_line_for_each_metric():
    assert bench.parse_csv(LONG) == [{"kernel": "add", "dram__bytes_read.sum": 1048576, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 4096},
                                     {"kernel": "matmul", "dram__bytes_read.sum": None}]  # yapf: disable


def test_a_line_for_each_launch():
    assert bench.parse_csv(WIDE) == [{"kernel": "add", "dram__bytes_read.sum": 64, "lts__t_sector_hit_rate.pct": 12.5}]
    assert bench.parse_csv("==ERROR== ERR_NVGPUCTRPERM") == []


def test_launches_are_paired_by_name_and_order():
    announced = [{"whose": "nereid"}, {"case": "a"}, {"key": "a#0", "kernel": "add"}, {"key": "a#1", "kernel": "failed"}, {"key": "b#0", "kernel": "matmul"}]
    measured, problems = {}, []
    bench.pair(announced, bench.parse_csv(LONG), measured, problems)
    assert list(measured) == ["a#0", "b#0"] and problems == []
    bench.pair(announced[:3], [{"kernel": "other"}], {}, problems)
    assert problems == ["ncu saw 1 launches, 0 of them are those that were announced"]


@pytest.mark.parametrize("counted, measured, floor, met", [(100, 105, 0.05, True), (100, 106, 0.05, False), (0, 0, 0.1, True), (0, 3, 0.1, False), (40, 49, 10, True), (40, 51, 10, False)])
def test_floors(counted, measured, floor, met):
    assert bench.is_met(counted, measured, floor) == met


def test_conflicts_are_those_of_instructions():
    pipe = {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 70}
    assert bench.conflicts(pipe, {}) == 70
    assert bench.conflicts({**pipe, "memory_l1_wavefronts_shared": 40, "memory_l1_wavefronts_shared_ideal": 32}, {}) == 8
    assert bench.conflicts({}, {}) is None


def test_sectors_of_tma_count_where_ncu_has_them():
    of_threads = {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 4, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 2}
    assert bench.sectors(of_threads, {"tma": False}) == 6 and bench.sectors(of_threads, {"tma": True}) is None
    assert bench.sectors({**of_threads, bench.TMA[0]: 10, bench.TMA[1]: 5}, {"tma": True}) == 21


def test_table_has_a_row_for_what_failed():
    total = {"memory_bytes_read": 1 << 20, "sectors": 4096, "bank_conflicts": 0}
    counted = [{"key": "a#0", "kernel": "add", "total": total, "cache_hit_rate": 0.0}, {"key": "b#0", "error": "ValueError: no"}]
    lines, totals = bench.table(counted, {"a#0": bench.parse_csv(LONG)[0]})
    assert "(1.000)" in lines[2] and "2 of 2" in lines[2] and "ValueError: no" in lines[3]
    assert totals["bytes from memory"] == [1, 1] and totals["sectors"] == [1, 1] and totals["L2 hit rate"] == [0, 0]


def test_inputs_that_are_too_large_are_not_made(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(os.path.dirname(PATH))
    from counted_cases import Enough, Inputs, bounded

    class Metrics:

        def __init__(self):
            self.input_tensors = []

        def make(self, *sizes):
            for size in sizes:
                self.input_tensors.append((torch.empty(size), {"more": [torch.empty(1)]}))

    case = bounded(Metrics, 10)()
    with pytest.raises(Enough):
        case.make(3, 9, 20, 10**15)
    assert case.input_tensors.sizes() == [4, 10, 21] and case.input_tensors.largest()[0].numel() == 9
    case = bounded(Metrics, 10)()
    case.make(30, 20)
    assert isinstance(case.input_tensors, Inputs) and case.input_tensors.largest()[0].numel() == 20


def test_lists_name_launches_that_are_there_and_share_none(monkeypatch):
    monkeypatch.syspath_prepend(os.path.dirname(PATH))
    import counted_sizes
    words = [counted_sizes.library_words(*row) for row in (*counted_sizes.LIBRARY, *counted_sizes.SECOND, *counted_sizes.THIRD, *counted_sizes.FOURTH)]
    assert len(words) == len({tuple(each) for each in words}) > 130
    assert not any("{" in word for each in words for word in each)


def test_cases_of_held_out_lists(monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(os.path.dirname(PATH))
    from counted_cases import HELD_OUT, Cases
    names = [name for which in HELD_OUT for name, _ in Cases("cpu", tritonbench="there", liger="there").held_out(which)]
    assert len(names) == len(set(names)) and sum(name.startswith("fourth ") for name in names) >= 70
    kernels = [name.split()[-1] for name in names if " tritonbench " in name]
    assert len(kernels) == len(set(kernels))


@pytest.mark.parametrize("ends_at", (None, "b"))
def test_a_case_that_ends_its_process_is_followed_by_another_one(ends_at, monkeypatch, tmp_path):
    """The work of a process is done by a script here: it counts its cases, and dies at one of them."""
    names = ["a", "b", "c", "d", "e"]
    script = """
import json, sys
out, first, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(out, "a") as file:
    for name in %r[first:first + number]:
        file.write(json.dumps({"case": name}) + "\\n")
        file.flush()
        if name == %r:
            sys.exit("dead")
        file.write(json.dumps({"key": name + "#0"}) + "\\n")
""" % (names, ends_at)  # yapf: disable
    import sys
    monkeypatch.setattr(bench, "command", lambda options, side, out, first, number: [sys.executable, "-c", script, out, str(first), str(number)])
    options = type("Options", (), {"batch": 3, "jobs": 2})
    rows = [row for row in bench.count_all(options, str(tmp_path), names, bench.time.monotonic() + 60) if "key" in row]
    assert sorted(row["key"] for row in rows) == [name + "#0" for name in names]
    assert [row["key"] for row in rows if "error" in row] == ([] if ends_at is None else ["b#0"])
