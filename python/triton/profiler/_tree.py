"""The call tree of a session, and how it is written."""
import json

SHOWN_LESS = ("(exc)", "(pty)")  # ends of a metric's name: it is not summed over children; it is not summed at all


def plain_name(name):
    """`time (ns)(exc)` is shown as `time (ns)`."""
    for ending in SHOWN_LESS:
        if name.endswith(ending):
            return name[:-len(ending)].rstrip()
    return name


class Node:
    """A frame, with what was measured in it alone."""

    def __init__(self, name):
        self.name, self.metrics, self.children = name, {}, {}

    def at(self, path):
        node = self
        for name in path:
            if name not in node.children:
                node.children[name] = Node(name)
            node = node.children[name]
        return node

    def add(self, metrics):
        for name, value in metrics.items():
            shown = plain_name(name)
            is_sum = not name.endswith("(pty)") and not isinstance(value, str) and shown in self.metrics
            self.metrics[shown] = self.metrics[shown] + value if is_sum else value

    def literal(self):
        """As hatchet reads it; without recursion, because programs may open scopes without end."""
        done = {}
        stack = [(self, False)]
        while stack:
            node, is_second = stack.pop()
            if is_second:
                children = [done.pop(child) for child in node.children.values()]
                done[node] = {"frame": {"name": node.name, "type": "function"}, "metrics": node.metrics, "children": children}
            else:
                stack.append((node, True))
                stack.extend((child, False) for child in node.children.values())
        return done[self]


def write_tree(path, root, summed, devices):
    """`root.metrics` names what is summed over children."""
    root.metrics = {**dict.fromkeys(summed, 0), **root.metrics}
    with open(path, "w") as file:
        json.dump([root.literal(), devices], file, indent=2)


def write_trace(path, kernels):
    """`kernels` are (path, record of the launch, begin and end in nanoseconds)."""
    first = min((begin for _, _, begin, _ in kernels), default=0)
    events = []
    for stack, launch, begin, end in kernels:
        events.append({"name": stack[-1] if stack else launch["name"], "cat": launch.get("category", "kernel"), "ph": "X",
                       "ts": (begin - first) / 1e3, "dur": (end - begin) / 1e3, "pid": launch["process"],
                       "tid": launch.get("line", launch.get("stream") or launch["thread"]),
                       "args": {"call_stack": ["ROOT", *stack]}})  # yapf: disable
    with open(path, "w") as file:
        json.dump({"displayTimeUnit": "ns", "traceEvents": events}, file, indent=2)
