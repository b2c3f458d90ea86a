"""The library kernels in their configurations for the H200 (kernels/h200.json) take no local memory, or as much as the entry says with its
reason; the assembler serializes no tensor-core pipeline; and products run on the tensor cores' asynchronous instructions, as the machine
code shows. Needs `ptxas`, but no GPU.

    python3 test/gpu/tuned_oracle.py [TEXT]
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from assemble_oracle import BUILD, ROOT, Checks, find_ptxas  # noqa: E402

# The low 12 bits of an instruction of 16 bytes.
OPCODES = {"HGMMA": 0x9F0, "IGMMA": 0x9F1, "QGMMA": 0x9F3}


def expected_instruction(entry):
    """By the type of the first operand of a product."""
    if "matmul" not in entry["name"] and "attention" not in entry["name"] or "delta" in entry["name"]:
        return None
    first = entry["signature"].split(",")[0]
    return "QGMMA" if "fp8" in first else "IGMMA" if "*i8" in first else "HGMMA"


def text_sections(cubin):
    """The machine code of a cubin, which is an ELF file of 64 bits."""
    table, entry_size, count, names_index = struct.unpack_from("<Q", cubin, 0x28)[0], *struct.unpack_from("<3H", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + i * entry_size) for i in range(count)]
    names = headers[names_index][4]
    for name, _, _, _, offset, size in headers:
        if cubin[names + name:].startswith(b".text."):
            yield cubin[offset:offset + size]


def opcodes_of(cubin):
    return {struct.unpack_from("<H", code, at)[0] & 0xFFF for code in text_sections(cubin) for at in range(0, len(code), 16)}


def assembled(checks, ptxas, what, folder, path, kernel, signature, num_warps, num_stages):
    """The machine code of a kernel for the H200 and what the assembler said, or None: something failed, or there is no assembler."""
    ptx, cubin = os.path.join(folder, "kernel.ptx"), os.path.join(folder, "kernel.cubin")
    command = [os.path.join(BUILD, "bin", "nereid"), "compile", path, "-n", kernel, "-s", signature, "--num-warps", str(num_warps),
               "--num-stages", str(num_stages), "--target", "sm_90a", "--emit", "ptx", "-o", ptx]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if not checks.expect(done.returncode == 0, f"{what}: {done.stderr[:400]}") or not ptxas:
        return None
    done = subprocess.run([ptxas, "-v", "-arch=sm_90a", ptx, "-o", cubin], capture_output=True, text=True, timeout=300)
    if not checks.expect(done.returncode == 0 and "C75" not in done.stderr, f"{what}: {done.stderr[:400]}"):
        return None
    with open(cubin, "rb") as file:
        return file.read(), done.stderr


def check(checks, ptxas, entry, folder):
    path = os.path.join(ROOT, "kernels", entry["folder"], entry["folder"] + ".py")
    made = assembled(checks, ptxas, entry["name"], folder, path, entry["kernel"], entry["signature"], entry["num_warps"], entry["num_stages"])
    if not made:
        return
    cubin, said = made
    stores, loads = (int(re.search(rf"(\d+) bytes spill {what}", said).group(1)) for what in ("stores", "loads"))
    allowed = entry.get("spilled_bytes", 0)
    checks.expect(stores + loads <= allowed and (allowed == 0 or entry.get("reason")),
                  f"{entry['name']}: {stores + loads} bytes of spills, and {allowed} are listed")
    instruction = expected_instruction(entry)
    if instruction:
        checks.expect(OPCODES[instruction] in opcodes_of(cubin), f"{entry['name']}: no {instruction} in its machine code")


def main():
    checks, ptxas = Checks(), find_ptxas()
    if not ptxas:
        print("no ptxas: the PTX is made, but not assembled")
    with open(os.path.join(ROOT, "kernels", "h200.json"), encoding="utf-8") as file:
        entries = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        for entry in entries:
            if len(sys.argv) < 2 or sys.argv[1] in entry["name"]:
                check(checks, ptxas, entry, folder)
    checks.exit()


if __name__ == "__main__":
    main()
