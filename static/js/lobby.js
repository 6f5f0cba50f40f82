// The websocket of home, wall, rooms and the administration: it comes back whatever the close, and the page says so while
// it is away.
// A room's says only that something has changed: the page then asks what.
import { received } from "./press.js";
import { _ } from "./words.js";

const main = document.querySelector("[data-lobby]");
const net = document.getElementById("net");
const NO_RETRY = [4401, 4403, 4404];
const SILENT_MS = 25000;
const AGAIN_MS = 5000;
// A shorter loss is not worth a word.
const LOST_MS = 2000;
let socket, wrapper, heard, lost;

function connect(url) {
  const made = new WebSocket(url);
  if (url.endsWith(main.getAttribute("ws-connect"))) socket = made;
  return made;
}

function closed(event) {
  const { code, target } = event.detail.event;
  if (target !== socket) return;
  there = false;
  main.dataset.lobby = "paused";
  main.style.setProperty("--paused", JSON.stringify(` · ${_("paused")}`));
  if (NO_RETRY.includes(code)) return;
  lost ??= setTimeout(banner, LOST_MS, _("Connection lost. Trying again …"));
  // The extension itself comes back after these only.
  if (![1006, 1011, 1012, 1013].includes(code)) setTimeout(again, 1000 + 2000 * Math.random());
}

function banner(words) {
  net?.replaceChildren(words);
  net?.toggleAttribute("hidden", !words);
}

function opened(event) {
  if (event.target !== main) return;
  clearTimeout(lost);
  lost = undefined;
  banner("");
  release();
  heard = Date.now();
  main.dataset.lobby = "";
  wrapper = event.detail.socketWrapper;
}

function hear(event) {
  heard = Date.now();
  if (event.target === main) received(event, socket);
}

// Other messages only say that the server is there.
function told(event) {
  if (event.detail.message.includes('id="nudge"')) htmx.trigger(document.body, "nudge");
}

const again = () => socket.readyState > WebSocket.OPEN && wrapper?.reconnect();

// A socket that looks alive and says nothing: nobody else would notice its end. Where none gets through, a room asks.
function watch() {
  if (socket?.readyState === WebSocket.OPEN && Date.now() - heard > SILENT_MS) socket.close(4408);
  if (lost) htmx.trigger(document.body, "nudge");
}

// Whoever comes back to the page wants to know now.
function awake() {
  if (document.hidden || !socket) return;
  again();
  watch();
}

// Without a server the browser would leave for an error page of its own: what was pressed waits here until it is back. It
// may answer where no socket gets through.
let held, there;
async function hold(event) {
  event.preventDefault();
  held = event.submitter;
  there = await fetch("/healthz", { signal: AbortSignal.timeout(AGAIN_MS) }).then(() => true, () => false);
  if (there) return release();
  clearTimeout(lost);
  if (held) banner(_("The server does not answer. Your move is sent as soon as it does."));
}

// Once: whoever comes back to this page has begun no other match.
function release() {
  const pressed = held;
  held = undefined;
  pressed?.form.requestSubmit(pressed);
}

// A double click begins one match, not two. Who stopped the way there, on a slow line, may press again.
let begun = 0;
function begin(event) {
  if (lost && !there && !navigator.serviceWorker?.controller) return hold(event);
  if (Date.now() - begun < AGAIN_MS) return event.preventDefault();
  begun = Date.now();
}

if (main) {
  document.getElementById("board")?.addEventListener("submit", begin);
  addEventListener("pageshow", () => (begun = 0));
  htmx.createWebSocket = connect;
  htmx.config.wsReconnectDelay = (tries) => Math.min(30000, 1000 * 2 ** tries) * (0.5 + Math.random() / 2);
  document.addEventListener("htmx:wsOpen", opened);
  document.addEventListener("htmx:wsClose", closed);
  document.addEventListener("htmx:wsBeforeMessage", hear);
  document.addEventListener("htmx:wsAfterMessage", told);
  document.addEventListener("visibilitychange", awake);
  addEventListener("online", awake);
  setInterval(watch, 5000);
  addEventListener("pageshow", (event) => event.persisted && wrapper?.reconnect());
}
