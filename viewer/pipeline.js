// pipeline.js: copies, products and waits in their order, by role and round; and shared memory over time.

const kindOrder = ["copy", "signal", "wait", "product", "read", "store", "barrier"];

function makeTimeline(view) {
  const plan = view.code.plan;
  if (!plan.length) return [el("h2", {}, "the pipeline"), el("p", { class: "note" },
    "Nothing is copied ahead, and no product goes on by itself: the kernel has no loop with products, or none that could be pipelined.")];
  const tracks = [];
  for (const role of new Set(plan.map((event) => event.role)))
    for (const kind of kindOrder)
      if (plan.some((event) => event.role === role && event.kind === kind)) tracks.push({ role, kind });
  let first = 0;
  const window = 60, rowHeight = 26, left = 150, readout = el("p", { class: "note" }), picture = el("div", { class: "picture" });
  // Both roles run at the same time, so each has a clock of its own.
  const clocks = new Map();
  const events = plan.map((event) => {
    const clock = event.role === "producer" || event.role === "consumers" ? event.role : "all";
    const start = clock === "all" ? Math.max(0, ...clocks.values()) : clocks.get(clock) ?? clocks.get("all") ?? 0;
    clocks.set(clock, start + 1);
    return { ...event, time: start };
  });
  const end = Math.max(...events.map((event) => event.time)) + 1;
  const rounds = Math.max(...events.map((event) => event.round)) + 1;
  const describe = (event) => `${event.role}: ${event.op}, round ${event.round + 1}` + (event.buffer ? `, buffer ${event.buffer}, slot ${event.slot}` : "") + `, ${placeText(view, event.place)}`;

  function draw() {
    const width = Math.max(640, drawingWidth(picture)), cell = (width - left) / window;
    const shown = events.filter((event) => event.time >= first && event.time < first + window);
    picture.replaceChildren(svg("svg", { width, height: tracks.length * rowHeight + 8, viewBox: `0 0 ${width} ${tracks.length * rowHeight + 8}`, role: "img", "aria-label": "timeline of the pipeline" },
      tracks.map(({ role, kind }, i) => [svg("text", { x: 2, y: i * rowHeight + 17 }, `${role}: ${kind}`), svg("line", { class: "axis", x1: left, x2: width, y1: (i + 1) * rowHeight, y2: (i + 1) * rowHeight })]).flat(),
      shown.map((event) => {
        const track = tracks.findIndex(({ role, kind }) => role === event.role && kind === event.kind);
        const label = cell >= 9 && event.buffer ? svg("text", { x: left + (event.time - first) * cell + 2, y: track * rowHeight + 17, "pointer-events": "none" }, String(event.slot)) : null;
        return [svg("rect", { x: left + (event.time - first) * cell, y: track * rowHeight + 3, width: Math.max(2, cell - 1), height: rowHeight - 6, rx: 2, fill: hue(event.round, rounds), class: "event", tabindex: -1,
          onmouseover: () => { readout.textContent = describe(event); }, onclick: () => { readout.textContent = describe(event); tell("place", event.place); } }, svg("title", {}, describe(event))), label];
      }).flat()));
    readout.textContent = `events ${first + 1} to ${Math.min(end, first + window)} of ${end}; a colour is a round, a number is a slot`;
  }
  const move = slider("from event", 0, Math.max(0, end - window), 0, (i) => { first = i; draw(); });
  const rows = events.map((event) => el("tr", {}, [event.time + 1, event.role, event.kind, event.op, event.round + 1, event.buffer || "", event.buffer ? event.slot : "", placeText(view, event.place)].map((text) => el("td", {}, String(text)))));
  const table = el("details", {}, el("summary", {}, "as a table"), el("div", { class: "scroll" }, el("table", { "aria-label": "the pipeline" },
    el("tr", {}, ["time", "role", "kind", "op", "round", "buffer", "slot", "line"].map((text) => el("th", {}, text))), rows)));
  on("theme", draw);
  requestAnimationFrame(draw);
  app.pipeline = { events };
  return [el("h2", {}, "the pipeline"), el("div", { class: "bar" }, move.node), readout, picture,
    view.code.planCut ? el("p", { class: "note" }, "The kernel does more than is shown.") : null, table];
}

function makeSharedMemory(view) {
  const { shared, sharedBytes } = view.code;
  if (!shared.length) return [el("h2", {}, "shared memory"), el("p", { class: "note" }, "The kernel uses no shared memory.")];
  const readout = el("p", { class: "note" }, `${sharedBytes} bytes for each program; to the right is time, in the order of the code`), picture = el("div", { class: "picture" });
  const end = Math.max(...shared.map((range) => range.end)) + 1, left = 70, height = 240;
  const describe = (range) => `bytes ${range.offset} to ${range.offset + range.bytes - 1} (${range.bytes}), in use from event ${range.begin} to ${range.end}, ${placeText(view, range.place)}`;

  function draw() {
    const width = Math.max(320, drawingWidth(picture)), x = (time) => left + (time * (width - left - 4)) / end, y = (bytes) => height - 14 - (bytes * (height - 24)) / Math.max(1, sharedBytes);
    picture.replaceChildren(svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `shared memory over time, ${sharedBytes} bytes` },
      svg("text", { x: 2, y: y(sharedBytes) + 10 }, String(sharedBytes)), svg("text", { x: 2, y: y(0) }, "0"),
      svg("line", { class: "axis", x1: left, x2: width, y1: y(0), y2: y(0) }),
      shared.map((range, i) => svg("rect", { x: x(range.begin), width: Math.max(3, x(range.end + 1) - x(range.begin)), y: y(range.offset + range.bytes), height: Math.max(2, y(range.offset) - y(range.offset + range.bytes)),
        fill: hue(i, shared.length), stroke: colour("back"), onmouseover: () => { readout.textContent = describe(range); } }, svg("title", {}, describe(range))))));
  }
  on("theme", draw);
  requestAnimationFrame(draw);
  return [el("h2", {}, "shared memory"), readout, picture];
}

function makePipelinePanel() {
  const view = app.view;
  const remarks = view.code.remarks ? [el("h2", {}, "what the plan could not do"), el("pre", { class: "scroll note" }, remarkText(view))] : [];
  return el("section", {}, makeTimeline(view), makeSharedMemory(view), remarks);
}

// Remarks name places by their numbers.
function remarkText(view) {
  return view.code.remarks.replace(/\bview:(\d+):\d+/g, (_, place) => placeText(view, Number(place)));
}
