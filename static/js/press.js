// A newer picture waits while something is being pressed: it would move that away, or put another thing in its place,
// before it is let go, and the press would be lost.
const LONGEST_MS = 5000;
const CLICK_MS = 50; // that of a finger comes a little after it has left
const waiting = [];
let held;

function hold(ms) {
  clearTimeout(held);
  held = setTimeout(letGo, ms);
}

function letGo() {
  held = undefined;
  for (const act of waiting.splice(0)) act();
}

export const isHeld = () => Boolean(held);
export const whenLetGo = (act) => (held ? waiting.push(act) : act());

document.addEventListener("pointerdown", () => hold(LONGEST_MS), true);
for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => held && hold(CLICK_MS), true);
