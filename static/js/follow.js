// From a match that is over to the next one in its room, to which players are led.
import { open } from "./menu.js";

const main = document.querySelector("main[data-match]");
const next = () => document.getElementById("goto");
const written = () => document.getElementById("chat-say");
// Within this time after a page was restored, the socket tells what it has missed.
const BACK_MS = 5000;
// Where this tab was led and has not come, for there was no server. Without a store nothing is known of that.
const tab = (() => { try { return sessionStorage; } catch { return {}; } })();
if (tab.led === location.href) {
  delete tab.led;
  addEventListener("load", goOnWriting);
}
let known = tab.led === next()?.href ? "" : next()?.href;
let leaves = false;
let isBack = false;

export function follow() {
  const { href, dataset } = next() ?? {};
  // Who opened an earlier round, or went back to it, wants to look at it.
  if (leaves || isBack && href !== tab.led) known = href;
  if (dataset?.go !== "seats" || !main.dataset.seat || href === known) return;
  leaves = true;
  tab.written = written()?.value ?? "";
  location.assign(tab.led = href);
}

// What was being written to the other player is not lost on the way.
function goOnWriting() {
  if (!tab.written || !open("chat") || !written()) return;
  written().value = tab.written;
  written().focus({ preventScroll: true });
}

// What was pressed leads where the socket does: going there twice would be two steps back.
function redirected(event) {
  if (!event.detail.xhr.getResponseHeader("HX-Redirect")) return;
  if (leaves) event.preventDefault();
  leaves = true;
}

if (main?.hasAttribute("ws-connect")) {
  document.addEventListener("htmx:beforeOnLoad", redirected);
  // Who presses something was stopped on the way.
  addEventListener("submit", () => (leaves = false));
  addEventListener("pagehide", () => {
    leaves = false;
    isBack = true;
  });
  addEventListener("pageshow", () => setTimeout(() => (isBack = false), BACK_MS));
}
