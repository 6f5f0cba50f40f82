// A room that waits for its people.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../lobby.js";
import "../share.js";
import "../dialog.js";
import "../waited.js";

// Whoever has sent a form is led by its answer. Asking for the page again meanwhile would drop that answer, and with it
// the name that a guest has just been given.
let sent = false;
addEventListener("submit", (event) => (sent = !event.defaultPrevented));
addEventListener("pageshow", () => (sent = false));
addEventListener("htmx:beforeOnLoad", (event) => sent && event.preventDefault());
