// What is being played now.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../lobby.js";
