"""The package as people install it: its API, the program `nereid`, the wheel and what it says of itself, which `triton` is meant."""
import inspect
import os
import pydoc
import signal
import subprocess
import sys
import time
import zipfile

import nereid
import pytest

PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(PYTHON)
sys.path.insert(0, PYTHON)
import wheel_builder  # noqa: E402

ADD = os.path.join(ROOT, "examples", "vector_add.py")


def run(*words, path=PYTHON, **options):
    environment = {**os.environ, "PYTHONPATH": str(path), **options.pop("variables", {})}
    return subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, errors="replace", timeout=120, **options)


def test_api_shows_itself():
    assert set(nereid.__all__) <= set(dir(nereid)) and not [name for name in dir(nereid) if name.startswith("_") and not name.startswith("__")]
    text = pydoc.plain(pydoc.render_doc(nereid))
    for name in nereid.__all__:
        function = getattr(nereid, name)
        if inspect.isclass(function):
            assert (issubclass(function, Exception) or function is nereid.profile) and function.__doc__ and f"class {name}(" in text
            continue
        assert inspect.isfunction(function) and function.__doc__ and f"    {name}(" in text
        assert "return" in function.__annotations__ and set(inspect.signature(function).parameters) | {"return"} == set(function.__annotations__)
    assert nereid.__version__ == nereid.version()
    with pytest.raises(AttributeError, match="no attribute 'lunch'"):
        nereid.lunch


def command(*words, **options):
    return run("-m", "nereid._command", *words, **options)


def test_program():
    words = [f"{ADD}:vector_add", "x_ptr=arange:f32[1000]", "y_ptr=ones:f32[1000]", "out_ptr=zeros:f32[1000]", "n=1000", "BLOCK=128"]
    done = command("run", *words, "--grid", "cdiv(n, BLOCK)", "--device", "interp")
    assert (done.returncode, done.stderr) == (0, "") and "from 1 to 1000, mean 500.5" in done.stdout
    assert command("version").stdout == f"nereid {nereid.version()}\n"
    assert command("audit", ADD).returncode == 0


def test_program_exit_status():
    off_by_one = os.path.join(ROOT, "examples", "off_by_one.py")
    done = command("check", off_by_one, "x_ptr=randn:f32[1000]", "out_ptr=zeros:f32[1000]", "n=1000", "factor=2.0", "BLOCK=256", "--grid", "4")
    assert done.returncode == 1 and f"{off_by_one}:9:" in done.stderr
    done = command("lunch")
    assert done.returncode == 2 and "lunch" in done.stderr
    assert command("run", b"\xff.py").returncode == 2  # a name that is no text


def test_program_says_which_triton_is_meant():
    assert command("info").stdout.splitlines()[-1].startswith("Python: `import triton` means nereid's")
    assert "Python:" not in command("info", "--json").stdout


ENDLESS = """
import triton
import triton.language as tl


@triton.jit
def endless(x):
    while tl.load(x) == 0:
        tl.store(x, 0)
"""


def test_interrupt_ends_the_program(tmp_path):
    (tmp_path / "endless.py").write_text(ENDLESS)
    words = [sys.executable, "-u", "-m", "nereid._command", "run", "endless.py", "x=zeros:i32[1]", "--grid", "1", "--device", "interp"]
    # A job in the background of a shell ignores the signal, and so would its children.
    process = subprocess.Popen(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": PYTHON}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    status = f"/proc/{process.pid}/status"
    default = 1 << (signal.SIGINT - 1)
    deadline = time.monotonic() + 60
    # Python catches the signal until the command line begins.
    while time.monotonic() < deadline:
        with open(status) as file:
            caught = int(next(line for line in file if line.startswith("SigCgt")).split()[1], 16)
        with open(f"/proc/{process.pid}/maps") as file:
            if "_native" in file.read() and not caught & default:
                break
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(timeout=60) == -signal.SIGINT
    finally:
        process.kill()


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with both wheels unpacked, as pip leaves it; the library is the one of the build folder."""
    folder = tmp_path_factory.mktemp("wheels")
    site = folder / "site"
    library = os.path.join(os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build")), "python", "nereid", "_native.abi3.so")
    for wheel in (wheel_builder.write_nereid(str(folder), library, "linux_x86_64"), wheel_builder.build_switch(str(folder))):
        with zipfile.ZipFile(wheel) as file:
            file.extractall(site)
    return site


def test_wheel_describes_itself(installed):
    text = (installed / "nereid_lang-0.1.0.dist-info" / "METADATA").read_text()
    head, _, body = text.partition("\n\n")
    fields = [line.split(": ", 1) for line in head.splitlines()]
    assert ["Name", "nereid-lang"] in fields and ["License", "MIT"] in fields and ["Requires-Python", ">=3.10"] in fields
    assert ["Provides-Extra", "triton"] in fields and ["Requires-Dist", "nereid-triton==0.1.0; extra == 'triton'"] in fields
    assert body.startswith("# Nereid\n")
    scripts = (installed / "nereid_lang-0.1.0.dist-info" / "entry_points.txt").read_text()
    assert scripts == "[console_scripts]\nnereid = nereid._command:main\n"
    scripts = (installed / "nereid_triton-0.1.0.dist-info" / "entry_points.txt").read_text().splitlines()
    assert scripts == ["[console_scripts]", "proton = triton.profiler.proton:main", "proton-viewer = triton.profiler.viewer:main"]
    for script in scripts[1:]:
        module, _, function = script.split(" = ")[1].partition(":")
        done = with_site(installed, f"import sys; sys.argv[1:] = ['--help']; from {module} import {function}; {function}()")
        assert done.returncode == 0 and "usage:" in done.stdout, done.stderr
    assert (installed / "nereid" / "py.typed").exists() and (installed / "nereid" / "_native.pyi").exists()
    assert ["Project-URL", "Home, http://x"] in [line.split(": ", 1) for line in wheel_builder.metadata({**wheel_builder.project(), "urls": {"Home": "http://x"}}).splitlines() if ": " in line]


def test_wheel_lists_its_files(installed):
    for name in ("nereid_lang", "nereid_triton"):
        lines = (installed / f"{name}-0.1.0.dist-info" / "RECORD").read_text().splitlines()
        assert all((installed / line.split(",")[0]).exists() for line in lines) and len(lines) == len(set(lines))


def with_site(folder, code, **options):
    """Runs code in a Python that reads the .pth files of a folder, as it does for its own packages."""
    return run("-c", f"import site; site.addsitedir({str(folder)!r})\n{code}", path="", cwd="/", **options)


WHICH = "from nereid.which import found, sentence; print(sentence(found()))"


def test_switch_goes_before_triton(installed, tmp_path):
    site = tmp_path / "site"
    subprocess.check_call(["cp", "-r", str(installed), str(site)])
    (site / "triton").mkdir()
    (site / "triton" / "__init__.py").write_text("__version__ = '3.5.1'\n")
    assert with_site(site, "import triton; print(triton.__nereid__)").stdout == "True\n"
    (site / "nereid-triton.pth").unlink()
    assert with_site(site, "import triton; print(triton.__version__)").stdout == "3.5.1\n"
    line = with_site(site, WHICH).stdout
    assert line.startswith(f"`import triton` means Triton 3.5.1 in {site}/triton, not nereid's") and "python -m nereid.enable" in line
    assert len(line.splitlines()) == 1
    done = with_site(site, "import nereid, triton; nereid.launch(None, 1)")
    assert f"another `triton` ({site}/triton/__init__.py)" in done.stderr and "python -m nereid.enable" in done.stderr


def test_enable_beside_triton(installed, tmp_path):
    site = tmp_path / "site"
    subprocess.check_call(["cp", "-r", str(installed), str(site)])
    (site / "nereid-triton.pth").unlink()
    (site / "triton").mkdir()
    (site / "triton" / "__init__.py").write_text("__version__ = '3.5.1'\n")
    record = site / "nereid_lang-0.1.0.dist-info" / "RECORD"
    before = record.read_text()
    enable = f"from nereid import enable; print(enable.enable({str(site)!r}))"
    for _ in range(2):
        assert with_site(site, enable).stdout == f"{site}/nereid-enable.pth\n"
    assert record.read_text() == before + "nereid-enable.pth,,\n"  # pip removes it with the rest
    assert with_site(site, WHICH).stdout == f"`import triton` means nereid's, in {site}/nereid/dropin/triton\n"
    assert with_site(site, f"from nereid import enable; print(enable.disable({str(site)!r}), enable.disable({str(site)!r}))").stdout == "True False\n"
    assert record.read_text() == before and with_site(site, "import triton; print(triton.__version__)").stdout == "3.5.1\n"


def test_installed_package_is_used(installed):
    """What scripts/wheel-in-chroot does in a fresh system, with the wheels unpacked here."""
    folder = os.path.join(ROOT, "test", "package", "Inputs", "installed")
    done = with_site(installed, f"import sys, runpy; sys.path.insert(0, {folder!r}); runpy.run_path({os.path.join(folder, 'use_numpy.py')!r})")
    assert done.stdout == "numpy: right\n", done.stderr


def test_installed_library_is_used(installed):
    done = with_site(installed, "import numpy as np; from nereid import ops; print(ops.softmax(np.zeros((1, 4), np.float32))[0])")
    assert done.stdout == "[0.25 0.25 0.25 0.25]\n", done.stderr


def test_which_without_any_triton(installed, tmp_path):
    site = tmp_path / "site"
    subprocess.check_call(["cp", "-r", str(installed), str(site)])
    (site / "nereid-triton.pth").unlink()
    assert "finds nothing" in with_site(site, WHICH).stdout
    assert "error: unknown option `--over`" in run("-m", "nereid.enable", "--over").stderr
    assert run("-m", "nereid", "--which").stdout == f"`import triton` means nereid's, in {PYTHON}/triton\n"


def test_metadata_is_of_the_triton_that_is_meant(tmp_path):
    """Programs ask for the version of the distribution; another Triton beside ours does not answer, nor do others lose their answer."""
    other = tmp_path / "triton-9.9.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: triton\nVersion: 9.9\n")
    program = ("from importlib import metadata; print(metadata.version('triton')); import triton; "
               "print(metadata.version('triton'), metadata.metadata('Triton')['Name'], triton.__version__); print(metadata.version('numpy'))")
    done = run("-c", program, path=os.pathsep.join([PYTHON, str(tmp_path)]))
    assert done.stdout.splitlines()[:2] == ["9.9", "3.6.0 triton 3.6.0"] and done.returncode == 0, done.stderr


def test_ahead_of_time_tool(tmp_path):
    words = ["-m", "triton.tools.compile", ADD, "-n", "vector_add", "-s", "*fp32, *fp32, *fp32, i32, 64", "-o", "add"]
    done = run(*words, cwd=tmp_path)
    assert done.stdout == "add.h\nadd.o\n" and (tmp_path / "add.h").exists() and (tmp_path / "add.o").exists()
    done = run(*words[:3], "-n", "lunch", *words[5:], cwd=tmp_path)
    assert done.returncode == 2 and "lunch" in done.stderr and "Traceback" not in done.stderr


UTILS = """
def python_subprocess_env():
    return {"PYTHONPATH": "torchs"}
"""


@pytest.mark.parametrize("first", ["triton", "torch._inductor.utils", "torch._inductor.compile_worker.subproc_pool"])
def test_processes_of_inductor_mean_this_triton(tmp_path, first):
    """Newer versions of torch put their own folder, with the Triton that is installed there, first on the path of such processes."""
    worker = tmp_path / "torch" / "_inductor" / "compile_worker"
    worker.mkdir(parents=True)
    for folder in (worker, worker.parent, worker.parent.parent):
        (folder / "__init__.py").write_text("")
    (worker.parent / "utils.py").write_text(UTILS)
    (worker / "subproc_pool.py").write_text("from torch._inductor.utils import python_subprocess_env\n")
    code = (f"import {first}, triton, os, torch._inductor.utils as utils, torch._inductor.compile_worker.subproc_pool as pool\n"
            "ours = os.path.dirname(os.path.dirname(triton.__file__))\n"
            "assert pool.python_subprocess_env() == utils.python_subprocess_env() == {'PYTHONPATH': ours + os.pathsep + 'torchs'}\n")
    done = run("-c", code, path=os.pathsep.join([str(tmp_path), PYTHON]))
    assert done.returncode == 0, done.stderr
