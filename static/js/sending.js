// A move on its way from a match page: sent once, and kept while the server is gone.
import { away } from "./connection.js";
import { brief, line, tell } from "./say.js";
import { _ } from "./words.js";

const byId = (id) => document.getElementById(id);
const isSending = () => byId("controls").classList.contains("sending");
const saysKept = () => _("Your move is kept: it is played when the match goes on.");
// How many moves the board is short of the position in which this one was pressed.
const early = (move) => move.parameters.ply - 1 - byId("live").dataset.ply;
let sending;
let pressed;
let kept;

function send(event) {
  const { parameters, triggeringEvent } = event.detail;
  const form = event.target;
  if (isSending() || !parameters.move) return refuse(event);
  byId("controls").classList.add("sending");
  const button = document.activeElement?.closest?.("#controls button");
  button?.setAttribute("aria-busy", "true");
  kept = undefined;
  pressed = { form, parameters, button };
  sending = setTimeout(() => line(_("Sending your move …")), 400);
  if (!away()) return;
  refuse(event);
  triggeringEvent?.preventDefault();
  post(pressed);
}

async function post(move) {
  const { form, parameters } = move;
  pressed = move;
  byId("controls").classList.add("sending");
  // 503: nothing can be stored just now, or nobody is there who could.
  let answered = false;
  form.addEventListener("htmx:afterRequest", ({ detail }) => (answered = ![0, 503].includes(detail.xhr.status)), { once: true });
  await htmx.ajax("POST", form.action, { source: form, swap: "none", values: parameters }).catch(() => {});
  if (answered) sent();
  else keep(move);
}

// The server is gone, or waits for somebody after a restart: the newest move that was pressed meanwhile is played when
// the match goes on, if the position is still the same.
function keep(move) {
  sent();
  pressed = undefined;
  move.button?.setAttribute("aria-busy", "true");
  // Once, however often nobody can store it.
  if (!move.told) tell("alert", saysKept());
  move.told = true;
  kept = move;
  line(saysKept());
}

// The server has told how the match stands: the position may be another now.
export function goOn() {
  if (!kept) return;
  const { status } = byId("live").dataset;
  if (status === "paused") return line(saysKept());
  const move = kept;
  kept = undefined;
  if (status === "running" && early(move) === 0) return post(move);
  sent();
  // Where the board has gone on, it was this move that was played.
  if (early(move) > 0) brief(_("The board has changed since your click. Look again, then move."));
}

// Whether what was refused is a move, which is kept then. An offer may be refused as well: of a move that was played,
// or is kept already, it says nothing.
export function refused(code) {
  const move = pressed;
  pressed = undefined;
  sent();
  const waits = code === "paused" && move && early(move) === 0;
  if (waits) keep(move);
  return waits;
}

export function settled() {
  if (!isSending()) clearTimeout(sending);
  // Who looks back kept the controls.
  if (pressed && early(pressed) < 0) pressed = sent();
}

function lost() {
  if (isSending()) keep(pressed);
}

function refuse(event) {
  event.preventDefault();
  event.detail.triggeringEvent?.preventDefault();
}

function sent() {
  clearTimeout(sending);
  byId("controls").classList.remove("sending");
  for (const button of document.querySelectorAll("#controls [aria-busy]")) button.ariaBusy = null;
}

if (document.querySelector("main[data-match][ws-connect]")) {
  document.addEventListener("htmx:wsConfigSend", send);
  document.addEventListener("arena:lost", lost);
}
