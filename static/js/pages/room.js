// A room that waits for its people.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../lobby.js";
import "../share.js";
import "../dialog.js";
