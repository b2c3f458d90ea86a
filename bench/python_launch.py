"""What one launch from Python costs the host: empty kernels of one program on the CPU, with 4 and with 19 arguments, and how long
`import triton` takes.

    PYTHONPATH=python python3 bench/python_launch.py [--torch]     tensors of numpy, or of torch
"""
import argparse
import time

begin = time.perf_counter()
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

IMPORTED = time.perf_counter() - begin


@triton.jit
def empty4(x, y, out, n):
    pass


@triton.jit
def empty19(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, BLOCK: tl.constexpr):
    pass


def microseconds(call, count=20000, rounds=7):
    """The best of several rounds: other processes only make it longer."""
    call()
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - begin) / count)
    return best * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", action="store_true", help="tensors of torch instead of numpy")
    if parser.parse_args().torch:
        import torch
        x, y, out = torch.zeros(1024), torch.zeros(1024), torch.zeros(1024)
    else:
        import numpy
        x, y, out = numpy.zeros(1024, "f4"), numpy.zeros(1024, "f4"), numpy.zeros(1024, "f4")
    numbers = (1, 2, 3, 4, 5, 16, 32, 64, 100, 1000, 2.5, 7, 8)
    print(f"import triton             {IMPORTED * 1e3:8.1f} ms")
    print(f"4 arguments, 3 tensors    {microseconds(lambda: empty4[(1, )](x, y, out, 1000)):8.2f} us")
    print(f"19 arguments, 5 tensors   {microseconds(lambda: empty19[(1, )](x, y, out, x, y, *numbers, BLOCK=32)):8.2f} us")


if __name__ == "__main__":
    main()
