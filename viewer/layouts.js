// layouts.js: which thread and register holds which element of a tile.

// For every place (register, lane, warp) the element there; the first place of each element counts, others hold copies.
function holders(layout) {
  const [registers, lanes, warps] = layout.bits, size = 1 << (registers + lanes + warps);
  const count = layout.shape.reduce((a, b) => a * b, 1), held = new Map();
  for (let place = 0; place < size; ++place) {
    let element = 0;
    for (let bit = 0; bit < registers + lanes + warps; ++bit) if (place & (1 << bit)) element ^= layout.bases[bit];
    if (element >= count) continue;
    const holder = { register: place & ((1 << registers) - 1), lane: (place >> registers) & ((1 << lanes) - 1), warp: place >> (registers + lanes) };
    if (held.has(element)) held.get(element).copies.push(holder);
    else held.set(element, { ...holder, copies: [] });
  }
  return held;
}

function makeLayoutsPanel() {
  const view = app.view, sizeOf = (layout) => layout.shape.reduce((a, b) => a * b, 1);
  const layouts = [...view.code.layouts].sort((a, b) => sizeOf(b) - sizeOf(a)); // the largest tiles first
  if (!layouts.length) return el("p", { class: "note" }, "No tile has a layout: there is no plan for a GPU here.");
  let chosen = 0, by = 0, thread = 0, held = new Map();
  const names = (layout) => `${layout.shape.join(" x ")} ${layout.element} · ${layout.uses.slice(0, 3).map(([op, place]) => `${op} ${placeText(view, place)}`).join(", ")}`;
  const text = el("p", { class: "note" }), readout = el("p", { class: "note" }), picture = el("div", { class: "picture" });
  const which = choice("tile", layouts.map(names), 0, (i) => { chosen = i; update(); });
  const colouring = choice("colours by", ["lane", "warp", "register"], 0, (i) => { by = i; draw(); });
  const threads = slider("thread", 0, 0, 0, (i) => { thread = i; draw(); }, String);

  function update() {
    const layout = layouts[chosen];
    held = holders(layout);
    threads.set(Math.min(thread, (1 << (layout.bits[1] + layout.bits[2])) - 1), (1 << (layout.bits[1] + layout.bits[2])) - 1);
    thread = Number(threads.input.value);
    text.textContent = layout.text + "; " + plural(1 << layout.bits[0], "register") + " of " + plural(1 << layout.bits[1], "lane") + " of " + plural(1 << layout.bits[2], "warp") +
      ([...held.values()].some((each) => each.copies.length) ? "; some elements are held several times" : "");
    draw();
  }

  function extent(layout) {
    const columns = layout.shape[layout.shape.length - 1], rows = layout.shape.slice(0, -1).reduce((a, b) => a * b, 1);
    return { rows, columns };
  }

  function draw() {
    const layout = layouts[chosen], { rows, columns } = extent(layout), lanes = 1 << layout.bits[1];
    const shownRows = Math.min(rows, 128), shownColumns = Math.min(columns, 256);
    const wide = Math.max(6, Math.min(52, Math.floor(drawingWidth(picture) / shownColumns))), high = rows === 1 ? 30 : Math.max(6, Math.min(22, wide));
    const { canvas, pen } = canvasOf(shownColumns * wide, shownRows * high, `the layout of a tile of ${layout.shape.join(" by ")}`);
    pen.font = "10px sans-serif";
    const isMine = (each) => each.warp * lanes + each.lane === thread;
    const mine = [];
    for (let row = 0; row < shownRows; ++row)
      for (let column = 0; column < shownColumns; ++column) {
        const holder = held.get(row * columns + column);
        if (!holder) continue;
        const parts = [[holder.lane, lanes], [holder.warp, 1 << layout.bits[2]], [holder.register, 1 << layout.bits[0]]][by];
        pen.fillStyle = hue(parts[0], parts[1]);
        pen.fillRect(column * wide, row * high, wide - 0.5, high - 0.5);
        if (isMine(holder) || holder.copies.some(isMine)) {
          mine.push([row, column]);
          pen.strokeStyle = colour("ink");
          pen.lineWidth = 2;
          pen.strokeRect(column * wide + 1, row * high + 1, wide - 2.5, high - 2.5);
        }
        if (wide >= 38 && high >= 11) {
          pen.fillStyle = colour("ink");
          pen.fillText(`${holder.warp * lanes + holder.lane}:${holder.register}`, column * wide + 3, row * high + high / 2 + 4);
        }
      }
    picture.replaceChildren(canvas);
    canvas.addEventListener("mousemove", (event) => {
      const box = canvas.getBoundingClientRect(), row = Math.floor(((event.clientY - box.top) / box.height) * shownRows), column = Math.floor(((event.clientX - box.left) / box.width) * shownColumns);
      const holder = held.get(row * columns + column);
      if (holder) readout.textContent = `element (${row}, ${column}): thread ${holder.warp * lanes + holder.lane} (warp ${holder.warp}, lane ${holder.lane}), register ${holder.register}` +
        (holder.copies.length ? `, and ${plural(holder.copies.length, "copy").replace("copys", "copies")}` : "");
    });
    readout.textContent = `thread ${thread} holds ${plural(mine.length, "element")}` +
      (mine.length ? ": " + mine.slice(0, 8).map((each) => `(${each.join(", ")})`).join(" ") + (mine.length > 8 ? " …" : "") : "") +
      (shownRows < rows || shownColumns < columns ? `; shown are ${shownRows} of ${rows} rows and ${shownColumns} of ${columns} columns` : "");
    say(readout.textContent, true);
  }

  on("theme", draw);
  requestAnimationFrame(update);
  app.layouts = { holders, state: () => ({ layout: layouts[chosen], thread, held }) };
  return el("section", {}, el("div", { class: "bar" }, which.node, colouring.node, threads.node), text, readout, picture,
    el("p", { class: "note" }, "In a cell: thread and register. The thread of the slider has a frame."));
}
