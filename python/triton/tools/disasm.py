"""Machine code of NVIDIA GPUs as text, through cuobjdump of the CUDA toolkit where it is installed."""
import os
import re

_INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s*([^;]*;)\s*/\* 0x([0-9a-f]{16}) \*/")
_SECOND_WORD = re.compile(r"\s*/\* 0x([0-9a-f]{16}) \*/")
_FUNCTION = re.compile(r"\s*Function : (\S+)")
_TARGET = re.compile(r"\b(BRA(?:\.\S+)?(?: \S+,)* )`?\(?(0x[0-9a-f]+)\)?;")


def path_to_cuobjdump():
    from .. import knobs
    return knobs.nvidia.cuobjdump.path


def _control(word):
    """The scheduling bits of an instruction: barriers to wait for, to read, to write, yield, stall cycles."""
    stall, no_yield, write, read, wait = (word >> 41) & 15, (word >> 45) & 1, (word >> 46) & 7, (word >> 49) & 7, (word >> 52) & 63
    barrier = lambda number: "-" if number == 7 else str(number)  # noqa: E731
    return f"{f'{wait:02d}' if wait else '--'}:{barrier(read)}:{barrier(write)}:{'-' if no_yield else 'Y'}:{stall:x}"


def _instructions(lines):
    """(address, control, text) of every instruction of one function; each has two words, on two lines."""
    found = []
    for i, line in enumerate(lines):
        first = _INSTRUCTION.match(line)
        if first:
            second = _SECOND_WORD.match(lines[i + 1]) if i + 1 < len(lines) else None
            control = _control(int(second.group(1), 16)) if second else ""
            found.append((int(first.group(1), 16), control, first.group(2).replace(" ;", ";")))
    return found


def _format(name, instructions):
    targets = {}
    for _, _, text in instructions:
        for match in _TARGET.finditer(text):
            targets.setdefault(int(match.group(2), 16), f"LBB{len(targets)}")
    lines = [f"Function:{name}"]
    for address, control, text in instructions:
        if address in targets:
            lines.append(f"{targets[address]}:")
        text = _TARGET.sub(lambda match: f"{match.group(1)}{targets[int(match.group(2), 16)]};", text)
        lines.append(f"{control}\t{text}")
    return "\n".join(lines) + "\n\n"


def extract(file_path, fun):
    """The text of the first function of a cubin file, or of the function that is named."""
    import subprocess
    choice = [] if fun is None else ["-fun", fun]
    text = subprocess.check_output([path_to_cuobjdump(), *choice, "-sass", file_path]).decode()
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if _FUNCTION.match(line)]
    if not starts:
        return None
    end = starts[1] if len(starts) > 1 else len(lines)
    return _format(_FUNCTION.match(lines[starts[0]]).group(1), _instructions(lines[starts[0]:end]))


def get_sass(cubin_asm, fun=None):
    """The text of machine code that is given as bytes."""
    import tempfile
    handle, path = tempfile.mkstemp(suffix=".cubin")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(cubin_asm)
        return extract(path, fun)
    finally:
        os.remove(path)
