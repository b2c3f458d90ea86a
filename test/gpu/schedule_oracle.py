"""The assembler keeps the order that we gave: in the machine code of attention, both products of a turn start before the first wait, and
the exponentials stand behind the second one. Needs `ptxas`; no GPU.

    python3 test/gpu/schedule_oracle.py
"""
import os
import re
import struct
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "python"))
sys.path.insert(0, os.path.join(ROOT, "test", "gpu"))
from assemble_oracle import find_ptxas  # noqa: E402
from nereid_test import Checks  # noqa: E402
from tuned_oracle import assembled, text_sections  # noqa: E402

KERNEL = os.path.join(ROOT, "kernels", "flash_attention", "flash_attention.py")
STRIDES = ", ".join(f"{name}_stride_{axis}=i32:16" for name in ("q", "k", "v", "out") for axis in "bhs")
SIGNATURE = ("q_ptr=*fp16:16, k_ptr=*fp16:16, v_ptr=*fp16:16, out_ptr=*fp16:16, lse_ptr=*fp32:16, scale=fp32, " + STRIDES +
             ", heads=i32:16, group=1, length_q=i32:16, length_k=i32:16, DIM={dim}, BLOCK_M=128, BLOCK_N=128, CAUSAL={causal}, BY_DESCRIPTOR=True")

# An instruction has 16 bytes; its lowest 12 bits say which one it is (of products, the second has its left operand in registers).
EXPONENTIAL, TENSOR, GROUP = 0x308, (0x9F0, 0xDF0), 0x9C5
WAIT = 0x8000  # of GROUP, in bits 32 to 63; the rest of a group's instructions have none


def events(cubin):
    """`e` for an exponential, `t` for a product, `w` for a wait."""
    code = next(text_sections(cubin))
    for place in range(0, len(code), 16):
        low, = struct.unpack_from("<Q", code, place)
        opcode = low & 0xFFF
        if opcode == EXPONENTIAL:
            yield "e"
        elif opcode in TENSOR:
            yield "t"
        elif opcode == GROUP and (low >> 32) & WAIT:
            yield "w"


def check(checks, ptxas, folder, dim, causal):
    what = f"attention of {dim}, causal {causal}"
    made = assembled(checks, ptxas, what, folder, KERNEL, "flash_attention_forward", SIGNATURE.format(dim=dim, causal=causal), 8, 3)
    if not made:
        return
    cubin, said = made
    checks.expect(" 0 bytes spill stores" in said, f"{what}: {said[-300:]}")
    order = "".join(events(cubin))
    # An iteration: both products, the wait for the scores, the wait for the second product, 64 exponentials of scores and two of rows, fewer than
    # half of which the assembler may move in front. Once in each of the two loops.
    turns = [match for match in re.finditer("t" * (16 if dim == 128 else 12) + "w(e*)w(e*)", order) if len(match[1]) + len(match[2]) >= 66]
    checks.expect(len(turns) == 2 and all(len(match[1]) <= 33 for match in turns), f"{what}: {order}")


def main():
    checks, ptxas = Checks(), find_ptxas()
    if not ptxas:
        print("no ptxas: the PTX is made, but not looked at")
    with tempfile.TemporaryDirectory() as folder:
        for dim in (64, 128):
            for causal in (False, True):
                check(checks, ptxas, folder, dim, causal)
    checks.exit()


if __name__ == "__main__":
    main()
