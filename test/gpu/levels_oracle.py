"""Every level of the library's kernels is text that can be read back: tile IR and planned IR print the same after reading; and the whole plan, run
pass by pass from tile IR under all verifiers, holds what is in flight to its rules, for Hopper with 4 and 8 warps, for Ampere with
4 and 8 in turn.

    python3 test/gpu/levels_oracle.py [KERNEL…]
"""
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "test", "python"), os.path.join(ROOT, "test", "gpu")]
from assemble_oracle import BUILD, signature_of  # noqa: E402
from nereid_test import Checks  # noqa: E402



def run(tool, *words, text=None):
    return subprocess.run([os.path.join(BUILD, "bin", tool), *words], input=text, capture_output=True, text=True, timeout=300)


def check_text(checks, what, text, *passes):
    """Passes that only look leave the text as it is."""
    done = run("nereid-opt", *passes, "-", text=text)
    checks.expect(done.returncode == 0 and done.stdout.strip() == text.strip(), f"{what} is read back: {done.stderr[:600]}")


def check(checks, path, case, warps_of):
    what, command = case["name"], ["compile", path, "-n", case["kernel"], "-s", signature_of(path, case)]
    for target, counts in warps_of.items():
        tile = run("nereid", *command, "--target", target, "--emit", "tile")
        if not checks.expect(tile.returncode == 0, f"{what} for {target}: {tile.stderr[:400]}"):
            continue
        check_text(checks, f"{what}: tile IR for {target}", tile.stdout)
        for warps in counts:
            plan = run("nereid", *command, "--target", target, "--num-warps", str(warps), "--emit", "gpu")
            where = f"{what} for {target} with {warps} warps"
            if checks.expect(plan.returncode == 0, f"{where}: {plan.stderr[:400]}"):
                check_text(checks, f"{where}: the plan, and what is in flight in it,", plan.stdout, "-warp-verify-flight")
            done = run("nereid-opt", f"-warp-plan=target={target} warps={warps} stages=3", "-", text=tile.stdout)
            checks.expect(done.returncode == 0, f"{where}, pass by pass: {done.stderr[:600]}")


def main():
    checks, number = Checks(), 0
    for bench in sorted(glob.glob(os.path.join(ROOT, "kernels", "*", "bench.json"))):
        name = os.path.basename(os.path.dirname(bench))
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with open(bench, encoding="utf-8") as file:
            cases = json.load(file)
        for case in {case["kernel"]: case for case in cases}.values():
            warps_of = {"sm_80": (8 if number % 2 else 4, ), "sm_90a": (4, 8)}
            checks.run(case["name"], check, checks, os.path.join(os.path.dirname(bench), name + ".py"), case, warps_of)
            number += 1
    checks.exit()


if __name__ == "__main__":
    main()
