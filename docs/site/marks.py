"""marks.py: pictures of what became of a tensor's elements, or of who read and wrote them, from the letters of `nereid learn check --json`."""
import html

NAMES = {".": "right", "x": "wrong", "?": "never written", "r": "read", "w": "written", "b": "read and written"}
CELL, WIDE, HIGH = 9, 80, 40


def draw(tensor, shape, letters, legend):
    """An SVG with a square for each element, or for several where there are many. Colours come from the page's style."""
    columns = shape[-1] if shape else 1
    rows = max(1, len(letters) // max(1, columns))
    if rows == 1 and columns > 64:  # a vector is folded
        columns = 64
        rows = -(-len(letters) // columns)
    wide, high = -(-columns // WIDE), -(-rows // HIGH)
    squares = {}  # by kind, the strokes of a path
    order = "?xbwr."
    for row in range(0, rows, high):
        for column in range(0, columns, wide):
            inside = [letters[i * columns + j] for i in range(row, min(row + high, rows)) for j in range(column, min(column + wide, columns))
                      if i * columns + j < len(letters)]  # yapf: disable
            if inside:
                letter = min(inside, key=order.index)
                kind = {"?": "unwritten", "x": "x", "b": "b", "w": "w", "r": "r", ".": "right" if legend else "none"}[letter]
                squares.setdefault(kind, []).append(f"M{column // wide * CELL} {row // high * CELL}h8v8h-8z")
    width, height = -(-columns // wide) * CELL, -(-rows // high) * CELL
    shown = [letter for letter in ("..x?" if legend else "rwb") if letter in letters]
    words = ", ".join(dict.fromkeys(NAMES[letter] for letter in shown)) or "not touched"
    text = f"{tensor} {shape}: {words}" + (f"; a square is {high} x {wide} elements" if wide * high > 1 else "")
    return (f'<figure class="marks"><svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{html.escape(text)}">'
            + "".join(f'<path class="m-{kind}" d="{"".join(strokes)}"/>' for kind, strokes in squares.items()) + f"</svg><figcaption>{html.escape(text)}</figcaption></figure>")  # yapf: disable


def of_report(report):
    """All pictures of a report."""
    pictures = []
    if comparison := report.get("comparison"):
        pictures.append(draw(comparison["tensor"], comparison["shape"], comparison["marks"], True))
    pictures += [draw(access["tensor"], access["shape"], access["marks"], False) for access in report.get("accesses", [])]
    return '<div class="pictures">' + "".join(pictures) + "</div>" if pictures else ""
