// The bot log of a match.
import "../wire.js";
