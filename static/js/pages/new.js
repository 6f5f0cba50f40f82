// The form of a new room.
import "../prefs.js";
import "../copy.js";
import "../dialog.js";
