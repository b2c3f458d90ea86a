// search.js: finds pages by the words of their titles, in the list that index.js brings; and folds the contents on a phone.
"use strict";

const up = document.body.dataset.up;
const input = document.getElementById("search"), found = document.getElementById("found");
let chosen = -1;

function rank([title, about], words) {
  const name = title.toLowerCase(), text = name + " " + about.toLowerCase();
  if (!words.every(word => text.includes(word))) return -1;
  if (name === words[0] || name === "tl." + words[0]) return 100;
  return (name.startsWith(words[0]) ? 20 : 0) + words.filter(word => name.includes(word)).length * 10 - name.length / 100;
}

function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.replaceChildren();
  chosen = -1;
  found.hidden = !words.length;
  if (!words.length) return;
  const best = window.siteIndex.map(entry => [rank(entry, words), entry]).filter(([value]) => value >= 0).sort((a, b) => b[0] - a[0]).slice(0, 20);
  for (const [, [title, about, address]] of best) {
    const link = document.createElement("a");
    link.href = up + address;
    link.textContent = title;
    if (about) link.appendChild(document.createElement("small")).textContent = about;
    found.appendChild(link);
  }
  if (!best.length) found.appendChild(document.createElement("a")).textContent = "nothing of that name";
}

function choose(step) {
  const links = [...found.querySelectorAll("a[href]")];
  if (!links.length) return;
  chosen = (chosen + step + links.length) % links.length;
  links.forEach((link, i) => link.classList.toggle("chosen", i === chosen));
  links[chosen].scrollIntoView({ block: "nearest" });
}

function start() {
  input.addEventListener("input", show);
  input.addEventListener("keydown", event => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter") {
      const link = found.querySelector("a.chosen") || found.querySelector("a[href]");
      if (link) location.href = link.href;
    } else if (event.key === "Escape") {
      input.value = "";
      show();
    }
  });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && document.activeElement !== input && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      input.focus();
    }
  });
  document.addEventListener("click", event => { if (!event.target.closest("header")) found.hidden = true; });
  if (matchMedia("(max-width: 820px)").matches) document.querySelector(".side").open = false;
  const here = document.querySelector(".side .here");
  if (here) here.parentElement.parentElement.parentElement.scrollTop = Math.max(0, here.offsetTop - 200);
}

start();
