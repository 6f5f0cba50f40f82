// The first page: a board to begin on, and the lobby.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../lobby.js";
import "../roving.js";
import "../dialog.js";
import "../confirm.js";
