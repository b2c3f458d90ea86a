"""`nereid count` against what can be computed by hand for kernels whose every access and operation is known."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
NEREID = os.path.join(os.environ.get("NEREID_BUILD", os.path.join(HERE, "..", "..", "build")), "bin", "nereid")
FILE = os.path.join(HERE, "Inputs", "counted.py")
with open(FILE, encoding="utf-8") as source:
    SOURCE = source.read().split("\n")
passed = failed = 0


def on_line(got, text):
    """What was counted on the line that begins so."""
    number = 1 + next(i for i, line in enumerate(SOURCE) if line.strip().startswith(text))
    return next(line["counts"] for line in got["lines"] if line["line"] == number)


def count(kernel, arguments, grid, *more):
    command = [NEREID, "count", f"{FILE}:{kernel}", *arguments, "--grid", grid, "--json", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def expect(name, total, **expected):
    global passed, failed
    print(f"RUN: {name}")
    wrong = {key: (value, total.get(key, 0)) for key, value in expected.items() if total.get(key, 0) != value}
    if wrong:
        failed += 1
        print(f"FAILED: {name}: " + ", ".join(f"{key} is {found}, expected {value}" for key, (value, found) in wrong.items()))
    else:
        passed += 1


def sectors_of(offsets, bytes_each, sector=32):
    """32-byte sectors that a request for these elements touches."""
    return len({(int(at) * bytes_each) // sector for at in offsets})


def test_add(n, block):
    programs = -(-n // block)
    got = count("add", [f"x_ptr=randn:f32[{n}]", f"y_ptr=randn:f32[{n}]", f"out_ptr=empty:f32[{n}]", f"n={n}", f"BLOCK={block}"], "cdiv(n, BLOCK)")
    asked = programs * block
    expect(f"add {n}", got["total"], programs=programs, launches=1, bytes_read=8 * n, unique_bytes_read=8 * n, bytes_written=4 * n,
           unique_bytes_written=4 * n, useful_bytes_read=8 * n, useful_bytes_written=4 * n, masked_elements=3 * (asked - n), flops=asked, fp32_flops=asked, tensor_flops=0,
           special_functions=0, atomics=0, memory_bytes_read=2 * 64 * -(-n // 16), memory_bytes_written=32 * -(-n // 8), first_cache_hits=0,
           cache_sectors=3 * -(-n // 8), cache_hits=-(-n // 8),
           fp32_instructions=asked // 32, tensor_instructions=0, barriers=0, bank_conflicts=0)
    expect(f"add {n}: the line of x", on_line(got, "x = tl.load(x_ptr + at, mask=at < n)"), bytes_read=4 * n, unique_bytes_read=4 * n, masked_elements=asked - n)
    expect(f"add {n}: the line of out", on_line(got, "tl.store(out_ptr + at, x + y"), bytes_written=4 * n, flops=asked)


def test_softmax(rows, columns, block):
    got = count("softmax", [f"x_ptr=randn:f32[{rows},{columns}]", f"out_ptr=empty:f32[{rows},{columns}]", f"columns={columns}", f"BLOCK={block}"], str(rows))
    # A maximum and a sum of so many take one operation less; differences and quotients are of every lane.
    expect(f"softmax {rows}x{columns}", got["total"], programs=rows, bytes_read=4 * rows * columns, bytes_written=4 * rows * columns,
           masked_elements=2 * rows * (block - columns), special_functions=rows * block, fp32_flops=rows * (2 * (block - 1) + 2 * block))


def test_matmul(dtype, m, n, k, bm, bn, bk):
    size = {"f16": 2, "bf16": 2, "f32": 4}[dtype]
    got = count("matmul", [f"a_ptr=randn:{dtype}[{m},{k}]", f"b_ptr=randn:{dtype}[{k},{n}]", f"c_ptr=empty:f32[{m},{n}]", f"M={m}", f"N={n}", f"K={k}",
                           f"BM={bm}", f"BN={bn}", f"BK={bk}"], f"({m // bm}, {n // bn})")
    kind = {"f16": "fp16", "bf16": "bf16", "f32": "tf32"}[dtype]
    expect(f"matmul {dtype}", got["total"], bytes_read=size * k * (m * n // bn + m * n // bm), unique_bytes_read=size * k * (m + n), bytes_written=4 * m * n,
           tensor_flops=2 * m * n * k, flops=2 * m * n * k, memory_bytes=size * k * (m + n) + 4 * m * n, **{f"tensor_flops_{kind}": 2 * m * n * k})


def test_strided(stride, block, programs):
    n = block * programs
    got = count("strided", [f"x_ptr=randn:f32[{n * stride}]", f"out_ptr=empty:f32[{n}]", f"stride={stride}", f"BLOCK={block}"], str(programs))
    warps = [np.arange(first, first + 32) * stride for first in range(0, n, 32)]
    load = on_line(got, "tl.store(out_ptr + at, tl.load(x_ptr + at * stride))")
    expect(f"strided by {stride}", {**got["total"], "load_sectors": load["sectors"] - n // 8, "load_least": load["ideal_sectors"] - n // 8},
           bytes_read=4 * n, unique_bytes_read=4 * n, load_least=n // 8, memory_bytes_read=64 * sectors_of(np.arange(n) * stride, 4, 64),
           load_sectors=sum(sectors_of(warp, 4) for warp in warps))


def test_bins(n, count_of_bins, block):
    programs = -(-n // block)
    got = count("bins", [f"x_ptr=randint(0,{count_of_bins}):i32[{n}]", f"out_ptr=zeros:i32[{count_of_bins}]", f"n={n}", f"BLOCK={block}"], str(programs))
    # Each bin occurs, with so many values.
    expect(f"{n} atomics on {count_of_bins} bins", got["total"], atomics=n, atomic_collisions=n - count_of_bins, bytes_read=4 * n + 4 * n,
           bytes_written=4 * n, unique_bytes_written=4 * count_of_bins, masked_elements=2 * (programs * block - n))


def test_again(times, block, programs):
    """Once from memory; again from the L1 cache of each program's multiprocessor, or, on a device without one, from the L2 cache."""
    arguments = [f"x_ptr=randn:f64[{block}]", f"out_ptr=empty:f64[{programs * block}]", f"times={times}", f"BLOCK={block}"]
    got = count("again", arguments, str(programs))
    sectors, written = times * programs * block // 4, programs * block // 4
    expect(f"read {times} times", got["total"], bytes_read=8 * times * programs * block, unique_bytes_read=8 * block, fp64_flops=times * programs * block,
           memory_bytes_read=8 * block, first_cache_hits=sectors - programs * block // 4)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as rows:
        json.dump([{"name": "plain", "target": "sm_90a", "multiprocessors": 132, "l2_bytes": 1 << 20, "memory_bytes_per_second": 1e12, "fp32_flops": 1e12}], rows)
        rows.flush()
        got = count("again", arguments, str(programs), "--device-rows", rows.name, "--device-row", "plain")
    expect(f"read {times} times, without an L1 cache", got["total"], memory_bytes_read=8 * block, first_cache_hits=0, cache_sectors=sectors + written,
           cache_hits=sectors - block // 4 + written)


def test_block(rows, columns, block_rows):
    programs = -(-rows // block_rows)
    got = count("block", [f"a_desc=randn:f16[{rows},{columns}]@[{block_rows},{columns}]", f"out_ptr=empty:f16[{programs * block_rows},{columns}]",
                          f"BR={block_rows}", f"BC={columns}"], str(programs))
    expect(f"a block of {block_rows} rows", got["total"], bytes_read=2 * rows * columns, masked_elements=(programs * block_rows - rows) * columns,
           bytes_written=2 * programs * block_rows * columns)


def test_requests(block, warps, requests_of_loads, requests_of_stores):
    """Threads move 16 bytes at a time where a warp has enough elements; a tile that is too small for all warps is read by each."""
    n = 4 * block
    got = count("add", [f"x_ptr=randn:f32[{n}]", f"y_ptr=randn:f32[{n}]", f"out_ptr=empty:f32[{n}]", f"n={n}", f"BLOCK={block}"], "4", "--num-warps", str(warps))
    expect(f"requests for {block} elements of {warps} warps: x", on_line(got, "x = tl.load(x_ptr + at, mask=at < n)"), requests=4 * requests_of_loads,
           sectors=4 * max(block // 8, 4 * warps if block == 32 else 0), bytes_read=4 * n)
    expect(f"requests for {block} elements of {warps} warps: out", on_line(got, "tl.store(out_ptr + at, x + y"), requests=4 * requests_of_stores, sectors=n // 8)


def test_neighbours(programs, block):
    """Loads of 16, 4 and 8 bytes a thread at one place, of a loop that is written out: each has its own requests."""
    got = count("neighbours", [f"x_ptr=randn:f32[{programs * block + 2}]", f"out_ptr=empty:f32[{programs * block}]", f"BLOCK={block}"], str(programs))
    warps = programs * block // 32
    expect("three loads at one place", on_line(got, "total += tl.load(x_ptr + at + shift)"), requests=warps // 4 + warps + warps // 2, bytes_read=12 * programs * block)


def test_halves(block):
    """Halves that lie apart are changed one by one, by a load and a swap; neighbours in pairs, by an instruction."""
    for stride, requests in ((1, block // 64), (2, 2 * block // 32)):
        got = count("add_halves", [f"x_ptr=ones:f16[{block}]", f"out_ptr=zeros:f16[{2 * block}]", f"stride={stride}", f"BLOCK={block}"], "1")
        expect(f"atomics of halves, {stride} apart", on_line(got, "tl.atomic_add(out_ptr + at * stride, x)"), requests=requests, atomics=block, useful_bytes_written=2 * block)


def test_scalar(warps):
    got = count("scaled", ["x_ptr=randn:f32[512]", "factor_ptr=randn:f32[1]", "out_ptr=empty:f32[512]", "BLOCK=256"], "2", "--num-warps", str(warps))
    expect(f"a scalar of {warps} warps", on_line(got, "factor = tl.load(factor_ptr)"), requests=2 * warps, sectors=2 * warps, bytes_read=8, unique_bytes_read=4)


def test_target(target, instruction, copies):
    got = count("matmul", ["a_ptr=randn:f16[128,128]", "b_ptr=randn:f16[128,128]", "c_ptr=empty:f32[128,128]", "M=128", "N=128", "K=128", "BM=64", "BN=64", "BK=32"],
                "(2, 2)", "--target", target)
    notes = [note["text"] for note in got["code"]["notes"]]
    found = {"product": sum(instruction in note for note in notes), "copies": sum(copies in note for note in notes), "shared": got["total"]["shared_bytes"] > 0}
    expect(f"code for {target}", found, product=1, copies=2, shared=True)
    # wgmma: 64x64x16 by four warps, each of which executes it; mma: 16x8x16.
    instructions = 4 * 128**3 // (64 * 64 * 16) if instruction == "by wgmma" else 128**3 // (16 * 8 * 16)
    expect(f"instructions for {target}", got["total"], tensor_instructions=instructions, fp32_instructions=0)
    expect(f"instructions for {target}, at the line", on_line(got, "sum = tl.dot(a, b, sum"), tensor_instructions=instructions)
    for name in "ab":
        # 16 bytes a thread: each request of a warp takes 16 sectors.
        expect(f"copies of {name} for {target}", on_line(got, f"{name} = tl.load({name}_ptr"), requests=4 * 4 * 64 * 32 * 2 // 512, sectors=4 * 4 * 64 * 32 * 2 // 32)


def test_tma():
    got = count("matmul_blocks", ["a_desc=randn:f16[256,128]@[128,64]", "b_desc=randn:f16[128,256]@[64,128]", "c_ptr=empty:f32[256,256]", "N=256", "K=128", "BM=128", "BN=128",
                                  "BK=64"], "(2, 2)")
    notes = [note["text"] for note in got["code"]["notes"]]
    sectors = on_line(got, "sum = tl.dot(a_desc.load([m, start])")["sectors"]
    expect("blocks by TMA", {"blocks": sum(note.startswith("TMA reads 16384 bytes") for note in notes), "sectors": sectors}, blocks=1, sectors=2 * 2 * 4 * 128 * 64 * 2 // 32)


def test_one_by_one(programs, block):
    """Each program but the first finds that another one was there before, and adds: the code's warps go the ways that the launch went."""
    got = count("one_by_one", [f"out_ptr=zeros:f32[{block}]", "count_ptr=zeros:i32[1]", f"BLOCK={block}"], str(programs))
    expect("a way that depends on what other programs wrote", got["total"], fp32_instructions=(programs - 1) * block // 32)


def test_verdict():
    got = count("strided", ["x_ptr=randn:f32[65536]", "out_ptr=empty:f32[8192]", "stride=8", "BLOCK=1024"], "8")
    said = [verdict["message"] for verdict in got["verdicts"] if verdict["line"]]
    # Of 40 requests of a program, 32 take 32 sectors each, where 4 would do, and 8 of stores take 16.
    expect("a verdict on strides", {"said": said == ["28.8 sectors a request where 6.4 would do"]}, said=True)
    expect("advice on strides", {"said": any("`tl.trans`" in verdict["advice"] for verdict in got["verdicts"])}, said=True)
    shifted = count("neighbours", ["x_ptr=randn:f32[4098]", "out_ptr=empty:f32[4096]", "BLOCK=1024"], "4")
    advice = [verdict["advice"] for verdict in shifted["verdicts"] if verdict["line"]]
    expect("advice on shifted loads", {"said": len(advice) == 1 and "16 bytes divide" in advice[0] and "tl.trans" not in advice[0]}, said=True)
    launch = [verdict["message"] for verdict in got["verdicts"] if not verdict["line"]]
    expect("a verdict on what is not used", {"used": sum(" % of the bytes that memory gives are used" in each for each in launch), "over": sum("times over" in each for each in launch)},
           used=1, over=0)
    fine = count("add", ["x_ptr=randn:f32[270336]", "y_ptr=randn:f32[270336]", "out_ptr=empty:f32[270336]", "n=270336", "BLOCK=1024"], "264")
    expect("no verdict on what is fine", {"verdicts": len(fine["verdicts"])}, verdicts=0)


test_add(1000, 128)
test_add(4096, 1024)
test_softmax(7, 100, 128)
for dtype in ("f16", "bf16", "f32"):
    test_matmul(dtype, 128, 64, 96, 32, 32, 32)
for stride in (1, 2, 3, 8, 33):
    test_strided(stride, 128, 2)
test_bins(1000, 10, 256)
test_again(5, 64, 3)
test_block(100, 64, 32)
test_requests(1024, 4, 8, 8)
test_requests(256, 4, 4, 4)
test_requests(32, 4, 4, 1)
test_neighbours(4, 1024)
test_halves(256)
test_scalar(2)
test_scalar(8)
test_target("sm_90a", "by wgmma", "cp.async of 16 bytes")
test_target("sm_80", "by mma", "cp.async of 16 bytes")
test_tma()
test_one_by_one(6, 128)
test_verdict()
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed != 0)
