// The same where Santorini was played: its board is turned.
import "./analysis.js";
import "../santorini.js";
