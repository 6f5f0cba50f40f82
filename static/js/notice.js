// Whose turn it is, for somebody who looks elsewhere: title and icon of the tab, and, once they were asked for by a click,
// a sound, a buzz and a notification. At the end the title says how it went.
import { set } from "./prefs.js";
import { _ } from "./words.js";

const live = document.querySelector("#live:not([data-status=ended])");
const main = live && document.querySelector("main[data-match][data-seat]:not([data-seat=''])");
const board = document.getElementById("board");
const icon = document.querySelector("link[rel=icon]");
const usual = { title: document.title, icon: icon?.href };
const can = "Notification" in window;
const mine = () => document.getElementById("status").classList.contains("accent");
const ending = () => document.querySelector("#status .headline h2")?.textContent;
let before = main && mine();
let held = false;
let over;

function show() {
  const words = ending() ?? (mine() ? _("Your turn") : "");
  document.title = words ? `${words} · ${usual.title}` : usual.title;
  if (icon) icon.href = mine() ? main.dataset.turnIcon : usual.icon;
}

function call() {
  if (!document.hidden) return;
  navigator.vibrate?.(200);
  // Without permission, nothing is shown.
  try {
    const notice = new Notification(_("Your turn"), { body: usual.title, icon: main.dataset.turnIcon, tag: main.dataset.match });
    notice.addEventListener("click", () => (focus(), notice.close()));
  } catch {} // where there are none, or only a service worker may show one
}

function heard() {
  show();
  if (mine() && !before) call();
  before = mine();
  // What had the focus is gone, such as an answered offer, or Resign after the end: keys go on from the board.
  const at = document.activeElement;
  if (held && (at === document.body || !at.checkVisibility())) board.focus({ preventScroll: true });
  // Board and result are one screen; Resign may be far below.
  if (!over && (over = ending())) scrollTo(0, 0);
}

// Asked once: a person who has answered is not asked again.
function offer() {
  for (const button of document.querySelectorAll("[data-notify]")) button.hidden = !can || Notification.permission !== "default";
}

if (main) {
  show();
  offer();
  addEventListener("htmx:wsBeforeMessage", () => (held = document.activeElement.closest("#board, #status, #offers, .actions")));
  addEventListener("htmx:wsAfterMessage", heard);
  document.addEventListener("click", async (event) => {
    if (!event.target.closest("[data-notify]")) return;
    set("sound", "on");
    await Notification.requestPermission();
    offer();
  });
}
