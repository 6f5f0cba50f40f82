// How long ago something was heard, counted on here; everything else comes from the server.
import { _n } from "./words.js";

function ago(s) {
  const m = Math.floor(s / 60);
  return s < 120 ? _n("{n} second ago", "{n} seconds ago", s) : _n("{n} minute ago", "{n} minutes ago", m);
}

function count() {
  for (const element of document.querySelectorAll("#heard [data-at]")) {
    const s = Math.max(0, Math.round((Date.now() - element.dataset.at) / 1000));
    element.textContent = `, ${ago(s)}`;
  }
}

setInterval(count, 1000);
