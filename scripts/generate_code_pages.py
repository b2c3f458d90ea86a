#!/usr/bin/env python3
"""Writes src/syntax/CodePages.cpp: the single-byte encodings of the running Python that agree with ASCII below 128.

Run with CPython 3.11. Usage: scripts/generate_code_pages.py
"""
import codecs
import encodings.aliases
import os
import pkgutil
import warnings

TARGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "syntax", "CodePages.cpp")
UNDEFINED = "\ufffd"


def upper_half(name):
    """The 128 characters from byte 128 on, or None when this is not such an encoding."""
    try:
        if codecs.lookup(name)._is_text_encoding is False:
            return None
        if bytes(range(128)).decode(name) != "".join(map(chr, range(128))):
            return None
        text = "".join(bytes([b]).decode(name, "replace") for b in range(128, 256))
    except (LookupError, UnicodeError, AttributeError, NotImplementedError, TypeError):
        return None
    return text if len(text) == 128 and set(text) != {UNDEFINED} and max(text) <= "\uffff" else None


def literal(text):
    return "".join(c if c.isalnum() else f"\\u{ord(c):04x}" if ord(c) >= 0xA0 else f"\\{ord(c):03o}" for c in text)


def is_multibyte(name):
    try:
        return len(b"\x81\x40".decode(name, "replace")) < 2
    except (LookupError, UnicodeError):
        return True


def main():
    warnings.simplefilter("ignore")
    pages = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(encodings.__path__)):
        text = upper_half(module)
        if text and not is_multibyte(module) and module not in ("charmap", "palmos", "raw_unicode_escape", "unicode_escape", "latin_1", "iso8859_1"):
            pages[module] = text
    names = {page: page for page in pages}
    names.update({alias: page for alias, page in encodings.aliases.aliases.items() if page in pages})
    order = list(pages)
    with open(TARGET, "w", encoding="utf-8") as out:
        out.write("// CodePages.cpp: written by scripts/generate_code_pages.py; do not edit.\n"
                  '#include "syntax/Encoding.h"\n\nnamespace nereid::syntax {\n\n'
                  "// The characters of bytes 128 to 255; U+FFFD where a byte has none.\n"
                  "static constexpr const char16_t *kPages[] = {\n")
        for page in order:
            text = literal(pages[page])
            out.write(f'    // {page}\n    u"{text}",\n')
        out.write("};\n\nnamespace {\nstruct PageName {\n  std::string_view name;\n  unsigned page;\n};\n} // namespace\n\n"
                  "static constexpr PageName kPageNames[] = {\n")
        for name in sorted(names):
            out.write(f'    {{"{name}", {order.index(names[name])}}},\n')
        out.write("};\n\nconst char16_t *codePage(std::string_view name) {\n"
                  "  for (const PageName &entry : kPageNames)\n    if (entry.name == name)\n"
                  "      return kPages[entry.page];\n  return nullptr;\n}\n\n} // namespace nereid::syntax\n")
    print(len(pages), "encodings:", " ".join(order))


main()
