// memory.js: for each load and store, the tensor with the elements that a program touches; and how programs walk over a tensor.

// Calls visit(first element, length) for every run.
function forEachRun(flat, visit) {
  for (let i = 0; i < flat.length; i += 4)
    for (let k = 0; k < flat[i + 2]; ++k) visit(flat[i] + k * flat[i + 3], flat[i + 1]);
}

// Calls visit(row, column, length) for the parts of all runs that lie in one row.
function forEachRowPart(flat, columns, visit) {
  forEachRun(flat, (first, length) => {
    while (length > 0) {
      const column = first % columns, part = Math.min(length, columns - column);
      visit(Math.floor(first / columns), column, part);
      first += part;
      length -= part;
    }
  });
}

function boxOf(flats, columns) {
  const box = { top: Infinity, left: Infinity, bottom: -1, right: -1 };
  for (const flat of flats)
    forEachRowPart(flat, columns, (row, column, length) => {
      box.top = Math.min(box.top, row);
      box.bottom = Math.max(box.bottom, row);
      box.left = Math.min(box.left, column);
      box.right = Math.max(box.right, column + length - 1);
    });
  return box;
}

// The part `box` of a tensor in a drawing not wider than `width`: cells are at least a pixel.
function drawElements(tensor, box, layers, width, label) {
  const rows = box.bottom - box.top + 1, columns = box.right - box.left + 1;
  const across = Math.max(columns === 1 ? 12 : 1 / 64, Math.min(18, width / columns));
  const down = rows === 1 ? Math.max(18, across) : Math.max(1 / 64, Math.min(18, Math.max(across, 1), 420 / rows));
  const { canvas, pen } = canvasOf(Math.max(8, Math.ceil(columns * across)), Math.max(8, Math.ceil(rows * down)), label);
  pen.fillStyle = colour("panel");
  pen.fillRect(0, 0, columns * across, rows * down);
  for (const [flat, fillColour] of layers) {
    pen.fillStyle = fillColour;
    forEachRowPart(flat, tensor.columns, (row, column, length) => {
      if (row < box.top || row > box.bottom) return;
      // Whole pixels: what is smaller than one would be drawn pale.
      const x = Math.floor((column - box.left) * across), y = Math.floor((row - box.top) * down);
      pen.fillRect(x, y, Math.max(1, Math.ceil((column - box.left + length) * across) - x), Math.max(1, Math.ceil((row - box.top + 1) * down) - y));
    });
  }
  if (across >= 6 && down >= 6) {
    pen.strokeStyle = colour("edge");
    pen.lineWidth = 0.5;
    pen.beginPath();
    for (let i = 0; i <= columns; ++i) { pen.moveTo(i * across, 0); pen.lineTo(i * across, rows * down); }
    for (let i = 0; i <= rows; ++i) { pen.moveTo(0, i * down); pen.lineTo(columns * across, i * down); }
    pen.stroke();
  }
  return canvas;
}

function drawingWidth(node) {
  return Math.max(240, Math.min(900, (node.clientWidth || document.body.clientWidth - 60) - 16));
}

// The accesses of a trace by what they are: kind, place and tensor; each with its programs and their times.
function accessGroups(trace) {
  const groups = new Map();
  trace.programs.forEach((program, p) => {
    program.accesses.forEach((access) => {
      const key = access.kind + ":" + access.place;
      if (!groups.has(key)) groups.set(key, { kind: access.kind, place: access.place, programs: trace.programs.map(() => []) });
      groups.get(key).programs[p].push(access);
    });
  });
  return [...groups.values()];
}

function touchedText(access, tensor) {
  const touched = access.count - access.maskedCount;
  return `${access.kind} of ${plural(touched, "element")}${tensor ? " of " + tensor.name : ""}` +
    (access.maskedCount ? `, ${access.maskedCount} masked` : "") +
    (access.outside ? ` (${access.outside} of them would lie outside of every tensor)` : "") + (access.cut ? "; not all of them are drawn" : "");
}

function makeMemoryPanel() {
  const view = app.view, trace = view.trace;
  if (!trace) return el("p", { class: "wrong" }, view.noTrace || "");
  const groups = accessGroups(trace);
  if (!groups.length) return el("p", { class: "note" }, "These programs touch no memory.");
  let group = 0, program = 0, time = 0;

  const text = el("p", { class: "note" }), whole = el("div", { class: "picture" }), part = el("div", { class: "picture" }), partTitle = el("h2", {}, "around it");
  const which = choice("access", groups.map((each) => `${placeText(view, each.place)}: ${each.kind}  ${sourceText(view, each.place).slice(0, 60)}`), 0,
    (i) => { group = i; time = 0; update(); });
  const programs = slider("program", 0, trace.programs.length - 1, 0, (i) => { program = i; time = 0; update(); }, (i) => programText(trace.programs[i].program));
  const times = slider("time", 0, 0, 0, (i) => { time = i; update(); });

  function update() {
    const list = groups[group].programs[program];
    times.set(time, Math.max(0, list.length - 1));
    const where = `program ${programText(trace.programs[program].program)}`;
    const access = list[time];
    if (!access) {
      text.textContent = `${where} does not come here.`;
      whole.replaceChildren();
      part.replaceChildren();
      return;
    }
    const tensor = trace.tensors[access.tensor];
    text.textContent = `${where}, time ${time + 1} of ${list.length}: ${touchedText(access, tensor)}`;
    if (!tensor) { whole.replaceChildren(); part.replaceChildren(); return; }
    const layers = [[access.masked, colour("masked")], [access.touched, colour("touched")]];
    const all = { top: 0, left: 0, bottom: tensor.rows - 1, right: tensor.columns - 1 };
    whole.replaceChildren(drawElements(tensor, all, layers, drawingWidth(whole), text.textContent));
    const box = boxOf([access.touched, access.masked], tensor.columns);
    const isSmall = box.bottom - box.top < 128 && box.right - box.left < 256;
    partTitle.hidden = part.hidden = !isSmall || box.bottom < 0;
    if (!part.hidden) {
      const wider = { top: Math.max(0, box.top - 1), left: Math.max(0, box.left - 2),
        bottom: Math.min(tensor.rows - 1, box.bottom + 1), right: Math.min(tensor.columns - 1, box.right + 2) };
      part.replaceChildren(drawElements(tensor, wider, layers, drawingWidth(part),
        `rows ${wider.top} to ${wider.bottom}, columns ${wider.left} to ${wider.right}`));
    }
    say(text.textContent, true);
  }

  on("theme", update);
  on("line", (lines) => {
    const at = lines.length ? groups.findIndex((each) => linesOf(view, each.place).some((line) => line.file === lines[0].file && line.line === lines[0].line)) : -1;
    if (at >= 0) { group = at; time = 0; which.select.value = at; update(); }
  });
  const panel = el("section", {},
    el("div", { class: "bar" }, which.node), el("div", { class: "bar" }, programs.node, times.node), text,
    el("div", { class: "legend" }, el("span", {}, "touched"), el("span", { style: "--swatch: var(--masked)" }, "behind a mask")),
    el("h2", {}, "all of the tensor"), whole, partTitle, part, makeOrder(view, trace));
  requestAnimationFrame(update);
  app.memory = { update, state: () => ({ group: groups[group], program, time }) };
  return panel;
}

// The order in which programs come to the elements of a tensor.
function makeOrder(view, trace) {
  const kinds = new Map();
  for (const box of trace.boxes) {
    const key = box[1] + ":" + box[2];
    if (!kinds.has(key)) kinds.set(key, { place: box[1], tensor: box[2], isStore: box[3] === 1, boxes: [] });
    kinds.get(key).boxes.push(box);
  }
  const list = [...kinds.values()].sort((a, b) => Number(b.isStore) - Number(a.isStore));
  if (!list.length) return null;
  let chosen = 0, shown = 0;
  const picture = el("div", { class: "picture" }), text = el("p", { class: "note" });
  const which = choice("walk", list.map((each) => `${placeText(view, each.place)}: ${each.isStore ? "writes" : "reads"} ${trace.tensors[each.tensor].name}`), 0,
    (i) => { chosen = i; shown = list[i].boxes.length - 1; update(); });
  const steps = slider("up to box", 0, 0, 0, (i) => { shown = i; draw(); });

  function update() {
    steps.set(shown, list[chosen].boxes.length - 1);
    draw();
  }
  function draw() {
    const { boxes, tensor: number } = list[chosen], tensor = trace.tensors[number], last = boxes[shown];
    const width = drawingWidth(picture), across = Math.min(18, width / tensor.columns);
    const down = tensor.rows === 1 ? 24 : Math.min(18, Math.max(across, 1), 420 / tensor.rows);
    const { canvas, pen } = canvasOf(Math.max(8, Math.ceil(tensor.columns * across)), Math.max(8, Math.ceil(tensor.rows * down)), "the order of programs");
    pen.fillStyle = colour("panel");
    pen.fillRect(0, 0, tensor.columns * across, tensor.rows * down);
    boxes.slice(0, shown + 1).forEach(([, , , , top, left, bottom, right], i) => {
      const x = left * across, y = top * down, wide = Math.max(1, (right - left + 1) * across), high = Math.max(1, (bottom - top + 1) * down);
      pen.fillStyle = `hsl(${(240 * i) / Math.max(1, boxes.length - 1)} 70% 60%)`;
      pen.fillRect(x, y, wide, high);
      if (wide > 26 && high > 13) {
        pen.fillStyle = "#000";
        pen.font = "11px sans-serif";
        pen.fillText(String(boxes[i][0]), x + 3, y + 11);
      }
    });
    picture.replaceChildren(canvas);
    text.textContent = `program ${last[0]} comes to rows ${last[4]} to ${last[6]}, columns ${last[5]} to ${last[7]} of ${tensor.name}; ${plural(boxes.length, "box")} in all`.replace("boxs", "boxes");
  }
  shown = list[0].boxes.length - 1;
  on("theme", draw);
  requestAnimationFrame(update);
  return el("section", {}, el("h2", {}, "the order of programs"), el("div", { class: "bar" }, which.node, steps.node), text, picture);
}
