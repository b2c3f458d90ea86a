"""A call tree that was read from a file, with columns of values."""
import re


class Frame:
    """One line of the tree."""

    def __init__(self, name, values, children):
        self.name, self.values, self.children = name, values, children

    def value(self, column):
        """A number; what is not there counts as nothing."""
        value = self.values.get(column)
        return value if isinstance(value, (int, float)) else 0


class GraphFrame:
    """Trees, and the names of their columns: those that sum what is below, and those of a frame alone. `dataframe` needs pandas."""

    def __init__(self, roots, inc_metrics=(), exc_metrics=()):
        self.roots, self.inc_metrics, self.exc_metrics = roots, list(inc_metrics), list(exc_metrics)
        self._dataframe = None

    def walk(self):
        """(depth, frame), the outer ones first."""
        stack = [(0, root) for root in reversed(self.roots)]
        while stack:
            depth, frame = stack.pop()
            yield depth, frame
            stack.extend((depth + 1, child) for child in reversed(frame.children))

    @property
    def dataframe(self):
        if self._dataframe is None:
            import pandas
            self._dataframe = pandas.DataFrame([{"name": frame.name, **frame.values} for _, frame in self.walk()])
        return self._dataframe

    def changed(self):
        self._dataframe = None

    def update_inclusive_columns(self):
        """Adds `NAME (inc)` for each metric that is summed."""
        for _, frame in reversed(list(self.walk())):  # the inner ones first
            for metric in self.inc_metrics:
                frame.values[f"{metric} (inc)"] = frame.value(metric) + sum(child.value(f"{metric} (inc)") for child in frame.children)
        self.changed()

    def keep(self, wanted):
        """The frames of a set; below one that is left out, its children stand in its place."""

        def kept(frames):
            result = []
            for frame in frames:
                children = kept(frame.children)
                result.extend([Frame(frame.name, frame.values, children)] if frame in wanted else children)
            return result

        return GraphFrame(kept(self.roots), self.inc_metrics, self.exc_metrics)

    def including(self, pattern):
        """What lies on a path through a frame whose name matches."""
        wanted = set()

        def visit(frame, is_below):
            is_here = re.search(pattern, frame.name) is not None
            inner = [visit(child, is_below or is_here) for child in frame.children]
            if is_below or is_here or any(inner):
                wanted.add(frame)
            return is_here or any(inner)

        for root in self.roots:
            visit(root, False)
        return self.keep(wanted)

    def excluding(self, pattern):
        """All but frames whose name matches, and what is below them."""
        wanted = set()
        stack = list(self.roots)
        while stack:
            frame = stack.pop()
            if re.search(pattern, frame.name) is None:
                wanted.add(frame)
                stack.extend(frame.children)
        return self.keep(wanted)

    def above(self, column, threshold):
        """Frames with at least such a value, and those around them."""
        wanted = set()

        def visit(frame):
            is_kept = any([visit(child) for child in frame.children]) or frame.value(column) >= threshold
            if is_kept:
                wanted.add(frame)
            return is_kept

        for root in self.roots:
            visit(root)
        return self.keep(wanted)

    def sub(self, other):
        """The differences of the values, frame by frame of the same path."""

        def difference(mine, theirs):
            names = dict.fromkeys([frame.name for frame in mine] + [frame.name for frame in theirs])
            result = []
            for name in names:
                here = next((frame for frame in mine if frame.name == name), None)
                there = next((frame for frame in theirs if frame.name == name), None)
                first = here or there
                values = dict(first.values)
                for column in (*self.inc_metrics, *self.exc_metrics):
                    values[column] = (here.value(column) if here else 0) - (there.value(column) if there else 0)
                result.append(Frame(name, values, difference(here.children if here else [], there.children if there else [])))
            return result

        return GraphFrame(difference(self.roots, other.roots), self.inc_metrics, self.exc_metrics)
