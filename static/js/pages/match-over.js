// A match that is over, step by step. What only one part needs comes with that part.
import "../prefs.js";
import "../visited.js";
import "../copy.js";
import "../live.js";
import "../keys.js";
import "../chat.js";
import "../later.js";
