// The websocket of home, wall and rooms: it comes back whatever the close, and the headings say so while it is away.
// A room's says only that something has changed: the page then asks what.
import { _ } from "./words.js";

const main = document.querySelector("main[data-lobby]");
const NO_RETRY = [4401, 4403, 4404];
let wrapper;

function closed(event) {
  main.dataset.lobby = "paused";
  main.style.setProperty("--paused", JSON.stringify(` · ${_("paused")}`));
  const { code } = event.detail.event;
  // The extension itself comes back after these four only.
  if ([1006, 1011, 1012, 1013, ...NO_RETRY].includes(code)) return;
  setTimeout(() => wrapper?.reconnect(), 1000 + 2000 * Math.random());
}

function opened(event) {
  main.dataset.lobby = "";
  wrapper = event.detail.socketWrapper;
}

// A double click begins one match, not two.
let begun = false;
function begin(event) {
  if (begun) event.preventDefault();
  begun = true;
}

if (main) {
  document.getElementById("board")?.addEventListener("submit", begin);
  addEventListener("pageshow", () => (begun = false));
  htmx.config.wsReconnectDelay = (tries) => Math.min(30000, 1000 * 2 ** tries) * (0.5 + Math.random() / 2);
  document.addEventListener("htmx:wsOpen", opened);
  document.addEventListener("htmx:wsClose", closed);
  document.addEventListener("htmx:wsAfterMessage", () => htmx.trigger(document.body, "nudge"));
  addEventListener("pageshow", (event) => event.persisted && wrapper?.reconnect());
}
