// A puzzle: one position, one move to find.
import "../prefs.js";
import "../visited.js";
import "../challenges.js";
import "../copy.js";
import "../roving.js";
import "../share.js";
