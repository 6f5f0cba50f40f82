// Buttons with data-copy put that text (an address becomes a whole one) into the clipboard and say so, in the passing
// line in which the server answers as well.
import { _ } from "./words.js";

let timer;

// Looked up each time: the server replaces it to say something itself.
const toast = () => document.getElementById("toast");

export function say(words) {
  toast().textContent = words;
  pass();
}

// It goes when it has been read.
function pass() {
  clearTimeout(timer);
  timer = setTimeout(() => (toast().textContent = ""), Math.max(3000, 100 * toast().textContent.length));
}

// navigator.clipboard exists only on https and localhost; a classroom server is often neither.
function copySelected(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const told = button.dataset.copy;
  const text = told.startsWith("/") ? new URL(told, location.href).href : told;
  const done = await (navigator.clipboard?.writeText(text).then(() => true, () => false) ?? copySelected(text));
  button.focus();
  say(done ? button.dataset.copied ?? _("Copied") : _("Copy this: {text}", { text }));
});
document.addEventListener("htmx:oobAfterSwap", ({ detail }) => detail.target.id === "toast" && pass());
