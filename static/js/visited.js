// Who opens a second page may come again: from then on this browser keeps what it needs to show pages and to play
// without a network (service-worker.js). A first visit does not pay for that.
const VISITED = "visited";

function again() {
  try {
    if (localStorage.getItem(VISITED)) return true;
    localStorage.setItem(VISITED, "1");
  } catch {} // storage is off: nothing is kept
  return false;
}

if ("serviceWorker" in navigator && again()) {
  addEventListener("load", () => navigator.serviceWorker.register("/sw.js").catch(() => {}));
}
