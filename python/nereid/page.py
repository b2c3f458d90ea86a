"""What `nereid.view` gives: a page that notebooks show."""
from __future__ import annotations


class Page:
    """One page about a kernel, whole in itself. A notebook shows it; `save` writes it to a file, `str` gives its text."""

    def __init__(self, text: str, height: int = 760):
        self.text = text
        self.height = height

    def save(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def _repr_html_(self) -> str:
        # A frame of its own: the notebook's styles and scripts stay away from the page, and the page from them.
        from html import escape
        return f'<iframe sandbox="allow-scripts" style="width: 100%; height: {int(self.height)}px; border: 1px solid #8888" srcdoc="{escape(self.text)}"></iframe>'

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<page of {len(self.text.encode()) // 1024 + 1} KiB>"
