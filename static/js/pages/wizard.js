// A bot on its way to its first match.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../lobby.js";
import "../wizard.js";
