"""Bad input through the command line: each gives a message that says what is wrong, and where, with exit status 2, within two
seconds; nothing aborts. Ends with `N passed, N failed`."""
import os
import resource
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NEREID = os.path.join(os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build")), "bin", "nereid")
LIMIT = 2.0

HEADER = "import triton\nimport triton.language as tl\n\n\n"
KERNEL = HEADER + """@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
"""
GOOD = ["x=randn:f32[64]", "y=zeros:f32[64]", "n=64", "BLOCK=64", "--grid", "1"]


def nested(depth):
    return HEADER + "@triton.jit\ndef kernel(p):\n    tl.store(p, " + "(" * depth + "1" + ")" * depth + ")\n"


def with_body(*lines):
    return HEADER + "@triton.jit\ndef kernel(p, n):\n" + "".join(f"    {line}\n" for line in lines)


def call_tree(depth):
    calls = "".join(f"@triton.jit\ndef f{i}(x):\n    return f{i + 1}(x) + f{i + 1}(x)\n\n\n" for i in range(depth))
    return HEADER + calls + f"@triton.jit\ndef f{depth}(x):\n    return x\n\n\n@triton.jit\ndef kernel(p, n):\n    tl.store(p, f0(n))\n"


def npy(shape, count):
    header = ("{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (shape,)).encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\0" * (4 * count)


def replaced(old, new):
    return [new if each == old else each for each in GOOD]


# name, files, command line, words that the message must contain.
CASES = [
    ("a missing file", {}, ["run", "missing.py", *GOOD], ["missing.py"]),
    ("a directory", {"folder/x.txt": ""}, ["run", "folder", *GOOD], ["folder"]),
    ("an empty file", {"k.py": ""}, ["run", "k.py", *GOOD], ["k.py", "@triton.jit"]),
    ("binary garbage", {"k.py": bytes(range(256)) * 64}, ["run", "k.py", *GOOD], ["k.py"]),
    ("zero bytes", {"k.py": b"x = 1\0\n"}, ["run", "k.py", *GOOD], ["k.py:1"]),
    ("invalid UTF-8", {"k.py": HEADER.encode() + b"# gr\xf6\xdfe\n"}, ["run", "k.py", *GOOD], ["k.py", "UTF-8"]),
    ("an unknown encoding", {"k.py": "# coding: klingon\nx = 1\n"}, ["run", "k.py", *GOOD], ["k.py", "klingon"]),
    ("a file of 100 MB", {"k.py": b"x = 1\n" * (100 * 1024 * 1024 // 6)}, ["run", "k.py", *GOOD], ["k.py"]),
    ("brackets nested 10,000 deep", {"k.py": nested(10_000)}, ["run", "k.py:kernel", "p=zeros:f32[1]", "--grid", "1"], ["k.py:", "deep"]),
    ("blocks nested 3,000 deep", {"k.py": "".join(" " * i + "if x:\n" for i in range(3_000)) + " " * 3_000 + "pass\n"},
     ["run", "k.py", *GOOD], ["k.py:"]),
    ("10,000 operators in a row", {"k.py": HEADER + "@triton.jit\ndef kernel(p):\n    tl.store(p, " + "-" * 10_000 + "1)\n"},
     ["run", "k.py", "p=zeros:f32[1]", "--grid", "1"], ["k.py:"]),
    ("an unknown kernel", {"k.py": KERNEL}, ["run", "k.py:doubel", *GOOD], ["doubel", "double"]),
    ("an unknown argument", {"k.py": KERNEL}, ["run", "k.py", *replaced("n=64", "m=64")], ["`m`"]),
    ("a missing argument", {"k.py": KERNEL}, ["run", "k.py", *[each for each in GOOD if each != "n=64"]], ["`n`"]),
    ("a keyword that a builtin does not have", {"k.py": with_body("tl.load(p, msk=None)")},
     ["run", "k.py", "p=zeros:f32[1]", "n=1", "--grid", "1"], ["k.py:7:16", "msk", "mask"]),
    ("too many arguments in a call", {"k.py": with_body("tl.program_id(0, 1)")}, ["run", "k.py", "p=zeros:f32[1]", "n=1", "--grid", "1"],
     ["k.py:7:", "program_id"]),
    ("a wrong dtype", {"k.py": KERNEL}, ["run", "k.py", *replaced("x=randn:f32[64]", "x=randn:f31[64]")], ["f31"]),
    ("a type that an operation does not take", {"k.py": with_body("tl.store(p, tl.exp(n))")},
     ["run", "k.py", "p=zeros:f32[1]", "n=5", "--grid", "1"], ["k.py:7:", "exp"]),
    ("a negative grid", {"k.py": KERNEL}, ["run", "k.py", *GOOD[:-1], "-1"], ["grid"]),
    ("a huge grid", {"k.py": KERNEL}, ["run", "k.py", *GOOD[:-1], "99999999999999"], ["grid"]),
    ("a grid that is no number", {"k.py": KERNEL}, ["run", "k.py", *GOOD[:-1], "many"], ["many"]),
    ("a grid of four dimensions", {"k.py": KERNEL}, ["run", "k.py", *GOOD[:-1], "1,1,1,1"], ["grid"]),
    ("shapes that do not fit", {"k.py": with_body("tl.store(p, tl.sum(tl.arange(0, 16) + tl.arange(0, 32)))")},
     ["run", "k.py", "p=zeros:i32[1]", "n=1", "--grid", "1"], ["k.py:7:", "16", "32"]),
    ("a block that is not a power of two", {"k.py": KERNEL}, ["run", "k.py", *replaced("BLOCK=64", "BLOCK=100"), "--strict-triton"], ["k.py:7:", "power"]),
    ("a .npy that lies about its size", {"k.py": KERNEL, "x.npy": npy("(1000000,)", 4)},
     ["run", "k.py", *replaced("x=randn:f32[64]", "x=x.npy")], ["x.npy"]),
    ("a .npy with a huge shape", {"k.py": KERNEL, "x.npy": npy("(4611686018427387904, 4)", 4)},
     ["run", "k.py", *replaced("x=randn:f32[64]", "x=x.npy")], ["x.npy"]),
    ("a .npy that is none", {"k.py": KERNEL, "x.npy": b"garbage"}, ["run", "k.py", *replaced("x=randn:f32[64]", "x=x.npy")], ["x.npy"]),
    ("a .npy that is missing", {"k.py": KERNEL}, ["run", "k.py", *replaced("x=randn:f32[64]", "x=x.npy")], ["x.npy"]),
    ("a tensor that is too large", {"k.py": KERNEL}, ["run", "k.py", *replaced("x=randn:f32[64]", "x=randn:f32[99999999999]")], ["x"]),
    ("a negative extent", {"k.py": KERNEL}, ["run", "k.py", *replaced("x=randn:f32[64]", "x=randn:f32[-4]")], ["x"]),
    ("cyclic imports", {"a.py": HEADER + "from b import g\n\n\n@triton.jit\ndef f(p):\n    g(p)\n",
                        "b.py": HEADER + "from a import f\n\n\n@triton.jit\ndef g(p):\n    f(p)\n"},
     ["run", "a.py:f", "p=zeros:f32[1]", "--grid", "1"], ["import"]),
    ("an endless compile-time loop", {"k.py": HEADER + "@triton.constexpr_function\ndef spin():\n    while True:\n        pass\n\n\n"
                                      "@triton.jit\ndef kernel(p):\n    tl.store(p, spin())\n"},
     ["run", "k.py", "p=zeros:f32[1]", "--grid", "1"], ["k.py:", "endless"]),
    ("an endless loop of the module", {"k.py": HEADER + "def spin():\n    while True:\n        pass\n\n\nN = tl.constexpr(spin())\n\n\n"
                                       "@triton.jit\ndef kernel(p):\n    tl.store(p, N)\n"},
     ["run", "k.py", "p=zeros:f32[1]", "--grid", "1"], ["k.py:"]),
    ("endless recursion", {"k.py": with_body("kernel(p, n)")}, ["run", "k.py", "p=zeros:f32[1]", "n=1", "--grid", "1"], ["k.py:7:", "deep"]),
    ("compile-time memory without end", {"k.py": HEADER + "@triton.constexpr_function\ndef grow():\n    x = [0]\n    while len(x) < 1 << 60:\n"
                                         "        x = x + x\n    return len(x)\n\n\n@triton.jit\ndef kernel(p):\n    tl.store(p, grow())\n"},
     ["run", "k.py", "p=zeros:f32[1]", "--grid", "1"], ["k.py:"]),
    ("a number with a million digits", {"k.py": with_body("tl.store(p, " + "9" * 1_000_000 + ")")},
     ["run", "k.py", "p=zeros:f32[1]", "n=1", "--grid", "1"], ["k.py:7:"]),
    ("an unrolled loop without end", {"k.py": with_body("for i in tl.static_range(1000000000):", "    tl.store(p + i, n)")},
     ["run", "k.py", "p=zeros:i32[1]", "n=5", "--grid", "1"], ["k.py:7:"]),
    ("unrolled loops in unrolled loops", {"k.py": with_body("for i in tl.static_range(100000):", "    for j in tl.static_range(100000):",
                                                            "        tl.store(p + i, n)")},
     ["run", "k.py", "p=zeros:i32[1]", "n=5", "--grid", "1"], ["k.py:", "steps"]),
    ("a call tree of 2^40 leaves", {"k.py": call_tree(40)}, ["run", "k.py:kernel", "p=zeros:i32[1]", "n=5", "--grid", "1"], ["k.py:", "steps"]),
    ("a tuple that doubles 40 times", {"k.py": with_body("t = (n,)", "for i in tl.static_range(40):", "    t = (t, t)", "tl.store(p, n)")},
     ["run", "k.py", "p=zeros:i32[1]", "n=5", "--grid", "1"], ["k.py:", "steps"]),
    ("a tuple nested 100,000 deep", {"k.py": with_body("t = (n,)", "for i in tl.static_range(100000):", "    t = (t,)", "tl.store(p, n)")},
     ["run", "k.py", "p=zeros:i32[1]", "n=5", "--grid", "1"], ["k.py:"]),
    ("5,000 early returns", {"k.py": with_body(*[f"if n == {i}: return" for i in range(2, 5002)], "tl.store(p, n)")},
     ["run", "k.py", "p=zeros:i32[1]", "n=5", "--grid", "1"], ["k.py:", "deep"]),
    ("900 operators in a function that calls itself",
     {"k.py": HEADER + "@triton.jit\ndef f(x):\n    return " + "-" * 900 + "f(x)\n\n\n@triton.jit\ndef kernel(p, n):\n    tl.store(p, f(n))\n"},
     ["run", "k.py:kernel", "p=zeros:i32[1]", "n=5", "--grid", "1"], ["k.py:", "deep"]),
    ("an unknown command", {}, ["rnu", "k.py"], ["rnu", "run"]),
    ("an unknown option", {"k.py": KERNEL}, ["run", "k.py", *GOOD, "--gird", "1"], ["--gird"]),
    ("no file", {}, ["run"], ["FILE"]),
    ("an unknown device", {"k.py": KERNEL}, ["run", "k.py", *GOOD, "--device", "tpu"], ["tpu"]),
    ("an unknown form", {"k.py": KERNEL}, ["compile", "k.py", "-n", "double", "-s", "*fp32, *fp32, i32, 64", "--emit", "elf"], ["elf"]),
    ("a signature that is too short", {"k.py": KERNEL}, ["compile", "k.py", "-n", "double", "-s", "*fp32, *fp32", "--emit", "tile"], ["`n`"]),
    ("a signature with an unknown type", {"k.py": KERNEL}, ["compile", "k.py", "-n", "double", "-s", "*fp31, *fp32, i32, 64", "--emit", "tile"],
     ["fp31"]),
    ("an audit of nothing", {}, ["audit", "missing"], ["missing"]),
]


def write(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())


def processor_time():
    """Seconds that the commands so far have computed. The limit is on these: on an idle machine they are the time of the clock, and
    what else a busy machine does is not the command's fault."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def problem_of(command, words, folder):
    """What is wrong with the answer to a command; an empty text when nothing is."""
    start = processor_time()
    try:
        done = subprocess.run([NEREID, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=20)
    except subprocess.TimeoutExpired:
        return "no answer within 20 s"
    seconds = processor_time() - start
    said = done.stderr.decode(errors="replace")
    problems = []
    if done.returncode != 2:
        problems.append(f"exit status {done.returncode}")
    if seconds > LIMIT:
        problems.append(f"{seconds:.1f} s")
    if "error: " not in said:
        problems.append("no error message")
    problems += [f"no `{word}` in the message" for word in words if word not in said]
    if len(said) > 4000:
        problems.append(f"a message of {len(said)} characters")
    return "; ".join(problems) + (f"\n{said[:600]}" if problems else "")


def main():
    if not os.path.exists(NEREID):
        print("build/bin/nereid is not built")
        return 77
    failed = 0
    for name, files, command, words in CASES:
        with tempfile.TemporaryDirectory() as folder:
            write(folder, files)
            problem = problem_of(command, words, folder)
        if problem:
            failed += 1
            print(f"FAILED: {name}: {problem}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
