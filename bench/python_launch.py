"""What one launch from Python costs the host: empty kernels of one program on the CPU, with 4 and with 19 arguments, the latter also
with a callable grid, tuned and compiled before; and how long `import triton` takes.

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


tuned19 = triton.autotune([triton.Config({"BLOCK": 32})], key=["n"])(empty19)


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
    arguments = (x, y, out, x, y, *numbers)
    print(f"19 arguments, 5 tensors   {microseconds(lambda: empty19[(1, )](*arguments, BLOCK=32)):8.2f} us")
    grid = lambda meta: (triton.cdiv(meta["r"], meta["BLOCK"]), )  # noqa: E731
    print(f"   with a callable grid   {microseconds(lambda: empty19[grid](*arguments, BLOCK=32)):8.2f} us")
    print(f"   tuned                  {microseconds(lambda: tuned19[grid](*arguments)):8.2f} us")
    compiled = empty19.warmup(*arguments, BLOCK=32, grid=(1, ))
    print(f"   compiled before        {microseconds(lambda: compiled[(1, 1, 1)](*arguments, 32)):8.2f} us")


if __name__ == "__main__":
    main()
