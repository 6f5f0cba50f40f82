// A puzzle: one position, one move to find.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../roving.js";
import "../share.js";
