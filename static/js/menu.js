// The parts of the side card, the sheet and the keys: opened in place. Without this file the parts are addresses.
const parts = document.getElementById("parts");

export function open(part) {
  if (!parts?.querySelector(`[data-part="${part}"]`)) return false;
  parts.dataset.tab = part;
  for (const link of parts.querySelectorAll(".parts-bar a")) {
    link.ariaCurrent = link.dataset.to === part || null;
  }
  document.dispatchEvent(new CustomEvent("arena:part", { detail: part }));
  return true;
}

export function dialog(name) {
  for (const other of document.querySelectorAll("dialog[open]")) other.close();
  document.getElementById(name)?.showModal();
}

// The sheet's buttons press those of the form of offers, which knows the move that the reader has seen.
const offer = (kind) => document.querySelector(`#offer [name="offer"][value="${kind}"]`)?.click();

function ask() {
  const question = document.querySelector(".actions");
  question.open = true;
  question.querySelector("form:not([hidden]) button")?.focus();
}

// A question opens below what was pressed, on phones behind the bar at the bottom.
document.addEventListener("toggle", (event) => {
  if (event.target.matches(".actions[open]")) event.target.scrollIntoView({ block: "nearest" });
}, true);

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-to], [data-dialog], [data-ask], [data-keep], [data-offer]");
  const sheet = event.target.closest("dialog");
  if (event.target === sheet) return sheet.close(); // beside the sheet, on what lies behind it
  if (sheet?.id === "menu" && event.target.closest("a, button")) sheet.close();
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { to, dialog: name, ask: asks, offer: kind } = link.dataset;
  if (to === undefined && link.tagName === "A" && !("keep" in link.dataset)) return;
  event.preventDefault();
  if (to && open(to) && sheet) parts.scrollIntoView({ block: "start" });
  if (name) dialog(name);
  if (asks !== undefined) ask();
  if (kind) offer(kind);
});
