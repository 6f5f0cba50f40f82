// A tournament, which follows its matches.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../lobby.js";
import "../early.js";

// The organiser's buttons follow the state that the live part says.
const live = document.getElementById("t-live");
const follow = () => htmx.trigger(document.body, "t-state");
if (live) new MutationObserver(follow).observe(live, { attributeFilter: ["data-state"] });
