"""`importlib.metadata.version("triton")` answers for this package once it is imported: programs ask for Triton's version that way, and another
Triton may be installed beside it, or none."""
import sys


class _Finder:
    """One of `sys.meta_path`, asked for distributions; it finds no modules."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return None

    @staticmethod
    def find_distributions(context=None):
        return [_distribution()] if (getattr(context, "name", None) or "").lower() == "triton" else []


def _distribution():
    from importlib.metadata import Distribution
    from pathlib import Path

    class Own(Distribution):

        def read_text(self, filename):
            from . import __version__
            about = f"Metadata-Version: 2.1\nName: triton\nVersion: {__version__}\nSummary: Triton's Python interface over nereid\n"
            return about if filename == "METADATA" else None

        def locate_file(self, path):
            return Path(__file__).resolve().parent.parent / path

    return Own()


def answer_for_triton():
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
