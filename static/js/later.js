// What few readers need comes when it is asked for, and is then asked once more: a part of the page, what a button does.
export function bring(place, again) {
  const { script: src } = place?.dataset ?? {};
  if (!src) return;
  delete place.dataset.script;
  const missed = () => (place.dataset.script = src);
  document.head.append(Object.assign(document.createElement("script"), { type: "module", src, onload: again, onerror: missed }));
}

document.addEventListener("arena:part", ({ detail: part }) => {
  const told = () => document.dispatchEvent(new CustomEvent("arena:part", { detail: part }));
  bring(document.querySelector(`[data-part="${part}"][data-script]`), told);
});
// While somebody plays, nobody waits for what concerns them elsewhere.
addEventListener("load", () => bring(document.getElementById("challenges")));
document.addEventListener("click", ({ target }) => {
  const button = target.closest("button[data-script]");
  bring(button, () => button.click());
});
