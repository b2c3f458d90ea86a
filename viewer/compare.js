// compare.js: two versions of a kernel side by side.

function makeComparePanel() {
  const [before, after] = views;
  const names = before.code.stages.map((stage) => stage.name).filter((name) => after.code.stages.some((stage) => stage.name === name && stage.text));
  const parts = ["source", ...names];
  const textOf = (view, part) => (part === "source" ? view.sources[0].text : view.code.stages.find((stage) => stage.name === part)?.text || "");
  // What differs first, in the order of the compiler, is shown first.
  let chosen = Math.max(0, parts.findIndex((part) => textOf(before, part) !== textOf(after, part))), whole = false;
  const result = el("div", {}), text = el("p", { class: "note" });
  const which = choice("compare", parts, chosen, (i) => { chosen = i; update(); });
  const all = el("input", { type: "checkbox", onchange: () => { whole = all.checked; update(); } });

  function update() {
    const part = parts[chosen], isIr = part !== "source";
    const lines = difference(splitLines(textOf(before, part)), splitLines(textOf(after, part)), isIr ? withoutNumbers : (line) => line);
    const gone = lines.filter(([mark]) => mark === "-").length, come = lines.filter(([mark]) => mark === "+").length;
    text.textContent = gone + come ? `${part}: ${plural(gone, "line")} of the first only, ${come} of the second only` : `${part}: no difference`;
    result.replaceChildren(differenceNode(whole ? lines : nearDifferences(lines, 3), `differences in ${part}`));
    say(text.textContent, true);
  }

  const rows = factsOf(names, textOf).map(([name, of]) => [name, ...views.map((view) => String(of(view) ?? "not known"))]);
  update();
  return el("section", {}, el("div", { class: "scroll" }, el("table", { "aria-label": "both versions" },
    el("tr", {}, el("th", {}, ""), views.map((view) => el("th", { class: "number" }, nameOf(view)))),
    rows.map(([name, one, two]) => el("tr", { class: one === two ? "" : "differs" }, el("th", {}, name), [one, two].map((value) => el("td", { class: "number" }, value)))))),
    el("div", { class: "bar" }, which.node, el("label", {}, all, "all lines")), text, result);
}

// What both versions have a value of; arguments only where they differ.
function factsOf(names, textOf) {
  const [before, after] = views, wordsOf = (view) => view.arguments.map(([name, value]) => `${name}=${value}`);
  const own = (view) => { const others = new Set(wordsOf(view === before ? after : before)); return wordsOf(view).filter((word) => !others.has(word)).join(" ") || "the same"; };
  const counters = ["bytes_read", "bytes_written", "memory_bytes", "sectors", "flops", "special_functions", "tensor_instructions", "fp32_instructions", "barriers", "bank_conflicts", "atomics"];
  const counted = (view) => view.cost.counted;
  const isCounted = (name) => views.some((view) => counted(view)?.total[name]);
  const ofCounted = (of) => (view) => (counted(view) ? of(counted(view)) : "not counted");
  const reasons = views.some((view) => view.cost.notCounted) ? [["counted", (view) => view.cost.notCounted || "yes"]] : [];
  return [["arguments", own], ["grid", (view) => programText(view.grid)], ["warps", (view) => view.code.warps], ["stages", (view) => view.code.stagesTaken],
    ["threads", (view) => view.code.threads], ["shared memory, bytes", (view) => view.code.sharedBytes], ["registers", (view) => view.code.registers || null],
    ["spilled bytes", (view) => (view.code.registers ? view.code.spilledBytes : null)],
    ...reasons, ...(views.some(counted) ? [["least time", ofCounted(({ roofline }) => shortSeconds(roofline.seconds))]] : []),
    ...counters.filter(isCounted).map((name) => [name.replace(/_/g, " "), ofCounted(({ total }) => total[name])]),
    ...names.map((name) => [`lines of ${name}`, (view) => splitLines(textOf(view, name)).length])];
}
