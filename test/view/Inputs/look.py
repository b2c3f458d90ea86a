"""Holds the data of a page of examples/vector_add.py against what the kernel says."""
import json
import sys

view = json.load(open(sys.argv[1]))[0]
stages = {stage["name"]: stage for stage in view["code"]["stages"]}
assert list(stages)[:4] == ["tile", "gpu", "llvm", "ptx"] and list(stages)[-2:] == ["cpu-llvm", "asm"], list(stages)


def lines_of(place):
    flat = view["places"][place]
    return list(zip(flat[::2], flat[1::2]))


def from_line(name, line):
    """The lines of a stage that came from a line of the kernel's file."""
    stage = stages[name]
    texts = stage["text"].splitlines()
    assert len(texts) == len(stage["places"]), (name, len(texts), len(stage["places"]))
    return [text for text, place in zip(texts, stage["places"]) if (0, line) in lines_of(place)]


for name, words in {"tile": ["tile.load"], "gpu": ["tile.load"], "llvm": ["ld.global"], "ptx": ["ld.global"], "asm": ["mov"]}.items():
    for line in (9, 10):
        assert any(word in text for word in words for text in from_line(name, line)), (name, line, from_line(name, line))
assert any("st.global" in text for text in from_line("ptx", 11)), from_line("ptx", 11)
assert not any("!dbg" in text or text.split()[:1] == [".loc"] for stage in stages.values() for text in stage["text"].splitlines())
assert view["sources"][0]["text"].splitlines()[8].strip().startswith("x = tl.load"), view["sources"][0]

# The last program has elements 96 to 99, and 28 lanes behind the mask, all of them outside.
trace = view["trace"]
assert [program["program"][0] for program in trace["programs"]] == [0, 2, 3], trace["programs"]
load, _, store = trace["programs"][2]["accesses"]
assert load["kind"] == "load" and load["touched"] == [96, 4, 1, 0] and load["count"] == 32 and load["maskedCount"] == load["outside"] == 28, load
assert store["kind"] == "store" and trace["tensors"][store["tensor"]]["name"] == "out_ptr" and lines_of(store["place"])[0] == (0, 11), store

# Statement by statement: `x` is 32 … 63 in the second block, and 96 … 99 and then zeros in the last.
program = trace["programs"][2]
names = {name: number for number, (name, _) in enumerate(trace["names"])}
values = {}
for place, _, assigned, _ in program["steps"]:
    for name, value in zip(assigned[::2], assigned[1::2]):
        values[name] = (lines_of(place)[0][1], program["values"][value])
line, x = values[names["x"]]
assert line == 9 and x["type"] == "f32[32]" and x["numbers"].split()[:5] == ["96", "97", "98", "99", "0"] and (x["low"], x["high"]) == ("0", "99"), x
assert values[names["BLOCK"]][1] == {"constant": "32"}, values[names["BLOCK"]]
assert [step[0] for step in program["steps"]] != [] and len(program["steps"]) == 6, program["steps"]

# What `nereid count` says of the launch.
counted = view["cost"]["counted"]
assert counted["total"]["bytes_read"] == 800 and counted["total"]["bytes_written"] == 400, counted["total"]
reads = {lines_of(line["place"])[0][1]: line["counts"].get("bytes_read") for line in counted["lines"]}
assert reads[9] == reads[10] == 400 and counted["notes"] and all("text" in note for note in counted["notes"]), (reads, counted["notes"])

# Every layout holds each element somewhere.
for layout in view["code"]["layouts"]:
    bits = sum(layout["bits"])
    held = set()
    for place in range(1 << bits):
        element = 0
        for bit in range(bits):
            if place >> bit & 1:
                element ^= layout["bases"][bit]
        held.add(element)
    count = 1
    for extent in layout["shape"]:
        count *= extent
    assert held == set(range(count)), layout
assert view["code"]["layouts"] and len(trace["boxes"]) == 12, (view["code"]["layouts"], trace["boxes"])
