// Forms with a password.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../password.js";
