// The board of Santorini turned, once somebody turns it.
import "../turn.js";
