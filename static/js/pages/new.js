// The form of a new room.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../dialog.js";
import "../early.js";
