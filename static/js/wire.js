// The wire of a bot on the match page: read along, follow, filter, copy, back to the beginning.
import { _ } from "./words.js";

const MOST_ROWS = 300;
const main = document.querySelector("main[data-match]");
const wires = document.querySelector(".wires");
const scroller = (live) => live.querySelector(".wire-scroll");
const list = (live) => live.querySelector(".wire");
// The list stands upside down, so that its newest line stays where it is: scrolled up is less than nothing.
const isFollowed = (live) => scroller(live).scrollTop > -8;
const waiting = new WeakMap();

function load(card) {
  if (card?.open && !card.querySelector(".wire-live, .empty")) htmx.trigger(card, "arena:open");
}

function show(live) {
  const count = waiting.get(live) ?? 0;
  const jump = live.querySelector("[data-jump]");
  jump.hidden = !count;
  jump.textContent = _("Jump to the newest ({count})", { count });
  live.querySelector("[data-follow]").checked = isFollowed(live);
}

function toNewest(live) {
  scroller(live).scrollTop = 0;
  waiting.delete(live);
  show(live);
}

// Rows that came while nobody looks at the newest are counted; rows beyond the 300th leave at the other end.
function grown(event) {
  const live = event.target.closest?.(".wire-live");
  if (!live || !event.detail.message.includes("<li ")) return;
  const rows = list(live).children;
  if (isFollowed(live)) {
    while (rows.length > MOST_ROWS) rows[0].remove();
  } else {
    waiting.set(live, (waiting.get(live) ?? 0) + event.detail.message.match(/<li /g).length);
  }
  earlier(live);
  show(live);
}

function earlier(live) {
  const first = Number(list(live).firstElementChild?.dataset.n ?? 1);
  let link = live.querySelector("[data-earlier]");
  if (first <= 1) return link?.remove();
  if (!link) {
    link = Object.assign(document.createElement("a"), { className: "btn sm", textContent: _("Show earlier") });
    link.dataset.earlier = "";
    list(live).before(link);
  }
  link.href = `/m/${main.dataset.match}/?tab=wire&seat=${live.dataset.wire}&before=${first}`;
}

async function showEarlier(live) {
  const first = list(live).firstElementChild.dataset.n;
  await htmx.ajax("GET", `/m/${main.dataset.match}/wire/${live.dataset.wire}/?before=${first}`, { target: list(live), swap: "afterbegin" });
  earlier(live);
  list(live).querySelector(`[data-n="${first}"]`)?.scrollIntoView({ block: "nearest" });
}

function filter(live, wanted) {
  live.dataset.filter = wanted;
  for (const link of live.querySelectorAll("[data-show]")) {
    if (link.dataset.show === wanted) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

// In the capture phase, because copy.js reads what is put here.
function clicked(event) {
  const live = event.target.closest(".wire-live");
  const to = event.target.closest("[data-show], [data-earlier], [data-jump], [data-take]");
  if (!live || !to || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (!("take" in to.dataset)) event.preventDefault();
  if (to.dataset.show) filter(live, to.dataset.show);
  else if ("earlier" in to.dataset) showEarlier(live);
  else if ("jump" in to.dataset) toNewest(live);
  else to.dataset.copy = [...list(live).children].filter((row) => row.offsetParent).map((row) => row.innerText.replace(/\s*\n\s*/g, " ")).join("\n");
}

function changed(event) {
  const live = event.target.closest("[data-follow]") && event.target.closest(".wire-live");
  if (!live) return;
  if (event.target.checked) toNewest(live);
  else scroller(live).scrollTop = -40;
}

// What was said for the move that is looked at.
function mark() {
  const ply = main.dataset.mode === "past" ? main.dataset.ply : undefined;
  for (const row of wires.querySelectorAll(".wire .now")) row.classList.remove("now");
  const rows = wires.querySelectorAll(`.wire [data-of="${ply}"]`);
  for (const row of rows) row.classList.add("now");
  if (rows[0]?.offsetParent) rows[0].scrollIntoView({ block: "nearest" });
}

if (main && wires) {
  const match = htmx.createWebSocket;
  htmx.createWebSocket = (url) => {
    const live = url.includes("/wire/") && wires.querySelector(`[data-wire="${url.match(/(\d)\/$/)[1]}"]`);
    if (!live) return match(url);
    return new WebSocket(`${url}?have=${list(live).lastElementChild?.dataset.n ?? 0}&language=${document.documentElement.lang}`);
  };
  document.addEventListener("arena:part", ({ detail }) => detail === "wire" && wires.querySelectorAll(".wire-card[open]").forEach(load));
  for (const card of wires.querySelectorAll(".wire-card")) card.addEventListener("toggle", () => load(card));
  document.addEventListener("htmx:wsAfterMessage", grown);
  document.addEventListener("click", clicked, true);
  document.addEventListener("change", changed);
  document.addEventListener("arena:ply", mark);
  wires.addEventListener("scroll", ({ target }) => {
    const live = target.closest?.(".wire-live");
    if (!live) return;
    if (isFollowed(live)) waiting.delete(live);
    show(live);
  }, true);
}
