// The same where Santorini is played.
import "./match.js";
import "../santorini.js";
