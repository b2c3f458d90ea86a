"""Where the parts of the package lie, in a wheel and in a checkout."""
import os

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def use_build_folder(package_path):
    """In a checkout the extension module lies in the build folder: it becomes a part of the package."""
    built = os.environ.get("NEREID_BUILD") or os.path.join(_PACKAGE, "..", "..", "build")
    folder = os.path.abspath(os.path.join(built, "python", "nereid"))
    if not _has_extension(_PACKAGE) and _has_extension(folder):
        package_path.append(folder)


def _has_extension(folder):
    return os.path.exists(os.path.join(folder, "_native.abi3.so"))


def dropin_folder():
    """The folder with the `triton` package."""
    for folder in (os.path.join(_PACKAGE, "dropin"), os.path.dirname(_PACKAGE)):
        if os.path.exists(os.path.join(folder, "triton", "__init__.py")):
            return folder
    raise RuntimeError(f"nereid is installed without its `triton` package: it is neither in {_PACKAGE} nor beside it")


def library_folder():
    """The folder with the library's kernels: a folder for each, with a file of the same name."""
    for folder in (os.path.join(_PACKAGE, "library"), os.path.join(_PACKAGE, "..", "..", "kernels")):
        if os.path.isdir(folder):
            return os.path.abspath(folder)
    raise RuntimeError(f"nereid is installed without its library of kernels: {_PACKAGE} has none")
