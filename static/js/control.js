// A page of the administration: its websocket says that something is new, and the page asks for its live part. lobby.js
// keeps the websocket.
import "./lobby.js";
import { whenLetGo } from "./press.js";

const EVERY_MS = 2000;
const ANYWAY_MS = 15000;
const control = document.getElementById("control");
const part = () => document.getElementById("live");
const news = () => document.getElementById("signal").dataset.news;
let asked = Date.now();
let timer;
let known;
let said = "";

async function ask() {
  timer = undefined;
  if (document.visibilityState !== "visible") return;
  asked = Date.now();
  const here = new URL(location.pathname === "/admin/" ? "/admin/live/" : location.href, location.href);
  here.searchParams.set("part", "live");
  const answer = await fetch(here, { headers: { "HX-Request": "true" } }).catch(() => undefined);
  // Who was logged out, or may not look at it any more, is told so by the whole page.
  if (answer?.redirected || answer?.status === 403 || answer?.status === 404) return location.reload();
  if (!answer?.ok) return later();
  const text = await answer.text();
  whenLetGo(() => {
    Idiomorph.morph(part(), text);
    say(said);
  });
}

function later() {
  timer ??= setTimeout(ask, Math.max(0, asked + EVERY_MS - Date.now()));
}

function heard() {
  if (news() === known && Date.now() - asked < ANYWAY_MS) return;
  known = news();
  later();
}

function say(words) {
  said = words;
  const state = document.getElementById("live-state");
  if (!state) return;
  state.textContent = words;
  state.classList.toggle("off", words !== "live");
}

if (control) {
  document.addEventListener("htmx:wsOpen", () => {
    say("live");
    if (known !== undefined) later(); // it has been away
  });
  document.addEventListener("htmx:wsClose", () => say("not live: waiting for the server"));
  document.addEventListener("htmx:wsAfterMessage", heard);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && later());
}
