// Forms with a password.
import "../prefs.js";
import "../copy.js";
import "../password.js";
