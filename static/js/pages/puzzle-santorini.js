// The same where Santorini is played.
import "./puzzle.js";
import "../santorini.js";
