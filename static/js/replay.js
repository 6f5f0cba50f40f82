// Stepping through a match in place; without this file each step is a whole page.
import { say } from "./copy.js";
import { tell } from "./say.js";
import { _ } from "./words.js";

const main = document.querySelector("main[data-match]");
const address = main && `/m/${main.dataset.match}/`;
// As pages keep numbers; a board that is live shows no number.
let drawn = main?.dataset.mode === "past" ? main.dataset.ply : "Infinity";
let asking, playing;

const total = () => Number(document.getElementById("live").dataset.ply);
const shown = () => (main.dataset.mode === "past" ? Number(main.dataset.ply) : total());

function label() {
  const at = shown();
  for (const place of document.querySelectorAll(".shown")) {
    const newest = at === total() ? (document.getElementById("live").dataset.status === "ended" ? _("end") : _("live"))
      : _("of {n}", { n: total() });
    place.innerHTML = `${_("Move {n}", { n: at })} <b>${newest}</b>`;
  }
  const off = { first: !at, back: !at, forward: at >= total(), last: at >= total() };
  for (const button of document.querySelectorAll("[data-by]")) button.ariaDisabled = off[button.dataset.by] || null;
  for (const row of document.querySelectorAll("#moves [aria-current]")) row.ariaCurrent = null;
  const row = document.querySelector(`#m-${at} a`);
  if (main.dataset.mode !== "past" || !row) return;
  row.ariaCurrent = "step";
  // Not scrollIntoView: that scrolls the page as well.
  const list = document.getElementById("moves");
  const from = row.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (from < 0 || from > list.clientHeight - row.offsetHeight) list.scrollTop += from - list.clientHeight / 2;
}

function put(ply) {
  const isPast = ply < total();
  Object.assign(main.dataset, { ply, mode: isPast ? "past" : "live" });
  history.replaceState(null, "", isPast ? `${address}?ply=${ply}` : address);
  label();
}

export function go(ply) {
  if (main.dataset.mode === "live") main.dataset.since = total();
  main.dataset.way = ply < shown() ? "back" : "";
  put(Math.max(0, ply));
  return (asking ??= ask());
}

// One question at a time: what was pressed meanwhile comes next. Only what comes is shown.
async function ask() {
  let ply;
  while (ply !== (ply = main.dataset.ply)) {
    const from = main.dataset.mode === "past" ? `board/?ply=${ply}` : "live/?have=0";
    const headers = { "HX-Request": true, "Arena-Language": document.documentElement.lang };
    const parts = await fetch(address + from, { headers }).then((answer) => answer.ok && answer.text()).catch(() => {});
    if (parts) {
      htmx.swap(main, parts, { swapStyle: "none" });
      drawn = ply;
      tell("say", document.querySelector(`#m-${ply} a`)?.innerText ?? _("Move {n}", { n: ply }));
    } else {
      press();
      say(_("Not loaded."));
      put(ply = drawn);
    }
    label();
    // A closed card does not hear it.
    htmx.trigger(htmx.find("[open] #thoughts") ?? main, "arena:ply");
  }
  asking = null;
}

// Another object each time: what was stopped does not go on beside it.
function press(now) {
  playing = now;
  for (const button of document.querySelectorAll("[data-by=play]")) button.ariaPressed = !!now;
}

// So many moves a second, the next one only when this one is drawn; the speed may change meanwhile.
async function play() {
  if (playing) return press();
  const now = {};
  press(now);
  if (shown() >= total()) await go(0);
  while (playing === now && shown() < total()) {
    await new Promise((done) => setTimeout(done, 1000 / document.getElementById("speed").value));
    if (playing === now) await go(shown() + 1);
  }
  if (playing === now) press();
}

const acts = {
  first: () => go(0),
  back: () => go(shown() - 1),
  forward: () => go(shown() + 1),
  last: () => go(total()),
  play,
  link: (button) => {
    const shared = new URL(button.dataset.copy, location.href);
    shared.searchParams.set("ply", shown());
    button.dataset.copy = shared;
    button.dataset.copied = _("Link to move {n} copied", { n: shown() });
  },
};

export function act(name, element) {
  if (element?.hasAttribute("aria-disabled")) return;
  if (name !== "play") press();
  acts[name](element);
}

// Captured: copy.js reads what `link` writes.
function clicked(event) {
  const step = event.target.closest("[data-by], [data-step], [data-go=live]");
  if (!step || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (step.dataset.by !== "link") event.preventDefault();
  if (step.dataset.by) return act(step.dataset.by, step);
  press();
  go(Number(step.dataset.step ?? total()));
}

if (main) {
  document.addEventListener("click", clicked, true);
  document.addEventListener("htmx:wsAfterMessage", label);
  label();
}
