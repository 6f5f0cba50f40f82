// The same where Nim was played.
import "./analysis.js";
import "../nim.js";
