"""pytest plugin: tests that ask for a GPU run on the emulated one (emulated_gpu.py): `scripts/on-emulated-gpu scripts/triton-suite --device cuda …` with
PYTEST_PLUGINS=emulated_gpu_plugin and bench/ in PYTHONPATH. With EMULATED_ROWS=FILE each launch also runs on the processor, and those that differ, or that
one side alone can run, are written there, a line of JSON for each."""
import json
import os

os.environ["EMULATED_GPU_HOST"] = "1"

from emulated_gpu import Launches, emulate, is_far  # noqa: E402 the library of the GPU reads the variable when it is loaded

emulate()
ROWS = os.environ.get("EMULATED_ROWS")
LAUNCHES = Launches() if ROWS else None


def pytest_runtest_logfinish(nodeid):
    if not LAUNCHES:
        return
    with open(ROWS, "a", encoding="utf-8") as file:
        for row in LAUNCHES.rows:
            if is_far(row) or bool(row["processor"]) != bool(row["gpu"]):
                file.write(json.dumps({"test": nodeid, **row}) + "\n")
        file.write(json.dumps({"test": nodeid, "launches": len(LAUNCHES.rows)}) + "\n")
    LAUNCHES.rows.clear()
