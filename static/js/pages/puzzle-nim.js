// The same where Nim is played.
import "./puzzle.js";
import "../nim.js";
