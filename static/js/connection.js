// The connection of a match page, its loss and its return.
import { _, _n } from "./words.js";

const main = document.querySelector("main[data-match]");
const net = document.getElementById("net");
const live = () => document.getElementById("live").dataset;
const FINAL = {
  4401: _("You are logged out."), 4403: _("This match is private."), 4404: _("There is no such match."),
};
const AGAIN = ` <button class="btn sm">${_("Try now")}</button>`;
const RESTARTS = _("The server is restarting. The match continues where it stopped.");
// The extension comes back after these only.
const RETRIED = [1006, 1011, 1012, 1013];
const SILENT_MS = 25000;
let socket, wrapper;
let heard = Date.now();
let lostAt = 0;
let seen = 0;
let final = false;
let refused = 0;

export const away = () => socket?.readyState !== WebSocket.OPEN;
const running = () => live().status !== "ended";
export const asks = () => lostAt && !final && !document.hidden;

function connect(url) {
  // Other parts have their own.
  if (!url.includes(`/ws/m/${main.dataset.match}/?`)) return new WebSocket(url);
  socket = new WebSocket(`${url}&have=${live().seq}&seat=${main.dataset.seat}`);
  return socket;
}

function banner(words, more = "") {
  if (net.dataset.words === words) return;
  net.dataset.words = words;
  net.innerHTML = words + more;
  net.hidden = !words;
}

function opened(event) {
  if (event.target !== main) return;
  wrapper = event.detail.socketWrapper;
  // sending.js keeps what was pressed meanwhile.
  wrapper.queue.length = 0;
  heard = Date.now();
  if (!lostAt) return;
  const quiet = Date.now() - lostAt < 2000;
  lostAt = 0;
  // No more is missed.
  socket.addEventListener("message", () => {
    const missed = live().ply - seen;
    const words = missed > 0 ? _n("You missed {n} move.", "You missed {n} moves.", missed) : _("Nothing missed.");
    banner(quiet ? "" : `${_("Connected again.")} ${words}`);
    setTimeout(() => lostAt || banner(""), 4000);
  }, { once: true });
}

function lose() {
  if (lostAt) return;
  lostAt = Date.now();
  seen = live().ply;
  document.dispatchEvent(new CustomEvent("arena:lost"));
}

function closed(event) {
  const { code, target } = event.detail.event;
  if (event.target !== main || target !== socket) return;
  // Once: a login's cookie may be on its way.
  if (FINAL[code] && (code !== 4401 || !main.dataset.seat || refused++)) {
    final = true;
    return banner(FINAL[code], code === 4401 ? ` <a href="/login/?next=${location.pathname}">${_("Log in again")}</a>` : "");
  }
  lose();
  if (code === 1012) {
    banner(RESTARTS);
    for (const clock of document.querySelectorAll(".clock")) delete clock.dataset.running;
  }
  if (!RETRIED.includes(code)) setTimeout(reconnect, 500 + 1000 * Math.random());
}

function reconnect() {
  if (!final && socket?.readyState > WebSocket.OPEN) wrapper?.reconnect();
}

// It looks alive and says nothing.
function renew() {
  lose();
  heard = Date.now();
  socket.close(4408);
}

function watch() {
  if (final) return;
  if (running() && !away() && Date.now() - heard > SILENT_MS) renew();
  if (!lostAt || net.dataset.words === RESTARTS) return;
  const gone = Date.now() - lostAt;
  const mine = main.dataset.seat && running() && document.querySelector("#p-near .clock[data-running]");
  // In steps: it is read aloud.
  const left = Math.ceil((Number(main.dataset.grace ?? 0) * 1000 - gone) / 10000) * 10;
  const lost = running() && left > 0 ? _("You lose the match if it is not back within {n} s.", { n: left }) : "";
  const said = (...words) => words.filter(Boolean).join(" ");
  if (gone > 20000) banner(said(_("Still no connection."), mine && _("Your clock runs on the server."), lost), AGAIN);
  else if (gone > 2000) banner(said(_("Connection lost. Trying again …"), mine && _("Your clock still runs."), lost));
}

function awake() {
  if (document.hidden) return;
  if (away()) reconnect();
  else if (Date.now() - heard > SILENT_MS) renew();
}

// From the way back, its socket is lost.
function shown(event) {
  if (!event.persisted) return;
  lose();
  if (away()) reconnect();
  else renew();
}

if (main?.hasAttribute("ws-connect")) {
  htmx.createWebSocket = connect;
  htmx.config.wsReconnectDelay = (tries) => Math.min(8000, 500 * 2 ** tries) * (0.5 + Math.random() / 2);
  document.addEventListener("htmx:wsBeforeMessage", (event) => event.target === main && (heard = Date.now()));
  document.addEventListener("htmx:wsOpen", opened);
  document.addEventListener("htmx:wsClose", closed);
  document.addEventListener("visibilitychange", awake);
  addEventListener("online", reconnect);
  net.addEventListener("click", reconnect);
  addEventListener("pageshow", shown);
  setInterval(watch, 1000);
}
