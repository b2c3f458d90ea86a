"""check_trace.py TRACE.json: whether a file is a trace that Chrome and Perfetto show: every event has what its phase asks for, and the bars
of a line lie beside or inside each other. Prints how many events of each category there are."""
import collections
import json
import sys


def check(trace):
    assert isinstance(trace, dict) and isinstance(trace["traceEvents"], list), "an object with a list `traceEvents`"
    assert trace.get("displayTimeUnit", "ms") in ("ms", "ns")
    lines, counts = collections.defaultdict(list), collections.Counter()
    for event in trace["traceEvents"]:
        assert isinstance(event["name"], str) and event["name"], event
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int), event
        assert isinstance(event["ts"], (int, float)) and event["ts"] >= 0, event
        assert isinstance(event.get("args", {}), dict), event
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name") and isinstance(event["args"]["name"], str), event
            continue
        assert event["ph"] == "X" and event["dur"] >= 0 and isinstance(event["cat"], str), event
        counts[event["cat"]] += 1
        # Whole nanoseconds: sums of fractions would not be exact.
        begin = round(event["ts"] * 1000)
        lines[event["pid"], event["tid"]].append((begin, -(begin + round(event["dur"] * 1000)), event["name"]))
    for line, bars in lines.items():
        open_until = []
        for begin, minus_end, name in sorted(bars):
            while open_until and open_until[-1][0] <= begin:
                open_until.pop()
            assert not open_until or -minus_end <= open_until[-1][0], f"line {line}: {name} begins in {open_until[-1][1]} and ends behind it"
            open_until.append((-minus_end, name))
    return counts


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(*(f"{category}={count}" for category, count in sorted(check(json.load(file)).items())))
