"""Runs `nereid compile` with less and less memory: it works, or says what is missing with status 3; it never ends by a signal."""
import resource
import subprocess
import sys


def run(limit, *words):
    set_limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))  # noqa: E731
    return subprocess.run(["nereid", *words], preexec_fn=set_limit, capture_output=True, text=True, errors="replace")


def smallest(*words):
    """The least memory with which a command works, to a mebibyte."""
    low, high = 64 << 20, 4 << 30
    while high - low > 1 << 20:
        middle = (low + high) // 2
        low, high = (low, middle) if run(middle, *words).returncode == 0 else (middle, high)
    return high


def main():
    words = ["compile", sys.argv[1], "-n", "long", "-s", "*fp32, *fp32, 64", "--emit", "asm"]
    start, enough = smallest("version"), smallest(*words)  # with less, libraries do not even get ready
    limits = range(start + (2 << 20), enough - (2 << 20), 1 << 20)  # where memory lies differs from run to run, by a mebibyte
    assert len(limits) > 4, "nothing was tested"
    for limit in limits:
        done = run(limit, *words)
        assert done.returncode == 3 and "memory" in done.stderr, (limit - start, done.returncode, done.stderr)


main()
