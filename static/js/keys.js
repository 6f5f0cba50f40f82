// One table: what a key does on the match page, and what the help says of it.
import { dialog, open } from "./menu.js";
import { act } from "./replay.js";
import { _, _p } from "./words.js";

const focus = (element) => element?.focus();
// A board that has no sides is not turned.
const turner = document.querySelector("[data-turn-board]");
const KEYS = [
  ["ArrowLeft", "←", _("One move back"), () => act("back")],
  ["ArrowRight", "→", _("One move forward"), () => act("forward")],
  ["Home", _p("key", "Home"), _("The first position"), () => act("first")],
  ["End", _p("key", "End"), _("The newest position"), () => act("last")],
  [" ", _p("key", "Space"), _("Play the moves, or stop"), () => act("play")],
  ["b", "B", _("To the board"), () => focus(document.querySelector('#controls [tabindex="0"], #board :is(:checked, #take-n)') ?? document.getElementById("board"))],
  ["m", "M", _("To the moves"), () => open("moves") && focus(document.getElementById("moves"))],
  ["w", "W", _("To the bot log"), () => open("wire") && focus(document.querySelector(".wire-scroll, .wires summary"))],
  ...(turner ? [["f", "F", _("Turn the board"), () => turner.click()]] : []),
  ["?", "?", _("This list"), () => dialog("keys")],
];
const main = document.querySelector("main[data-match]");
const isLetter = (key) => key.length === 1 && key !== " ";
const letters = () => document.documentElement.dataset.keys !== "off";

function rows() {
  const usable = KEYS.filter(([key]) => letters() || !isLetter(key));
  document.getElementById("key-rows").replaceChildren(...usable.map(([, name, words]) => {
    const row = document.createElement("tr");
    row.innerHTML = `<th scope="row"><kbd>${name}</kbd></th><td>${words}</td>`;
    return row;
  }));
}

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  const letter = isLetter(event.key);
  const found = KEYS.find(([key]) => key === (letter ? event.key.toLowerCase() : event.key));
  const field = "input, textarea, select, dialog[open]";
  const busy = letter ? `${field}, #controls` : `${field}, button, a:not(.moves *), summary, #controls, [tabindex="0"]:not(.moves)`;
  if (!found || event.target.closest(busy) || (letter && !letters())) return;
  event.preventDefault();
  found[3]();
}

if (main) {
  rows();
  document.addEventListener("keydown", pressed);
  document.addEventListener("arena:preference", rows);
}
