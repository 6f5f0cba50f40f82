// The websocket of a match page: what to let in, when to ask again, what to say. connection.js keeps it, sending.js
// sends moves.
// State comes as whole pictures; `seq` and `base` of #live say whether a message fits what is here.
import { asks } from "./connection.js";
import { follow } from "./follow.js";
import { brief, tell } from "./say.js";
import { goOn, refused, settled } from "./sending.js";
import { _ } from "./words.js";

const main = document.querySelector("main[data-match]");
const byId = (id) => document.getElementById(id);
const live = () => byId("live").dataset;
const WATCHED_MOVES = 5;
let fromSocket = false;
let asking = false;
let isOld = false;
let absent;
let wasThere = false;
let shownStatus;
let said = [];
let unsaid = 0;

function admit(event) {
  if (event.target !== main) return;
  fromSocket = true;
  const text = event.detail.message;
  const [, seq, base] = text.match(/^<div id="live" data-seq="(\d+)" data-base="(\d+)"/) ?? [];
  const have = Number(live().seq);
  const [, newest] = text.match(/^<div id="hb" data-now="\d+" data-seq="(\d+)"/) ?? [];
  if (newest > have) resync();
  if (seq === undefined) return;
  // Who comes to a round for the first time is not back.
  absent = byId("main").querySelector(".player .dot.off")?.closest(".player").id;
  wasThere ||= !absent;
  if (base <= have && seq >= have) return;
  event.preventDefault();
  fromSocket = false;
  if (base > have) resync();
}

async function resync() {
  if (asking) return;
  asking = true;
  await htmx.ajax("GET", `/m/${main.dataset.match}/live/?have=${live().seq}&seat=${main.dataset.seat}`, { source: main, swap: "none" }).catch(() => {});
  asking = false;
}

// Where no socket gets through, this is how the page hears of anything.
async function ask() {
  if (!asks()) return;
  const { now } = live();
  await resync();
  if (live().now !== now) htmx.trigger(main, "htmx:wsAfterMessage");
}

// The clocks of the same sentence are true at another moment.
const sameWords = (html) => html.replace(/ data-(until|count|think)="\d+"/g, "").replace(/ hx-swap-oob="\w+"/, "");

function placed(event) {
  const { target, fragment } = event.detail;
  const next = fragment.querySelector?.(`#${target.id}`);
  const refuse = () => (event.detail.shouldSwap = false);
  // An answer that the socket has overtaken is older than the page: nothing of it is let in.
  if (target.id === "live" && Number(next?.dataset.seq) < Number(live().seq)) {
    isOld = true;
    queueMicrotask(() => (isOld = false));
  }
  if (isOld) refuse();
  // What replay.js asks for is let in; what the socket or a resync brings is not, while someone looks back.
  const past = (fromSocket || asking) && main.dataset.mode === "past";
  if (past && ["pieces", "controls", "reader", "status"].includes(target.id)) refuse();
  // The same choice as before: what is being chosen, and what has focus, stays.
  if (target.id === "controls" && next?.dataset.key === target.dataset.key) refuse();
  // The same card as before: what was opened in it stays open.
  if (target.id === "status" && event.detail.shouldSwap && target.classList.contains("result")) {
    const words = sameWords(next?.outerHTML ?? "");
    if (words === shownStatus) refuse();
    shownStatus = words;
  }
  // The same analysis as before: a page that was loaded with it has its styles, too.
  if (target.id === "analysis" && next?.textContent === target.textContent) refuse();
  // Why a bot failed stands here for who may read it.
  if (target.id === "why" && target.firstElementChild) refuse();
  // Appended rows that are here already; the whole list comes as it is.
  if (target.id !== "moves" || next) return;
  for (const row of fragment.querySelectorAll("li")) if (byId(row.id)) row.remove();
}

function taken(event) {
  if (event.target !== main) return;
  fromSocket = false;
  speak();
  follow();
  returned();
  goOn();
  const missed = byId("missed");
  const news = live().ply - main.dataset.since;
  if (missed && news > 0) missed.textContent = _("({n} new)", { n: news });
  for (const total of document.querySelectorAll("[data-total]")) total.textContent = live().ply;
  settled();
  const moves = byId("moves");
  if (main.dataset.mode === "live") moves.scrollTop = moves.scrollHeight;
}

function speak() {
  const next = byId("say-next");
  const { say = "", alert = "" } = next.dataset;
  delete next.dataset.say;
  delete next.dataset.alert;
  if (alert && refused(next.dataset.code)) return;
  if (alert) tell("alert", alert);
  if (say && (main.dataset.seat || wanted())) tell("say", say);
}

// Watchers are read moves when they asked for it; when they come faster than two in four seconds, every fifth.
function wanted() {
  if (document.documentElement.dataset.aloud !== "on") return false;
  const now = Date.now();
  said = [...said.filter((at) => now - at < 2000), now];
  unsaid = said.length > 1 ? unsaid + 1 : 0;
  return unsaid % WATCHED_MOVES === 0;
}

function returned() {
  const card = byId(absent);
  if (!wasThere || !card || card.querySelector(".dot.off")) return;
  const name = card.querySelector(".name b").textContent;
  absent = undefined;
  if (live().status !== "ended" && main.dataset.mode === "live") brief(_("{name} is back.", { name }));
}

if (main?.hasAttribute("ws-connect")) {
  document.addEventListener("htmx:wsBeforeMessage", admit);
  document.addEventListener("htmx:oobBeforeSwap", placed);
  document.addEventListener("htmx:wsAfterMessage", taken);
  // What is asked for says what was missed, the answer of a form its refusal.
  document.addEventListener("htmx:afterSettle", speak);
  byId("moves").scrollTop = byId("moves").scrollHeight;
  setInterval(ask, 4000);
}
