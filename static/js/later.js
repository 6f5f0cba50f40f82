// What only one part of a match page needs comes when that part is first opened; then it is told of that once more.
document.addEventListener("arena:part", ({ detail: part }) => {
  const place = document.querySelector(`[data-part="${part}"][data-script]`);
  if (!place) return;
  const src = place.dataset.script;
  delete place.dataset.script;
  const told = () => document.dispatchEvent(new CustomEvent("arena:part", { detail: part }));
  document.head.append(Object.assign(document.createElement("script"), { type: "module", src, onload: told }));
});
