// A match that runs: the board of any game, looked back at or not.
import "./match-over.js";
import "../clock.js";
import "../roving.js";
import "../loud.js";
import "../notice.js";
