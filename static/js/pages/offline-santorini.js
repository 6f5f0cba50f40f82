// The same where Santorini is played.
import "./offline.js";
import "../santorini.js";
