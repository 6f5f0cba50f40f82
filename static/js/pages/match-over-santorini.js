// The same where Santorini was played: its board is turned.
import "./match-over.js";
import "../santorini.js";
