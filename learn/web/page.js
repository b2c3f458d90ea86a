"use strict";
// The browser's door of the course: lesson, editor, grading. No library; all text of others becomes text nodes.
const token = document.querySelector("meta[name=nereid-token]").content;
const at = (id) => document.getElementById(id);
const state = { units: [], id: "", version: "", saved: "", timer: 0, busy: false, stopped: false };

async function ask(path, body) {
  const options = { headers: { "X-Nereid-Token": token } };
  if (body) Object.assign(options, { method: "POST", body: JSON.stringify(body) });
  options.keepalive = path === "save" && options.body.length < 60000; // outlives the tab; browsers bound its size
  const answer = await fetch("/api/" + path, options);
  return { status: answer.status, body: await answer.json() };
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function say(text, className) {
  at("saved").textContent = text;
  at("saved").className = className || "";
}

// ---- Markdown, as much as lessons use.
function inline(parent, text) {
  const pattern = /(`[^`]+`)|(\*\*[^*]+\*\*)|(\[[^\]]+\]\([^)\s]+\))|(\*[^*\s][^*]*\*)/g;
  let last = 0;
  for (const found of text.matchAll(pattern)) {
    parent.append(text.slice(last, found.index));
    last = found.index + found[0].length;
    if (found[1]) parent.append(element("code", found[0].slice(1, -1)));
    else if (found[2]) parent.append(element("strong", found[0].slice(2, -2)));
    else if (found[3]) parent.append(element("em", found[0].slice(1, found[0].indexOf("]("))));
    else parent.append(element("em", found[0].slice(1, -1)));
  }
  parent.append(text.slice(last));
}

function markdown(parent, text) {
  parent.replaceChildren();
  const lines = text.split("\n");
  let i = 0;
  while (i < lines.length) {
    const line = lines[i];
    const fence = line.match(/^```(\w*)/);
    const heading = line.match(/^(#+) (.*)/);
    if (fence) {
      const code = [];
      for (i++; i < lines.length && !lines[i].startsWith("```"); i++) code.push(lines[i]);
      i++;
      const block = element("pre");
      const inner = element("code");
      if (fence[1] === "python" || fence[1] === "py") colour(inner, code.join("\n"));
      else inner.textContent = code.join("\n");
      block.append(inner);
      parent.append(block);
    } else if (heading) {
      const made = element("h" + Math.min(4, heading[1].length));
      inline(made, heading[2]);
      parent.append(made);
      i++;
    } else if (/^\s*([-*]|\d+\.) /.test(line)) {
      const list = element(/^\s*\d/.test(line) ? "ol" : "ul");
      while (i < lines.length && lines[i].trim() !== "") {
        let item = lines[i++].replace(/^\s*([-*]|\d+\.) /, "");
        while (i < lines.length && lines[i].trim() !== "" && !/^\s*([-*]|\d+\.) /.test(lines[i])) item += " " + lines[i++].trim();
        const made = element("li");
        inline(made, item);
        list.append(made);
      }
      parent.append(list);
    } else if (line.startsWith("|")) {
      const table = element("table");
      for (; i < lines.length && lines[i].startsWith("|"); i++) {
        if (/^\|[\s:|-]+\|$/.test(lines[i])) continue;
        const row = element("tr");
        for (const cell of lines[i].split("|").slice(1, -1)) {
          const made = element(table.childElementCount ? "td" : "th");
          inline(made, cell.trim());
          row.append(made);
        }
        table.append(row);
      }
      parent.append(table);
    } else if (line.trim() === "") {
      i++;
    } else if (line.startsWith("    ")) { // formulas
      const code = [];
      for (; i < lines.length && (lines[i].startsWith("    ") || lines[i].trim() === ""); i++) code.push(lines[i].slice(4));
      parent.append(element("pre", code.join("\n").trimEnd()));
    } else {
      let paragraph = "";
      while (i < lines.length && lines[i].trim() !== "" && !/^(```|#|\||\s*([-*]|\d+\.) )/.test(lines[i])) paragraph += lines[i++] + " ";
      if (!paragraph) paragraph = lines[i++];
      const made = element("p");
      inline(made, paragraph);
      parent.append(made);
    }
  }
}

// ---- The editor: a text field that is transparent, above the same text in colours.
const WORDS = /(#[^\n]*)|("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|\b(def|return|if|else|elif|for|in|while|import|from|as|and|or|not|None|True|False|pass|with|lambda|is|class|assert|break|continue)\b|(@[\w.]+|\btl\.\w+)|\b(\d[\w.]*)\b/g;

function colour(parent, text) {
  parent.replaceChildren();
  let last = 0;
  for (const found of text.matchAll(WORDS)) {
    parent.append(text.slice(last, found.index));
    last = found.index + found[0].length;
    const kind = found[1] ? "c" : found[2] ? "s" : found[3] ? "k" : found[4] ? "d" : "n";
    parent.append(element("span", found[0], kind));
  }
  parent.append(text.slice(last));
}

function draw(badLine) {
  const text = at("code").value;
  colour(at("colours"), text + "\n");
  const count = text.split("\n").length;
  const numbers = at("numbers");
  numbers.replaceChildren();
  for (let i = 1; i <= count; i++) {
    numbers.append(i === badLine ? element("span", String(i), "bad") : String(i), "\n");
  }
  const page = at("page");
  page.style.minWidth = at("colours").scrollWidth + "px";
  page.style.minHeight = at("colours").scrollHeight + "px";
}

function typed() {
  draw(0);
  say("not saved yet");
  clearTimeout(state.timer);
  state.timer = setTimeout(save, 400);
}

async function save() {
  clearTimeout(state.timer);
  const code = at("code").value;
  const id = state.id;
  if (!id || code === state.saved || state.stopped) return;
  try {
    const answer = await ask("save", { id, code, base: state.version });
    if (id === state.id) took(answer, code);
  } catch (problem) {
    lost();
  }
}

// What the server says of a text that was sent; false: it was not taken.
function took(answer, code) {
  if (answer.status === 409) {
    conflict(answer.body);
    return false;
  }
  if (answer.status !== 200) {
    say(answer.body.error || "not saved", "wrong");
    keep();
    return false;
  }
  state.version = answer.body.version;
  state.saved = code;
  say("saved");
  return true;
}

function lost() {
  say("the server is gone; your text is kept here until it is back", "wrong");
  keep();
}

function keep() {
  const kept = JSON.stringify({ code: at("code").value, version: state.version });
  try { localStorage.setItem("nereid:" + state.id, kept); } catch (problem) { /* the page still has it */ }
}

function conflict(body) {
  state.stopped = true;
  say("changed elsewhere", "wrong");
  const box = at("result");
  box.replaceChildren(element("p", "Your file was changed in another tab or editor. Which text counts?", "wrong"));
  const theirs = element("button", "the one in the file");
  const mine = element("button", "the one here");
  theirs.id = "take-file";
  mine.id = "take-mine";
  theirs.onclick = () => { at("code").value = body.code; settle(body); state.saved = body.code; };
  mine.onclick = () => { settle(body); state.saved = null; save(); };
  box.append(theirs, " ", mine);
}

function settle(body) {
  state.stopped = false;
  state.version = body.version;
  at("result").replaceChildren();
  draw(0);
  say("");
}

at("code").addEventListener("input", typed);
at("code").addEventListener("keydown", (event) => {
  if (event.key === "Tab" && !event.shiftKey && !event.ctrlKey) {
    event.preventDefault();
    document.execCommand("insertText", false, "    ");
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    grade("check");
  } else if (event.key === "Enter") {
    const before = at("code").value.slice(0, at("code").selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    event.preventDefault();
    document.execCommand("insertText", false, "\n" + line.match(/^\s*/)[0] + (/:\s*$/.test(line) ? "    " : ""));
  }
});
addEventListener("beforeunload", save);
document.addEventListener("visibilitychange", () => { if (document.hidden) save(); });

// ---- Grading.
async function grade(action) {
  if (state.busy || !state.id || state.stopped) return;
  state.busy = true;
  clearTimeout(state.timer);
  for (const id of ["run", "check"]) at(id).disabled = true;
  at("result").replaceChildren(element("p", "…"));
  const code = at("code").value;
  try {
    const answer = await ask(action, { id: state.id, code, base: state.version });
    if (took(answer, code)) show(answer.body.report);
    else if (answer.status !== 409) at("result").replaceChildren(element("p", answer.body.error || "it did not work", "wrong"));
    await course();
  } catch (problem) {
    at("result").replaceChildren(element("p", "The server is gone: start `nereid learn --web` again, and open the address that it shows.", "wrong"));
    lost();
  }
  state.busy = false;
  for (const id of ["run", "check"]) at(id).disabled = false;
}

function show(report) {
  const box = at("result");
  box.replaceChildren();
  box.append(element("p", report.passed ? "passed" : "not yet: " + report.stage, report.passed ? "good" : "wrong"));
  const list = element("ul");
  const marks = { passed: ["good", "✓ "], failed: ["wrong", "✗ "], "not run": ["later", "· "] };
  for (const test of report.tests || []) list.append(element("li", marks[test.state][1] + test.name, marks[test.state][0]));
  for (const goal of report.goals || []) list.append(element("li", (goal.met ? "✓ " : "✗ ") + goal.said, goal.met ? "good" : "wrong"));
  if (report.time) list.append(element("li", "time: " + report.time.said, "later"));
  box.append(list);
  if (report.printed) box.append(element("pre", report.printed));
  if (report.message) box.append(element("pre", report.message, "message"));
  const of = (shown) => shown.tensor + ", [" + shown.shape.join(", ") + "]";
  if (report.comparison) {
    const shown = report.comparison;
    picture(box, shown, of(shown) + ": " + shown.wrong + " wrong, " + shown.unwritten + " never written", RESULT);
  }
  for (const shown of report.accesses || []) picture(box, shown, of(shown) + ": read and written", ACCESS);
  if (report.counters && Object.keys(report.counters).length) {
    const table = element("table");
    for (const [name, value] of Object.entries(report.counters)) {
      if (!value) continue;
      const row = element("tr");
      row.append(element("td", name.replaceAll("_", " ")), element("td", value.toLocaleString("en")));
      table.append(row);
    }
    box.append(element("p", "counted in the first test that has a goal:"), table);
  }
  draw(report.passed ? 0 : report.line || 0);
}

// What the letters of a picture stand for: a name, and the colour.
const RESULT = { ".": ["right", "#bfe3cd"], "x": ["wrong", "#d33a2f"], "?": ["never written", "#f0c24b"] };
const ACCESS = { ".": ["untouched", "#e8ebee"], "r": ["read", "#6aa5d8"], "w": ["written", "#e0913a"], "b": ["both", "#8e5bb0"] };

// Elements as boxes; of more than two axes the slider chooses the plane.
function picture(box, comparison, title, letters) {
  const shape = comparison.shape.length ? comparison.shape : [1];
  const columns = shape.length > 1 ? shape[shape.length - 1] : Math.min(shape[0], 64);
  const rows = shape.length > 1 ? shape[shape.length - 2] : Math.ceil(shape[0] / 64);
  const planes = Math.max(1, Math.ceil(comparison.marks.length / (rows * columns)));
  const canvas = element("canvas");
  const size = Math.max(1, Math.min(12, Math.floor(560 / columns), Math.floor(260 / rows)));
  canvas.width = columns * size;
  canvas.height = rows * size;
  const paint = (plane) => {
    const draw = canvas.getContext("2d");
    draw.clearRect(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < rows * columns; i++) {
      const mark = comparison.marks[plane * rows * columns + i];
      if (!mark) break;
      draw.fillStyle = letters[mark][1];
      draw.fillRect((i % columns) * size, Math.floor(i / columns) * size, Math.max(1, size - 1), Math.max(1, size - 1));
    }
  };
  box.append(element("p", title));
  const legend = element("p", undefined, "legend");
  for (const [letter, [name]] of Object.entries(letters)) {
    const one = element("span");
    one.append(element("i", "", "box-" + (letter === "." ? (letters === RESULT ? "right" : "none") : letter === "?" ? "unwritten" : letter)), name);
    legend.append(one);
  }
  box.append(canvas, legend);
  if (planes > 1) {
    const slider = element("input");
    const label = element("span", " plane 0");
    Object.assign(slider, { type: "range", min: 0, max: planes - 1, value: 0 });
    slider.oninput = () => { paint(Number(slider.value)); label.textContent = " plane " + slider.value; };
    box.append(slider, label);
  }
  paint(0);
}

async function more(action, body) {
  await save();
  const answer = await ask(action, Object.assign({ id: state.id }, body));
  const box = at("result");
  box.replaceChildren(element("pre", answer.body.text || answer.body.error));
  return answer.body;
}
at("run").onclick = () => grade("run");
at("check").onclick = () => grade("check");
at("hint").onclick = () => more("hint");
at("solution").onclick = async () => {
  const body = await more("solution");
  if (body.ok) return;
  const anyway = element("button", "Show it all the same");
  anyway.onclick = () => more("solution", { anyway: true });
  at("result").append(anyway);
};
at("reset").onclick = async () => {
  if (!confirm("Begin this unit again? What you wrote is kept beside it.")) return;
  const body = await more("reset");
  await open(state.id);
  at("result").replaceChildren(element("pre", body.text));
};

// ---- The list.
async function course() {
  const { status, body } = await ask("course");
  if (status !== 200) throw new Error(body.error);
  state.units = body.units;
  at("course").textContent = body.title;
  at("done").textContent = body.units.filter((unit) => unit.passed).length + " of " + body.units.length + " passed";
  const list = at("units");
  list.replaceChildren();
  let group = null;
  for (const unit of body.units) {
    if (!group || group.label !== unit.part) {
      group = element("optgroup");
      group.label = unit.part;
      list.append(group);
    }
    const option = element("option", (unit.passed ? "✓ " : "") + unit.id + "  " + unit.title);
    option.value = unit.id;
    group.append(option);
  }
  list.value = state.id;
  return body.current;
}

async function open(id) {
  await save();
  const { status, body } = await ask("unit", { id });
  if (status !== 200) {
    at("result").replaceChildren(element("p", body.error, "wrong"));
    return;
  }
  Object.assign(state, { id: body.id, version: body.version, saved: body.code, stopped: false });
  location.hash = body.id;
  at("units").value = body.id;
  at("code").value = body.code;
  at("file").textContent = body.file;
  markdown(at("lesson"), body.lesson);
  at("lesson").scrollTop = 0;
  at("result").replaceChildren(...body.hints.map((hint) => element("pre", hint)));
  draw(0);
  say("saved");
  restore(body);
}

// What a server that was gone could not take; where the file has changed since then, the learner is asked.
function restore(body) {
  let kept = null;
  try {
    kept = JSON.parse(localStorage.getItem("nereid:" + body.id));
    localStorage.removeItem("nereid:" + body.id);
  } catch (problem) { /* no storage */ }
  if (!kept || kept.code === body.code) return;
  at("code").value = kept.code;
  draw(0);
  if (kept.version === body.version) typed();
  else conflict(body);
}
at("units").onchange = () => open(at("units").value);

course().then((current) => open(decodeURIComponent(location.hash.slice(1)) || current)).catch((problem) => say(String(problem), "wrong"));
