#!/usr/bin/env python3
"""Writes src/syntax/UnicodeTables.inc and UnicodeNames.inc from the running Python's Unicode database.

Run with CPython 3.11 (Unicode 14), whose behaviour the parser follows. Usage: scripts/generate_unicode.py
"""
import os
import sys
import textwrap
import unicodedata

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "syntax")
SURROGATES = range(0xD800, 0xE000)
DIGITS = [chr(c) for c in range(0x21, 0x7F) if chr(c) not in '"\\?']  # 91 printable digits, safe in a C++ literal


def changes(predicate):
    """The code points at which predicate changes its value."""
    result, last = [], False
    for code in range(sys.maxunicode + 2):
        now = code <= sys.maxunicode and predicate(chr(code))
        if now != last:
            result.append(code)
            last = now
    return result


def array(name, values, element="uint32_t"):
    rows = "\n".join(textwrap.wrap(", ".join(values), 118))
    return (f"static constexpr {element} k{name}Data[] = {{\n{rows}}};\n"
            f"const std::span<const {element}> k{name} = k{name}Data;\n\n")


def decompositions():
    entries, pool, classes = [], [], []
    for code in range(sys.maxunicode + 1):
        if code in SURROGATES or 0xAC00 <= code < 0xD7A4:
            continue
        character = chr(code)
        if unicodedata.combining(character):
            classes.append(code << 8 | unicodedata.combining(character))
        # Only characters of identifiers: names are all that is normalized.
        full = unicodedata.normalize("NFKD", character)
        if full != character and ("a" + character).isidentifier():
            entries.append(code << 8 | len(full))
            pool += [ord(c) for c in full]
    return entries, pool, classes


def compositions():
    result = []
    for code in range(sys.maxunicode + 1):
        mapping = unicodedata.decomposition(chr(code))
        parts = mapping.split()
        if mapping and not mapping.startswith("<") and len(parts) == 2:
            first, second = (int(part, 16) for part in parts)
            if unicodedata.normalize("NFC", chr(first) + chr(second)) == chr(code):
                result.append((first, second, code))
    return sorted(result)


def number(value, width):
    text = ""
    for _ in range(width):
        value, digit = divmod(value, len(DIGITS))
        text = DIGITS[digit] + text
    assert value == 0
    return text


def names():
    """(code, name) of every character with a stored name or an alias; algorithmic names are left out."""
    result = []
    for code in range(sys.maxunicode + 1):
        name = unicodedata.name(chr(code), "")
        if name and not name.startswith(("CJK UNIFIED IDEOGRAPH-", "HANGUL SYLLABLE ")):
            result.append((code, name))
    known = {name for _, name in result}
    aliases = os.path.join(os.path.dirname(os.path.abspath(__file__)), "unicode_aliases.txt")
    for line in open(aliases, encoding="ascii"):
        if not line.startswith("#"):
            code, alias = line.rstrip("\n").split(";")
            assert ord(unicodedata.lookup(alias)) == int(code, 16) and alias not in known
            result.append((int(code, 16), alias))
    return result


def encode_names(entries):
    """Words get numbers by frequency. A name is: the step from the last code point, the words that it shares with the
    name before, the words that follow, and their numbers."""
    counts = {}
    for _, name in entries:
        for word in name.split(" "):
            counts[word] = counts.get(word, 0) + 1
    words = sorted(counts, key=lambda word: (-counts[word], word))
    numbers = {word: i for i, word in enumerate(words)}
    base, short = len(DIGITS), 40  # first digits below `short` stand for a word, the others begin a longer number
    def word_code(i):
        if i < short:
            return number(i, 1)
        i -= short
        high, low = divmod(i, base)
        if high < base - short - 5:
            return DIGITS[short + high] + number(low, 1)
        i -= (base - short - 5) * base
        high, low = divmod(i, base * base)
        assert high < 5
        return DIGITS[base - 5 + high] + number(low, 2)
    out, last, previous = [], -1, []
    for code, name in entries:
        now = name.split(" ")
        shared = 0
        while shared < min(len(now), len(previous)) - 0 and now[shared] == previous[shared]:
            shared += 1
        step = code - last
        head = number(step, 1) if 0 < step < base - 1 else DIGITS[base - 1] + number(code, 4)
        out.append(head + number(shared, 1) + number(len(now) - shared, 1) +
                   "".join(word_code(numbers[word]) for word in now[shared:]))
        last, previous = code, now
    return " ".join(words), "".join(out)


def literal(name, text):
    rows = "\n".join(f'    "{text[i:i + 110]}"' for i in range(0, len(text), 110))
    return f"const std::string_view k{name} =\n{rows};\n\n"


def write(name, body):
    header = "// {}: written by scripts/generate_unicode.py from Unicode {}; do not edit.\n\n"
    with open(os.path.join(ROOT, name), "w", encoding="ascii") as out:
        out.write(header.format(name, unicodedata.unidata_version) + body)


def main():
    entries, pool, classes = decompositions()
    triples = ["{%d, %d, %d}" % triple for triple in compositions()]
    write("UnicodeTables.inc",
          array("IdentifierStartChanges", map(str, changes(str.isidentifier))) +
          array("IdentifierContinueChanges", map(str, changes(lambda c: ("a" + c).isidentifier()))) +
          array("PrintableChanges", map(str, changes(str.isprintable))) +
          array("Decompositions", map(str, entries)) + array("DecompositionPool", map(str, pool)) +
          array("CombiningClasses", map(str, classes)) + array("Compositions", triples, "Composition"))
    words, codes = encode_names(names())
    write("UnicodeNames.inc", literal("NameWords", words) + literal("NameCodes", codes))


main()
