#!/usr/bin/python3
"""Writes stand-ins for the C library as it was at some version: what is linked against them runs with that one and later.

    write_stubs.py 2.28 FOLDER COMPILER

Objects name functions without versions, and the linker takes the newest of the library that it sees. The stand-ins have the same names
as this system's library, each in the newest version that is not later than the one asked for, and nothing else. Names that are
later altogether are missing: OldGlibc.c has those that we need.
"""
import os
import re
import subprocess
import sys

LIBRARIES = ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2")
# Until 2.34 there were libraries of their own for these; a name that got a new version when it moved was there before.
FORMER_HOMES = ((re.compile(r"_*(pthread|sem)_"), "libpthread.so.0"), (re.compile(r"dl"), "libdl.so.2"),
                (re.compile(r"(shm|mq|aio|lio|timer)_"), "librt.so.1"))  # yapf: disable
SYMBOL = re.compile(r"^\s*\d+:\s+\w+\s+(\d+)\s+(FUNC|OBJECT|TLS|IFUNC|NOTYPE)\s+(?:GLOBAL|WEAK)\s+\w+\s+(?!UND)\w+\s+(\w+)(@@?)GLIBC_([\d.]+)$", re.M)


def number(version):
    return tuple(map(int, version.split(".")))


class Symbol:
    def __init__(self, size, kind, version, is_newest):
        self.size, self.kind, self.version, self.is_newest = int(size), kind, version, is_newest


def symbols_of(path):
    """All versions of each name of a library."""
    text = subprocess.check_output(["readelf", "-W", "--dyn-syms", path], text=True)
    symbols = {}
    for size, kind, name, mark, version in SYMBOL.findall(text):
        symbols.setdefault(name, []).append(Symbol(size, kind, version, mark == "@@"))
    return symbols


def home_of(library, name, versions, limit):
    """The library that had the name."""
    has_moved = any(symbol.is_newest and number(symbol.version) > limit for symbol in versions)
    for pattern, home in FORMER_HOMES:
        if library == "libc.so.6" and has_moved and pattern.match(name):
            return home
    return library


def choose(folder, limit):
    """{library: {name: symbol}} as things were."""
    homes = {library: {} for library in (*LIBRARIES, *(home for _, home in FORMER_HOMES))}
    for library in LIBRARIES:
        for name, versions in symbols_of(os.path.join(folder, library)).items():
            known = [symbol for symbol in versions if number(symbol.version) <= limit]
            if known:
                homes[home_of(library, name, versions, limit)][name] = max(known, key=lambda symbol: number(symbol.version))
    return homes


def assembly(symbols):
    lines = []
    for name, symbol in sorted(symbols.items()):
        kind, section = {"OBJECT": ("object", ".bss"), "TLS": ("tls_object", '.section .tbss,"awT",@nobits')}.get(symbol.kind, ("function", ".text"))
        size = max(1, symbol.size) if section != ".text" else 1
        lines += [section, f".globl {name}", f".type {name}, @{kind}", f"{name}: .skip {size}", f".size {name}, {size}"]
    return "\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""])


def version_script(symbols):
    names = {}
    for name, symbol in symbols.items():
        names.setdefault(symbol.version, []).append(name)
    nodes = [f"GLIBC_{version} {{ global: {'; '.join(sorted(names[version]))}; }};\n" for version in sorted(names, key=number)]
    return "".join(nodes)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def main(version, folder, compiler):
    os.makedirs(folder, exist_ok=True)
    where = os.path.dirname(subprocess.check_output([compiler, "-print-file-name=libc.so.6"], text=True).strip())
    for library, symbols in choose(where, number(version)).items():
        base = os.path.join(folder, library)
        write(f"{base}.s", assembly(symbols))
        write(f"{base}.map", version_script(symbols))
        subprocess.check_call([compiler, "-shared", "-nostdlib", "-fuse-ld=lld-22", f"-Wl,-soname,{library}", f"-Wl,--version-script,{base}.map",
                               "-o", base, f"{base}.s"])  # yapf: disable
    # What links `-lc` finds all of it, as with today's library.
    rest = subprocess.check_output([compiler, "-print-file-name=libc_nonshared.a"], text=True).strip()
    others = " ".join(os.path.join(folder, library) for library in ("ld-linux-x86-64.so.2", *(home for _, home in FORMER_HOMES)))
    write(os.path.join(folder, "libc.so"), f"GROUP({folder}/libc.so.6 {rest} AS_NEEDED({others}))\n")
    for name, library in (("m", "libm.so.6"), ("pthread", "libpthread.so.0"), ("dl", "libdl.so.2"), ("rt", "librt.so.1")):
        write(os.path.join(folder, f"lib{name}.so"), f"INPUT({folder}/{library})\n")


if __name__ == "__main__":
    main(sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3])
