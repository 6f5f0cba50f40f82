// Every page of the administration: "/" leads to the search, unless single-letter keys are switched off.
const field = document.getElementById("find-q");

addEventListener("keydown", (event) => {
  if (event.key !== field?.getAttribute("aria-keyshortcuts") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  event.preventDefault();
  field.select();
});
