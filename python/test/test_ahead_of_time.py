"""`triton.tools.compile` and `triton.tools.link` for GPUs, without one: what is written compiles, and asks a stand-in of the driver for the
right things."""
import os
import shutil
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = os.path.dirname(HERE)
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")

KERNELS = '''
import triton
import triton.language as tl


@triton.jit
def scale(x, y, n, stride, by, half, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i * stride, mask=i < n)
    tl.store(y + i, value * by + half, mask=i < n)


@triton.jit
def transpose(a, b, BLOCK: tl.constexpr):
    i, j = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    b.store([j, i], a.load([i, j]).T)


@triton.jit
def product(a, b, c, K, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, 64):
        total = tl.dot(a.load([0, k]), b.load([k, 0]), total)
    i = tl.arange(0, BLOCK)
    tl.store(c + i[:, None] * BLOCK + i[None, :], total)
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS)
    return tmp_path


def tool(folder, name, *words):
    environment = {**os.environ, "PYTHONPATH": PACKAGES}
    # By its path, as Triton's own tests run it, and as a module.
    how = ["-m", f"triton.tools.{name}"] if name == "link" else [os.path.join(PACKAGES, "triton", "tools", f"{name}.py")]
    return subprocess.run([sys.executable, *how, *words], cwd=folder, env=environment, capture_output=True, text=True)


def compile_kernel(folder, kernel, signature, *words):
    done = tool(folder, "compile", "kernels.py", "-n", kernel, "-s", signature, "--target", "cuda:90:32", *words)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.split("\n") if line]


def test_from_python(folder, monkeypatch):
    from triton.tools.compile import CompileArgs
    from triton.tools.compile import compile_kernel as compile_from_python
    monkeypatch.chdir(folder)
    arguments = CompileArgs(path=folder / "kernels.py", kernel_name="scale", signature="*fp32, *fp32, i32, i32, fp32, fp32, 128", target="cuda:90:32",
                            out_name="twice", out_path=folder / "twice")  # yapf: disable
    name, written = compile_from_python(arguments)
    assert name.startswith("twice_") and [path.suffix for path in written] == [".h", ".c"] and all(path.exists() for path in written)


def run_program(folder, sources, main, includes):
    from triton.backends.nvidia.driver import include_dirs
    text = "".join(f'#include "{name}"\n' for name in includes)
    text += "#include <stdio.h>\nextern CUcontext stub_context;\nextern int stub_words;\nint main(void) {\n" + main + "\n  return 0;\n}\n"
    (folder / "main.c").write_text(text)
    command = ["gcc", "-std=gnu11", "-Wall", "-Wno-parentheses", "-Werror", "-I", include_dirs[0], "-I", str(folder), "main.c",
               os.path.join(HERE, "Inputs", "cuda_stub.c"), *sources, "-o", "program"]  # yapf: disable
    subprocess.run(command, cwd=folder, check=True)
    return subprocess.run([str(folder / "program")], capture_output=True, text=True, check=True).stdout.splitlines()


def test_numbers_arrive_as_the_kernel_takes_them(folder):
    header, source = compile_kernel(folder, "scale", "*fp32:16, *fp32, i32, i64:16, fp32, fp16, 128", "-w", "4", "--grid", "(n + 127) / 128, 1, 1",
                                    "--out-name", "scaled", "-o", "scaled")
    name = header[len("scaled."):-len(".h")]
    assert header.endswith("_0d123d456.h") and source == header[:-2] + ".c"
    lines = run_program(folder, [source], f'''  stub_words = 6;
  printf("%d\\n", scaled_{name}(0, 0x1000, 0x2004, 1000, 32, 1.5f, 0.1f));
  printf("%d\\n", scaled_{name}(0, 0x1000, 0x2004, 1000, 33, 1.5f, 0.1f));
  printf("%d\\n", scaled_{name}(0, 0x1000, 0x2004, 0, 32, 1.5f, 0.1f));
  stub_context = (CUcontext)2;
  printf("%d\\n", scaled_{name}(0, 0x1000, 0x2004, 5, 32, -2.0f, 65520.0f));
  unload_scaled_{name}();''', [header])
    assert lines == [
        "load code", "launch scale code 1 grid 8 1 1 block 128: 1000 2004 3e8 20 3fc00000 2e66", "0",
        "1",  # 16 does not divide 33
        "0",  # an empty grid
        "load code", "launch scale code 2 grid 1 1 1 block 128: 1000 2004 5 20 c0000000 7c00", "0",
        "unload scale", "unload scale"]  # yapf: disable


def test_the_most_special_function_is_called(folder):
    written = []
    for signature in ("*fp32:16, *fp32:16, i32, i32:1, fp32, fp32, 128", "*fp32:16, *fp32:16, i32:16, i32:1, fp32, fp32, 128",
                      "*fp32, *fp32, i32, i32, fp32, fp32, 128", "*fp32:16, *fp32:16, i32, i32, fp32, fp32, 64"):
        written += compile_kernel(folder, "scale", signature, "--grid", "n, 1, 1", "-o", "scale")
    headers, sources = written[::2], written[1::2]
    done = tool(folder, "link", *headers, "-o", "linked")
    assert done.returncode == 0, done.stderr
    digests = [os.path.basename(path).split(".")[1] for path in headers]
    lines = run_program(folder, [*sources, "linked.c"], '''  stub_words = 3;
  load_scale();
  printf("algorithms %d\\n", scale_get_num_algos());
  scale_default(0, 0x1000, 0x2000, 32, 1, 1, 1);
  scale_default(0, 0x1000, 0x2000, 33, 1, 1, 1);
  scale_default(0, 0x1000, 0x2000, 33, 7, 1, 1);
  scale_default(0, 0x1004, 0x2000, 32, 1, 1, 1);
  scale(0, 0x1000, 0x2000, 33, 7, 1, 1, 1);
  printf("%d\\n", scale(0, 0x1004, 0x2000, 33, 7, 1, 1, 1));
  printf("%d\\n", scale(0, 0x1000, 0x2000, 33, 7, 1, 1, 2));
  unload_scale();''', ["linked.h"])
    assert len(set(digests)) == 4 and lines[:5] == ["load code"] * 4 + ["algorithms 2"]
    # Loaded in the order of dispatch: (1, 16 | n), (1), (any), then the other algorithm.
    assert [line.split(":")[0] for line in lines[5:10]] == [
        "launch scale code 1 grid 32 1 1 block 32", "launch scale code 2 grid 33 1 1 block 32", "launch scale code 3 grid 33 1 1 block 32",
        "launch scale code 3 grid 32 1 1 block 32", "launch scale code 4 grid 33 1 1 block 32"]  # yapf: disable
    assert lines[10:12] == ["1", "1"] and lines[12:] == ["unload scale"] * 4


def test_blocks_of_descriptors(folder):
    header, source = compile_kernel(folder, "product", "tensordesc<fp16[64,64]>, tensordesc<fp16[64,64]>, *fp32:16, i32:16, 64", "-w", "4",
                                    "--num-stages", "3", "--out-name", "product", "-o", "product")
    name = header[len("product."):-len(".h")]
    call = f"product_{name}(0, 2, 3, 1, 0x1000, 64, %s, 256, 1, 0x2000, 256, 64, 64, 1, 0x3000, 256)"
    lines = run_program(folder, [source], f'''  printf("%d\\n", {call % 256});
  printf("%d\\n", {call % 0});
  printf("%d\\n", product_{name}(0, 2, 3, 1, 0x1008, 64, 256, 256, 1, 0x2000, 256, 64, 64, 1, 0x3000, 256));''', [header])
    maps = [line for line in lines if line.startswith("map")]
    assert maps[0] == "map type 6 at 0x1000 swizzle 3: 256/64 64/64 stride 512" and maps[1] == "map type 6 at 0x2000 swizzle 3: 64/64 256/64 stride 128"
    launches = [line.rstrip(": ") for line in lines if line.startswith("launch")]
    # A tensor without elements is none that TMA reads: the second code is for those.
    assert launches == ["launch product code 1 grid 2 3 1 block 128", "launch product code 2 grid 2 3 1 block 128"]
    assert lines[-1] == "1" and lines.count("0") == 2


@pytest.mark.parametrize("device, target", [("", "sm_86"), ("cpu", "cpu")])
def test_without_a_target_the_machine_decides(folder, monkeypatch, device, target):
    from triton.backends.nvidia.driver import include_dirs
    stub = str(folder / "libcuda.so.1")
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-I", include_dirs[0], os.path.join(HERE, "Inputs", "cuda_stub.c"), "-o", stub], check=True)
    monkeypatch.setenv("NEREID_LIBCUDA", stub)
    monkeypatch.setenv("NEREID_DEVICE", device)
    done = tool(folder, "compile", "kernels.py", "-n", "scale", "-s", "*fp32, *fp32, i32, i32, fp32, fp32, 128", "-o", "scale")
    assert done.returncode == 0, done.stderr
    written = done.stdout.split()
    assert written == ["scale.h", "scale.o"] if target == "cpu" else f"for {target}." in (folder / written[0]).read_text()


def test_mistakes_are_told(folder):
    done = tool(folder, "compile", "kernels.py", "-n", "scale", "-s", "*fp32:8, *fp32, i32, i32, fp32, fp32, 128", "--target", "cuda:90:32")
    assert done.returncode == 1 and "only 1 and 16 are hints" in done.stderr
    done = tool(folder, "compile", "kernels.py", "-n", "scales", "-s", "*fp32", "--target", "cuda:90:32")
    assert done.returncode == 1 and "has no function `scales`" in done.stderr
    done = tool(folder, "compile", "kernels.py", "-n", "scale", "-s", "*fp32, *fp32, i32, i32, fp32, fp8e5, 128", "--target", "cuda:90:32", "-o", "x")
    assert done.returncode == 2 and "which C has no type for" in done.stderr
    (folder / "other.h").write_text("int x;\n")
    done = tool(folder, "link", "other.h", "-o", "linked")
    assert done.returncode == 1 and "no line `// tt-linker: …`" in done.stderr
    first = compile_kernel(folder, "scale", "*fp32, *fp32, i32, i32, fp32, fp32, 128", "-o", "scale")[0]
    second = compile_kernel(folder, "scale", "*fp32, *fp32, i64, i32, fp32, fp32, 128", "-o", "scale")[0]
    done = tool(folder, "link", first, second, "-o", "linked")
    assert done.returncode == 1 and "compiled with different types" in done.stderr
