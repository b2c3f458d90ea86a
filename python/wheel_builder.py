"""Makes the wheels of nereid, with nothing but Python: `nereid-lang`, which carries the portable library over Python's stable ABI, and
`nereid-triton`, whose one file makes `import triton` mean nereid's.

In the wheel the `triton` package lies inside of nereid's own folder (nereid/dropin/triton): an installed nereid changes nothing
about `import triton`.
"""
import base64
import hashlib
import os
import subprocess
import sys
import zipfile

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LIBRARY = os.path.join(ROOT, "build", "portable", "python", "_native.abi3.so")
PLATFORM = "manylinux_2_28_x86_64"  # the oldest C library that it runs with: linking checks that (cmake/Portable.cmake)
EPOCH = (2020, 1, 1, 0, 0, 0)  # the same input gives the same bytes
PACKAGE_FILES = (".py", ".pyi", ".h", "py.typed")


def project():
    """What pyproject.toml says of the package."""
    with open(os.path.join(HERE, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)["project"]


def metadata(about):
    """The text of a wheel's METADATA."""
    lines = ["Metadata-Version: 2.1", f"Name: {about['name']}", f"Version: {about['version']}", f"Summary: {about['description']}",
             f"License: {about['license']['text']}", f"Requires-Python: {about['requires-python']}"]  # yapf: disable
    if about.get("keywords"):
        lines.append(f"Keywords: {','.join(about['keywords'])}")
    lines += [f"Project-URL: {label}, {address}" for label, address in about.get("urls", {}).items()]
    lines += [f"Classifier: {classifier}" for classifier in about["classifiers"]]
    lines += [f"Requires-Dist: {requirement}" for requirement in about["dependencies"]]
    for extra, requirements in about.get("optional-dependencies", {}).items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {requirement}; extra == '{extra}'" for requirement in requirements)]
    if "readme" not in about:
        return "\n".join(lines) + "\n"
    with open(os.path.join(HERE, about["readme"]), encoding="utf-8") as file:
        return "\n".join([*lines, "Description-Content-Type: text/markdown", "", file.read()])


class Wheel:
    """A zip file with the lists that installers ask for."""

    def __init__(self, folder, about, tag):
        self.about = about
        name = f"{about['name'].replace('-', '_')}-{about['version']}"
        self.info = f"{name}.dist-info"
        self.tag = tag
        self.path = os.path.join(folder, f"{name}-{tag}.whl")
        self.zip = zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.records = []

    def add(self, name, data, mode=0o644):
        data = data if isinstance(data, bytes) else data.encode()
        entry = zipfile.ZipInfo(name, EPOCH)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = mode << 16
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(data)}")

    def add_package(self, source, target):
        """Every Python file below a folder."""
        for folder, folders, files in sorted(os.walk(source)):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(files):
                if name.endswith(PACKAGE_FILES):
                    path = os.path.join(folder, name)
                    with open(path, "rb") as file:
                        self.add(os.path.join(target, os.path.relpath(path, source)), file.read())

    def add_kernels(self, source, target):
        """The kernel files of the library, FOLDER/FOLDER.py, and their configurations."""
        with open(os.path.join(source, "configurations.md"), "rb") as file:
            self.add(os.path.join(target, "configurations.md"), file.read())
        for name in sorted(os.listdir(source)):
            path = os.path.join(source, name, f"{name}.py")
            if os.path.exists(path):
                with open(path, "rb") as file:
                    self.add(os.path.join(target, name, f"{name}.py"), file.read())

    def close(self):
        """Writes the lists; the path of the wheel."""
        with open(os.path.join(ROOT, "LICENSE")) as file:
            self.add(f"{self.info}/licenses/LICENSE", file.read())
        self.add(f"{self.info}/METADATA", metadata(self.about))
        # Both wheels go where native code does: the switch finds nereid beside itself.
        self.add(f"{self.info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: nereid\nRoot-Is-Purelib: false\nTag: {self.tag}\n")
        if "scripts" in self.about:
            scripts = "\n".join(f"{name} = {place}" for name, place in self.about["scripts"].items())
            self.add(f"{self.info}/entry_points.txt", f"[console_scripts]\n{scripts}\n")
        record = f"{self.info}/RECORD"
        self.add(record, "\n".join(self.records + [f"{record},,"]) + "\n")
        self.zip.close()
        return self.path


def _build_library():
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    if not os.path.exists(os.path.join(ROOT, "build", "build.ninja")):
        subprocess.check_call(["cmake", "--preset", "dev"], cwd=ROOT, stdout=subprocess.DEVNULL)
    subprocess.check_call(["ninja", "-C", "build", "-j", jobs, "nereidPythonPortable"], cwd=ROOT)
    stripped = LIBRARY + ".stripped"
    subprocess.check_call(["strip", "-o", stripped, LIBRARY])
    return stripped


def write_nereid(folder, library, platform):
    """The wheel `nereid-lang` around a library; its path."""
    wheel = Wheel(folder, project(), f"cp310-abi3-{platform}")
    with open(library, "rb") as file:
        wheel.add("nereid/_native.abi3.so", file.read(), 0o755)
    wheel.add_package(os.path.join(HERE, "nereid"), "nereid")
    wheel.add_package(os.path.join(HERE, "triton"), "nereid/dropin/triton")
    wheel.add_kernels(os.path.join(ROOT, "kernels"), "nereid/library")
    return wheel.close()


def build_nereid(folder):
    """The wheel `nereid-lang`; its path."""
    return write_nereid(folder, _build_library(), PLATFORM)


def build_switch(folder):
    """The wheel `nereid-triton`; its path."""
    sys.path.insert(0, HERE)
    from nereid.enable import switch_line
    main = project()
    about = {key: main[key] for key in ("version", "license", "requires-python", "classifiers")}
    about.update(name="nereid-triton", description="`import triton` means nereid's", dependencies=[f"{main['name']}=={main['version']}"],
                 scripts={"proton": "triton.profiler.proton:main", "proton-viewer": "triton.profiler.viewer:main"})
    wheel = Wheel(folder, about, "py3-none-any")
    wheel.add("nereid-triton.pth", switch_line("os.path.join(sitedir, 'nereid', 'dropin')"))
    return wheel.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook that pip calls."""
    return os.path.basename(build_nereid(wheel_directory))


def main():
    folder = os.path.join(ROOT, "build", "wheel")
    os.makedirs(folder, exist_ok=True)
    for path in (build_nereid(folder), build_switch(folder)):
        print(f"{os.path.relpath(path, ROOT)}: {os.path.getsize(path) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
