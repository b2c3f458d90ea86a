"""Where the time of a program goes: launches, scopes, compiling."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class _Scope:
    """A named part of the program's work, for `with` and as a decorator."""

    def __init__(self, name: str, metrics: Mapping[str, float] | None = None) -> None:
        self.name, self.metrics = str(name), dict(metrics) if metrics else None
        self._entered: list[int] = []

    def __enter__(self) -> _Scope:
        from . import _native
        self._entered.append(_native.profile_enter(self.name, self.metrics))
        return self

    def __exit__(self, *problem: object) -> None:
        from . import _native
        if self._entered.pop():
            _native.profile_exit()

    def __call__(self, function: Any) -> Any:
        from functools import wraps

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with _Scope(self.name, self.metrics):
                return function(*args, **kwargs)

        return call


class profile:
    """Records every launch of the process while its `with` block runs.

        with nereid.profile() as p:
            with nereid.profile.scope("forward"):
                add[(4,)](x, y, out, 4096, BLOCK=1024)
        print(p.table())
        p.save("trace.json")

    With `counters=True` the GPU's hardware counts, for which each launch runs several times; where that cannot be, `why_no_counters` says why.
    """

    def __init__(self, counters: bool = False) -> None:
        self._session: int | None = None
        self._records = b""
        self._counters = counters
        self.why_no_counters = ""

    def __enter__(self) -> profile:
        from . import _native
        if self._session is not None:
            raise RuntimeError("this profile goes on already; begin another one with `nereid.profile()`")
        self._records = b""
        if self._counters:
            self.why_no_counters = _native.profile_count(True)
        self._session = _native.profile_begin()
        return self

    def __exit__(self, *problem: object) -> None:
        from . import _native
        session, self._session = self._session, None
        self._records = _native.profile_end(session)
        if self._counters:
            _native.profile_count(False)

    @staticmethod
    def scope(name: str, metrics: Mapping[str, float] | None = None) -> _Scope:
        """A named part of the work of this thread; launches in it are its children. Costs little where nobody profiles."""
        return _Scope(name, metrics)

    def _text(self, form: str) -> str:
        from . import _native
        records = self._records if self._session is None else _native.profile_since(self._session)
        return _native.profile_text(records, form)

    def table(self) -> str:
        """Kernels with their calls and times, the tree of scopes, and totals."""
        return self._text("table")

    def summary(self) -> dict[str, Any]:
        """The same for programs; times are in nanoseconds."""
        import json
        return json.loads(self._text("json"))

    def records(self) -> list[dict[str, Any]]:
        """Every record: launches, device times, workers, scopes, compilations."""
        import json
        return json.loads(self._text("records"))

    def save(self, path: Any) -> None:
        """Writes a trace for Perfetto and Chrome (`.json`), or a page (`.html`)."""
        import os
        name = os.fspath(path)
        if not name.endswith((".json", ".html")):
            raise ValueError(f"a profile is saved as `….json` (a trace) or `….html` (a page), not as `{name}`")
        text = self._text("page" if name.endswith(".html") else "trace")
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)

    def _repr_html_(self) -> str:
        from .page import Page
        return Page(self._text("page"))._repr_html_()

    def __str__(self) -> str:
        return self.table()
