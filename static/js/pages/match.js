// A match: the board of any game, live or looked back at.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../live.js";
import "../clock.js";
import "../keys.js";
import "../roving.js";
import "../sound.js";
import "../notice.js";
import "../wire.js";
import "../chat.js";
import "../confirm.js";
