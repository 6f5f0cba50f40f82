// The form of a new room: in a dialog where a link says data-dialog, and its link in the clipboard once there is one.
// Without this file the link leads to the page of the form, and the form is posted as any other.
import { say } from "./copy.js";
import { _ } from "./words.js";

const dialog = document.getElementById("dialog");
const body = document.getElementById("dialog-body");
const TOLD = "arena:told";
const headers = { "Arena-Language": document.documentElement.lang };
let sending = false;
// The room that there is already: the way to it was stopped.
let made;

const formOf = (html) => new DOMParser().parseFromString(html, "text/html").getElementById("new-room");

async function show(event) {
  const link = event.target.closest("a[data-dialog]");
  if (!link || !dialog || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const answer = await fetch(link.href, { headers }).catch(() => null);
  const form = answer?.ok && formOf(await answer.text());
  if (!form) return location.assign(link.href);
  body.replaceChildren(form);
  htmx.process(form);
  if (!dialog.open) dialog.showModal();
}

function hide(event) {
  if (!event.target.closest("[data-close]") || !dialog?.open) return;
  event.preventDefault();
  dialog.close();
}

// The one that its page offers: `localhost` is of no use to others.
async function link(answer) {
  return /data-copy="(http[^"]+)/.exec(await answer.text())?.[1] ?? answer.url;
}

async function copied(address) {
  try {
    await navigator.clipboard.writeText(address);
    sessionStorage.setItem(TOLD, _("Link copied"));
  } catch {
    // No clipboard without https: the room shows its link anyway.
  }
}

// A room is made in place, so that its link can be copied by the same click; any other answer is a page of its own.
// A button with a name only looks.
async function send(event) {
  const form = event.target.closest("#new-room");
  if (!form || form.method !== "post" || event.submitter?.name || event.submitter?.formMethod === "get") return;
  event.preventDefault();
  if (made) return location.assign(made);
  if (sending) return;
  sending = true;
  const answer = await fetch(form.action, { method: "POST", headers, body: new FormData(form) }).catch(() => null);
  if (answer?.redirected) {
    made = answer.url;
    if (new URL(made).pathname.startsWith("/r/")) await copied(await link(answer));
    return location.assign(made);
  }
  sending = false;
  if (!answer) {
    // There may be a room by now: to post the form again would make a second one.
    dialog?.close();
    return say(_("No answer came. Your room may be open already: look before you try again."));
  }
  const again = answer.status === 422 && formOf(await answer.text());
  if (!again) return form.submit();
  form.replaceWith(again);
  htmx.process(again);
  again.querySelector("[data-summary]")?.focus();
}

document.addEventListener("click", show);
document.addEventListener("click", hide);
document.addEventListener("submit", send);
addEventListener("pageshow", () => (sending = made = false));
try {
  const told = sessionStorage.getItem(TOLD);
  sessionStorage.removeItem(TOLD);
  if (told) say(told);
} catch {} // where nothing may be kept, there is nothing to tell
