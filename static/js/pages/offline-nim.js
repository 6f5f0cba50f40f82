// The same where Nim is played.
import "./offline.js";
import "../nim.js";
