// A room that waits for its people.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../lobby.js";
import "../share.js";
import "../dialog.js";
import "../waited.js";

// Whoever has sent a form is led by its answer. Asking for the page again meanwhile would drop that answer, and with it
// the name that a guest has just been given. Who stopped the way there hears of the room again.
const LED_MS = 20000;
let sent;
function stay() {
  clearTimeout(sent);
  sent = undefined;
}
addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  stay();
  sent = setTimeout(() => {
    stay();
    htmx.trigger(document.body, "nudge");
  }, LED_MS);
});
addEventListener("pageshow", stay);
addEventListener("htmx:beforeOnLoad", (event) => sent && event.preventDefault());
