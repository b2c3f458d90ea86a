"""`python -m nereid.enable` makes `import triton` mean nereid's in this environment; `--off` undoes it.

It writes one .pth file beside the installed packages, which puts nereid's `triton` before theirs, and adds it to the list of files
that pip removes with nereid.
"""
from __future__ import annotations

import glob
import os
import sys

_NAME = "nereid-enable.pth"


def switch_line(folder: str) -> str:
    """The line of a .pth file that looks for packages in a folder, a Python expression, before those beside the file.

    Python runs lines that begin with `import`, in a function that knows as `sitedir` where the file lies.
    """
    return f"import os, sys; sys.path.insert(sys.path.index(sitedir) if sitedir in sys.path else 0, {folder})\n"


def _site_folder() -> str:
    """Where .pth files are read: beside the installed nereid, so that both are removed together, else where packages go."""
    import site
    import sysconfig
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [*site.getsitepackages(), site.getusersitepackages()]
    return package if package in map(os.path.abspath, folders) else sysconfig.get_path("purelib")


def _write(path: str, text: str) -> None:
    """All of it or nothing: Python reads the file at every start, and pip relies on its list."""
    temporary = f"{path}.part"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _list_for_pip(folder: str, listed: bool) -> None:
    """pip removes the files that the RECORD of a package names: ours is one of them, or is not."""
    line = f"{_NAME},,\n"
    for path in glob.glob(os.path.join(folder, "nereid_lang-*.dist-info", "RECORD")):
        with open(path, encoding="utf-8") as file:
            lines = [text for text in file if text != line]
        _write(path, "".join([*lines, line] if listed else lines))


def enable(folder: str | None = None) -> str:
    """Writes the file; its path."""
    from nereid import dropin_path
    folder = folder or _site_folder()
    path = os.path.join(folder, _NAME)
    _write(path, switch_line(repr(dropin_path())))
    _list_for_pip(folder, True)
    return path


def disable(folder: str | None = None) -> bool:
    """Removes the file; whether there was one."""
    folder = folder or _site_folder()
    path = os.path.join(folder, _NAME)
    if not os.path.exists(path):
        return False
    os.remove(path)
    _list_for_pip(folder, False)
    return True


def main(words: list[str]) -> int:
    from nereid.which import found_by_a_new_process, sentence
    unknown = [word for word in words if word != "--off"]
    if unknown:
        print(f"error: unknown option `{unknown[0]}`; there is --off", file=sys.stderr)
        return 2
    try:
        if "--off" in words:
            if not disable():
                print("nereid's `triton` was not enabled")
            print(sentence(found_by_a_new_process()))
            return 0
        path = enable()
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    triton = found_by_a_new_process()
    if triton is None or not triton.is_ours:
        place = triton.folder if triton else "nothing"
        print(f"error: {path} is written, and yet `import triton` means {place}: is its folder in PYTHONPATH?", file=sys.stderr)
        return 3
    print(f"{sentence(triton)}, by {path}; `python -m nereid.enable --off` removes it")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
