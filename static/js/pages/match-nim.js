// The same where Nim is played.
import "./match.js";
import "../nim.js";
