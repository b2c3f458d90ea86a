"""markdown.py: the Markdown of this project as HTML: headings with anchors, paragraphs, lists, tables, fenced and indented blocks, quotes, links, pictures."""
import html
import itertools
import keyword
import re

FENCE = re.compile(r"^( *)(`{3,})(.*)$")
LINK = re.compile(r"(!?)\[((?:[^\[\]\\]|\\.)*)\]\(([^)\s]+)\)")
DEEPEST = 40  # quotes and lists in each other; what is deeper is text
ITEM = re.compile(r"^( *)([-*]|\d+\.) +(.*)$")
PYTHON = re.compile(r"""(?P<c>\#[^\n]*)|(?P<s>(?:[rfbRFB]{0,2})(?:\"\"\".*?\"\"\"|'''.*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))|(?P<d>@[\w.]+)"""
                    r"""|(?P<n>\b\d[\w.]*)|(?P<k>\b(?:""" + "|".join(keyword.kwlist) + r""")\b)|(?P<f>\btl(?:\.\w+)+)""", re.S)  # yapf: disable


def anchor_of(heading):
    """What a heading is called in a link: lower case, no punctuation, hyphens for blanks; as scripts/check-docs has it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def plain(text):
    """A line without its marks."""
    text = re.sub(r"!?\[([^\[\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[`*]", "", text)


def colour_python(text):
    parts, end = [], 0
    for match in PYTHON.finditer(text):
        parts += [html.escape(text[end:match.start()], False), f'<span class="{match.lastgroup}">{html.escape(match[0], False)}</span>']
        end = match.end()
    return "".join(parts) + html.escape(text[end:], False)


class Markdown:
    """`link(target)` gives the address of a link's target, or None where the site has none; `code(text)` that of a name in backticks."""

    def __init__(self, link=lambda target: target, code=lambda text: None):
        self.link, self.code = link, code
        self.headings = []  # (level, text, anchor)
        self.depth = 0  # of quotes and lists in each other

    def render(self, text):
        return self.blocks(text.split("\n"))

    def new_anchor(self, heading):
        """Of headings that would be called the same, the later ones have a number."""
        base, taken = anchor_of(heading), {anchor for _, _, anchor in self.headings}
        return base if base not in taken else next(name for i in itertools.count(1) if (name := f"{base}-{i}") not in taken)

    def inline(self, text):
        parts = re.split(r"(`[^`]+`)", text)
        return "".join(self.name(part[1:-1]) if len(part) > 2 and part[0] == part[-1] == "`" else self.words(part) for part in self.join(parts))

    @staticmethod
    def join(parts):
        """A link whose text has a name in backticks is one piece."""
        result = []
        for part in parts:
            if result and result[-1].count("[") > result[-1].count("]") and not result[-1].startswith("`"):
                result[-1] += part
            elif result and result[-1].endswith("`") and "[" in result[-1] and part.startswith("]("):
                result[-1] += part
            else:
                result.append(part)
        return result

    def name(self, text):
        address = self.code(text)
        inner = f"<code>{html.escape(text, False)}</code>"
        return f'<a href="{html.escape(address)}">{inner}</a>' if address else inner

    def words(self, text):
        parts, end = [], 0
        for found in LINK.finditer(text):
            parts += [self.marks(text[end:found.start()]), self.reference(*found.groups())]
            end = found.end()
        return "".join(parts) + self.marks(text[end:])

    @staticmethod
    def marks(text):
        text = html.escape(text, False)
        text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
        return re.sub(r"(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])", r"<em>\1</em>", text)

    def reference(self, mark, text, target):
        address = self.link(target)
        if mark:
            return f'<img src="{html.escape(address or "")}" alt="{html.escape(text)}">'
        return f'<a href="{html.escape(address)}">{self.inline(text)}</a>' if address else self.inline(text)

    def blocks(self, lines):
        if self.depth == DEEPEST:
            return f"<p>{html.escape(' '.join(lines), False)}</p>"
        self.depth += 1
        out = self.each_block(lines)
        self.depth -= 1
        return "\n".join(out)

    def each_block(self, lines):
        out, i = [], 0
        while i < len(lines):
            line = lines[i]
            if not line.strip():
                i += 1
            elif fence := FENCE.match(line):
                i = self.fence(lines, i, fence, out)
            elif heading := re.match(r"^(#{1,6}) +(.*)$", line.rstrip()):
                level, words = len(heading[1]), heading[2]
                anchor = self.new_anchor(words)
                self.headings.append((level, plain(words), anchor))
                out.append(f'<h{level} id="{html.escape(anchor)}">{self.inline(words)}</h{level}>')
                i += 1
            elif line.startswith("    "):  # formulas
                begin = i
                while i < len(lines) and (lines[i].startswith("    ") or not lines[i].strip()):
                    i += 1
                text = "\n".join(part[4:] for part in lines[begin:i]).rstrip()
                out.append(f'<pre class="text"><code>{html.escape(text, False)}</code></pre>')
            elif line.startswith("|"):
                i = self.table(lines, i, out)
            elif ITEM.match(line):
                i = self.items(lines, i, out)
            elif line.startswith(">"):
                begin = i
                while i < len(lines) and lines[i].startswith(">"):
                    i += 1
                out.append("<blockquote>" + self.blocks([re.sub(r"^> ?", "", quoted) for quoted in lines[begin:i]]) + "</blockquote>")
            elif re.match(r"^(-{3,}|\*{3,})\s*$", line):
                out.append("<hr>")
                i += 1
            else:
                begin = i
                while i < len(lines) and lines[i].strip() and not FENCE.match(lines[i]) and (i == begin or not (lines[i].startswith(("#", "|")) or ITEM.match(lines[i]))):
                    i += 1
                out.append("<p>" + self.inline(" ".join(part.strip() for part in lines[begin:i])) + "</p>")
        return out

    @staticmethod
    def fence(lines, i, fence, out):
        margin, marks, info = fence.groups()
        words, body = info.split(), []
        i += 1
        while i < len(lines) and lines[i].strip() != marks:
            body.append(lines[i][len(margin):] if lines[i].startswith(margin) else lines[i])
            i += 1
        text, kind = "\n".join(body), words[0] if words else ""
        if kind in ("python", "py"):
            out.append(f"<pre><code>{colour_python(text)}</code></pre>")
        elif kind == "picture":
            out.append(f'<figure class="picture"><pre>{html.escape(text, False)}</pre></figure>')
        else:
            out.append(f'<pre class="{"shell" if kind == "sh" else "text"}"><code>{html.escape(text, False)}</code></pre>')
        return i + 1

    def table(self, lines, i, out):
        rows = []
        while i < len(lines) and lines[i].startswith("|"):
            # A bar inside of backticks, or behind a backslash, divides nothing.
            cells, cell, quoted = [], "", False
            for letter in lines[i].strip().strip("|").replace("\\|", "\0"):
                quoted ^= letter == "`"
                if letter == "|" and not quoted:
                    cells.append(cell)
                    cell = ""
                else:
                    cell += letter
            rows.append([text.strip().replace("\0", "|") for text in cells + [cell]])
            i += 1
        has_head = len(rows) > 1 and all(re.fullmatch(r":?-+:?", cell) for cell in rows[1])
        head, body = (rows[0], rows[2:]) if has_head else ([], rows)
        text = '<div class="wide"><table>'
        if any(head):
            text += "<thead><tr>" + "".join(f"<th>{self.inline(cell)}</th>" for cell in head) + "</tr></thead>"
        text += "<tbody>" + "".join("<tr>" + "".join(f"<td>{self.inline(cell)}</td>" for cell in row) + "</tr>" for row in body) + "</tbody></table></div>"
        out.append(text)
        return i

    def items(self, lines, i, out):
        first = ITEM.match(lines[i])
        margin, is_ordered = len(first[1]), first[2][0].isdigit()
        items = []
        while i < len(lines):
            found = ITEM.match(lines[i])
            indent = len(lines[i]) - len(lines[i].lstrip())
            if found and len(found[1]) == margin and found[2][0].isdigit() == is_ordered:
                items.append([found[3]])
                inside = len(lines[i]) - len(found[3])
            elif not lines[i].strip():
                rest = next((line for line in lines[i:] if line.strip()), "")
                if len(rest) - len(rest.lstrip()) <= margin and not (ITEM.match(rest) and len(rest) - len(rest.lstrip()) == margin):
                    break
                items[-1].append("")
            elif indent > margin:
                items[-1].append(lines[i][min(indent, inside):])
            else:
                break
            i += 1
        tag = "ol" if is_ordered else "ul"
        out.append(f"<{tag}>" + "".join(f"<li>{self.item(item)}</li>" for item in items) + f"</{tag}>")
        return i

    def item(self, lines):
        text = self.blocks(lines)
        return text[3:-4] if text.startswith("<p>") and text.count("<p>") == 1 and text.endswith("</p>") else text
