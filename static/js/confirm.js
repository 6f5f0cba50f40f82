// "Confirm my moves": the first press on a square or a column shows the move, the second one plays it.
// Nim asks by its own button anyway.
import { _ } from "./words.js";

const SURE = "sure";

function pressed(event) {
  const button = event.target.closest?.('#controls button[name="move"]');
  if (!button || document.documentElement.dataset.confirm !== "on" || button.classList.contains(SURE)) return;
  event.preventDefault();
  event.stopPropagation();
  for (const other of document.querySelectorAll(`#controls .${SURE}`)) other.classList.remove(SURE);
  button.classList.add(SURE);
  button.focus();
  document.getElementById("say").textContent = _("{move}. Press again to play it.", { move: button.ariaLabel ?? button.textContent });
}

document.addEventListener("click", pressed, true);
