// Stepping through a match: links and keys fetch the board of a ply in place; without this file they are whole pages.
const main = document.querySelector("main[data-match]");
const address = main && `/m/${main.dataset.match}/`;
let playing;

const total = () => Number(document.getElementById("live").dataset.ply);
const shown = () => (main.dataset.mode === "past" ? Number(main.dataset.ply) : total());

function label() {
  const at = shown();
  const running = document.getElementById("live").dataset.status !== "ended";
  for (const place of document.querySelectorAll(".shown")) {
    const newest = at === total() ? (running ? "live" : "end") : `of ${total()}`;
    place.innerHTML = `Move ${at} <b>${newest}</b>`;
  }
  for (const step of document.querySelectorAll("[data-by]")) {
    const off = { first: at === 0, back: at === 0, forward: at >= total(), last: at >= total() }[step.dataset.by];
    if (off) step.setAttribute("aria-disabled", "true");
    else step.removeAttribute("aria-disabled");
  }
  for (const row of document.querySelectorAll("#moves [aria-current]")) row.removeAttribute("aria-current");
  const row = document.querySelector(`#m-${at} a`);
  if (main.dataset.mode === "past") row?.setAttribute("aria-current", "step");
  if (main.dataset.mode === "past") row?.scrollIntoView({ block: "nearest" });
}

export async function go(ply) {
  const to = Math.max(0, Math.min(ply, total()));
  if (main.dataset.mode === "live") main.dataset.since = total();
  main.dataset.way = to < shown() ? "back" : "forward";
  main.dataset.ply = to;
  main.dataset.mode = to < total() ? "past" : "live";
  const place = main.dataset.mode === "past" ? `?ply=${to}` : "";
  history.replaceState(null, "", address + place);
  label();
  const from = main.dataset.mode === "past" ? `${address}board/?ply=${to}` : `${address}live/?have=0`;
  await htmx.ajax("GET", from, { source: main, swap: "none" });
  label();
}

function stop() {
  clearInterval(playing);
  playing = undefined;
  for (const button of document.querySelectorAll("[data-by=play]")) button.setAttribute("aria-pressed", "false");
}

function play() {
  if (playing) return stop();
  for (const button of document.querySelectorAll("[data-by=play]")) button.setAttribute("aria-pressed", "true");
  if (shown() >= total()) go(0);
  playing = setInterval(() => (shown() < total() ? go(shown() + 1) : stop()), 1000);
}

const acts = {
  first: () => go(0),
  back: () => go(shown() - 1),
  forward: () => go(shown() + 1),
  last: () => go(total()),
  play,
  link: (button) => {
    button.dataset.copy = `${address}?ply=${shown()}`;
    button.dataset.copied = `Link to move ${shown()} copied`;
  },
};
const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play" };

function act(name, element) {
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

function pressed(event) {
  const busy = event.target.closest("input, textarea, select, button, a, [data-roving], #moves, dialog, summary");
  if (busy || event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
  event.preventDefault();
  act(keys[event.key]);
}

if (main) {
  document.addEventListener("click", clicked, true);
  document.addEventListener("keydown", pressed);
  document.addEventListener("htmx:wsAfterMessage", label);
  label();
}
