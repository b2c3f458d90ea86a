// counters.js: what a program takes, and what the kernel costs.

// Blocks of threads that fit on a multiprocessor, and what keeps it from more.
function occupancyOf(code, limits) {
  const bounds = [["blocks", limits.blocks], ["threads", Math.floor(limits.threads / Math.max(1, code.threads))]];
  if (code.sharedBytes) bounds.push(["shared memory", Math.floor(limits.shared / (code.sharedBytes + 1024))]);
  if (code.registers) {
    const warpRegisters = Math.ceil((code.registers * 32) / 256) * 256;
    bounds.push(["registers", Math.floor(Math.floor(limits.registers / warpRegisters) / Math.max(1, code.threads / 32))]);
  }
  bounds.sort((a, b) => a[1] - b[1]);
  const blocks = bounds[0][1];
  return { blocks, by: bounds[0][0], share: (blocks * code.threads) / limits.threads };
}

function makeCountersPanel() {
  const { code } = app.view;
  if (!code.threads) return el("p", { class: "note" }, "There is no code for a GPU here.");
  const limits = { blocks: 32, threads: 2048, registers: 65536, shared: /sm_8[69]/.test(code.target || "") ? 100 * 1024 : /sm_80/.test(code.target || "") ? 164 * 1024 : 228 * 1024 };
  const occupancy = occupancyOf(code, limits);
  const rows = [["threads of a program", code.threads], ["warps that compute", code.warps], ["stages of the pipeline", code.stagesTaken],
    ["shared memory, bytes", code.sharedBytes], ["registers of a thread", code.registers || "not known: no assembler here"],
    ["spilled bytes of a thread", code.registers ? code.spilledBytes : "not known"],
    ["programs on a multiprocessor", code.registers ? `${occupancy.blocks}, limited by ${occupancy.by}` : `at most ${occupancy.blocks}, by ${occupancy.by}`],
    ["occupancy", `${code.registers ? "" : "at most "}${Math.round(100 * occupancy.share)} %`]];
  return el("section", {}, el("h2", {}, "what a program takes"), el("table", { class: "cost" }, rows.map(([name, value]) => el("tr", {}, el("th", {}, name), el("td", { class: "number" }, String(value))))));
}
