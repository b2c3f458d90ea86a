"""`perf_report`: runs a benchmark over a range of sizes, prints its table, writes it as CSV, and plots it where matplotlib is."""
import os

QUICK = False  # benchmarks run their first point once, to see that they run (python -m nereid --quick)


class Benchmark:
    """What to run: values of the x axis, one line for each value of `line_arg`, and fixed arguments `args`.

    An element of `x_vals` is one value for all `x_names`, or a tuple with one for each.
    """

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="",
                 x_log=False, y_log=False, styles=None):
        self.x_names, self.x_vals = x_names, x_vals
        self.line_arg, self.line_vals, self.line_names = line_arg, line_vals, line_names
        self.plot_name, self.args = plot_name, args
        self.xlabel, self.ylabel = xlabel, ylabel
        self.x_log, self.y_log = x_log, y_log
        self.styles = styles

    def labels(self):
        return [f"{name} ({self.ylabel})" for name in self.line_names]


class _Row:
    """One size: its x values, and per line (mean, low, high)."""

    def __init__(self, x, results):
        self.x = x
        self.results = results


class Table:
    """Rows of numbers with a title for each column; stands in for a data frame where pandas is not."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows

    def to_string(self):
        text = [[""] + [str(column) for column in self.columns]]
        text += [[str(i)] + [f"{cell:.6f}" if isinstance(cell, float) else str(cell) for cell in row]
                 for i, row in enumerate(self.rows)]
        widths = [max(len(row[i]) for row in text) for i in range(len(text[0]))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in text)

    def to_csv(self, path, precision):
        with open(path, "w") as file:
            file.write(",".join(str(column) for column in self.columns) + "\n")
            for row in self.rows:
                cells = [f"{cell:.{precision}f}" if isinstance(cell, float) else str(cell) for cell in row]
                file.write(",".join(cells) + "\n")

    def to_frame(self):
        try:
            import pandas
        except ImportError:
            return self
        return pandas.DataFrame(self.rows, columns=self.columns)


def _three(result):
    try:
        mean, low, high = result
        return mean, low, high
    except TypeError:
        return result, None, None


class Mark:
    """A benchmark function with what to run it on; `run` does."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def _measure(self, bench, kwargs):
        rows = []
        for x in bench.x_vals[:1] if QUICK else bench.x_vals:
            x = list(x) if isinstance(x, (list, tuple)) else [x] * len(bench.x_names)
            if len(x) != len(bench.x_names):
                raise ValueError(f"Expected {len(bench.x_names)} values, got {x}")
            fixed = {**dict(zip(bench.x_names, x)), **bench.args, **kwargs}
            rows.append(_Row(x, [_three(self.fn(**fixed, **{bench.line_arg: line})) for line in bench.line_vals]))
        return rows

    def _run(self, bench, save_path, show_plots, print_data, diff_col=False, save_precision=6, **kwargs):
        rows = self._measure(bench, kwargs)
        if bench.plot_name and (show_plots or save_path):
            _plot(bench, rows, save_path, show_plots)
        columns = list(bench.x_names) + bench.labels()
        table = Table(columns, [row.x + [mean for mean, _, _ in row.results] for row in rows])
        if diff_col and len(columns) == 2:
            table = Table(columns + ["Diff"], [row + [row[1] - row[0]] for row in table.rows])
        if print_data:
            print(bench.plot_name + ":")
            print(table.to_frame().to_string())
        if save_path:
            table.to_csv(os.path.join(save_path, f"{bench.plot_name}.csv"), save_precision)
        return table

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Runs every benchmark; further keywords go to the function. `return_df` asks for the tables."""
        single = isinstance(self.benchmarks, Benchmark)
        benchmarks = [self.benchmarks] if single else self.benchmarks
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        tables = []
        try:
            for bench in benchmarks:
                tables.append(self._run(bench, save_path, show_plots, print_data, **kwargs))
        finally:
            if save_path:
                _write_page(os.path.join(save_path, "results.html"), benchmarks[:len(tables)])
        if not return_df:
            return None
        frames = [table.to_frame() for table in tables]
        return frames[0] if single else frames


def _write_page(path, benchmarks):
    with open(path, "w") as page:
        images = "".join(f'<img src="{bench.plot_name}.png"/>\n' for bench in benchmarks)
        page.write(f"<html><body>\n{images}</body></html>\n")


def _plot(bench, rows, save_path, show_plots):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return  # the table says the same
    figure, axes = plt.subplots()
    x = [row.x[0] for row in rows]
    for line, label in enumerate(bench.labels()):
        color, style = bench.styles[line] if bench.styles else (None, None)
        mean, low, high = ([row.results[line][part] for row in rows] for part in range(3))
        axes.plot(x, mean, label=label, color=color, ls=style)
        if None not in low and None not in high:
            axes.fill_between(x, low, high, alpha=0.15, color=color)
    axes.legend()
    axes.set_xlabel(bench.xlabel or bench.x_names[0])
    axes.set_ylabel(bench.ylabel)
    axes.set_xscale("log" if bench.x_log else "linear")
    axes.set_yscale("log" if bench.y_log else "linear")
    if show_plots:
        plt.show()
    if save_path:
        figure.savefig(os.path.join(save_path, f"{bench.plot_name}.png"))
    plt.close(figure)


def perf_report(benchmarks):
    """Decorator: the function becomes a benchmark with a `run` method, over one `Benchmark` or a list of them."""
    return lambda fn: Mark(fn, benchmarks)
