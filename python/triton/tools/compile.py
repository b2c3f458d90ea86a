"""Ahead-of-time compilation with the options of Triton's tool; the work is done by `nereid compile`.

    python -m triton.tools.compile kernel.py --kernel-name add -s "*fp32:16, *fp32:16, i32, 1024" --target cpu -o add

writes `add.h`, a C header, and `add.o`, an object that links against libnereid-rt alone.
"""


def _target(text):
    """Triton's `cuda:90:32` in the words of nereid."""
    backend, _, rest = (text or "cpu").partition(":")
    architecture = rest.partition(":")[0]
    return f"sm_{architecture}{'a' if architecture == '90' else ''}" if backend == "cuda" else backend


def compile_kernel(args):
    """The files that were written for the parsed arguments of the command line."""
    import os
    from nereid import _native
    name = args.out_name or args.kernel_name
    base = str(args.out_path or name)
    written = []
    for kind, suffix in (("header", ".h"), ("obj", ".o")):
        command = ["compile", args.path, "-n", args.kernel_name, "-s", args.signature, "--num-warps",
                   str(args.num_warps), "--num-stages", str(args.num_stages), "--target", _target(args.target),
                   "--emit", kind, "-o", base + suffix]  # yapf: disable
        status = _native.run_command([os.fsencode(word) for word in command])
        if status != 0:  # it has said why
            raise SystemExit(status)
        written.append(base + suffix)
    return name, written


def main():
    from argparse import ArgumentParser
    parser = ArgumentParser(description="compile a kernel ahead of time to a C header and an object")
    parser.add_argument("path", help="the Python file with the kernel; it is read, not run")
    parser.add_argument("--kernel-name", "-n", required=True, help="the kernel's name")
    parser.add_argument("--signature", "-s", required=True, help='types and constants, such as "*fp32:16, i32, 1024"')
    parser.add_argument("--target", "-t", help="cpu (default) or cuda:ARCHITECTURE:32")
    parser.add_argument("--num-warps", "-w", type=int, default=1)
    parser.add_argument("--num-stages", "-ns", type=int, default=3)
    parser.add_argument("--out-name", "-on", help="the name of the compiled kernel")
    parser.add_argument("--out-path", "-o", help="where to write, without a suffix")
    parser.add_argument("--grid", "-g", default="", help="ignored: the grid is an argument of the launch")
    for path in compile_kernel(parser.parse_args())[1]:
        print(path)


if __name__ == "__main__":
    main()
