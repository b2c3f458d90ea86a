// passes.js: the IR before and behind a pass, as differences.

// Numbers of values change with every pass; lines that differ in nothing else are the same line.
function withoutNumbers(line) {
  return line.replace(/%[\w#.-]+/g, "%").replace(/#layout\d*/g, "#layout").trim();
}

// The lines of two texts: [" ", line], ["-", line] or ["+", line].
function difference(before, after, keyOf) {
  const a = before.map(keyOf), b = after.map(keyOf);
  let start = 0, endA = a.length, endB = b.length;
  while (start < endA && start < endB && a[start] === b[start]) ++start;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) { --endA; --endB; }
  const middle = [], n = endA - start, m = endB - start;
  if (n * m <= 4e6) {
    const table = new Uint16Array((n + 1) * (m + 1));
    for (let i = n - 1; i >= 0; --i)
      for (let k = m - 1; k >= 0; --k)
        table[i * (m + 1) + k] = a[start + i] === b[start + k] ? table[(i + 1) * (m + 1) + k + 1] + 1 : Math.max(table[(i + 1) * (m + 1) + k], table[i * (m + 1) + k + 1]);
    for (let i = 0, k = 0; i < n || k < m;) {
      if (i < n && k < m && a[start + i] === b[start + k]) { middle.push([" ", after[start + k]]); ++i; ++k; }
      else if (k >= m || (i < n && table[(i + 1) * (m + 1) + k] >= table[i * (m + 1) + k + 1])) middle.push(["-", before[start + i++]]);
      else middle.push(["+", after[start + k++]]);
    }
  } else {
    // Too long to compare line by line.
    for (let i = start; i < endA; ++i) middle.push(["-", before[i]]);
    for (let k = start; k < endB; ++k) middle.push(["+", after[k]]);
  }
  return [...after.slice(0, start).map((line) => [" ", line]), ...middle, ...after.slice(endB).map((line) => [" ", line])];
}

// Only lines near a difference.
function nearDifferences(lines, around) {
  const near = new Set();
  lines.forEach(([mark], i) => { if (mark !== " ") for (let k = i - around; k <= i + around; ++k) near.add(k); });
  const shown = [];
  lines.forEach((line, i) => {
    if (near.has(i)) shown.push(line);
    else if (near.has(i - 1)) shown.push([" ", "…"]);
  });
  return shown;
}

function differenceNode(lines, label) {
  return el("div", { class: "code", tabindex: 0, role: "region", "aria-label": label },
    lines.map(([mark, line]) => el("div", { class: "line plain" + (mark === "+" ? " plus" : mark === "-" ? " minus" : "") }, el("b", {}, mark), el("span", {}, line))));
}

function makePassesPanel() {
  const view = app.view;
  const passes = [["tile", view.code.tilePasses], ["gpu", view.code.gpuPasses]]
    .flatMap(([part, list]) => list.slice(1).map((each, i) => ({ part, pass: each.pass, before: list[i].text, after: each.text })));
  if (!passes.length) return el("p", { class: "note" }, "No pass changed anything.");
  const result = el("div", {}), text = el("p", { class: "note" });
  let whole = false, chosen = 0;
  const which = choice("pass", passes.map((each, i) => `${i + 1}. ${each.part}: ${each.pass}`), 0, (i) => { chosen = i; update(); });
  const all = el("input", { type: "checkbox", onchange: () => { whole = all.checked; update(); } });

  function update() {
    const { pass, before, after } = passes[chosen];
    const lines = difference(splitLines(before), splitLines(after), withoutNumbers);
    const gone = lines.filter(([mark]) => mark === "-").length, come = lines.filter(([mark]) => mark === "+").length;
    text.textContent = `${pass}: ${plural(gone, "line")} less, ${come} more` + (gone + come ? "" : "; only the names of values are others");
    result.replaceChildren(differenceNode(whole ? lines : nearDifferences(lines, 3), `what ${pass} changed`));
    say(text.textContent, true);
  }
  update();
  return el("section", {}, el("div", { class: "bar" }, which.node,
    el("button", { type: "button", onclick: () => { chosen = Math.max(0, chosen - 1); which.select.value = chosen; update(); } }, "◀ before"),
    el("button", { type: "button", onclick: () => { chosen = Math.min(passes.length - 1, chosen + 1); which.select.value = chosen; update(); } }, "next ▶"),
    el("label", {}, all, "all lines")), text, result);
}
