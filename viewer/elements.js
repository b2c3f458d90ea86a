"use strict";
// elements.js: the data, what is chosen, and small tools for making elements.

const views = JSON.parse(document.getElementById("data").textContent);
const app = { view: views[views.length - 1], file: 0, chosen: null, listeners: {}, panels: [] };

// el("p", { class: "note", onclick: f }, "text", child)
function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

function on(event, listener) {
  (app.listeners[event] ||= []).push(listener);
}

function tell(event, detail) {
  for (const listener of app.listeners[event] || []) listener(detail);
}

// For people who do not see what has changed, and for all where it stands nowhere else.
function say(text, isShownElsewhere = false) {
  const live = document.getElementById("live");
  live.textContent = text;
  live.classList.toggle("quiet", isShownElsewhere);
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

// The hue of one of several things, easy to tell apart.
function hue(index, count) {
  const isDark = document.documentElement.dataset.theme === "dark" ||
    (document.documentElement.dataset.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const angle = count > 12 ? (index * 360) / count : (index * 137.5) % 360;
  return `hsl(${angle.toFixed(1)} ${isDark ? "55% 45%" : "65% 72%"})`;
}

function plural(count, what) {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

// A labelled slider; `change` gets its number, which `textOf` writes for people: from 1 on, where nothing else is said.
function slider(label, low, high, value, change, textOf = (number) => String(number + 1)) {
  const shown = el("output", {});
  const show = () => {
    shown.textContent = textOf(Number(input.value));
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  const input = el("input", { type: "range", min: low, max: high, value, "aria-label": label, oninput: () => { show(); change(Number(input.value)); } });
  const set = (number, newHigh) => {
    if (newHigh !== undefined) input.max = newHigh;
    input.value = number;
    show();
    input.disabled = Number(input.max) <= Number(input.min);
  };
  set(value);
  return { node: el("label", { class: "wide" }, label, input, shown), set, input };
}

function choice(label, options, value, change) {
  const select = el("select", { "aria-label": label, onchange: () => change(Number(select.value)) },
    options.map((text, i) => el("option", { value: i, selected: i === value }, text)));
  return { node: el("label", {}, label, select), select };
}

// A canvas for a drawing of so many pixels, sharp on every screen.
function canvasOf(width, height, label) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const canvas = el("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio), role: "img", "aria-label": label });
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  return { canvas, pen };
}

// The lines of a place that belong to the kernel's own files: a part of the language itself is no file of the user's.
function linesOf(view, place) {
  const flat = view.places[place] || [], lines = [];
  for (let i = 0; i < flat.length; i += 2)
    if (view.sources[flat[i]].text) lines.push({ file: flat[i], line: flat[i + 1] });
  return lines;
}

function placeText(view, place) {
  const lines = linesOf(view, place);
  return lines.length ? `line ${lines[0].line}` : "no line";
}

function sourceText(view, place) {
  const lines = linesOf(view, place);
  return lines.length ? view.sources[lines[0].file].text.split("\n")[lines[0].line - 1].trim() : "";
}

// The file's own name is enough.
function nameOf(view) {
  return (view.title || view.kernel).split("/").pop();
}

function programText(program) {
  return `(${program.join(", ")})`;
}
