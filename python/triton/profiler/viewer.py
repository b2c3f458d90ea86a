"""Shows what a session of the profiler has written."""
import json

_SECONDS = {"time/s": 1, "time/ms": 1e-3, "time/us": 1e-6, "time/ns": 1e-9}
_RATES = {"": 1, "g": 1e9, "t": 1e12}


def _value(row, metric):
    if metric in _SECONDS:
        return row["seconds"] / _SECONDS[metric]
    if metric == "count":
        return row["count"]
    for prefix, unit in _RATES.items():  # tflop16/s, gbyte/s
        name = metric[len(prefix):-len("/s")] if metric.startswith(prefix) and metric.endswith("/s") else ""
        for kind, key in (("flop", "flops"), ("byte", "bytes")):
            if name.startswith(kind) and row["seconds"] > 0:
                return row["metrics"].get(key + name[len(kind):].lstrip("s"), 0) / row["seconds"] / unit
    return row["metrics"].get(metric, 0)


def parse(metrics, filename, *arguments, **options):
    """The rows of a file, and the metrics that are known; together what `print_tree` takes."""
    with open(filename) as file:
        rows = json.load(file)
    return [(row["name"], [_value(row, metric) for metric in metrics]) for row in rows], list(metrics)


def print_tree(tree, metrics, *arguments, **options):
    print("  ".join(f"{metric:>14}" for metric in metrics))
    for name, values in tree:
        print("  ".join(f"{value:14.3f}" for value in values) + "  " + name)


def read(filename):
    raise NotImplementedError(f"`{filename}` is nereid's own list of scopes and times, no call tree for hatchet: read it with "
                              "`viewer.parse(metrics, filename)`, or as JSON")
