// The same where Santorini is played.
import "./home.js";
import "../santorini.js";
