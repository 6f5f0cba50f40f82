// A projector: four boards at a time, the next four after a while. Space pauses, the arrows turn by hand; who wants no
// motion turns by hand only. The style sheet hides the other boards by `data-four`, so a message may redraw them all.
import "../lobby.js";
import { _ } from "../words.js";

const EVERY_MS = 15000;
const MOST_FOURS = 6;
const main = document.getElementById("main");
const button = document.getElementById("turning");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const until = document.getElementById("until");
let paused = still.matches;
let next;

const fours = () => Math.max(1, Math.min(MOST_FOURS, Math.ceil(main.querySelectorAll(".wall > li, .t-minis > a").length / 4)));

function turn(by) {
  main.dataset.four = (Number(main.dataset.four) + by + fours()) % fours();
}

function turnByHand(by) {
  turn(by);
  wait();
}

// The line at the lower edge fills until the boards change. Where all are shown nothing changes.
function wait() {
  clearTimeout(next);
  until.getAnimations().forEach((line) => line.cancel());
  if (paused) return;
  next = setTimeout(() => turnByHand(1), EVERY_MS);
  if (fours() > 1) until.animate({ scale: ["0 1", "1 1"] }, EVERY_MS);
}

function show() {
  wait();
  button.setAttribute("aria-pressed", paused);
  button.textContent = paused ? _("Resume") : _("Pause");
}

function pause() {
  paused = !paused;
  show();
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("a, button")) return;
  const act = { " ": pause, ArrowRight: () => turnByHand(1), ArrowLeft: () => turnByHand(-1) }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

// What the running side had left when its turn began, less what has passed since; by the time of the server, which the
// heartbeat tells.
let ahead = 0;
function tick() {
  const now = Number(document.getElementById("hb")?.dataset.now);
  if (now && now !== tick.told) [tick.told, ahead] = [now, now - Date.now()];
  for (const clock of main.querySelectorAll(".left[data-since]")) {
    const left = Math.max(0, Number(clock.dataset.left) - Math.max(0, Date.now() + ahead - Number(clock.dataset.since)));
    const s = Math.ceil(left / 1000);
    const words = `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
    if (clock.textContent !== words) clock.textContent = words;
  }
}

button.hidden = false;
button.addEventListener("click", pause);
document.addEventListener("keydown", pressed);
still.addEventListener("change", () => still.matches && !paused && pause());
// Matches end: the four that are shown may be there no more.
document.addEventListener("htmx:wsAfterMessage", () => turn(0));
setInterval(tick, 500);
show();
