// Page.cpp: one HTML file with the trace and the summary inside, and the script that shows them: a timeline and tables. It needs no
// network, and follows the reader's choice of dark or light.
#include "runtime/profile/Summary.h"

namespace nereid::profile {

static constexpr const char *kHead = R"page(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>profile</title>
<style>
  :root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --line: #d0d7de; --soft: #f3f5f7; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --paper: #16191d; --line: #3a4048; --soft: #20252b; } }
  body { margin: 1rem auto; max-width: 100rem; padding: 0 1rem; font: 15px/1.4 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
  h1 { font-size: 1.2rem; } h2 { font-size: 1rem; margin-top: 2rem; }
  .wide { overflow-x: auto; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
  th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
  th:first-child, td:first-child { text-align: left; }
  canvas { width: 100%; display: block; border: 1px solid var(--line); touch-action: none; }
  canvas:focus { outline: 2px solid #0969da; }
  #facts { min-height: 3.2em; white-space: pre-wrap; font-family: ui-monospace, monospace; font-size: 13px; background: var(--soft); padding: .4rem .6rem; }
</style>
<h1 id="title">Where the time went</h1>
<p id="totals"></p>
<h2>Timeline</h2>
<p>Drag or use the arrow keys to move, turn the wheel or press + and - to zoom, point at a bar for its facts, 0 shows all.</p>
<canvas id="timeline" tabindex="0" role="img" aria-label="timeline of launches, kernels, scopes and workers; the tables below say the same"></canvas>
<p id="facts" aria-live="polite"></p>
<p id="more"></p>
<h2>Kernels</h2>
<div class="wide"><table id="kernels"></table></div>
<h2 id="scopes-title">Scopes</h2>
<div class="wide"><table id="scopes"></table></div>
)page";

static constexpr const char *kScript = R"page(
<script>
"use strict";
const trace = JSON.parse(document.getElementById("trace").textContent).traceEvents;
const summary = JSON.parse(document.getElementById("summary").textContent);

function time(ns) {
  if (ns < 1e4) return Math.round(ns) + " ns";
  if (ns < 1e7) return (ns / 1e3).toPrecision(4) + " us";
  if (ns < 1e10) return (ns / 1e6).toPrecision(4) + " ms";
  return (ns / 1e9).toPrecision(4) + " s";
}
function share(part, whole) { return whole > 0 ? (100 * part / whole).toFixed(1) + " %" : "-"; }
function fill(id, lines) {
  const table = document.getElementById(id);
  lines.forEach((line, number) => {
    const row = table.insertRow();
    line.forEach(text => {
      const cell = document.createElement(number ? "td" : "th");
      cell.textContent = text;
      row.append(cell);
    });
  });
}

const many = (count, one, more) => count + " " + (count === 1 ? one : more);
document.getElementById("totals").textContent = many(summary.launches, "launch", "launches") + ", " + time(summary.device_ns) + " on devices, " +
  time(summary.host_ns) + " on the host; " + many(summary.code.compiled, "kernel", "kernels") + " compiled in " + time(summary.code.compiling_ns) +
  ", " + summary.code.found + " found on disk in " + time(summary.code.finding_ns);
fill("kernels", [["kernel", "device", "calls", "total", "mean", "shortest", "longest", "share", "of the limit"]].concat(
  summary.kernels.map(k => [k.name, k.device, k.calls, time(k.device_ns), time(k.device_ns / Math.max(k.timed_calls, 1)),
    time(k.shortest_ns), time(k.longest_ns), share(k.device_ns, summary.device_ns),
    k.share_of_limit === undefined ? "-" : (100 * k.share_of_limit).toFixed(0) + " %"])));
const scopeLines = [["scope", "calls", "host", "device", "share"]];
(function walk(node, depth) {
  for (const inner of node.children) {
    scopeLines.push(["\u00a0".repeat(3 * depth) + inner.name, inner.calls, time(inner.host_ns), time(inner.device_ns),
      share(inner.device_ns, summary.device_ns)]);
    walk(inner, depth + 1);
  }
})(summary.scopes, 0);
fill("scopes", scopeLines);

// Bars by line; within a line, a bar that lies in another one stands below it.
const names = new Map(), lines = new Map();
for (const event of trace) {
  const key = event.pid + "/" + event.tid;
  if (event.ph === "M") { names.set(event.name === "process_name" ? "p" + event.pid : key, event.args.name); continue; }
  if (!lines.has(key)) lines.set(key, { key, pid: event.pid, tid: event.tid, bars: [], depth: 1 });
  lines.get(key).bars.push(event);
}
// A page is no higher than a canvas can be; the trace has all.
const mostLines = 300, all = [...lines.values()].sort((a, b) => a.pid - b.pid || a.tid - b.tid), order = all.slice(0, mostLines);
if (all.length > mostLines) document.getElementById("more").textContent = (all.length - mostLines) + " more lines are in the trace.";
let last = 1;
for (const line of order) {
  line.bars.sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const open = [];
  for (const bar of line.bars) {
    while (open.length && open[open.length - 1] <= bar.ts) open.pop();
    bar.depth = open.length;
    open.push(bar.ts + bar.dur);
    line.depth = Math.max(line.depth, open.length);
    last = Math.max(last, bar.ts + bar.dur);
  }
}

const canvas = document.getElementById("timeline"), paint = canvas.getContext("2d"), facts = document.getElementById("facts");
const rowHeight = 18, titleHeight = 18, axisHeight = 22;
let from = 0, to = last, shown = [];
function colour(text) {
  let hash = 7;
  for (const c of text) hash = (hash * 31 + c.codePointAt(0)) >>> 0;
  return "hsl(" + hash % 360 + " 55% 62%)";
}
function draw() {
  const width = canvas.clientWidth, scale = window.devicePixelRatio || 1;
  const height = axisHeight + order.reduce((sum, line) => sum + titleHeight + line.depth * rowHeight + 6, 0);
  canvas.style.height = height + "px";
  canvas.width = width * scale, canvas.height = height * scale;
  paint.setTransform(scale, 0, 0, scale, 0, 0);
  const style = getComputedStyle(document.documentElement), ink = style.getPropertyValue("--ink");
  paint.clearRect(0, 0, width, height);
  paint.font = "12px system-ui, sans-serif";
  paint.textBaseline = "middle";
  const x = at => (at - from) / (to - from) * width;
  paint.fillStyle = ink;
  // As many times as find room; the last one ends at the right edge.
  const marks = Math.max(1, Math.min(8, Math.floor(width / 100)));
  for (let i = 0; i <= marks; i++) {
    const text = time((from + (to - from) * i / marks) * 1e3);
    paint.fillText(text, Math.min(i * width / marks, width - paint.measureText(text).width - 2), axisHeight / 2);
  }
  let y = axisHeight;
  shown = [];
  for (const line of order) {
    paint.fillStyle = ink;
    paint.fillText(names.get(line.key) || "thread " + line.tid, 4, y + titleHeight / 2);
    y += titleHeight;
    let end = [];
    for (const bar of line.bars) {
      const left = x(bar.ts), right = Math.max(x(bar.ts + bar.dur), left + 1);
      if (right < 0 || left > width || right <= (end[bar.depth] || -1)) continue;
      end[bar.depth] = right;
      const box = { left: Math.max(left, -2), right: Math.min(right, width + 2), top: y + bar.depth * rowHeight, bar };
      paint.fillStyle = colour(bar.name);
      paint.fillRect(box.left, box.top, box.right - box.left, rowHeight - 2);
      if (box.right - box.left > 30) {
        paint.save();
        paint.beginPath();
        paint.rect(box.left, box.top, box.right - box.left - 2, rowHeight);
        paint.clip();
        paint.fillStyle = "#10151b";
        paint.fillText(bar.name, box.left + 3, box.top + rowHeight / 2 - 1);
        paint.restore();
      }
      shown.push(box);
    }
    y += line.depth * rowHeight + 6;
  }
}
function zoom(factor, centre) {
  const span = Math.min(Math.max((to - from) * factor, 0.01), last);
  from = Math.max(0, Math.min(centre - (centre - from) / (to - from) * span, last - span));
  to = from + span;
  draw();
}
function move(part) {
  const span = to - from;
  from = Math.max(0, Math.min(from + part * span, last - span));
  to = from + span;
  draw();
}
function placeOf(event) {
  const box = canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}
canvas.addEventListener("wheel", event => {
  event.preventDefault();
  zoom(event.deltaY > 0 ? 1.25 : 0.8, from + placeOf(event).x / canvas.clientWidth * (to - from));
}, { passive: false });
let dragged = null;
canvas.addEventListener("pointerdown", event => { dragged = event.clientX; canvas.setPointerCapture(event.pointerId); });
canvas.addEventListener("pointerup", () => { dragged = null; });
canvas.addEventListener("pointermove", event => {
  if (dragged !== null) {
    move((dragged - event.clientX) / canvas.clientWidth);
    dragged = event.clientX;
    return;
  }
  const place = placeOf(event);
  const box = shown.findLast(b => place.x >= b.left && place.x <= b.right && place.y >= b.top && place.y < b.top + rowHeight);
  facts.textContent = box ? box.bar.cat + " " + box.bar.name + ": " + time(box.bar.dur * 1e3) + ", from " + time(box.bar.ts * 1e3) +
    "\n" + JSON.stringify(box.bar.args) : "";
});
canvas.addEventListener("keydown", event => {
  const middle = (from + to) / 2;
  const keys = { ArrowLeft: () => move(-0.1), ArrowRight: () => move(0.1), "+": () => zoom(0.8, middle), "-": () => zoom(1.25, middle),
    "0": () => zoom(last / (to - from), middle) };
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
window.addEventListener("resize", draw);
draw();
</script>
</html>
)page";

std::string renderPage(const std::vector<Record> &records, const Summary &summary, const DeviceLimits &limits) {
  std::string page = kHead;
  page += "<script id=\"trace\" type=\"application/json\">" + renderTrace(records) + "</script>\n";
  page += "<script id=\"summary\" type=\"application/json\">" + renderSummary(summary, limits) + "</script>";
  return page + kScript;
}

} // namespace nereid::profile
