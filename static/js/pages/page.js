// Every page that has nothing of its own.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
