"""figures.py: what the library's kernels reach, from the table of docs/h200.md: it is the only place of a figure."""
import html
import json
import os
import re

TYPE = re.compile(r"\b(bf16|f16|f32|f64|fp8|int8|int4)\b")


def words_of(name):
    """("layer norm backward", "f16") of `layer norm backward f16 4096x4096`."""
    found = TYPE.search(name)
    return (name[:found.start()] if found else name).strip().removeprefix("causal "), found[1] if found else ""


def folders(root):
    """{(words, type) or (words, ""): folder}, from the configurations and the sizes that are measured."""
    known = {}
    with open(os.path.join(root, "kernels", "h200.json"), encoding="utf-8") as file:
        rows = [(row["name"], row["folder"]) for row in json.load(file)]
    for name in sorted(os.listdir(os.path.join(root, "kernels"))):
        path = os.path.join(root, "kernels", name, "bench.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                rows += [(re.sub(r"\{\w+\}\S*", "", row["name"]), name) for row in json.load(file)]
        rows.append((name.replace("_", " "), name))
    for name, folder in rows:
        words, dtype = words_of(name)
        known.setdefault((words, dtype), folder)
        known.setdefault((words, ""), folder)
    return known


def of_kernels(root):
    """{folder: (head, rows)}: of the table of library kernels against peers."""
    known, result = folders(root), {}
    with open(os.path.join(root, "docs", "h200.md"), encoding="utf-8") as file:
        part = re.search(r"^## Library kernels.*?(?=^## |\Z)", file.read(), re.M | re.S)
    if not part:
        raise RuntimeError("docs/h200.md has no part `## Library kernels …`, which the pages of kernels take their figures from")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part[0].splitlines() if line.startswith("|")]
    for row in rows[2:]:
        words, dtype = words_of(row[0])
        folder = known.get((words, dtype)) or known.get((words, "")) or known.get((words.removesuffix(" backward"), ""))
        if folder:
            result.setdefault(folder, (rows[0], []))[1].append(row)
    return result


def table(measured, source):
    if not measured:
        return ""
    head, rows = measured
    cells = lambda row, tag: "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"  # noqa: E731
    return (f'<h2 id="measured">Measured</h2><p>On an H200; <a href="{source}">how, when and against what</a>.</p>'
            f'<div class="wide"><table><thead>{cells(head, "th")}</thead><tbody>{"".join(cells(row, "td") for row in rows)}</tbody></table></div>')
