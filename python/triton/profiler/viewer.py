"""The command `proton-viewer`, and its functions: shows the call tree of a session. Also `python -m triton.profiler.viewer`."""
import argparse
import json

from . import specs
from ._frames import Frame, GraphFrame
from .hooks.launch import COMPUTE_METADATA_SCOPE_NAME, LaunchHook

_SECONDS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_AMOUNTS = {"": 1, "g": 1e9, "t": 1e12}


def _rates():
    """gflop16/s: (the metric, its factor)."""
    rates = {}
    for prefix, factor in _AMOUNTS.items():
        rates[f"{prefix}byte/s"] = "bytes", factor
        for width in ("", *LaunchHook.flops_width):
            rates[f"{prefix}flop{width}/s"] = f"flops{width}", factor
    return rates


derivable_metrics = _rates()


def _frame_of(node):
    """Nothing for a frame that says nothing, and for the program's own questions."""
    if node["frame"]["name"] == COMPUTE_METADATA_SCOPE_NAME or (not node["metrics"] and not node.get("children")):
        return None
    children = [frame for frame in map(_frame_of, node.get("children", [])) if frame is not None]
    if node.get("children") and not children:
        return None
    return Frame(node["frame"]["name"], dict(node["metrics"]), children)


def get_raw_metrics(file):
    """(the tree, metrics that are summed over children, the others, devices) of an open file."""
    trees = json.load(file)
    if not isinstance(trees, list) or len(trees) < 2 or "frame" not in trees[0]:
        raise ValueError(f"`{getattr(file, 'name', 'the file')}` is no call tree of Proton's: a list of a tree and of devices")
    device_info = trees.pop(1)
    gf = GraphFrame([frame for frame in map(_frame_of, trees) if frame is not None])
    gf.inc_metrics = list(trees[0]["metrics"])
    gf.exc_metrics = list(dict.fromkeys(name for _, frame in gf.walk() for name in frame.values if name not in gf.inc_metrics))
    return gf, list(gf.inc_metrics), list(gf.exc_metrics), device_info


def read(filename):
    with open(filename) as file:
        gf, inclusive_metrics, exclusive_metrics, device_info = get_raw_metrics(file)
    if not inclusive_metrics + exclusive_metrics:
        raise ValueError(f"`{filename}` has no metrics")
    gf.update_inclusive_columns()
    return gf, inclusive_metrics, exclusive_metrics, device_info


def match_available_metrics(metrics, inclusive_metrics, exclusive_metrics):
    """The columns of metrics, whatever their case and unit."""
    found = []
    for metric in metrics if isinstance(metrics, list) else [metrics]:
        for raw in inclusive_metrics + exclusive_metrics:
            if metric.lower() in (raw, raw.split("(")[0].strip().lower()):
                found.append(f"{raw} (inc)" if raw in inclusive_metrics else raw)
                break
    if not found:
        raise RuntimeError(f"Metric {metrics} is not found. Use the --list flag to list available metrics")
    return found


def _least_seconds(values, device_info):
    """(for the operations, for the bytes) of a frame that has a device."""
    device = device_info.get(values.get("device_type", ""), {}).get(values.get("device_id"))
    if device is None:
        devices = [(kind, of_kind[values["device_id"]]) for kind, of_kind in device_info.items() if values.get("device_id") in of_kind]
        if not devices:
            return 0.0, 0.0
        kind, device = devices[0]
    else:
        kind = values["device_type"]
    flops = sum(values.get(f"flops{width}", 0) / specs.max_flops(kind, device["arch"], width, device["num_sms"], device["clock_rate"])
                for width in LaunchHook.flops_width if values.get(f"flops{width}"))  # yapf: disable
    if not values.get("bytes"):
        return flops, 0.0
    return flops, values["bytes"] / specs.max_bps(kind, device["arch"], device["bus_width"], device["memory_clock_rate"])


def _least_times(df, device_info, which):
    import pandas
    rows = [{name: value for name, value in row.items() if value == value} for row in df.to_dict("records")]  # not nan
    return pandas.DataFrame({"min_time": [_least_seconds(row, device_info)[which] for row in rows]}, index=df.index)


def get_min_time_flops(df, device_info):
    return _least_times(df, device_info, 0)


def get_min_time_bytes(df, device_info):
    return _least_times(df, device_info, 1)


def _utilization(frame, device_info, seconds):
    if "device_id" not in frame.values or not seconds:
        return float("nan")
    try:
        return max(_least_seconds(frame.values, device_info)) / seconds
    except ValueError:  # a device whose limits nobody knows
        return float("nan")


def derive_metrics(gf, metrics, inclusive_metrics, exclusive_metrics, device_info):
    """Adds a column for each metric; their names."""
    derived = []

    def seconds_of(what):
        column = match_available_metrics(what, inclusive_metrics, exclusive_metrics)[0]
        unit = _SECONDS[column.split("(")[1].split(")")[0]]
        return lambda frame: frame.value(column) * unit

    def add(column, compute):
        for _, frame in gf.walk():
            frame.values[column] = compute(frame)
        derived.append(column)

    def quotient(a, b):
        return a / b if b else float("nan")

    for metric in metrics:
        name, _, unit = metric.partition("/")
        is_average = name.startswith("avg_")
        if metric == "util":
            seconds = seconds_of("time")
            add("util", lambda frame: _utilization(frame, device_info, seconds(frame)))
        elif metric in derivable_metrics:
            amount, factor = derivable_metrics[metric]
            column = match_available_metrics(amount, inclusive_metrics, exclusive_metrics)[0]
            seconds = seconds_of("time")
            add(f"{metric} (inc)", lambda frame: quotient(frame.value(column), seconds(frame)) / factor)
        elif name.removeprefix("avg_") in ("time", "cpu_time") and unit in _SECONDS:
            seconds, factor = seconds_of(name.removeprefix("avg_")), _SECONDS[unit]
            add(f"{metric} (inc)", lambda frame: quotient(seconds(frame), frame.value("count (inc)") if is_average else 1) / factor)
        elif unit == "%":
            column = match_available_metrics(name, inclusive_metrics, exclusive_metrics)[0]
            is_inclusive = column.endswith("(inc)")
            whole = sum(frame.value(column) for depth, frame in gf.walk() if depth == 0 or not is_inclusive)
            add(metric + (" (inc)" if is_inclusive else ""), lambda frame: quotient(frame.value(column), whole) * 100)
        elif unit:
            raise ValueError(f"Unsupported unit {unit}")
        else:
            derived.append(match_available_metrics(name, inclusive_metrics, exclusive_metrics)[0])
    for column in derived:
        (gf.inc_metrics if column.endswith("(inc)") else gf.exc_metrics).append(column)
    gf.changed()
    return derived


def _formatted(name, format):
    if format == "file_function_line":
        return name.split("/")[-1]
    if format == "function_line":
        return name.split(":")[-1]
    if format == "file_function":
        return f"{name.split('/')[-1].split(':')[0]}@{name.split('@')[-1].split(':')[0]}"
    return name


def format_frames(gf, format):
    """Shortens names of the form `/path/file.py:line@function`."""
    for _, frame in gf.walk():
        frame.name = _formatted(frame.name, format)
    gf.changed()
    return gf


def filter_frames(gf, include=None, exclude=None, threshold=None, metric=None):
    if include:
        gf = gf.including(include)
    if exclude:
        gf = gf.excluding(exclude)
    if threshold:
        gf = gf.above(metric, threshold)
    return gf


def parse(metrics, filename, include=None, exclude=None, threshold=None):
    """The tree of a file with these metrics, and their columns; together what `print_tree` takes."""
    gf, inclusive_metrics, exclusive_metrics, device_info = read(filename)
    columns = derive_metrics(gf, metrics, inclusive_metrics, exclusive_metrics, device_info)
    return filter_frames(gf, include, exclude, threshold, columns[0]), columns


def apply_diff_profile(gf, derived_metrics, diff_file, metrics, include=None, exclude=None, threshold=None):
    """What the tree has more than that of another file."""
    other, _ = parse(metrics, diff_file, include, exclude, threshold)
    for each in (gf, other):
        each.inc_metrics = [column for column in derived_metrics if column.endswith("(inc)")]
        each.exc_metrics = [column for column in derived_metrics if not column.endswith("(inc)")]
    return gf.sub(other)


def _cell(value):
    return f"{value:.3f}" if isinstance(value, (int, float)) else str(value if value is not None else "-")


def print_tree(gf, metrics, depth=100, format=None, print_sorted=False):
    gf = format_frames(gf, format)
    rows = [(level, frame, [_cell(frame.values.get(column)) for column in metrics]) for level, frame in gf.walk() if level <= depth]
    widths = [max([len(column), *(len(cells[i]) for _, _, cells in rows)]) for i, column in enumerate(metrics)]
    print("  ".join(column.rjust(width) for column, width in zip(metrics, widths)))
    for level, frame, cells in rows:
        print("  ".join(cell.rjust(width) for cell, width in zip(cells, widths)) + "  " + "   " * level + frame.name)
    if print_sorted:
        print(f"Sorted kernels by metric {metrics[0]}")
        for _, frame in sorted(list(gf.walk())[1:], key=lambda item: -item[1].value(metrics[0])):
            print(f"{frame.name[:100] + '...' if len(frame.name) > 100 else frame.name:105} {float(frame.value(metrics[0])):.4}")
    if any(frame.value("bytes (inc)") < 0 for _, frame in gf.walk()):
        print("Warning: Negative byte values detected, this is usually the result of a datatype overflow")


def show_metrics(file_name):
    with open(file_name) as file:
        _, inclusive_metrics, exclusive_metrics, _ = get_raw_metrics(file)
    for title, metrics in (("inclusive", inclusive_metrics), ("exclusive", exclusive_metrics)):
        print(f"Available {title} metrics:")
        for metric in metrics:
            print(f"- {metric.split('(')[0].strip().lower()}")


_METRICS = """metrics to show, with commas between: those of the file (--list), whatever their case and unit, and
time/s, time/ms, time/us, time/ns; the same with avg_ before them (for each call) and with cpu_time;
flop/s, gflop16/s, tflop8/s …, byte/s, gbyte/s, tbyte/s; util: the share of the GPU's limit;
NAME/%%: the share of the whole"""


def main():
    parser = argparse.ArgumentParser(prog="proton-viewer", description="Shows the call tree of a session of Proton.",
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", help="what the session has written")
    parser.add_argument("-l", "--list", action="store_true", help="the metrics that the file has")
    parser.add_argument("-m", "--metrics", help=_METRICS)
    parser.add_argument("-i", "--include", help="only paths through frames whose name matches this regular expression")
    parser.add_argument("-e", "--exclude", help="without frames whose name matches, and what is below them")
    parser.add_argument("-t", "--threshold", type=float, help="without frames below this value of the first metric")
    parser.add_argument("-d", "--depth", type=int, default=100, help="how deep the tree is shown (100)")
    parser.add_argument("-f", "--format", choices=["full", "file_function_line", "function_line", "file_function"], default="full",
                        help="what is shown of names of Python's calls")
    parser.add_argument("--print-sorted", action="store_true", help="also one line for each frame, those with the most first")
    parser.add_argument("-diff", "--diff-profile", help="another file: what the first one has more")
    arguments = parser.parse_args()
    if arguments.include and arguments.exclude:
        parser.error("`--include` and `--exclude` do not go together")
    if arguments.list or not arguments.metrics:
        show_metrics(arguments.file)
        return
    metrics = arguments.metrics.split(",")
    filters = arguments.include, arguments.exclude, arguments.threshold
    gf, columns = parse(metrics, arguments.file, *filters)
    if arguments.diff_profile:
        gf = apply_diff_profile(gf, columns, arguments.diff_profile, metrics, *filters)
    print_tree(gf, columns, arguments.depth, arguments.format, arguments.print_sorted)


if __name__ == "__main__":
    main()
