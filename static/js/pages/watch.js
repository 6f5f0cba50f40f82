// What is being played now, or how a check goes: pages that only follow.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../lobby.js";
