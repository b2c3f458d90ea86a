#!/usr/bin/python3
"""Bugs planted into Triton's own tutorials: a small change to the source, and the checker must report it with the right class
on the right line. Takes the same checkout as tutorials_oracle.py."""
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

from cases import CASES, KernelFile  # noqa: E402
from nereid_test import NereidError  # noqa: E402
from tutorials_oracle import SKIPPED, find_tutorials  # noqa: E402

LOAD_A = "tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_SIZE_K, other=0.0)"
SOFTMAX, MATMUL, NORM_BACK = "softmax rows=23 columns=781 programs=5", "matmul dtype=float16", "layer_norm_backward dtype=float32"
# Tutorial, case, what is replaced and by what, the class of the finding, and a piece of the line that it must be on.
MUTATIONS = [
    (1, "vector_add n=12307", "x = tl.load(x_ptr + offsets, mask=mask)", "x = tl.load(x_ptr + offsets)", "out-of-bounds", "x = tl.load"),
    (1, "vector_add n=12307", "output, mask=mask)", "output)", "out-of-bounds", "tl.store"),
    (1, "vector_add n=12307", "pid * BLOCK_SIZE\n", "pid * (BLOCK_SIZE // 2)\n", "race", "tl.store"),
    (1, "vector_add n=12307", "offsets < n_elements", "offsets <= n_elements", "out-of-bounds", "y = tl.load"),
    (2, SOFTMAX, "mask=mask, other=-float('inf')", "mask=mask", "undefined-lane", "tl.max(row"),
    (2, SOFTMAX, "mask=mask, other=-float('inf')", "", "out-of-bounds", "row = tl.load"),
    (2, SOFTMAX, "softmax_output, mask=mask", "softmax_output", "race", "tl.store"),
    (2, SOFTMAX, "row_start, n_rows, row_step", "row_start, n_rows, 1", "race", "tl.store"),
    (2, SOFTMAX, "row_start, n_rows, row_step", "row_start, n_rows + row_step, row_step", "out-of-bounds", "row = tl.load"),
    (3, MATMUL, "c_ptrs, c, mask=c_mask", "c_ptrs, c", "out-of-bounds", "tl.store"),
    (3, MATMUL, "BLOCK_SIZE_M)) % M", "BLOCK_SIZE_M))", "out-of-bounds", "a = tl.load"),
    (3, MATMUL, LOAD_A, "tl.load(a_ptrs)", "out-of-bounds", "a = tl.load"),
    (3, MATMUL, LOAD_A, LOAD_A.replace(", other=0.0", ""), "undefined-lane", "tl.dot"),
    (3, MATMUL, "(pid % num_pid_in_group) // group_size_m", "(pid % num_pid_in_group) // GROUP_SIZE_M", "race", "tl.store"),
    (4, "low_memory_dropout n=1003", "offsets < n_elements", "offsets < n_elements + 1", "out-of-bounds", "x = tl.load"),
    (5, NORM_BACK, "    while tl.atomic_cas(Lock, 0, 1) == 1:\n        pass\n", "", "race", "tl.store(DW"),
    (5, NORM_BACK, "tl.atomic_cas(Lock, 0, 1)", "tl.atomic_cas(Lock, 0, 1, sem='relaxed')", "race", "partial_dw += tl.load"),
    (5, NORM_BACK, "    xhat = tl.where(mask, xhat, 0.)\n    wdy = tl.where(mask, wdy, 0.)\n", "", "undefined-lane", "tl.sum(xhat * wdy"),
    (5, "layer_norm_forward dtype=float32", "other=0.).to(tl.float32)\n        _mean", ").to(tl.float32)\n        _mean", "undefined-lane", "tl.sum(_mean"),
    (5, "layer_norm_forward dtype=float32", "Y += row * stride", "Y += row * (stride - 1)", "race", "tl.store(Y"),
    (6, "forward is_causal=True from_host=False", "desc_o.store([qo_offset_y, 0]", "desc_o.store([offset_y, 0]", "race", "desc_o.store"),
    (6, "forward is_causal=True from_host=False", "off_hz * N_CTX + offs_m\n", "off_hz * N_CTX + offs_m + 1\n", "out-of-bounds", "tl.store(m_ptrs"),
    (6, "backward", "off_chz = (bhid * N_CTX)", "off_chz = ((bhid + 1) * N_CTX)", "out-of-bounds", "m = tl.load(M"),
    (8, "grouped_matmul", "tile_idx += NUM_SM", "tile_idx += 1", "race", "tl.store(c_ptrs"),
    (8, "grouped_matmul", "b_ptrs += BLOCK_SIZE_K * ldb", "b_ptrs += 2 * BLOCK_SIZE_K * ldb", "out-of-bounds", "b = tl.load"),
    (9, "persistent dtype=float16", "tl.store(c_ptrs, c, mask=c_mask)", "tl.store(c_ptrs, c)", "out-of-bounds", "tl.store(c_ptrs"),
    (9, "persistent_with_descriptors_made", "tile_id_c += NUM_SMS", "tile_id_c += 1", "race", "c_desc.store"),
]


def problem(path, mutation):
    """What is wrong with the checker's answer to one mutation; nothing when it is right."""
    number, label, old, new, kind, line = mutation
    with open(path, encoding="utf-8") as file:
        source = file.read()
    if old not in source:
        return "the tutorial no longer holds the text to replace"
    run = next(function for key, name, function in CASES if key == number and name.startswith(label))
    with tempfile.TemporaryDirectory() as folder:
        changed = os.path.join(folder, os.path.basename(path))
        with open(changed, "w", encoding="utf-8") as file:
            file.write(source.replace(old, new))
        lines = source.replace(old, new).split("\n")
        try:
            run(KernelFile(changed, check=True))
        except NereidError as findings:
            places = re.findall(r"\.py:(\d+):\d+: error: ([a-z-]+):", str(findings))
            if any(what == kind and line in lines[int(at) - 1] for at, what in places):
                return None
            return f"not among {', '.join(f'{what} at `{lines[int(at) - 1].strip()}`' for at, what in places) or findings}"
        except AssertionError as difference:
            return f"only a wrong result: {difference}"
    return "nothing is reported"


def main():
    paths = find_tutorials(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("NEREID_TRITON_CHECKOUT", ""))
    if not paths:
        print("skipped: " + SKIPPED)
        print(f"0 passed, 0 failed, {len(MUTATIONS)} skipped")
        return 0
    failed = 0
    for mutation in MUTATIONS:
        wrong = problem(paths[mutation[0]], mutation)
        failed += bool(wrong)
        if wrong:
            print(f"FAILED: {mutation[0]:02} {mutation[1]}: `{mutation[2].strip()}` -> `{mutation[3].strip()}`: {mutation[4]} at `{mutation[5]}` expected; {wrong}")
    print(f"{len(MUTATIONS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
