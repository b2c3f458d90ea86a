// steps.js: a program statement by statement, forward and backward, with the values of its names.

// What each name holds after step `at`: name number -> value number.
function namesAt(program, at) {
  const held = new Map();
  for (let i = 0; i <= at; ++i) {
    const assigned = program.steps[i][2];
    for (let k = 0; k < assigned.length; k += 2) held.set(assigned[k], assigned[k + 1]);
  }
  return held;
}

function valueSummary(value) {
  if (value.constant !== undefined) return value.constant;
  const parts = [];
  if (value.rows * value.columns === 1 && value.numbers) return value.numbers;
  if (value.low !== undefined) parts.push(value.low === value.high ? `all ${value.low}` : `${value.low} … ${value.high}`);
  else if (value.numbers) parts.push(value.numbers.split(/[ ;]/)[0] + " …");
  if (value.nans) parts.push(`${value.nans} nan`);
  if (value.infinities) parts.push(`${value.infinities} inf`);
  return parts.join(", ") || "not kept";
}

function numbersTable(value) {
  const rows = value.numbers.split(";").map((row) => row.split(" "));
  const shownColumns = rows[0].length;
  return el("div", { class: "scroll" }, el("table", { class: "values" },
    el("caption", { class: "note" }, shownColumns < value.columns || rows.length < value.rows
      ? `the first ${value.rows > 1 ? `${rows.length} of ${value.rows} rows and ` : ""}${shownColumns} of ${value.columns} columns` : `${value.rows} rows, ${value.columns} columns`),
    el("tr", {}, el("th", {}, ""), rows[0].map((_, i) => el("th", { class: "number" }, String(i)))),
    rows.map((row, i) => el("tr", {}, el("th", { class: "number" }, String(i)), row.map((cell) => el("td", {}, cell))))));
}

function heatMap(value) {
  const [extent, bytes] = value.shades.split(":"), [rows, columns] = extent.split("x").map(Number);
  const data = Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0));
  const cell = Math.max(3, Math.min(14, Math.floor(440 / Math.max(columns, 1))));
  const height = rows === 1 ? Math.max(18, cell) : cell;
  const { canvas, pen } = canvasOf(columns * cell, rows * height, `heat map, ${value.low} to ${value.high}`);
  for (let row = 0; row < rows; ++row)
    for (let column = 0; column < columns; ++column) {
      const shade = data[row * columns + column];
      pen.fillStyle = shade === 255 ? "#e00" : shade === 254 ? "#f0f" : `hsl(${250 - (shade / 253) * 210} 75% ${25 + (shade / 253) * 45}%)`;
      pen.fillRect(column * cell, row * height, cell, height);
    }
  return el("div", {}, el("div", { class: "picture" }, canvas),
    el("p", { class: "note" }, `dark is ${value.low}, light is ${value.high}` + (value.nans ? "; red is NaN" : "") + (value.infinities ? "; magenta is infinite" : "") +
      (rows < value.rows || columns < value.columns ? `; ${rows} x ${columns} of ${value.rows} x ${value.columns} elements, spread evenly` : "")));
}

// `nan`, `inf`, or `NAME < NUMBER`: whether a step gives a name such a value.
function conditionOf(text, names) {
  const word = text.trim().toLowerCase();
  if (word === "nan" || word === "inf")
    return (value) => Boolean(word === "nan" ? value.nans || value.numbers === "nan" : value.infinities);
  const parts = text.match(/^\s*([\w.[\]]+)\s*(<=|>=|==|<|>)\s*(-?[\d.eE+-]+)\s*$/);
  if (!parts || !names.some(([name]) => name === parts[1])) return null;
  const [, wanted, op, right] = parts, limit = Number(right);
  return (value, name) => {
    if (name !== wanted) return false;
    const low = Number(value.low ?? value.constant), high = Number(value.high ?? value.constant);
    return { "<": low < limit, "<=": low <= limit, ">": high > limit, ">=": high >= limit, "==": low <= limit && limit <= high }[op];
  };
}

function makeStepsPanel() {
  const view = app.view, trace = view.trace;
  if (!trace) return el("p", { class: "wrong" }, view.noTrace || "");
  if (!trace.programs.length) return el("p", { class: "note" }, "The grid is empty: no program runs.");
  let program = trace.programs[0], at = 0, name = -1, asNumbers = true;
  const stops = new Set();

  const source = new CodePane("source; a click sets or removes a stop", (what, index) => {
    if (what !== "choose") return;
    stops.has(index) ? stops.delete(index) : stops.add(index);
    source.lines[index].classList.toggle("stop", stops.has(index));
    say(stops.has(index) ? `stops at line ${index + 1}` : `no stop at line ${index + 1}`);
  });
  const where = el("p", { class: "note" }), table = el("table", { class: "names", "aria-label": "names and their values" }), shownValue = el("div", {});
  const programs = choice("program", trace.programs.map((each) => programText(each.program)), 0, (i) => { program = trace.programs[i]; at = 0; steps.set(0, program.steps.length - 1); update(); });
  const steps = slider("step", 0, program.steps.length - 1, 0, (i) => { at = i; update(); });
  const condition = el("input", { type: "text", placeholder: "nan, inf, acc > 10", "aria-label": "stop where a name gets such a value" });

  function move(to) {
    at = Math.max(0, Math.min(program.steps.length - 1, to));
    steps.set(at);
    update();
  }

  function isStop(index) {
    const lines = linesOf(view, program.steps[index][0]);
    if (lines.length && lines[0].file === app.file && stops.has(lines[0].line - 1)) return true;
    const test = condition.value.trim() ? conditionOf(condition.value, trace.names) : null;
    if (!test) return false;
    const assigned = program.steps[index][2];
    for (let k = 0; k < assigned.length; k += 2)
      if (test(program.values[assigned[k + 1]], trace.names[assigned[k]][0])) return true;
    return false;
  }

  function run(direction) {
    if (condition.value.trim() && !conditionOf(condition.value, trace.names)) return say("a condition is `nan`, `inf` or `NAME > NUMBER`, with a name of this kernel");
    for (let i = at + direction; i >= 0 && i < program.steps.length; i += direction)
      if (isStop(i)) return move(i);
    move(direction > 0 ? program.steps.length - 1 : 0);
    say(direction > 0 ? "the end of the program; nothing stopped it" : "the beginning of the program");
  }

  function showValue(value) {
    if (!value) return shownValue.replaceChildren(el("p", { class: "note" }, "Choose a name to see its value."));
    const parts = [el("h2", {}, `${trace.names[name][0]}: ${value.type || "constant"}`)];
    if (value.constant !== undefined || value.rows * value.columns === 1) parts.push(el("p", {}, valueSummary(value)));
    else if (!value.numbers) parts.push(el("p", { class: "note" }, "Its numbers are not on this page: other values took the room. " + valueSummary(value)));
    else {
      if (value.shades) parts.push(el("div", { class: "bar" },
        el("button", { type: "button", "aria-pressed": String(asNumbers), onclick: () => { asNumbers = true; update(); } }, "numbers"),
        el("button", { type: "button", "aria-pressed": String(!asNumbers), onclick: () => { asNumbers = false; update(); } }, "heat map")));
      parts.push(asNumbers || !value.shades ? numbersTable(value) : heatMap(value));
      if (value.mean !== undefined && value.rows * value.columns > 1) parts.push(el("p", { class: "note" }, `from ${value.low} to ${value.high}, mean ${value.mean}`));
    }
    shownValue.replaceChildren(...parts);
  }

  function update() {
    const [place, frame, assigned, accesses] = program.steps[at];
    const lines = linesOf(view, place);
    source.mark("on", lines.filter((each) => each.file === app.file).map((each) => each.line - 1));
    if (lines.length) source.show(lines[0].line - 1);
    const changed = new Set(assigned.filter((_, i) => i % 2 === 0));
    // What has just changed first, then tiles, other numbers, and constants.
    const rank = ([number, value]) => (changed.has(number) ? 0 : program.values[value].constant !== undefined ? 3 : program.values[value].rows * program.values[value].columns > 1 ? 1 : 2);
    const held = [...namesAt(program, at)].filter(([number]) => trace.names[number][1] === frame).sort((a, b) => rank(a) - rank(b));
    if (name < 0 || !held.some(([number]) => number === name)) {
      const tile = held.find(([number, value]) => changed.has(number) && program.values[value].rows * program.values[value].columns > 1);
      if (tile) name = tile[0];
    }
    table.replaceChildren(el("tr", {}, ["name", "type", "value"].map((text) => el("th", {}, text))),
      ...held.map(([number, valueNumber]) => {
        const value = program.values[valueNumber];
        return el("tr", { class: (changed.has(number) ? "changed " : "") + (number === name ? "chosen" : ""), onclick: () => { name = number; update(); } },
          el("td", {}, el("button", { type: "button", "aria-label": `show ${trace.names[number][0]}` }, trace.names[number][0])),
          el("td", {}, value.type || "constant"), el("td", {}, valueSummary(value)));
      }));
    const chosen = held.find(([number]) => number === name);
    showValue(chosen ? program.values[chosen[1]] : null);
    const touches = accesses.map((i) => touchedText(program.accesses[i], trace.tensors[program.accesses[i].tensor]));
    where.textContent = `step ${at + 1} of ${program.steps.length}, ${placeText(view, place)}` + (touches.length ? ": " + touches.join("; ") : "") +
      (program.cut && at === program.steps.length - 1 ? "; the program goes on, but the page ends here" : "");
    say(where.textContent, true);
  }

  const button = (text, label, action) => el("button", { type: "button", "aria-label": label, onclick: action }, text);
  const panel = el("section", { class: "two" },
    el("div", { class: "pane" },
      el("div", { class: "bar" }, programs.node, button("|◀", "to the first step", () => move(0)), button("◀ back", "a step back", () => move(at - 1)),
        button("next ▶", "the next step", () => move(at + 1)), button("▶|", "to the last step", () => move(1e9))),
      el("div", { class: "bar" }, steps.node),
      el("div", { class: "bar" }, el("label", {}, "stop if", condition), button("run ▶", "run to the next stop", () => run(1)), button("◀ run back", "run back to the stop before", () => run(-1))),
      where, source.list),
    el("div", { class: "pane" }, el("div", { class: "scroll short", tabindex: 0, role: "region", "aria-label": "names" }, table), shownValue,
      trace.failure ? el("div", {}, el("h2", {}, "the launch failed"), el("pre", { class: "wrong" }, trace.failure)) : null,
      trace.output ? el("div", {}, el("h2", {}, "output"), el("pre", { class: "scroll" }, trace.output)) : null));
  panel.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT") return;
    if (event.key === "n") move(at + 1);
    if (event.key === "b") move(at - 1);
  });
  source.fill(splitLines(view.sources[0].text));
  on("theme", update);
  requestAnimationFrame(update);
  app.steps = { move, run, state: () => ({ at, program, held: namesAt(program, at), name }) };
  return panel;
}
