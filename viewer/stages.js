// stages.js: the source beside every stage. Pointing at a line of one lights up what belongs to it in the other.

// A list of lines with numbers; `places[i]` belongs to line i. Lines get the classes `on`, `hover` and `found`.
class CodePane {
  constructor(label, changed) {
    this.changed = changed;
    this.list = el("div", { class: "code", tabindex: 0, role: "listbox", "aria-label": label,
      onclick: (event) => this.choose(this.indexOf(event.target)),
      onmouseover: (event) => this.hover(this.indexOf(event.target)),
      onmouseleave: () => this.hover(-1),
      onkeydown: (event) => this.key(event) });
    this.lines = [];
    this.current = -1;
  }

  fill(texts, notes) {
    const prefix = (CodePane.count = (CodePane.count || 0) + 1);
    this.lines = texts.map((text, i) => el("div", { class: "line", role: "option", id: `line-${prefix}-${i}`, "aria-selected": "false", "aria-label": text.trim() ? null : "empty" },
      el("b", { "aria-hidden": "true" }, String(i + 1)), el("span", {}, text || " "),
      notes && notes[i] ? el("i", {}, notes[i]) : null));
    this.texts = texts;
    this.list.replaceChildren(...this.lines);
    this.current = -1;
    this.list.removeAttribute("aria-activedescendant");
  }

  indexOf(node) {
    const line = node.closest && node.closest(".line");
    return line ? this.lines.indexOf(line) : -1;
  }

  choose(index) {
    if (index < 0 || index >= this.lines.length) return;
    this.current = index;
    this.list.setAttribute("aria-activedescendant", this.lines[index].id);
    this.changed("choose", index);
  }

  hover(index) { this.changed("hover", index); }

  key(event) {
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(this.lines.length - 1, this.current + moves[event.key]));
    this.choose(next);
    this.show(next);
  }

  mark(name, indices) {
    for (const line of this.list.querySelectorAll("." + name)) line.classList.remove(name);
    for (const i of indices) this.lines[i].classList.add(name);
    if (name === "on")
      for (const line of this.lines) line.setAttribute("aria-selected", String(line.classList.contains("on")));
  }

  show(index) {
    const line = this.lines[index];
    if (!line) return;
    const top = line.offsetTop - this.list.offsetTop, height = this.list.clientHeight;
    if (top < this.list.scrollTop || top + line.offsetHeight > this.list.scrollTop + height)
      this.list.scrollTop = Math.max(0, top - height / 3);
  }
}

function splitLines(text) {
  const lines = text.split("\n");
  if (lines.length > 1 && lines[lines.length - 1] === "") lines.pop();
  return lines;
}

// For each line of the file, the lines of a stage that came from it.
function stageIndex(view, stage) {
  stage.index ||= new Map();
  if (!stage.index.size)
    stage.places.forEach((place, i) => {
      for (const { file, line } of linesOf(view, place)) {
        const key = file + ":" + line;
        if (!stage.index.has(key)) stage.index.set(key, []);
        stage.index.get(key).push(i);
      }
    });
  return stage.index;
}

function makeStagesPanel() {
  const view = app.view, stages = view.code.stages;
  const files = view.sources.map((source, i) => ({ ...source, i })).filter((source) => source.text);
  let notes = [], stage = Math.max(0, stages.findIndex((each) => each.name === "gpu"));
  if (!stages[stage].text) stage = 0;

  const source = new CodePane("source", (what, index) => lightUp(what, index < 0 ? [] : [{ file: app.file, line: index + 1 }], what === "choose"));
  const code = new CodePane("stage", (what, index) => {
    const place = index < 0 ? 0 : stages[stage].places[index];
    lightUp(what, index < 0 ? [] : linesOf(view, place), false);
  });

  const buttons = stages.map((each, i) => el("button", { type: "button", role: "tab", "aria-selected": "false", onclick: () => showStage(i) },
    each.title, " ", el("span", { class: "count" })));
  const missing = el("p", { class: "note" });
  const filesChoice = files.length > 1
    ? choice("file", files.map((file) => file.name.split("/").pop()), 0, (i) => showFile(files[i].i)).node : null;

  function showFile(i) {
    app.file = i;
    notes = lineNotes(view, i);
    source.fill(splitLines(view.sources[i].text), notes);
    if (app.chosen) lightUp("choose", app.chosen, false);
  }

  function showStage(i) {
    stage = i;
    buttons.forEach((button, at) => button.setAttribute("aria-selected", String(at === i)));
    const each = stages[i];
    missing.textContent = each.missing ? (each.text ? "Not on this page: " : "There is no such text here: ") + each.missing : "";
    code.fill(each.text ? splitLines(each.text) : []);
    if (app.chosen) lightUp("choose", app.chosen, true);
    if (app.found) markFound();
  }

  function lightUp(what, lines, scrolls) {
    const name = what === "choose" ? "on" : "hover";
    source.mark(name, lines.filter((each) => each.file === app.file && each.line <= source.lines.length).map((each) => each.line - 1));
    const inStage = (each) => {
      const index = stageIndex(view, each), all = new Set();
      // Innermost line first: what came from a callee's line is what is meant, not all of its caller's.
      for (const { file, line } of lines.slice(0, 1)) for (const i of index.get(file + ":" + line) || []) all.add(i);
      return [...all].sort((a, b) => a - b);
    };
    const here = inStage(stages[stage]);
    code.mark(name, here);
    if (what !== "choose") return;
    app.chosen = lines;
    stages.forEach((each, i) => { buttons[i].querySelector(".count").textContent = lines.length ? String(inStage(each).length) : ""; });
    if (scrolls && here.length) code.show(here[0]);
    if (lines.length && lines[0].file === app.file) source.show(lines[0].line - 1);
    if (lines.length)
      say(`line ${lines[0].line}: ` + stages.filter((each) => each.text).map((each) => `${inStage(each).length} in ${each.name}`).join(", ") +
        (lines[0].file === app.file && notes[lines[0].line - 1] ? "; " + notes[lines[0].line - 1] : ""));
    tell("line", lines);
  }

  function matches(texts) {
    const word = app.found.toLowerCase(), hits = [];
    texts.forEach((text, i) => { if (text.toLowerCase().includes(word)) hits.push(i); });
    return hits;
  }

  function markFound() {
    source.mark("found", app.found ? matches(source.texts) : []);
    code.mark("found", app.found ? matches(code.texts) : []);
  }

  let next = 0;
  on("search", ({ word, again }) => {
    const isNew = word !== app.found;
    app.found = word;
    markFound();
    if (!word) return say("");
    const inSource = matches(source.texts), inCode = matches(code.texts), all = inSource.length + inCode.length;
    next = isNew || !again ? 0 : next + 1;
    if (all) {
      const at = next % all;
      if (at < inSource.length) source.show(inSource[at]);
      else code.show(inCode[at - inSource.length]);
    }
    const elsewhere = stages.filter((each, i) => i !== stage && each.text)
      .map((each) => [each.name, matches(splitLines(each.text)).length]).filter(([, count]) => count);
    say(`${word}: ${plural(inSource.length, "line")} of the source, ${inCode.length} of ${stages[stage].name}` +
      (elsewhere.length ? "; " + elsewhere.map(([name, count]) => `${count} of ${name}`).join(", ") : ""));
  });

  const panel = el("section", { class: "two" },
    el("div", { class: "pane" }, el("h2", {}, "source"), filesChoice, source.list),
    el("div", { class: "pane" }, el("div", { class: "stages", role: "tablist", "aria-label": "stages" }, buttons), missing, code.list));
  showFile(0);
  showStage(stage);
  // The kernel, and not what stands before it in the file.
  const first = splitLines(view.sources[0].text).findIndex((line) => line.startsWith(`def ${view.kernel}(`));
  requestAnimationFrame(() => source.show(Math.max(0, first)));
  app.stages = { source, code, showStage, choose: (line) => source.choose(line - 1) };
  return panel;
}
