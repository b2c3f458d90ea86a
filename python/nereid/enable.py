"""`python -m nereid.enable` makes `import triton` mean nereid's in this environment; `--off` undoes it.

It writes one .pth file beside the installed packages. Where Triton itself is installed it refuses, unless `--over` says that
nereid's is meant to go before it.
"""
import os
import sys
import sysconfig

_NAME = "nereid-enable.pth"


def _installed_triton(folder):
    """The folder of a Triton that is installed, or None."""
    path = os.path.join(folder, "triton")
    return path if os.path.isdir(path) else None


def enable(over=False, folder=None):
    """Writes the file; its path."""
    from nereid import dropin_path
    folder = folder or sysconfig.get_path("purelib")
    other = _installed_triton(folder)
    if other and not over:
        raise RuntimeError(f"Triton itself is installed in {other}: `python -m nereid.enable --over` puts nereid's before it")
    path = os.path.join(folder, _NAME)
    with open(path, "w") as file:
        # Lines of a .pth file come after the installed packages; one that begins with `import` is run instead.
        file.write(f"import sys; sys.path.insert(0, {dropin_path()!r})\n" if over else dropin_path() + "\n")
    return path


def disable(folder=None):
    """Removes the file; whether there was one."""
    path = os.path.join(folder or sysconfig.get_path("purelib"), _NAME)
    if not os.path.exists(path):
        return False
    os.remove(path)
    return True


def main(words):
    unknown = [word for word in words if word not in ("--over", "--off")]
    if unknown:
        print(f"error: unknown option `{unknown[0]}`; there are --over and --off", file=sys.stderr)
        return 2
    try:
        if "--off" in words:
            print("`import triton` is as it was" if disable() else "nereid's `triton` was not enabled")
        else:
            print(f"`import triton` means nereid's, by {enable('--over' in words)}; undo it with --off")
    except (RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
