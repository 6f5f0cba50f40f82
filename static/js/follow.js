// Leads players from a match that is over to the next one.
import { open } from "./menu.js";

const main = document.querySelector("main[data-match]");
const next = () => document.getElementById("goto");
const written = () => document.getElementById("chat-say");
// So soon after a page was restored, the socket tells what it has missed.
const BACK_MS = 5000;
// Where this tab was led and has not come, for there was no server. There may be no store.
const tab = (() => { try { return sessionStorage; } catch { return {}; } })();
if (tab.led === location.href) {
  delete tab.led;
  addEventListener("load", goOn);
}
let known = tab.led === next()?.href ? "" : next()?.href;
let leaves = false;
let isBack = false;

export function follow() {
  const { href, dataset } = next() ?? {};
  // Who opened an earlier round, or went back to it, may look at it.
  if (leaves || isBack && href !== tab.led) known = href;
  if (dataset?.go !== "seats" || !main.dataset.seat || href === known) return;
  location.assign(leave(href));
}

function leave(href) {
  leaves = true;
  tab.part = document.getElementById("parts").dataset.tab;
  tab.written = written()?.value ?? "";
  return tab.led = new URL(href, location).href;
}

// The chat stays open, and what was being written is not lost on the way.
function goOn() {
  if (!open(tab.part) || !tab.written || !written()) return;
  written().value = tab.written;
  written().focus({ preventScroll: true });
}

// What was pressed leads where the socket does: going there twice would be two steps back.
function redirected(event) {
  const href = event.detail.xhr.getResponseHeader("HX-Redirect");
  if (href && leaves) event.preventDefault();
  else if (href) leave(href);
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
