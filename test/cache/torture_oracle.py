"""The kernel cache under torture: 64 processes that compile and run the same kernels at once, kill -9 at random moments,
flipped bytes, truncated, swapped and forged entries, entries of another version, a full disk, folders that cannot be used.
Every process that was not killed must end well, with results equal to the interpreter's (`--against interp`, exactly).
Ends with `N passed, N failed`."""
import ctypes
import glob
import hashlib
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

from nereid_test import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NEREID = os.path.join(os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build")), "bin", "nereid")
PATIENCE = 120  # seconds, for a process that waits for nobody: beyond it, something is stuck

KERNELS = """
import triton
import triton.language as tl


@triton.jit
def add(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n) + 3, i < n)


@triton.jit
def largest(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + tl.program_id(0), tl.max(tl.load(x + i, i < n, other=-1000), axis=0))


@triton.jit
def mix(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n)
    for k in range(5):
        v = v * 31 + (v >> k)
    tl.store(y + i, v, i < n)
"""
NAMES = ["add", "largest", "mix"]


results = Checks()
rng = random.Random(20261115)


class Run:
    """One process. Several of the kernels, so that it reads and writes several entries."""

    def __init__(self, folder, kernel, environment=None, limit=None):
        self.kernel = kernel
        env = {**os.environ, "NEREID_CACHE_DIR": os.path.join(folder, "cache"), "NEREID_LOG": "off", **(environment or {})}
        env = {name: value for name, value in env.items() if value is not None}
        command = [NEREID, "run", f"{folder}/kernels.py:{kernel}", "x=randint(-500,500):i32[200]", "y=zeros:i32[200]", "n=200",
                   "BLOCK=256", "--grid", "1", "--device", "cpu", "--against", "interp", "--tolerance", "0"]
        before = None if limit is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        self.process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        errors="replace", preexec_fn=before)

    def finish(self, what):
        try:
            output, _ = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            results.expect(False, f"{what}: `{self.kernel}` hangs")
            return
        good = self.process.returncode == 0 and "largest difference 0 absolute" in output
        results.expect(good, f"{what}: `{self.kernel}` exit status {self.process.returncode}\n{output}")


def entries(folder):
    return [path for path in glob.glob(f"{folder}/cache/*/*") if os.path.isfile(path)]


def make_folder():
    folder = tempfile.mkdtemp(prefix="nereid-torture-")
    with open(f"{folder}/kernels.py", "w") as file:
        file.write(KERNELS)
    return folder


def run_all(folder, what, count=3, **options):
    runs = [Run(folder, NAMES[i % len(NAMES)], **options) for i in range(count)]
    for run in runs:
        run.finish(what)


def many_processes(folder):
    """64 at once on an empty cache; every second one is killed at a moment of its own."""
    runs = [(Run(folder, NAMES[i % len(NAMES)]), i % 2 == 1) for i in range(64)]
    victims = [(time.monotonic() + rng.uniform(0, 3), run) for run, dies in runs if dies]
    for moment, run in sorted(victims, key=lambda victim: victim[0]):
        time.sleep(max(0, moment - time.monotonic()))
        run.process.send_signal(signal.SIGKILL)
    for run, dies in runs:
        if dies:
            run.process.communicate()
        else:
            run.finish("64 processes")
    run_all(folder, "after 64 processes")


def flip(path):
    with open(path, "r+b") as file:
        size = os.fstat(file.fileno()).st_size
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(size)
            file.seek(place)
            byte = file.read(1)[0]
            file.seek(place)
            file.write(bytes([byte ^ 1 << rng.randrange(8)]))


def truncate(path):
    os.truncate(path, rng.randrange(os.path.getsize(path)))


def swap(path):
    """The entry of another kernel, whole, in the wrong place."""
    others = [other for other in glob.glob(os.path.dirname(os.path.dirname(path)) + "/*/*.kernel") if other != path]
    shutil.copyfile(rng.choice(others), path)


def forge(path, change):
    """Rewrites an entry with a checksum that is right: only what is inside is wrong."""
    with open(path, "rb") as file:
        body = bytearray(file.read()[:-32])
    change(body)
    with open(path, "wb") as file:
        file.write(bytes(body) + hashlib.sha256(body).digest())


def other_version(path):
    forge(path, lambda body: body.__setitem__(slice(8, 12), struct.pack("<I", 2)))


def start_of_payload(body):
    kind = struct.unpack_from("<I", body, 12)[0]
    return 16 + kind + 32 + 8


def garbage_payload(path):
    def change(body):
        start = start_of_payload(body)
        body[start:] = bytes(rng.randrange(256) for _ in range(len(body) - start))
    forge(path, change)


def broken_object(path):
    """The entry and its fields are right; the machine code is no object at all."""
    def change(body):
        where = body.find(b"\x7fELF")
        if where >= 0:
            body[where:where + 64] = bytes(64)
    forge(path, change)


def damage(folder):
    for how in (flip, flip, flip, truncate, truncate, swap, other_version, garbage_payload, broken_object):
        for path in entries(folder):
            if path.endswith(".kernel"):
                how(path)
        run_all(folder, f"after {how.__name__}")


def damage_while_running(folder):
    """Entries change under the feet of processes that read and replace them."""
    stop = threading.Event()

    def vandal():
        while not stop.is_set():
            for path in entries(folder):
                try:
                    rng.choice([flip, truncate, os.remove])(path)
                except (OSError, ValueError, IndexError):
                    pass
            time.sleep(0.01)

    thread = threading.Thread(target=vandal)
    thread.start()
    run_all(folder, "while entries are damaged", 16)
    stop.set()
    thread.join()


def full_disk(folder):
    libc = ctypes.CDLL(None, use_errno=True)
    small = os.path.join(folder, "small")
    os.mkdir(small, 0o700)
    if libc.mount(b"tmpfs", small.encode(), b"tmpfs", 0, b"size=8k,mode=700") == 0:
        try:
            run_all(folder, "full disk", 6, environment={"NEREID_CACHE_DIR": small})
        finally:
            libc.umount2(small.encode(), 2)
    shutil.rmtree(f"{folder}/cache", ignore_errors=True)
    run_all(folder, "limit on file sizes", limit=1024)
    results.expect(not glob.glob(f"{folder}/cache/*/*.part-*"), "no part of a file is left behind")


def unusable_folders(folder):
    with open(f"{folder}/file", "w"):
        pass
    for place in (f"{folder}/file", f"{folder}/file/below", "/proc/1/nereid", "", "x" * 5000, f"{folder}/\n\xff"):
        run_all(folder, f"cache folder {place[:40]!r}", 1, environment={"NEREID_CACHE_DIR": place})
    run_all(folder, "no home", 1, environment={"NEREID_CACHE_DIR": None, "HOME": None, "XDG_CACHE_HOME": None})
    run_all(folder, "read-only home", 1, environment={"NEREID_CACHE_DIR": None, "HOME": "/proc/self", "XDG_CACHE_HOME": None})


def main():
    folder = make_folder()
    try:
        for part in (many_processes, damage, damage_while_running, full_disk, unusable_folders):
            part(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    results.exit()


if __name__ == "__main__":
    main()
