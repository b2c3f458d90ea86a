"""The verifier of what is in flight refuses plans that lack something: in the plans of pipelined and parted kernels each wait, arrival and barrier
is taken away or made weaker, one at a time, and each such plan is refused; but for the last arrivals of consumers, which give back slots that
nobody fills again.

    python3 test/gpu/flight_oracle.py
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "test", "python"), os.path.join(ROOT, "test", "gpu")]
from assemble_oracle import BUILD  # noqa: E402
from nereid_test import Checks  # noqa: E402

MATMUL = "*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, 64, 0.0"
BLOCKS = "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 128, 128, 64"
GIVEN = "tensordesc<fp16[128,64]>:16, tensordesc<fp16[128,64]>:16, tensordesc<fp16[128,128]>:16, i32:16, i32:16, i32:16, 128, 128, 64"
STRIDES = ", ".join(f"{name}_stride_{axis}=i32:16" for name in ("q", "k", "v", "out") for axis in "bhs")
ATTENTION = ("q_ptr=*fp16:16, k_ptr=*fp16:16, v_ptr=*fp16:16, out_ptr=*fp16:16, lse_ptr=*fp32:16, scale=fp32, " + STRIDES +
             ", heads=i32:16, group=1, length_q=i32:16, length_k=i32:16, DIM=64, BLOCK_M=128, BLOCK_N=32, CAUSAL=True, BY_DESCRIPTOR=True")
SCALED = "*fp8e4nv:16, *fp8e4nv:16, *fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, i32:16, True, True, tl.float32, 128, 64, 64"
# What is compiled: file and kernel, signature, target, warps; and how many arrivals are the last ones.
PLANS = [
    ("test/gpu/Inputs/remarks.py:product", MATMUL, "sm_80", 4, 0), ("test/gpu/Inputs/remarks.py:product", MATMUL, "sm_90a", 4, 0),
    ("test/gpu/Inputs/blocks.py:block_matmul", BLOCKS, "sm_90a", 4, 0), ("test/gpu/Inputs/blocks.py:specialized", GIVEN, "sm_90a", 8, 1),
    ("test/gpu/Inputs/blocks.py:persistent", GIVEN, "sm_90a", 8, 0), ("test/builtins/blocks.py:scaled_tiles", SCALED, "sm_90a", 8, 0),
    ("kernels/flash_attention/flash_attention.py:flash_attention_forward", ATTENTION, "sm_90a", 8, 2),
]


def weaker(line):
    """The line with one thing less, or None."""
    op = re.search(r"\bwarp\.(wait|await|wait_phase|arrive|commit|expect|wait_stores)\b(?! for)", line)
    if not op:
        return None
    if op[1] in ("wait", "await"):
        return re.sub(r"(warp\.(?:wait|await)) (\d+)", lambda match: f"{match[1]} {int(match[2]) + 1}", line)
    if op[1] == "expect":
        return re.sub(r", (\d+)( when|  *:)", lambda match: f", {int(match[1]) * 2}{match[2]}", line)
    return ""


def refuse(text):
    done = subprocess.run([os.path.join(BUILD, "bin", "nereid-opt"), "-warp-verify-flight", "-", "-o", os.devnull], input=text, capture_output=True, text=True)
    return done.returncode != 0, done.stderr


def check(checks, place, signature, target, warps, last):
    command = [os.path.join(BUILD, "bin", "nereid"), "compile", os.path.join(ROOT, place), "-s", signature, "--num-warps", str(warps), "--num-stages", "3",
               "--target", target, "--emit", "gpu"]
    plan = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    refused, why = refuse(plan)
    checks.expect(not refused, f"{place} for {target}: {why[:400]}")
    lines = plan.splitlines()
    tried, spare = 0, []
    for at, line in enumerate(lines):
        changed = weaker(line)
        if changed is None:
            continue
        tried += 1
        if not refuse("\n".join(lines[:at] + [changed] + lines[at + 1:]))[0]:
            spare.append(line.strip())
    checks.expect(tried > 2, f"{place} for {target}: nothing to take away")
    checks.expect(len(spare) == last and all("warp.arrive" in line for line in spare), f"{place} for {target}: not missed: {spare}")


def main():
    checks = Checks()
    for plan in PLANS:
        checks.run(f"{plan[0]} for {plan[2]}", check, checks, *plan)
    checks.exit()


if __name__ == "__main__":
    main()
