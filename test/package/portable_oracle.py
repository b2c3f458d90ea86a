"""What the portable binaries need: nothing but the C library of 2.28 or later. Linking LLVM takes long, so a small program stands for
them here; the binaries themselves are checked when they are linked, by the same script."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build"))
PROBE = os.path.join(BUILD, "test", "portable-probe")
CHECK = os.path.join(ROOT, "cmake", "portable", "check_needs.py")


def check_needs(limit, path):
    done = subprocess.run([sys.executable, CHECK, limit, path], capture_output=True, text=True)
    return done.returncode, done.stdout


def probe_runs():
    done = subprocess.run([PROBE], capture_output=True, text=True, timeout=120)
    words = done.stdout.splitlines()
    assert words == ["constructed", "caught", "notified", "timed out", "file", "random", "allocated", "loaded", "42", "1024"], (done.returncode, words, done.stderr)


def probe_needs_an_old_library():
    assert check_needs("2.28", PROBE) == (0, "")


def newer_names_are_found():
    """The check sees what is there: getrandom came with 2.25."""
    status, output = check_needs("2.24", PROBE)
    assert status == 1 and "getrandom of GLIBC_2.25" in output, output


def other_libraries_are_found():
    status, output = check_needs("2.28", os.path.join(BUILD, "bin", "nereid"))
    assert status == 1 and "needs the library libLLVM" in output and "needs the library libstdc++.so.6" in output, output


def main():
    failed = 0
    cases = (probe_runs, probe_needs_an_old_library, newer_names_are_found, other_libraries_are_found)
    for case in cases:
        try:
            case()
        except (AssertionError, OSError, subprocess.TimeoutExpired) as problem:
            failed += 1
            print(f"{case.__name__}: {problem}")
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
