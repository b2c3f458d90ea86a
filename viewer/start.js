// start.js: the header, the tabs, and which panel is shown.

function makeHeader() {
  const view = app.view;
  const input = el("input", { type: "search", placeholder: "search", "aria-label": "search in the source and in all stages",
    oninput: () => { openPanel(0); tell("search", { word: input.value.trim() }); },
    onkeydown: (event) => { if (event.key === "Enter") tell("search", { word: input.value.trim(), again: true }); } });
  return [el("h1", {}, nameOf(view)), makeFacts(view),
    views.length > 1 ? choice("shown", views.map(nameOf), views.indexOf(view), (i) => { app.view = views[i]; start(); }).node : null,
    el("div", { class: "search" }, input),
    el("button", { type: "button", "aria-label": "change between dark and light", onclick: changeTheme }, "◐")];
}

// Many arguments are one line until somebody asks for them: the page is about the kernel.
function makeFacts(view) {
  const given = view.arguments.map(([name, value]) => `${name}=${value}`), facts = [`grid ${programText(view.grid)}`];
  if (view.code.warps) facts.push(plural(view.code.warps, "warp"), plural(view.code.stagesTaken, "stage"));
  const join = (list) => list.join("  ·  ");
  if (join(given).length < 200) return el("span", { class: "facts" }, join([facts[0], ...given, ...facts.slice(1)]));
  return el("details", { class: "facts" }, el("summary", {}, join([...facts, plural(given.length, "argument")])), join(given));
}

function changeTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  tell("theme");
}

function openPanel(index) {
  app.open = index;
  say(""); // what was said of another panel
  app.panels.forEach((panel, i) => {
    panel.tab.setAttribute("aria-selected", String(i === index));
    panel.tab.tabIndex = i === index ? 0 : -1;
    panel.node.hidden = i !== index;
    if (i === index) panel.tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (i === index && !panel.made) {
      panel.made = true;
      panel.node.append(panel.make());
    }
  });
}

function start() {
  const kinds = [["code", makeStagesPanel], ["memory", makeMemoryPanel], ["steps", makeStepsPanel], ["layouts", makeLayoutsPanel],
    ["pipeline", makePipelinePanel], ["passes", makePassesPanel], ["cost", makeCountersPanel]];
  if (views.length > 1) kinds.push(["compare", makeComparePanel]);
  app.listeners = {};
  app.chosen = null;
  app.found = "";
  app.file = 0;
  document.getElementById("top").replaceChildren(...makeHeader().filter(Boolean));
  app.panels = kinds.map(([name, make], i) => {
    const node = el("div", { class: "panel", role: "tabpanel", id: "panel-" + name, "aria-labelledby": "tab-" + name, hidden: true });
    const tab = el("button", { type: "button", role: "tab", id: "tab-" + name, "aria-controls": "panel-" + name, onclick: () => openPanel(i),
      onkeydown: (event) => {
        const next = { ArrowRight: (i + 1) % kinds.length, ArrowLeft: (i + kinds.length - 1) % kinds.length, Home: 0, End: kinds.length - 1 }[event.key];
        if (next === undefined) return;
        event.preventDefault();
        openPanel(next);
        app.panels[next].tab.focus();
      } }, name);
    return { name, make, node, tab, made: false };
  });
  document.getElementById("tabs").replaceChildren(...app.panels.map((panel) => panel.tab));
  document.getElementById("panels").replaceChildren(...app.panels.map((panel) => panel.node));
  openPanel(Math.min(app.open || 0, kinds.length - 1));
}

start();
