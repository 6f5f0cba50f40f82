// A tournament, which follows its matches.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../lobby.js";
import "../early.js";
