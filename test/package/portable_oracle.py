"""What the portable binaries need: nothing but the C library of 2.28 or later. Linking LLVM takes long, so a small program and a small
library stand for them here; the binaries themselves are checked when they are linked, by the same script."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build"))
PROBE = os.path.join(BUILD, "test", "portable-probe")
LIBRARY = os.path.join(BUILD, "test", "libportable-library.so")
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


def library_needs_an_old_library():
    assert check_needs("2.28", LIBRARY) == (0, "")


def threads_end_in_the_library():
    """As Python ends those that still run when the interpreter does: by pthread_exit, through the library's frames."""
    program = f"""
import ctypes, threading
library = ctypes.CDLL({LIBRARY!r})
thread = ctypes.c_ulong()
create, join = ctypes.CDLL(None).pthread_create, ctypes.CDLL(None).pthread_join
assert create(ctypes.byref(thread), None, ctypes.cast(library.endThread, ctypes.c_void_p), None) == 0
assert join(thread, None) == 0  # before any exception, which would set up an unwinder that the library brings along
assert library.catchException() == ord("t")
print("ended")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and sorted(done.stdout.split()) == ["ended", "unwound", "unwound"], (done.returncode, done.stdout, done.stderr)


def newer_names_are_found():
    """The check sees what is there: getrandom came with 2.25."""
    status, output = check_needs("2.24", PROBE)
    assert status == 1 and "getrandom of GLIBC_2.25" in output, output


def other_libraries_are_found():
    status, output = check_needs("2.28", os.path.join(BUILD, "bin", "nereid"))
    assert status == 1 and "needs the library libLLVM" in output and "needs the library libstdc++.so.6" in output, output


def defined_names(*words):
    """The names that objects or libraries define, without their versions."""
    text = subprocess.check_output(["nm", "-P", "--defined-only", *words], text=True)
    return {line.split()[0].split("@")[0] for line in text.splitlines() if " " in line}


def our_code_uses_no_newer_names():
    """What the development build takes from the C library is in the stand-ins, or in OldGlibc.c."""
    known = defined_names("-D", *glob.glob(os.path.join(BUILD, "portable", "glibc-*", "*.so.*[0-9]")))
    known |= defined_names(*glob.glob(os.path.join(BUILD, "CMakeFiles", "oldGlibc.dir", "**", "*.o"), recursive=True))
    assert {"pthread_create", "pow", "stat", "__tls_get_addr"} <= known and "close_range" not in known, sorted(known)
    for path in filter(os.path.exists, (os.path.join(BUILD, "bin", "nereid"), os.path.join(BUILD, "python", "nereid", "_native.abi3.so"))):
        table = subprocess.check_output(["readelf", "-W", "--dyn-syms", path], text=True)
        used = set(re.findall(r"UND (\w+)@GLIBC_", table))
        assert "malloc" in used and used <= known, f"{path} needs {sorted(used - known)}: add it to cmake/portable/OldGlibc.c, or do without"


def main():
    failed = 0
    cases = (probe_runs, probe_needs_an_old_library, library_needs_an_old_library, threads_end_in_the_library, newer_names_are_found, other_libraries_are_found, our_code_uses_no_newer_names)
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
