// The analysis board, beside analysis-board.js.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../roving.js";
