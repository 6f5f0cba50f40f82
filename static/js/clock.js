// Ticks what the server says. It ends no match: at zero it shows 0:00 until the server speaks.
// The offset is the least delayed of what #live and #hb told.
import { _n } from "./words.js";

const root = document.querySelector("main[data-match]");
let offset = -Infinity;
let told = "";
let before = 0;
let timer;

function listen() {
  for (const id of ["live", "hb"]) {
    const now = Number(document.getElementById(id)?.dataset.now);
    if (!now || told.includes(`${now},`)) continue;
    told = `${told.slice(-40)}${now},`;
    offset = Math.max(offset, now - Date.now());
  }
}

function text(ms, tenths) {
  if (tenths && ms < 10000) return (Math.floor(ms / 100) / 10).toFixed(1);
  const s = Math.floor(ms / 1000);
  const two = (n) => String(n).padStart(2, "0");
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

function put(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

const seconds = (n) => _n("{n} second left.", "{n} seconds left.", n);

// One's own is said as it reaches 30 and 10; the last ten seconds of both stand under the board.
function warn(clock, left) {
  if (!root.dataset.seat) return;
  const mine = clock.closest("#p-near");
  if (mine) {
    const due = [10, 30].find((s) => left <= s * 1000 && before > s * 1000);
    if (left > (due - 2) * 1000) put(document.getElementById("say"), seconds(due));
    before = left;
  }
  const low = document.querySelector(mine ? "[data-low]" : "[data-low-far]");
  if (!low) return;
  low.hidden = left >= 10000;
  if (mine) low.previousElementSibling.hidden = !low.hidden;
  put(low, low.hidden ? "" : seconds(Math.max(Math.floor(left / 1000), 0)));
}

// Nothing is done where nothing counts or nobody looks.
function tick() {
  clearTimeout(timer);
  if (offset === -Infinity) return;
  const now = Date.now() + offset;
  let next = Infinity;
  for (const clock of document.querySelectorAll(".clock[data-running]")) {
    const left = clock.dataset.left - Math.max(now - clock.dataset.at, 0);
    put(clock, left > 0 ? text(left, true) : "0:00");
    clock.classList.toggle("low", left < 10000);
    warn(clock, left);
    next = 100;
  }
  for (const element of document.querySelectorAll("[data-until]")) {
    const left = Math.max(element.dataset.until - now, 0);
    put(element, text(left));
    const soon = element.closest("[data-within]");
    const early = soon ? left - soon.dataset.within : 0;
    if (soon) soon.hidden = early > 0;
    if (left) next = Math.min(next, Math.max(early, 100));
  }
  for (const element of document.querySelectorAll("[data-think]")) {
    const spent = (now - element.dataset.think) / 1000;
    const late = element.closest(".late");
    if (late) [late.hidden, late.previousElementSibling.hidden] = [spent < 5, spent >= 5];
    put(element, late ? `${Math.max(spent, 0).toFixed(0)} s` : spent < 1 ? " …" : ` … ${spent.toFixed(1)} s`);
    next = 100;
  }
  document.dispatchEvent(new CustomEvent("arena:second"));
  if (!document.hidden && next < Infinity) timer = setTimeout(tick, next);
}

if (root) {
  document.addEventListener("htmx:wsOpen", () => (offset = -Infinity));
  for (const swapped of ["htmx:wsAfterMessage", "htmx:afterSettle", "htmx:wsOpen"]) {
    document.addEventListener(swapped, () => {
      listen();
      tick();
    });
  }
  for (const shown of ["visibilitychange", "arena:said"]) document.addEventListener(shown, tick);
  listen();
  tick();
}
