"""sides.py: workers of a bench that run the same files through our `import triton` and through Triton."""
import json
import os
import signal
import subprocess
import time


def start_worker(options, side, folder, number, paths, command, environment=None):
    """A process with `command`, which gets a list of files (`--work`) and a folder for what it finds (`--out`); caches are those of its side."""
    os.makedirs(folder, exist_ok=True)
    listing = os.path.join(folder, f"list-{number}.json")
    with open(listing, "w", encoding="utf-8") as file:
        json.dump(paths, file)
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if side == "nereid":
        path.insert(0, os.path.abspath(options.ours))
    caches = {name: os.path.join(options.out, f"{name}-{side}") for name in ("TRITON_CACHE_DIR", "NEREID_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")}
    with open(os.path.join(folder, f"log-{number}.txt"), "a") as log:
        return subprocess.Popen([options.python, *command, "--work", listing, "--out", folder, "--limit", str(options.limit)], stdout=log, stderr=log,
                                cwd=folder, start_new_session=True,
                                env={**os.environ, **caches, "PYTHONPATH": os.pathsep.join(filter(None, path)), "OMP_NUM_THREADS": "1", **(environment or {})})  # yapf: disable


def run_apart(function, limit):
    """In a process of its own, since files set torch's defaults or end their context; False where it took longer than `limit` seconds."""
    process = os.fork()
    if process == 0:
        function()
        os._exit(0)
    end = time.monotonic() + limit
    while os.waitpid(process, os.WNOHANG)[0] == 0:
        if time.monotonic() > end:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return False
        time.sleep(0.01)
    return True


def wait_for(running, deadline):
    """Until all workers have ended; at the deadline they are."""
    while any(process.poll() is None for process in running) and time.monotonic() < deadline:
        time.sleep(0.1)
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
