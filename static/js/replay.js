// Stepping through a match: links and keys fetch the board of a ply in place; without this file they are whole pages.
import { _ } from "./words.js";

const main = document.querySelector("main[data-match]");
const address = main && `/m/${main.dataset.match}/`;
const speed = document.getElementById("speed");
let playing;

const total = () => Number(document.getElementById("live").dataset.ply);
const shown = () => (main.dataset.mode === "past" ? Number(main.dataset.ply) : total());

function label() {
  const at = shown();
  const running = document.getElementById("live").dataset.status !== "ended";
  for (const place of document.querySelectorAll(".shown")) {
    const newest = at === total() ? (running ? _("live") : _("end")) : _("of {n}", { n: total() });
    place.innerHTML = `${_("Move {n}", { n: at })} <b>${newest}</b>`;
  }
  for (const step of document.querySelectorAll("[data-by]")) {
    const off = { first: at === 0, back: at === 0, forward: at >= total(), last: at >= total() }[step.dataset.by];
    if (off) step.setAttribute("aria-disabled", "true");
    else step.removeAttribute("aria-disabled");
  }
  for (const row of document.querySelectorAll("#moves [aria-current]")) row.removeAttribute("aria-current");
  const row = document.querySelector(`#m-${at} a`);
  if (main.dataset.mode !== "past" || !row) return;
  row.setAttribute("aria-current", "step");
  // Not scrollIntoView: that scrolls the page as well.
  const list = document.getElementById("moves");
  const from = row.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (from < 0 || from > list.clientHeight - row.offsetHeight) list.scrollTop += from - list.clientHeight / 2;
}

export async function go(ply) {
  const to = Math.max(0, Math.min(ply, total()));
  if (main.dataset.mode === "live") main.dataset.since = total();
  main.dataset.way = to < shown() ? "back" : "forward";
  main.dataset.ply = to;
  main.dataset.mode = to < total() ? "past" : "live";
  history.replaceState(null, "", address + (main.dataset.mode === "past" ? `?ply=${to}` : ""));
  label();
  const from = main.dataset.mode === "past" ? `${address}board/?ply=${to}` : `${address}live/?have=0`;
  await htmx.ajax("GET", from, { source: main, swap: "none" });
  label();
  document.dispatchEvent(new CustomEvent("arena:ply"));
}

function stop() {
  clearTimeout(playing);
  playing = undefined;
  for (const button of document.querySelectorAll("[data-by=play]")) button.setAttribute("aria-pressed", "false");
}

// So many moves a second, the next one only when this one is drawn; the speed may change meanwhile.
async function play() {
  if (playing) return stop();
  for (const button of document.querySelectorAll("[data-by=play]")) button.setAttribute("aria-pressed", "true");
  if (shown() >= total()) await go(0);
  const step = async () => {
    await go(shown() + 1);
    if (playing) next();
  };
  const next = () => (shown() < total() ? (playing = setTimeout(step, 1000 / (speed?.value ?? 1))) : stop());
  next();
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
    button.dataset.copy = shared.pathname + shared.search;
    button.dataset.copied = _("Link to move {n} copied", { n: shown() });
  },
};

export function act(name, element) {
  if (element?.hasAttribute("aria-disabled")) return;
  if (name !== "play") stop();
  acts[name](element);
}

// In the capture phase, because copy.js reads what `link` writes.
function clicked(event) {
  const step = event.target.closest("[data-by], [data-step], [data-go=live]");
  if (!step || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (step.dataset.by !== "link") event.preventDefault();
  if (step.dataset.by) return act(step.dataset.by, step);
  stop();
  go(step.dataset.step === undefined ? total() : Number(step.dataset.step));
}

if (main) {
  document.addEventListener("click", clicked, true);
  document.addEventListener("htmx:wsAfterMessage", label);
  label();
}
