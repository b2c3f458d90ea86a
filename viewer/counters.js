// counters.js: what a program takes of a GPU, what the launch does in all and line by line, the roofline, the configurations.

// Blocks of threads that fit on a multiprocessor, and what keeps it from more.
function occupancyOf(code, target) {
  const limits = { blocks: 32, threads: 2048, registers: 65536, shared: 228 * 1024 };
  if (/^sm_8[69]/.test(target) || /^sm_12/.test(target)) Object.assign(limits, { blocks: 24, threads: 1536, shared: 100 * 1024 });
  else if (/^sm_8/.test(target)) limits.shared = 164 * 1024;
  const bounds = [["the number of programs", limits.blocks], ["threads", Math.floor(limits.threads / Math.max(1, code.threads))]];
  if (code.sharedBytes) bounds.push(["shared memory", Math.floor(limits.shared / (code.sharedBytes + 1024))]);
  if (code.registers) {
    const warpRegisters = Math.ceil((code.registers * 32) / 256) * 256;
    bounds.push(["registers", Math.floor(Math.floor(limits.registers / warpRegisters) / Math.max(1, code.threads / 32))]);
  }
  bounds.sort((a, b) => a[1] - b[1]);
  return { programs: bounds[0][1], by: bounds[0][0], share: (bounds[0][1] * code.threads) / limits.threads };
}

// 12345678 as 12.3 M.
function shortCount(count) {
  for (const [size, unit] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (count >= 10 * size || (count >= size && size > 1e3)) return `${(count / size).toPrecision(3)} ${unit}`;
  return String(count);
}

function shortSeconds(seconds) {
  const [size, unit] = [[1e-3, "ms"], [1e-6, "us"]].find(([each]) => seconds >= each) || [1e-9, "ns"];
  return `${(seconds / size).toPrecision(3)} ${unit}`;
}

function makeOccupancy(view) {
  const { code } = view;
  if (!code.threads) return [];
  const occupancy = occupancyOf(code, view.target), isKnown = Boolean(code.registers);
  const rows = [["threads of a program", code.threads], ["warps that compute", code.warps], ["stages of the pipeline", code.stagesTaken],
    ["shared memory, bytes", code.sharedBytes], ["registers of a thread", isKnown ? code.registers : "not known: no assembler here"],
    ["spilled bytes of a thread", isKnown ? code.spilledBytes : "not known"],
    ["programs on a multiprocessor", `${isKnown ? "" : "at most "}${occupancy.programs}, limited by ${occupancy.by}`],
    ["occupancy", `${isKnown ? "" : "at most "}${Math.round(100 * occupancy.share)} %`]];
  return [el("h2", {}, `what a program takes of ${view.target}`), el("table", { "aria-label": `what a program takes of ${view.target}` }, rows.map(([name, value]) => el("tr", {}, el("th", {}, name), el("td", { class: "number" }, String(value)))))];
}

// Both axes are logarithmic: flops for a byte of memory, and flops in a second.
function makeRoofline(roofline) {
  if (!roofline.intensity || !roofline.peak) return [];
  const width = 560, height = 260, left = 64, bottom = 34, ridge = roofline.peak / roofline.bandwidth;
  const lowX = Math.min(0.1, roofline.intensity / 4), highX = Math.max(ridge * 8, roofline.intensity * 4);
  const highY = roofline.peak * 2, lowY = Math.min(lowX * roofline.bandwidth, roofline.peak) / 2;
  const x = (value) => left + ((Math.log(value) - Math.log(lowX)) / (Math.log(highX) - Math.log(lowX))) * (width - left - 10);
  const y = (value) => height - bottom - ((Math.log(value) - Math.log(lowY)) / (Math.log(highY) - Math.log(lowY))) * (height - bottom - 10);
  const reached = Math.min(roofline.peak, roofline.intensity * roofline.bandwidth);
  const text = `${roofline.intensity.toPrecision(3)} flops for a byte: at most ${shortCount(reached)}flop/s of ${shortCount(roofline.peak)}flop/s on ${roofline.device}; ` +
    `the launch takes ${shortSeconds(roofline.seconds)} at least, by ${roofline.bound}`;
  return [el("h2", {}, "roofline"), el("p", { class: "note" }, text), el("div", { class: "picture" },
    svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "roofline: " + text, id: "roofline" },
      svg("line", { class: "axis", x1: left, x2: width - 10, y1: height - bottom, y2: height - bottom }), svg("line", { class: "axis", x1: left, x2: left, y1: 10, y2: height - bottom }),
      svg("polyline", { points: `${x(lowX)},${y(lowX * roofline.bandwidth)} ${x(ridge)},${y(roofline.peak)} ${x(highX)},${y(roofline.peak)}`, fill: "none", stroke: "var(--accent)", "stroke-width": 2 }),
      svg("line", { x1: x(roofline.intensity), x2: x(roofline.intensity), y1: y(reached), y2: height - bottom, stroke: "var(--dim)", "stroke-dasharray": "3 3" }),
      svg("circle", { cx: x(roofline.intensity), cy: y(reached), r: 6, fill: "var(--masked)" }),
      svg("text", { x: left, y: height - 8 }, "flops for a byte of memory →"), svg("text", { x: 2, y: 20 }, shortCount(roofline.peak)), svg("text", { x: 2, y: 34 }, "flop/s"),
      [0.1, 1, 10, 100, 1000].filter((tick) => tick >= lowX && tick <= highX).map((tick) => svg("text", { x: x(tick) - 6, y: height - bottom + 14 }, String(tick)))))];
}

// What is written at a line of the source.
function lineNote(counts) {
  const parts = [];
  if (counts.bytes_read) parts.push(`${shortCount(counts.bytes_read)}B read`);
  if (counts.bytes_written) parts.push(`${shortCount(counts.bytes_written)}B written`);
  if (counts.sectors) parts.push(`${shortCount(counts.sectors)} sectors` + (counts.ideal_sectors && counts.sectors > counts.ideal_sectors ? ` (${shortCount(counts.ideal_sectors)} would do)` : ""));
  if (counts.flops) parts.push(`${shortCount(counts.flops)} flops`);
  if (counts.masked_elements) parts.push(`${shortCount(counts.masked_elements)} masked`);
  return parts.join(", ");
}

// For each line of a file its note.
function lineNotes(view, file) {
  const notes = [];
  for (const { place, counts } of view.cost.counted?.lines || [])
    for (const each of linesOf(view, place)) if (each.file === file) notes[each.line - 1] = lineNote(counts);
  return notes;
}

function makeCounted(view) {
  const { counted, notCounted } = view.cost;
  if (!counted) return [el("h2", {}, "counters"), el("p", { class: "note" }, notCounted)];
  const columns = ["bytes_read", "bytes_written", "sectors", "ideal_sectors", "masked_elements", "flops", "special_functions", "integer_operations"];
  const shown = columns.filter((name) => counted.total[name]);
  const cells = (counts) => shown.map((name) => el("td", { class: "number" }, counts[name] ? shortCount(counts[name]) : ""));
  const where = (place) => (place ? placeText(view, place) : "the launch");
  const verdicts = counted.verdicts.length ? [el("h2", {}, "what to try"), el("ul", { id: "verdicts" }, counted.verdicts.map((each) =>
    el("li", {}, el("b", {}, where(each.place) + ": "), each.message, el("br", {}), "Try: ", each.advice)))] : [];
  const notes = counted.notes.length ? [el("h2", {}, "what the code does"), el("table", { "aria-label": "what the code does" }, counted.notes.map((each) =>
    el("tr", {}, el("th", {}, where(each.place)), el("td", {}, each.text))))] : [];
  return [...verdicts, ...makeRoofline(counted.roofline), ...notes, el("h2", {}, "counters by line"),
    el("div", { class: "scroll" }, el("table", { id: "counters", "aria-label": "counters by line" },
      el("tr", {}, el("th", {}, "line"), shown.map((name) => el("th", { class: "number" }, name.replace(/_/g, " "))), el("th", {}, "")),
      counted.lines.filter(({ counts }) => shown.some((name) => counts[name])).map(({ place, counts }) =>
        el("tr", {}, el("th", {}, placeText(view, place)), cells(counts), el("td", {}, sourceText(view, place).slice(0, 60)))),
      el("tr", {}, el("th", {}, "all"), cells(counted.total), el("td", {}, "")))),
    el("details", {}, el("summary", {}, "all counters"), el("table", { "aria-label": "all counters" }, Object.entries(counted.total).map(([name, value]) =>
      el("tr", {}, el("th", {}, name.replace(/_/g, " ")), el("td", { class: "number" }, String(value)))))),
    counted.total.cache_sectors ? el("p", { class: "note" }, `The L2 cache has a hit rate of ${Math.round(100 * counted.cacheHitRate)} %`) : null];
}

function makeConfigurations(view) {
  const list = view.cost.configurations;
  if (!list.length) return [];
  const isTimed = list.some((each) => each.seconds);
  return [el("h2", {}, "configurations of autotune"), isTimed ? null : el("p", { class: "note" }, "They are not timed on this machine: `nereid tune` does it, and the page shows the times then."),
    el("div", { class: "scroll" }, el("table", { id: "configurations", "aria-label": "configurations of autotune" }, el("tr", {}, ["", "configuration", "time"].map((text) => el("th", {}, text))),
      list.map((each, i) => el("tr", {}, el("td", {}, String(i)), el("td", {}, each.text + (each.shown ? " (shown here)" : "") + (each.best ? " (the fastest)" : "")),
        el("td", { class: "number" }, each.seconds ? shortSeconds(each.seconds) : each.problem || "")))))];
}

function makeCountersPanel() {
  const view = app.view;
  return el("section", {}, makeOccupancy(view), makeCounted(view), makeConfigurations(view));
}
