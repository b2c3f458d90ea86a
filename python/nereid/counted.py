"""What `nereid.count` gives: a dictionary that notebooks show as tables."""
from __future__ import annotations

from typing import Any

_COLUMNS = ("bytes_read", "bytes_written", "masked_elements", "sectors", "ideal_sectors", "flops", "special_functions", "atomics", "bank_conflicts")


class Counted(dict):
    """What `nereid count --json` prints, by the same names. A notebook shows totals, lines and verdicts."""

    def _repr_html_(self) -> str:
        roofline = self["roofline"]
        head = f"<b>{_text(self['kernel'])}</b>: {self['total']['programs']} programs, counted for {_text(self['target'])} on {_text(self['device'])}"
        if roofline["seconds"]:
            head += f"; at least {roofline['seconds'] * 1e6:.3g} us, by {_text(roofline['bound'])}"
        totals = _table(["counter", "total"], [[name, f"{value:,}"] for name, value in self["total"].items() if value])
        shown = [name for name in _COLUMNS if any(line["counts"].get(name) for line in self["lines"])]
        lines = [[str(line["line"]), *(f"{line['counts'].get(name, 0):,}" for name in shown), _source(line)]
                 for line in self["lines"] if any(line["counts"].get(name) for name in shown)]  # yapf: disable
        verdicts = "".join("<li>" + (f"line {each['line']}: " if each["line"] else "") + f"{_text(each['message'])}<br><i>try: {_text(each['advice'])}</i></li>"
                           for each in self["verdicts"])  # yapf: disable
        return (f"<div><p>{head}</p>{_table(['line', *shown, 'source'], lines) if shown else ''}<ul>{verdicts}</ul>"
                f"<details><summary>all counters</summary>{totals}</details></div>")


def _text(value: Any) -> str:
    from html import escape
    return escape(str(value))


def _source(line: dict[str, Any]) -> str:
    import linecache
    return linecache.getline(line["file"], line["line"]).strip()


def _table(names: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{_text(name.replace('_', ' '))}</th>" for name in names)
    cell = lambda name, text: f'<td style="text-align: {_side(name)}">{_text(text)}</td>'
    body = "".join("<tr>" + "".join(map(cell, names, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _side(name: str) -> str:
    return "left" if name in ("counter", "source") else "right"
