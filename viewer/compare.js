// compare.js: two versions of a kernel side by side.

function makeComparePanel() {
  const [before, after] = views;
  const names = before.code.stages.map((stage) => stage.name).filter((name) => after.code.stages.some((stage) => stage.name === name && stage.text));
  const parts = ["source", ...names];
  let chosen = 0, whole = false;
  const textOf = (view, part) => (part === "source" ? view.sources[0].text : view.code.stages.find((stage) => stage.name === part)?.text || "");
  const result = el("div", {}), text = el("p", { class: "note" });
  const which = choice("compare", parts, 0, (i) => { chosen = i; update(); });
  const all = el("input", { type: "checkbox", onchange: () => { whole = all.checked; update(); } });

  function update() {
    const part = parts[chosen], isIr = part !== "source";
    const lines = difference(splitLines(textOf(before, part)), splitLines(textOf(after, part)), isIr ? withoutNumbers : (line) => line);
    const gone = lines.filter(([mark]) => mark === "-").length, come = lines.filter(([mark]) => mark === "+").length;
    text.textContent = gone + come ? `${part}: ${plural(gone, "line")} of the first only, ${come} of the second only` : `${part}: no difference`;
    result.replaceChildren(differenceNode(whole ? lines : nearDifferences(lines, 3), `differences in ${part}`));
    say(text.textContent, true);
  }

  const facts = [["arguments", (view) => view.arguments.map(([name, value]) => `${name}=${value}`).join(" ")], ["grid", (view) => programText(view.grid)],
    ["warps", (view) => view.code.warps], ["stages", (view) => view.code.stagesTaken], ["threads", (view) => view.code.threads],
    ["shared memory, bytes", (view) => view.code.sharedBytes], ["registers", (view) => view.code.registers || "not known"],
    ...names.map((name) => [`lines of ${name}`, (view) => splitLines(textOf(view, name)).length])];
  update();
  return el("section", {}, el("div", { class: "scroll" }, el("table", {},
    el("tr", {}, el("th", {}, ""), views.map((view) => el("th", {}, nameOf(view)))),
    facts.map(([name, of]) => el("tr", {}, el("th", {}, name), views.map((view) => el("td", { class: "number" }, String(of(view)))))))),
    el("div", { class: "bar" }, which.node, el("label", {}, all, "all lines")), text, result);
}
