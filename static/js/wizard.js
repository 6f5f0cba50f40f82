// How long ago something was heard, counted on here; everything else comes from the server.
import { _n } from "./words.js";

function ago(s) {
  const m = Math.floor(s / 60);
  return s < 120 ? _n("{n} second ago", "{n} seconds ago", s) : _n("{n} minute ago", "{n} minutes ago", m);
}

// What the server said last, by the element that says it: this device's own clock may be wrong.
const heard = new WeakMap();

function count() {
  for (const element of document.querySelectorAll("#heard [data-ago]")) {
    const said = element.dataset.ago;
    if (heard.get(element)?.said !== said) heard.set(element, { said, at: performance.now() - 1000 * said });
    element.textContent = `, ${ago(Math.round((performance.now() - heard.get(element).at) / 1000))}`;
  }
}

setInterval(count, 1000);
