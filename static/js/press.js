// A newer picture waits while something is being pressed: it would move that away, or put another thing in its place,
// before it is let go, and the press would be lost.
const LONGEST_MS = 1000;
const waiting = [];
let held;

function hold(ms) {
  clearTimeout(held);
  held = setTimeout(letGo, ms);
}

function letGo() {
  held = 0;
  for (const act of waiting.splice(0)) act();
}

export const whenLetGo = (act) => (held ? waiting.push(act) : act());

// What a websocket brings.
export function received(event, socket) {
  if (!held) return;
  const { message: data } = event.detail;
  event.preventDefault();
  event.stopImmediatePropagation();
  waiting.push(() => socket.dispatchEvent(new MessageEvent("message", { data })));
}

document.addEventListener("pointerdown", () => hold(LONGEST_MS), true);
for (const end of ["click", "pointercancel"]) document.addEventListener(end, () => hold(0));
