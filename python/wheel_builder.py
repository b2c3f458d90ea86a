"""Makes the wheels of nereid, with nothing but Python: `nereid`, which carries the portable library over Python's stable ABI, and
`nereid-triton`, whose one file makes `import triton` mean nereid's.

In the wheel the `triton` package lies inside of nereid's own folder (nereid/dropin/triton): an installed nereid changes nothing
about `import triton`.
"""
import base64
import hashlib
import os
import re
import subprocess
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LIBRARY = os.path.join(ROOT, "build", "portable", "python", "_native.abi3.so")
EPOCH = (2020, 1, 1, 0, 0, 0)  # the same input gives the same bytes


def _project():
    """Name, version and the rest of pyproject.toml that the wheel repeats."""
    with open(os.path.join(HERE, "pyproject.toml")) as file:
        text = file.read()
    return {name: re.search(rf'^{name} = "(.*)"$', text, re.M).group(1)
            for name in ("name", "version", "description", "requires-python")}  # yapf: disable


class Wheel:
    """A zip file with the lists that installers ask for."""

    def __init__(self, folder, name, version, tag):
        self.info = f"{name}-{version}.dist-info"
        self.tag = tag
        self.path = os.path.join(folder, f"{name}-{version}-{tag}.whl")
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
                if name.endswith(".py"):
                    path = os.path.join(folder, name)
                    with open(path, "rb") as file:
                        self.add(os.path.join(target, os.path.relpath(path, source)), file.read())

    def close(self, metadata, is_pure):
        with open(os.path.join(ROOT, "LICENSE")) as file:
            self.add(f"{self.info}/licenses/LICENSE", file.read())
        self.add(f"{self.info}/METADATA", "Metadata-Version: 2.1\n" + metadata)
        pure = "true" if is_pure else "false"
        self.add(f"{self.info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: nereid\nRoot-Is-Purelib: {pure}\nTag: {self.tag}\n")
        record = f"{self.info}/RECORD"
        self.add(record, "\n".join(self.records + [f"{record},,"]) + "\n")
        self.zip.close()
        return self.path


def _platform(library):
    """The oldest C library that the module runs with, as the tag of the wheel says it."""
    text = subprocess.check_output(["objdump", "-T", library], text=True)
    versions = {tuple(map(int, found)) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", text)}
    return "manylinux_{}_{}_x86_64".format(*max(versions))


def _build_library():
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    if not os.path.exists(os.path.join(ROOT, "build", "build.ninja")):
        subprocess.check_call(["cmake", "--preset", "dev"], cwd=ROOT, stdout=subprocess.DEVNULL)
    subprocess.check_call(["ninja", "-C", "build", "-j", jobs, "nereidPythonPortable"], cwd=ROOT)
    stripped = LIBRARY + ".stripped"
    subprocess.check_call(["strip", "-o", stripped, LIBRARY])
    return stripped


def build_nereid(folder):
    """The wheel `nereid`; its path."""
    about = _project()
    library = _build_library()
    wheel = Wheel(folder, about["name"], about["version"], f"cp310-abi3-{_platform(LIBRARY)}")
    with open(library, "rb") as file:
        wheel.add("nereid/_native.abi3.so", file.read(), 0o755)
    wheel.add_package(os.path.join(HERE, "nereid"), "nereid")
    wheel.add_package(os.path.join(HERE, "triton"), "nereid/dropin/triton")
    return wheel.close(f"Name: {about['name']}\nVersion: {about['version']}\nSummary: {about['description']}\n"
                       f"Requires-Python: {about['requires-python']}\nRequires-Dist: numpy\nProvides-Extra: triton\n"
                       f"Requires-Dist: nereid-triton=={about['version']}; extra == 'triton'\n", is_pure=False)


def build_switch(folder):
    """The wheel `nereid-triton`; its path."""
    version = _project()["version"]
    wheel = Wheel(folder, "nereid_triton", version, "py3-none-any")
    wheel.add("nereid-triton.pth", "nereid/dropin\n")  # installed packages, Triton itself among them, come before it
    return wheel.close(f"Name: nereid-triton\nVersion: {version}\nSummary: `import triton` means nereid's\n"
                       f"Requires-Python: >=3.10\nRequires-Dist: nereid=={version}\n", is_pure=True)


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
