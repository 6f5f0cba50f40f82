// The websocket of a match page: what to let in, when to ask again, how to come back, what to say.
// State comes as whole pictures; `seq` and `base` of #live say whether a message fits what is here.
const main = document.querySelector("main[data-match]");
const byId = (id) => document.getElementById(id);
const live = () => byId("live").dataset;
const FINAL = { 4401: "You are logged out. Log in again.", 4403: "This match is private.", 4404: "There is no such match." };
const knownFollower = byId("goto")?.href;
let socket, wrapper;
let heard = Date.now();
let fromSocket = false;
let lostAt = 0;
let plyWhenLost = 0;
let asking = false;
let sending;

// -- what comes in --

function admit(event) {
  heard = Date.now();
  fromSocket = true;
  const text = event.detail.message;
  const [, seq, base] = text.match(/^<div id="live" data-seq="(\d+)" data-base="(\d+)"/) ?? [];
  if (seq === undefined) return;
  const have = Number(live().seq);
  if (base <= have && seq >= have) return;
  event.preventDefault();
  fromSocket = false;
  if (base > have) resync();
}

async function resync() {
  if (asking) return;
  asking = true;
  await htmx.ajax("GET", `/m/${main.dataset.match}/live/?have=${live().seq}`, { source: main, swap: "none" });
  asking = false;
}

function placed(event) {
  const { target, fragment } = event.detail;
  // What replay.js asks for is let in; what the socket or a resync brings is not, while someone looks back.
  const past = (fromSocket || asking) && main.dataset.mode === "past";
  if (past && ["pieces", "controls", "reader", "status"].includes(target.id)) event.detail.shouldSwap = false;
  // The same choice as before: what is being chosen, and what has focus, stays.
  if (target.id === "controls" && fragment.querySelector?.("#controls")?.dataset.key === target.dataset.key) event.detail.shouldSwap = false;
  // Appended rows that are here already; the whole list comes as it is.
  if (target.id !== "moves" || fragment.querySelector("#moves")) return;
  for (const row of fragment.querySelectorAll("li")) if (byId(row.id)) row.remove();
}

function taken() {
  fromSocket = false;
  speak();
  follow();
  const missed = byId("missed");
  const news = live().ply - main.dataset.since;
  if (missed && news > 0) missed.textContent = `(${news} new)`;
  if (!byId("controls").classList.contains("sending")) clearTimeout(sending);
  const moves = byId("moves");
  if (main.dataset.mode === "live") moves.scrollTop = moves.scrollHeight;
}

function speak() {
  const next = byId("say-next");
  const { say = "", alert = "" } = next.dataset;
  delete next.dataset.say;
  delete next.dataset.alert;
  if (alert) {
    byId("alert").textContent = alert;
    sent();
  }
  if (say && (main.dataset.seat || document.documentElement.dataset.aloud)) byId("say").textContent = say;
}

function follow() {
  const next = byId("goto");
  // Whoever opened an earlier round while a later one runs wants to look at it.
  if (next?.dataset.go === "seats" && main.dataset.seat && next.href !== knownFollower) location.assign(next.href);
}

// -- what goes out --

function send(event) {
  const { parameters, triggeringEvent } = event.detail;
  const controls = byId("controls");
  const form = event.target;
  if (controls.classList.contains("sending") || !parameters.move) return refuse(event);
  controls.classList.add("sending");
  document.activeElement?.closest?.("#controls button")?.setAttribute("aria-busy", "true");
  sending = setTimeout(() => {
    const said = byId("status").querySelector(".said");
    if (said) said.textContent = "Sending your move …";
  }, 400);
  if (socket?.readyState === WebSocket.OPEN) return;
  refuse(event);
  triggeringEvent?.preventDefault();
  htmx.ajax("POST", form.action, { source: form, swap: "none", values: parameters }).finally(sent);
}

function refuse(event) {
  event.preventDefault();
  event.detail.triggeringEvent?.preventDefault();
}

function sent() {
  clearTimeout(sending);
  byId("controls").classList.remove("sending");
  for (const button of document.querySelectorAll("#controls [aria-busy]")) button.removeAttribute("aria-busy");
}

// -- coming back --

function connect(url) {
  socket = new WebSocket(`${url}?have=${live().seq}`);
  return socket;
}

function banner(words, button) {
  const net = byId("net");
  net.replaceChildren(words);
  net.hidden = !words;
  if (!button) return;
  const again = Object.assign(document.createElement("button"), { className: "btn sm", type: "button", textContent: "Try now" });
  again.addEventListener("click", () => reconnect());
  net.append(again);
}

function opened(event) {
  wrapper = event.detail.socketWrapper;
  // What was pressed while offline is not played now: the board may be another one.
  wrapper.queue.length = 0;
  heard = Date.now();
  if (!lostAt) return;
  const quiet = Date.now() - lostAt < 2000;
  lostAt = 0;
  setTimeout(() => {
    const missed = live().ply - plyWhenLost;
    const words = missed > 0 ? `You missed ${missed} move${missed === 1 ? "" : "s"}.` : "Nothing missed.";
    banner(quiet ? "" : `Connected again. ${words}`);
    setTimeout(() => lostAt || banner(""), 4000);
  }, 600);
}

function closed(event) {
  const { code, target } = event.detail.event;
  if (target !== socket) return;
  sent();
  if (FINAL[code]) return banner(FINAL[code]);
  lostAt ||= Date.now();
  plyWhenLost = live().ply;
  if (code === 1012) banner("The server is restarting. The match continues where it stopped.");
  // The extension itself comes back after 1006, 1011, 1012 and 1013 only.
  if (![1006, 1011, 1012, 1013].includes(code)) setTimeout(reconnect, 500 + 1000 * Math.random());
}

function reconnect() {
  if (socket && socket.readyState > WebSocket.OPEN) wrapper?.reconnect();
}

function watch() {
  const running = live().status !== "ended";
  if (running && !lostAt && Date.now() - heard > 25000) {
    lostAt = Date.now();
    plyWhenLost = live().ply;
    wrapper?.reconnect();
  }
  if (!lostAt || byId("net").textContent.startsWith("The server")) return;
  const gone = Date.now() - lostAt;
  const clock = main.dataset.seat && running ? " Your clock runs on the server." : "";
  if (gone > 20000) banner(`Still no connection.${clock} `, true);
  else if (gone > 2000) banner("Connection lost. Trying again …");
}

function awake() {
  if (document.visibilityState === "visible" && (lostAt || Date.now() - heard > 25000)) wrapper?.reconnect();
}

if (main?.hasAttribute("ws-connect")) {
  htmx.createWebSocket = connect;
  htmx.config.wsReconnectDelay = (tries) => Math.min(8000, 500 * 2 ** tries) * (0.5 + Math.random() / 2);
  document.addEventListener("htmx:wsBeforeMessage", admit);
  document.addEventListener("htmx:oobBeforeSwap", placed);
  document.addEventListener("htmx:wsAfterMessage", taken);
  document.addEventListener("htmx:wsConfigSend", send);
  document.addEventListener("htmx:wsOpen", opened);
  document.addEventListener("htmx:wsClose", closed);
  document.addEventListener("visibilitychange", awake);
  addEventListener("online", reconnect);
  addEventListener("pageshow", (event) => event.persisted && wrapper?.reconnect());
  setInterval(watch, 1000);
  byId("moves").scrollTop = byId("moves").scrollHeight;
}
